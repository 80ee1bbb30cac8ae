// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/diff/shape_changes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/proto/wire/printable.h"
#include "indim/tools/output/diagnostic_json.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

constexpr size_t kMaxShapeBytes = 200;
constexpr int kMaxOperands = 4;

// The shapes that instructions had against those that they have.
class Comparison {
 public:
  explicit Comparison(const RecordedShapes& before) : before_(before) {}

  const Shape& Before(const Instruction& now) const {
    return before_.at(now.position());
  }
  bool Changed(const Instruction& now) const {
    return !(Before(now) == now.shape());
  }
  // Its parameters or its result.
  bool SignatureChanged(const Computation& callee) const {
    if (callee.instruction_count() == 0) return false;
    if (Changed(callee.root())) return true;
    for (const Instruction i : callee.instructions()) {
      if (i.opcode() == Opcode::kParameter && Changed(i)) return true;
    }
    return false;
  }

 private:
  const RecordedShapes& before_;
};

void Explain(const Comparison& shapes, const Instruction& now,
             ShapeChange* change) {
  using Why = ShapeChange::Why;
  if (shapes.Before(now).is_none()) {
    change->why = Why::kFilled;
    return;
  }
  for (int k = 0; k < now.operand_count(); ++k) {
    if (!shapes.Changed(now.operand(k))) continue;
    change->why = Why::kOperand;
    change->at = k;
    return;
  }
  for (int k = 0; k < now.callee_count(); ++k) {
    if (!shapes.SignatureChanged(now.callee(k))) continue;
    change->why = Why::kCallee;
    change->at = k;
    return;
  }
  change->why =
      now.opcode() == Opcode::kParameter ? Why::kGiven : Why::kOperands;
}

Instruction At(const Module& module, const ShapeChange& change) {
  return internal::InstructionOf(&internal::DataOf(module), change.computation,
                                 change.instruction);
}

std::string Text(const Shape& shape) {
  return Printable(shape.ToString(), kMaxShapeBytes);
}

std::string OperandsText(const Instruction& now) {
  std::vector<std::string> shapes;
  const int count = now.operand_count();
  for (int k = 0; k < std::min(count, kMaxOperands); ++k) {
    shapes.push_back(Text(now.operand(k).shape().WithoutLayout()));
  }
  if (count > kMaxOperands) {
    shapes.push_back(absl::StrCat("..., ", count - kMaxOperands, " more"));
  }
  return absl::StrJoin(shapes, ", ");
}

std::string WhyText(const Instruction& now, const ShapeChange& change) {
  switch (change.why) {
    case ShapeChange::Why::kOperand:
      return absl::StrCat("since operand ", change.at, ", %",
                          Printable(now.operand(change.at).text_name()),
                          ", changed");
    case ShapeChange::Why::kCallee:
      return absl::StrCat("since what it calls, ",
                          Printable(now.callee(change.at).name()), ", changed");
    case ShapeChange::Why::kGiven:
      return "as its caller or what was set says";
    case ShapeChange::Why::kFilled:
    case ShapeChange::Why::kOperands:
      break;
  }
  return now.operand_count() == 0
             ? "which its attributes give"
             : absl::StrCat("which its operands give: ", OperandsText(now));
}

absl::string_view Name(ShapeChange::Why why) {
  switch (why) {
    case ShapeChange::Why::kFilled:
      return "filled";
    case ShapeChange::Why::kOperand:
      return "operand";
    case ShapeChange::Why::kCallee:
      return "callee";
    case ShapeChange::Why::kGiven:
      return "given";
    case ShapeChange::Why::kOperands:
      break;
  }
  return "operands";
}

}  // namespace

RecordedShapes::RecordedShapes(const Module& module) {
  const ModuleData& data = internal::DataOf(module);
  const ShapeTable& table = data.pools->shapes();
  shapes_.reserve(table.size());
  for (uint32_t id = 0; id < table.size(); ++id) {
    shapes_.push_back(table.shape(ShapeId{id}));
  }
  ids_.reserve(data.instructions.size());
  for (const InstructionRecord& r : data.instructions) {
    ids_.push_back(r.shape.value);
  }
}

std::vector<ShapeChange> ShapeChanges(const RecordedShapes& before,
                                      const Module& after) {
  const Comparison shapes(before);
  std::vector<ShapeChange> changes;
  for (const Computation computation : after.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      if (!shapes.Changed(instruction)) continue;
      ShapeChange& change = changes.emplace_back();
      change.computation = static_cast<uint32_t>(computation.index());
      change.instruction = static_cast<uint32_t>(instruction.index());
      Explain(shapes, instruction, &change);
    }
  }
  return changes;
}

std::string ChangeText(const RecordedShapes& before, const Module& after,
                       const ShapeChange& change, absl::string_view file) {
  const Instruction now = At(after, change);
  const std::string start = absl::StrCat(PlacePrefix(after, now, file), "%",
                                         Printable(now.text_name()), ": ");
  if (change.why == ShapeChange::Why::kFilled) {
    return absl::StrCat(start, Text(now.shape()), " filled in");
  }
  return absl::StrCat(start, Text(before.at(now.position())), " -> ",
                      Text(now.shape()), ", ", WhyText(now, change));
}

std::string ChangeJson(const RecordedShapes& before, const Module& after,
                       const ShapeChange& change) {
  const Instruction now = At(after, change);
  JsonWriter json;
  AddInstruction(now, &json);
  if (change.why != ShapeChange::Why::kFilled) {
    json.Add("from", before.at(now.position()).ToString());
  }
  json.Add("to", now.shape().ToString()).Add("why", Name(change.why));
  if (change.at >= 0) json.Add(Name(change.why), int64_t{change.at});
  return json.text();
}

}  // namespace indim
