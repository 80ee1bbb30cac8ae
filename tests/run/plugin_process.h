// SPDX-License-Identifier: Apache-2.0
// A plugin in a process of its own, which it may abort.

#ifndef INDIM_TESTS_RUN_PLUGIN_PROCESS_H_
#define INDIM_TESTS_RUN_PLUGIN_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"

namespace indim {

class PluginProcess {
 public:
  explicit PluginProcess(std::string path) : path_(std::move(path)) {}
  ~PluginProcess() { Stop().IgnoreError(); }
  PluginProcess(const PluginProcess&) = delete;
  PluginProcess& operator=(const PluginProcess&) = delete;

  // Compiles the module for one device and runs it. kAborted: the process
  // ended, by which signal; the next call starts another. kDeadlineExceeded: it
  // took too long, likewise. kNotFound: the plugin can't be loaded. kUnknown:
  // all other errors.
  absl::StatusOr<Literal> Run(const Module& module,
                              absl::Span<const Literal> arguments);

  // Likewise a program of StableHLO as it is, text or artifact.
  absl::StatusOr<Literal> RunStablehlo(const std::string& program,
                                       absl::Span<const Literal> arguments);

  // The release of StableHLO that the plugin has: "1.13.3".
  absl::StatusOr<std::string> StablehloRelease();

 private:
  // Seconds for one program.
  static constexpr unsigned kMostSeconds = 120;

  absl::StatusOr<Literal> Run(const std::string& kind,
                              const std::string& program,
                              absl::Span<const Literal> arguments);
  absl::Status Start();
  // What the process answers after "good".
  absl::StatusOr<std::string> Ask(const std::vector<std::string>& request);
  // An exception that comes out of a plugin ends the process, as an abort does.
  [[noreturn]] void Serve(int requests, int answers) const noexcept;
  // Waits for its end; says how it came, as Run does.
  absl::Status Stop();

  const std::string path_;
  pid_t child_ = -1;
  int requests_ = -1, answers_ = -1;
};

}  // namespace indim

#endif  // INDIM_TESTS_RUN_PLUGIN_PROCESS_H_
