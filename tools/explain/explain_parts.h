// SPDX-License-Identifier: Apache-2.0
// What explanations are made of. For tools/explain*.cc alone.

#ifndef INDIM_TOOLS_EXPLAIN_EXPLAIN_PARTS_H_
#define INDIM_TOOLS_EXPLAIN_EXPLAIN_PARTS_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/broadcast/broadcastable.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape.h"
#include "indim/tools/explain/explain_question.h"

namespace indim {

using OperandShapes = std::vector<const Shape*>;

// --- The two steps (explain_steps.cc) ----------------------------------------

// Each operand's dims under the result dims that they are matched with, a dot
// where it has none; a blank line behind. "" for a scalar result.
std::string DimsDrawing(const BroadcastQuestion& question,
                        const BroadcastPlan& plan);

// How the rule places an array of lower rank: "InDim", "placed from the axis",
// "aligned at the last dim".
absl::string_view PlacingName(const BroadcastSpec& spec);

// The name of a step: "" of none, PlacingName, "degenerate".
absl::string_view StepName(BroadcastStep step, const BroadcastSpec& spec);

// One operand between the steps.
struct OperandSteps {
  std::vector<std::string> lines;  // in words
  // All of the result's rank; nullopt: the rank isn't known.
  std::optional<Shape> own;        // its dims at their places, 1 elsewhere
  std::optional<Shape> placed;     // after the first step (Placed of the plan)
  std::optional<Shape> stretched;  // dims of size 1 stretched
  // By dims of the result: what gives it the result's size.
  std::vector<BroadcastStep> sized_by;
};
// Of each operand; none where a rank isn't known and the plan has no dims.
std::vector<OperandSteps> StepsOf(const BroadcastQuestion& question,
                                  const BroadcastPlan& plan);

// --- Results that are recorded (explain_verify.cc) --------------------------

// Of BroadcastableMode; arrays below go by its numbers.
constexpr size_t kModeCount = 3;

// The table of MLIR's document, a row for each dim, and what the modes say of
// the whole result.
struct TraitTable {
  struct Row {
    std::string inferred;
    std::string recorded;
    std::array<bool, kModeCount> ok = {};
  };
  std::vector<Row> dims;  // none where ranks aren't known, or differ
  Row result;
};
TraitTable VerifyTrait(const BroadcastQuestion& question,
                       const BroadcastPlan& plan, const Shape& inferred,
                       const OperandShapes& operands);
// The trait's complaints in `mode`.
bool PassesTrait(BroadcastableMode mode, const BroadcastQuestion& question,
                 const BroadcastPlan& plan, const OperandShapes& operands,
                 std::vector<Diagnostic>* diagnostics);
std::string TraitText(const TraitTable& table, BroadcastableMode mode);
std::string TraitJson(const TraitTable& table);

// --- Diagnostics (explain_diagnostics.cc) ------------------------------------

// What they are about; all but `inputs` may be empty.
struct ExplainSubject {
  OpInputs inputs;
  absl::string_view op;            // "broadcast" where inputs has no opcode
  std::vector<std::string> names;  // of operands, for fixes
  // What the question or the node has.
  DimIndices broadcast_dimensions;
};
std::string DiagnosticsText(const ExplainSubject& subject,
                            absl::Span<const Diagnostic> diagnostics);
// JSON objects: code, name, severity, message, operand, dim and fix where there
// are any.
std::vector<std::string> DiagnosticsJson(
    const ExplainSubject& subject, absl::Span<const Diagnostic> diagnostics);
bool HasErrors(absl::Span<const Diagnostic> diagnostics);

// "operand 0 dim 1 equals operand 1 dim 0", and, where the sizes have names,
// " (b == c)" behind it.
std::vector<std::string> ConditionTexts(absl::Span<const Condition> conditions,
                                        absl::Span<const Shape* const> operands,
                                        const Shape* result);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_EXPLAIN_PARTS_H_
