// SPDX-License-Identifier: Apache-2.0
// EditSession: what an Editor holds: the graph, the references to its
// instructions and computations, and the diagnostics of the calls.

#ifndef INDIM_EDIT_EDIT_SESSION_H_
#define INDIM_EDIT_EDIT_SESSION_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/builder/op.h"
#include "indim/edit/edit_graph.h"
#include "indim/edit/edit_result.h"
#include "indim/edit/editor.h"
#include "indim/edit/refs.h"
#include "indim/ir/module.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim::internal {

class EditSession : public EditGraph {
 public:
  explicit EditSession(Module module);
  ~EditSession();

  static EditSession& Of(Editor* editor) { return editor->session(); }
  static const EditSession& Of(const Editor& editor) {
    return editor.session();
  }

  // --- References ------------------------------------------------------------

  InstructionRef Ref(uint32_t node) const {
    return node == kNone ? InstructionRef() : InstructionRef(serial_, node);
  }
  ComputationRef RefOfComputation(uint32_t c) const {
    return c == kNone ? ComputationRef() : ComputationRef(serial_, c);
  }
  // kNone: another Editor's, a default one, or erased.
  uint32_t NodeOf(InstructionRef ref) const {
    return IsOurs(ref) && !is_erased(ref.number_) ? ref.number_ : kNone;
  }
  uint32_t ComputationOf(ComputationRef ref) const {
    return IsOurs(ref) && !at(ref.number_).erased ? ref.number_ : kNone;
  }
  bool IsOurs(InstructionRef ref) const {
    return ref.editor_ == serial_ && ref.number_ < node_count();
  }
  bool IsOurs(ComputationRef ref) const {
    return ref.editor_ == serial_ && ref.number_ < computation_count();
  }

  // NodeOf and ComputationOf for the call `what`, which report a wrong
  // reference (IND1000, IND1001), and any call after Finish() (IND1003).
  uint32_t Check(absl::string_view what, InstructionRef ref, Caller caller);
  uint32_t Check(absl::string_view what, ComputationRef ref, Caller caller);
  // False: the graph is finished, which is reported.
  bool CheckOpen(absl::string_view what, Caller caller);

  // --- Diagnostics -----------------------------------------------------------

  // A diagnostic about the call `what`.
  EditDiagnostic Make(absl::string_view what, Code code,
                      std::vector<DiagnosticArg> args, Caller caller) const;
  // Keeps one.
  void Report(absl::string_view what, Code code,
              std::vector<DiagnosticArg> args, Caller caller);
  void Keep(EditDiagnostic diagnostic) {
    diagnostics_.push_back(std::move(diagnostic));
  }
  const std::vector<EditDiagnostic>& diagnostics() const {
    return diagnostics_;
  }
  // Takes those from number `first` on: for callers that report errors
  // themselves, call by call, and whose Finish() needn't know of them.
  std::vector<EditDiagnostic> TakeDiagnostics(size_t first) {
    std::vector<EditDiagnostic> taken;
    for (size_t i = first; i < diagnostics_.size(); ++i) {
      taken.push_back(std::move(diagnostics_[i]));
    }
    if (first < diagnostics_.size()) diagnostics_.resize(first);
    return taken;
  }
  // The shape that SetShape() gave an instruction whose operands may decide it:
  // Finish() tells where they decided otherwise.
  struct GivenShape {
    ShapeId shape;
    Caller caller;
  };
  absl::flat_hash_map<uint32_t, GivenShape>& given_shapes() {
    return given_shapes_;
  }
  bool finished() const { return finished_; }
  void SetFinished() { finished_ = true; }

 private:
  const uint64_t serial_;
  bool finished_ = false;
  std::vector<EditDiagnostic> diagnostics_;
  absl::flat_hash_map<uint32_t, GivenShape> given_shapes_;  // by node
};

}  // namespace indim::internal

#endif  // INDIM_EDIT_EDIT_SESSION_H_
