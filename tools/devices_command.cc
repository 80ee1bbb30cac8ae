// SPDX-License-Identifier: Apache-2.0
// indim devices: the PJRT plugins that are there, and their devices.

#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_join.h"
#include "indim/run/client.h"
#include "indim/run/plugin.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"

namespace indim {
namespace {

void PrintPlugin(const pjrt::Plugin& plugin) {
  std::cout << "  plugin      " << plugin.path() << "\n  C API       "
            << plugin.major_version() << "." << plugin.minor_version() << "\n";
  for (const pjrt::NamedValue& attribute : plugin.attributes()) {
    std::cout << "  " << attribute.name << " "
              << pjrt::ToString(attribute.value) << "\n";
  }
  std::cout << "  extensions  " << absl::StrJoin(plugin.extensions(), ", ")
            << std::endl;  // a client may take long, or end the process
}

void PrintDevices(const pjrt::Client& client) {
  std::cout << "  platform    " << client.platform_name() << ", "
            << client.platform_version() << "\n";
  for (const pjrt::Device& device : client.devices()) {
    std::cout << "  device " << device.id() << "    " << device.kind()
              << (device.is_addressable() ? "" : ", of another process")
              << "\n";
  }
}

// Whether there is a device.
absl::Status Tell(const std::string& name) {
  const absl::StatusOr<pjrt::Plugin> plugin = pjrt::Plugin::Find(name);
  if (!plugin.ok()) return plugin.status();
  PrintPlugin(*plugin);
  const absl::StatusOr<pjrt::Client> client = pjrt::Client::Create(*plugin);
  if (!client.ok()) return client.status();
  PrintDevices(*client);
  return absl::OkStatus();
}

}  // namespace

int RunDevices(absl::Span<const std::string>) {
  const std::string plugin = absl::GetFlag(FLAGS_plugin);
  const std::vector<std::string> names =
      plugin.empty() ? std::vector<std::string>{"cpu", "cuda", "rocm", "tpu"}
                     : std::vector<std::string>{plugin};
  bool any = false;
  for (const std::string& name : names) {
    std::cout << name << "\n";
    const absl::Status told = Tell(name);
    if (!told.ok()) std::cout << "  " << ErrorText(told) << "\n";
    any = any || told.ok();
  }
  return any ? kExitOk : kExitErrors;
}

}  // namespace indim
