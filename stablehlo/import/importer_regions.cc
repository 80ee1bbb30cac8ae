// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/import/importer.h"
#include "indim/stablehlo/import/op_import.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_import {

// --- What a region may capture -----------------------------------------------

Importer::RegionForm Importer::FormOf(const mlir::Op& op) const {
  const OpRow* row = FindOp(ir_.name(op));
  const Opcode opcode = row == nullptr ? Opcode::kInvalid : row->opcode;
  if (opcode == Opcode::kWhile) return RegionForm::kLoop;
  if (opcode == Opcode::kConditional) return RegionForm::kBranch;
  return RegionForm::kApplied;
}

bool Importer::IsSinkable(Node node) const {
  const InstructionRecord& record = writer_.record(node);
  return record.opcode == Opcode::kConstant || record.opcode == Opcode::kIota ||
         writer_.IsSplat(node);
}

std::vector<ValueId> Importer::Passed(const mlir::Op& op, RegionForm form,
                                      size_t i) {
  const absl::Span<const RegionId> regions = ir_.regions(op);
  std::vector<ValueId> passed;
  absl::flat_hash_set<uint32_t> known;
  for (size_t k = 0; k < regions.size(); ++k) {
    if (form != RegionForm::kLoop && k != i) continue;
    for (const ValueId value : captures_.Of(regions[k])) {
      const Node at = node(value);
      if (at == kBroken || IsSinkable(at)) continue;
      if (known.insert(value.index).second) passed.push_back(value);
    }
  }
  return passed;
}

// --- Regions -----------------------------------------------------------------

namespace {

absl::string_view NameOfRegion(const OpRow* row, size_t i) {
  if (row != nullptr && row->name == "sdy.manual_computation") {
    return "xla.sdy.manual_computation_body";
  }
  switch (row == nullptr ? Opcode::kInvalid : row->opcode) {
    case Opcode::kWhile:
      return i == 0 ? "while_condition" : "while_body";
    case Opcode::kConditional:
      return "branch";
    default:
      return "region";
  }
}

}  // namespace

void Importer::OpenRegion(OpId id) {
  const mlir::Op& op = ir_.op(id);
  const size_t i = frames_.back().regions_done;
  const RegionId region = ir_.regions(op)[i];
  const std::vector<BlockId>& blocks = ir_.region(region).blocks;
  const RegionForm form = FormOf(op);
  std::vector<ValueId> passed;
  if (form == RegionForm::kLoop && i > 0) {
    passed = frames_.back().passed[0];
  } else if (form != RegionForm::kApplied) {
    passed = Passed(op, form, i);
  }
  frames_.back().passed.push_back(passed);
  if (blocks.size() != 1) {
    Error(op.offset,
          blocks.empty()
              ? absl::StrCat("'", ir_.name(op), "' op region ", i, " is empty")
              : absl::StrCat("'", ir_.name(op), "' op region ", i,
                             " has more than one block"),
          blocks.empty() ? Code::kStablehloConstraint : Code::kNoHloForm);
    frames_.back().callees.push_back(kBroken);
    ++frames_.back().regions_done;
    return;
  }
  Frame frame;
  frame.form = form;
  frame.owner = id;
  frame.block = blocks[0];
  if (form == RegionForm::kLoop && i == 1) frame.returned = passed;
  writer_.SetPlace(places_.At(op.offset));
  writer_.SetMetadata(MetadataId());
  writer_.Begin(NameOfRegion(FindOp(ir_.name(op)), i));
  for (const ValueId value : captures_.Of(region)) {
    frame.outside.emplace_back(value, node(value));
  }
  // A loop's region is also passed what only another of its regions captures.
  for (const ValueId value : passed) {
    const auto is_it = [&](const auto& pair) { return pair.first == value; };
    if (std::none_of(frame.outside.begin(), frame.outside.end(), is_it)) {
      frame.outside.emplace_back(value, node(value));
    }
  }
  AddArguments(frame, passed);
  // What isn't passed is a constant, or may not be captured.
  for (const auto& [value, outside] : frame.outside) {
    if (outside == kBroken ||
        std::find(passed.begin(), passed.end(), value) != passed.end()) {
      continue;
    }
    const Node copy = Sink(outside);
    SetNode(value, copy);
    if (copy != kBroken) continue;
    Error(op.offset,
          absl::StrCat("'", ir_.name(op), "' op region ", i,
                       " uses a value from outside that isn't a constant; HLO "
                       "has no such region"),
          Code::kNoHloForm);
    frame.broken = true;
  }
  frames_.push_back(std::move(frame));
}

