// SPDX-License-Identifier: Apache-2.0
// DiagnosticLog: the errors and warnings of a builder's calls, in order, and
// their texts. A diagnostic about a node shows it; Snapshots give the module to
// show it from.

#ifndef INDIM_BUILDER_DIAGNOSTIC_LOG_H_
#define INDIM_BUILDER_DIAGNOSTIC_LOG_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/builder/call_diagnostic.h"
#include "indim/builder/op.h"
#include "indim/builder/open_computations.h"
#include "indim/builder/shared_state.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim::internal {

// Everything recorded so far as modules, with the computation at a depth last.
// Each is made when it is needed: it is a copy of everything.
class Snapshots {
 public:
  // `shared` is null after a build. The arguments must outlive this.
  Snapshots(const OpenComputations& open, const SharedState* shared,
            absl::string_view name)
      : open_(open), shared_(shared), name_(name) {}

  const Module& At(size_t depth);
  ModuleData DataAt(size_t depth) const;

 private:
  const OpenComputations& open_;
  const SharedState* const shared_;
  const absl::string_view name_;
  std::vector<std::optional<Module>> modules_;
};

Diagnostic MakeDiagnostic(Code code, std::vector<DiagnosticArg> args = {});

// A diagnostic about a node (of the composite `what`, if any) or, with kNoNode,
// about the call `what`.
struct PendingDiagnostic {
  Diagnostic diagnostic;
  uint32_t node = OpenComputations::kNoNode;
  std::string what;
  Caller caller;
  size_t depth = 0;  // of the node's computation
  // Set when the node's computation went.
  std::shared_ptr<const CallDiagnostic> rendered = nullptr;
};

class DiagnosticLog {
 public:
  void Keep(PendingDiagnostic pending);
  size_t error_count() const { return error_count_; }
  // Warnings count too.
  size_t size() const { return diagnostics_.size(); }
  // Whether further diagnostics are only counted.
  bool is_full() const { return diagnostics_.size() >= kMaxKept; }

  // At most `limit` errors, then the number of the others, as a report.
  absl::Status Error(size_t limit, Snapshots* snapshots) const;
  // All of it, as text and as structs.
  std::string Text(Snapshots* snapshots) const;
  std::vector<CallDiagnostic> All(Snapshots* snapshots) const;
  // The first one about a node.
  std::optional<CallDiagnostic> About(size_t depth, uint32_t node,
                                      Snapshots* snapshots) const;

  // The nodes at this depth go: texts about them are made now.
  void Settle(size_t depth, Snapshots* snapshots);
  // A successful build: all nodes go.
  void SettleAll(Snapshots* snapshots);

  // What is kept from BeginBuild() to EndBuild() are errors of a build, which
  // the next BeginBuild() forgets.
  void BeginBuild();
  void EndBuild();

  // A place in the log, and what was kept since.
  struct Mark {
    size_t diagnostics = 0;
    size_t errors = 0;
  };
  Mark Here() const { return {diagnostics_.size(), error_count_}; }
  std::vector<CallDiagnostic> ErrorsSince(const Mark& mark,
                                          Snapshots* snapshots) const;
  // Forgets these errors, and warnings about nodes that went.
  void ForgetErrorsSince(const Mark& mark, const OpenComputations& open);

 private:
  // Most diagnostics that are kept; further errors are only counted.
  static constexpr size_t kMaxKept = 100;

  std::vector<PendingDiagnostic> diagnostics_;
  size_t error_count_ = 0;
  // Of the last build: where its errors begin in diagnostics_, how many are
  // there, and how many were counted.
  struct Build {
    size_t first = 0;
    size_t kept = 0;
    size_t errors = 0;
  };
  Build build_;
  // The diagnostics of a successful build.
  std::vector<CallDiagnostic> built_;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_DIAGNOSTIC_LOG_H_
