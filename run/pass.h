// SPDX-License-Identifier: Apache-2.0
// Passes of ours in the pipeline of XLA inside a plugin:
//
//   absl::StatusOr<pjrt::RegisteredPass> pass = pjrt::RegisterPass(
//       plugin, "barriers", pjrt::PassStage::kPreScheduler,
//       pjrt::EditingPass(AddBarriers));
//   ... client.Compile(module) ...
//   pass->Remove();
//
// docs/passes.md tells what XLA hands to each stage.

#ifndef INDIM_RUN_PASS_H_
#define INDIM_RUN_PASS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "indim/edit/editor.h"
#include "indim/ir/module.h"
#include "indim/run/plugin.h"

namespace indim::pjrt {

// Where in XLA's pipeline: after its optimizations, with layouts and fusions;
// or with a schedule too. The values are XLA's.
enum class PassStage : int { kPreScheduler = 0, kPostScheduler = 1 };

// Gives the module that is compiled instead; nullopt: this one. XLA calls it on
// the threads that compile, several at a time; it must not compile by the same
// plugin. An exception that it throws ends the process.
using PassFunction =
    std::function<absl::StatusOr<std::optional<Module>>(const Module& module)>;

// The pass that gives what `edit` made of the module, or the first error, of
// `edit` or of the Editor.
PassFunction EditingPass(std::function<absl::Status(Editor& editor)> edit);

// What a pass did.
struct PassCounts {
  int64_t calls = 0;
  int64_t changed = 0;
  int64_t failed = 0;
  // Of all calls: reading, the function, checking and writing.
  absl::Duration time;
};

// A pass that is registered, also after this object is destroyed: compilations
// of any client of the plugin run it.
class RegisteredPass {
 public:
  PassCounts counts() const;
  // Takes the pass out. Where the plugin can't, or it is running now, it does
  // nothing from then on. IND1102: the plugin's error.
  absl::Status Remove();

 private:
  struct State;
  friend class PassSlots;
  friend absl::StatusOr<RegisteredPass> RegisterPass(const Plugin& plugin,
                                                     absl::string_view name,
                                                     PassStage stage,
                                                     PassFunction function);
  explicit RegisteredPass(std::shared_ptr<State> state)
      : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

// What is around a module in the pipeline is compiled already: after a pass it
// must have the parameters, the result and, behind the scheduler, a schedule as
// before. InvalidArgument, IND1111: it hasn't. A shape without a layout counts
// as one with the default one.
absl::Status CheckPassBorder(const Module& before, const Module& after);

// Registers a pass, behind those of its stage that are there. What it gives is
// inferred and verified before XLA sees it, and must keep what CheckPassBorder
// asks for. Where that isn't right, or the
// function returns an error, the compilation fails with its text and the pass's
// name; newer plugins make each an Internal error, the first ones that take
// passes hide the text. What the pass doesn't touch keeps its bytes.
//
// Unimplemented, IND1101: the plugin takes no passes. AlreadyExists, IND1111:
// an earlier pass of the plugin, the stage and the name wasn't removed.
// InvalidArgument, IND1111: no function. ResourceExhausted, IND1101: 64 passes
// are registered; a plugin that can't take passes out never gives one back.
// IND1102: the plugin's error.
absl::StatusOr<RegisteredPass> RegisterPass(const Plugin& plugin,
                                            absl::string_view name,
                                            PassStage stage,
                                            PassFunction function);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_PASS_H_
