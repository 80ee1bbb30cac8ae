// indim devices: the PJRT plugins that are there, and their devices.

#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/pjrt/client.h"
#include "indim/pjrt/plugin.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"

namespace indim {
namespace {

// What is known of one kind of plugin. Without an error there is a client.
struct Found {
  std::string name;
  std::string path;
  std::string api;
  std::vector<pjrt::NamedValue> attributes;
  std::vector<std::string> extensions;
  std::string platform;
  std::vector<pjrt::Device> devices;
  std::string error;
};

Found Look(const std::string& name) {
  Found found;
  found.name = name;
  const absl::StatusOr<pjrt::Plugin> plugin = pjrt::Plugin::Find(name);
  if (!plugin.ok()) {
    found.error = std::string(plugin.status().message());
    return found;
  }
  found.path = plugin->path();
  found.api =
      absl::StrCat(plugin->major_version(), ".", plugin->minor_version());
  found.attributes = plugin->attributes();
  found.extensions = plugin->extensions();
  const absl::StatusOr<pjrt::Client> client = pjrt::Client::Create(*plugin);
  if (!client.ok()) {
    found.error = std::string(client.status().message());
    return found;
  }
  found.platform =
      absl::StrCat(client->platform_name(), ", ", client->platform_version());
  found.devices = client->devices();
  return found;
}

void Print(const Found& found) {
  std::cout << found.name << "\n";
  if (!found.path.empty()) {
    std::cout << "  plugin      " << found.path << "\n  C API       "
              << found.api << "\n";
    for (const pjrt::NamedValue& attribute : found.attributes) {
      std::cout << "  " << attribute.name << " "
                << pjrt::ToString(attribute.value) << "\n";
    }
    std::cout << "  extensions  " << absl::StrJoin(found.extensions, ", ")
              << "\n";
  }
  if (!found.error.empty()) {
    std::cout << "  " << found.error << "\n";
    return;
  }
  std::cout << "  platform    " << found.platform << "\n";
  for (const pjrt::Device& device : found.devices) {
    std::cout << "  device " << device.id() << "    " << device.kind()
              << (device.is_addressable() ? "" : ", of another process")
              << "\n";
  }
}

}  // namespace

int RunDevices(absl::Span<const std::string>) {
  const std::string plugin = absl::GetFlag(FLAGS_plugin);
  const std::vector<std::string> names =
      plugin.empty() ? std::vector<std::string>{"cpu", "cuda", "rocm", "tpu"}
                     : std::vector<std::string>{plugin};
  bool any = false;
  for (const std::string& name : names) {
    const Found found = Look(name);
    any = any || !found.devices.empty();
    Print(found);
  }
  return any ? kExitOk : kExitErrors;
}

}  // namespace indim
