// SPDX-License-Identifier: Apache-2.0
// Plugin: a PJRT plugin, the shared library through which XLA (or another
// compiler) compiles and runs programs on a kind of device.
//
//   absl::StatusOr<pjrt::Plugin> plugin = pjrt::Plugin::Find("cpu");
//   absl::StatusOr<pjrt::Client> client = pjrt::Client::Create(*plugin);
//   absl::StatusOr<pjrt::Executable> run = client->Compile(module);
//   absl::StatusOr<Literal> result = run->Run({x, w});
//
// client.h, buffer.h and executable.h tell more; docs/run.md has it all in
// order. A plugin is foreign code in our process, and some plugins abort on
// some programs (compile/preflight.def).

#ifndef INDIM_RUN_PLUGIN_H_
#define INDIM_RUN_PLUGIN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/run/named_value.h"

namespace indim::pjrt {

class PluginApi;

// A handle, which may be copied; equal ones are of the same library. Any thread
// may use it.
class Plugin {
 public:
  // Loads the library at `path`, and starts it unless that was done before. It
  // stays loaded as long as the process lives: unloading crashes some. Sets
  // TF_CPP_MIN_LOG_LEVEL=1 where it isn't set; otherwise the library writes
  // remarks about the machine to standard error.
  //
  // NotFound, IND1100: there is no such file, the system can't load it (the
  // message has its reason), or it isn't a plugin. Unimplemented, IND1101: its
  // C API is older than what we need (0.54), or of another major version.
  // IND1102: its own error at the start.
  static absl::StatusOr<Plugin> Load(const std::string& path);

  // Loads the plugin for a kind of device, "cpu", "cuda", "rocm" or "tpu", or
  // the library at a path (a name with a slash or a dot). The first of these
  // that is there:
  //   the path in INDIM_PJRT_<NAME>_PLUGIN (INDIM_PJRT_CPU_PLUGIN);
  //   the path of the name in PJRT_NAMES_AND_LIBRARY_PATHS, as JAX has it
  //   ("cpu:/a/b.so;tpu:/c.so");
  //   where the packages of PyPI put it (plugin_places.def), in the
  //   site-packages of PYTHONPATH, of the active virtual environment, of the
  //   user and of the system;
  //   /usr/local/lib and /usr/lib.
  // Nothing is fetched. NotFound, IND1100: no such kind, or none is there; the
  // message says where it looked. Other errors as of Load.
  static absl::StatusOr<Plugin> Find(absl::string_view name);

  // The path of the plugin that Find would load. NotFound as of Find.
  static absl::StatusOr<std::string> FindPath(absl::string_view name);

  const std::string& path() const;
  // Of the C API: 0 and 81.
  int major_version() const;
  int minor_version() const;
  // The plugin's attributes, such as "xla_version" or
  // "stablehlo_current_version".
  const std::vector<NamedValue>& attributes() const;
  // The extensions of the C API that it has: "ffi", "layouts"; one without a
  // name that we know as "extension 17".
  const std::vector<std::string>& extensions() const;

  // The functions of the plugin, for the other classes.
  const PluginApi& api() const;

  friend bool operator==(Plugin a, Plugin b) { return a.state_ == b.state_; }
  friend bool operator!=(Plugin a, Plugin b) { return a.state_ != b.state_; }

 private:
  struct State;
  explicit Plugin(const State* state) : state_(state) {}

  const State* state_;
};

}  // namespace indim::pjrt

#endif  // INDIM_RUN_PLUGIN_H_