// Makes parameters of the block's arguments and of `passed`.
void Importer::AddArguments(const Frame& frame,
                            absl::Span<const ValueId> passed) {
  std::vector<ValueId> values = ir_.block(frame.block).arguments;
  const size_t own = values.size();
  values.insert(values.end(), passed.begin(), passed.end());
  std::vector<Shape> shapes;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i >= own) {
      // Where the value came from, its computation is the next outer one.
      shapes.push_back(writer_.OuterShape(node(values[i])));
      continue;
    }
    std::string why;
    shapes.push_back(shapes_.Of(ir_.type_of(values[i]), &why));
    // A loop's arrays are taken to keep the sizes that they begin with.
    const absl::Span<const ValueId> operands =
        ir_.operands(ir_.op(frame.owner));
    if (!has_static_sizes() && frame.form == RegionForm::kLoop &&
        i < operands.size() && node(operands[i]) != kBroken) {
      shapes.back() = OpImport::AsInferred(
          shapes.back(), writer_.OuterShape(node(operands[i])));
    }
    if (shapes.back().is_none()) {
      const Offset offset = ir_.value(values[i]).offset;
      Error(offset == kNowhere ? ir_.op(frame.owner).offset : offset, why,
            Code::kNoHloForm);
      for (const ValueId value : values) SetNode(value, kBroken);
      return;
    }
  }
  if (frame.form == RegionForm::kApplied ||
      (frame.form != RegionForm::kFunction && values.size() == 1)) {
    for (size_t i = 0; i < values.size(); ++i) {
      SetNode(values[i],
              writer_.Parameter(static_cast<int64_t>(i), shapes[i], ""));
    }
    return;
  }
  const Node tuple = writer_.Parameter(0, Shape::Tuple(std::move(shapes)), "");
  for (size_t i = 0; i < values.size(); ++i) {
    SetNode(values[i], writer_.Element(tuple, static_cast<int64_t>(i)));
  }
}

Node Importer::Sink(Node node) {
  // Operands first, each once; only instructions that always give the same.
  constexpr size_t kMost = 256;
  absl::flat_hash_map<Node, Node> copies;
  std::vector<Node> stack = {node};
  while (!stack.empty()) {
    const Node at = stack.back();
    const InstructionRecord& record = writer_.outer_record(at);
    const OpInfo& info = Info(record.opcode);
    const bool pure =
        record.callee_count == 0 &&
        (info.has(kElementwise) || record.opcode == Opcode::kConstant ||
         record.opcode == Opcode::kIota ||
         record.opcode == Opcode::kBroadcast ||
         record.opcode == Opcode::kReshape);
    if (!pure || copies.size() > kMost) return kBroken;
    std::vector<Node> operands;
    bool ready = true;
    for (const Node operand : writer_.outer_operands(at)) {
      const auto copy = copies.find(operand);
      if (copy == copies.end()) {
        if (stack.size() > kMost) return kBroken;
        stack.push_back(operand);
        ready = false;
      } else {
        operands.push_back(copy->second);
      }
    }
    if (!ready) continue;
    stack.pop_back();
    if (!copies.contains(at)) copies[at] = writer_.Copy(at, operands);
  }
  return copies.at(node);
}

// A region ends with the return of its operation's dialect. A function returns
// what its type says.
void Importer::CheckReturn(const Frame& frame, const mlir::Op& terminator) {
  if (!terminator.name.valid()) return;
  if (frame.form != RegionForm::kFunction) {
    const absl::string_view owner = ir_.name(ir_.op(frame.owner));
    const absl::string_view wanted =
        absl::StartsWith(owner, "sdy.") ? "sdy.return" : "stablehlo.return";
    if (ir_.name(terminator) == wanted) return;
    return Error(terminator.offset,
                 absl::StrCat("'", owner, "' op expects regions to end with '",
                              wanted, "', found '", ir_.name(terminator), "'"));
  }
  const AttrId attr = ir_.Find(ir_.op(frame.owner), note::kFunctionType);
  if (!attr.valid()) return;
  const Type& type = ir_.type(ir_.attr(attr).type);
  const size_t wanted = type.parts.size() - type.input_count;
  const absl::Span<const ValueId> operands = ir_.operands(terminator);
  if (operands.size() != wanted) {
    return Error(
        terminator.offset,
        absl::StrCat("'", ir_.name(terminator), "' op has ", operands.size(),
                     " operands, but the function returns ", wanted));
  }
  for (size_t i = 0; i < wanted; ++i) {
    const TypeId given = ir_.type_of(operands[i]);
    const TypeId result = type.parts[type.input_count + i];
    if (given == result) continue;
    Error(terminator.offset,
          absl::StrCat("type of return operand ", i, " (",
                       shapes_.Of(given).ToString(),
                       ") doesn't match function result type (",
                       shapes_.Of(result).ToString(), ")"));
  }
}

}  // namespace indim::stablehlo_import
