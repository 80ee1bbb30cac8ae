// SPDX-License-Identifier: Apache-2.0
#include "indim/text/print/async_shorthand.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/shape_table.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/types/shape.h"

namespace indim {

namespace of = field::HloInstructionProto;

AsyncShorthand::AsyncShorthand(const ModuleData& data, bool allowed, bool exact)
    : data_(data),
      allowed_(allowed),
      is_async_(data.computations.size()),
      is_single_(data.computations.size()) {
  std::vector<bool> is_started(data_.computations.size());
  for (uint32_t c = 0; c < data_.computations.size(); ++c) {
    for (const InstructionRecord& record : data_.Instructions(c)) {
      if (record.callee_count == 0 || !IsAsync(record.opcode)) continue;
      for (uint32_t callee : data_.Callees(record)) {
        if (!is_async_[callee]) {
          is_async_[callee] = true;
          is_single_[callee] = HasOneOp(callee);
        }
        if (record.opcode != Opcode::kAsyncStart) continue;
        if (!HasShapesOf(record, callee) ||
            (exact && (is_started[callee] || !IsReadBack(record, callee)))) {
          is_single_[callee] = false;
        }
        is_started[callee] = true;
      }
    }
  }
}

// The reader makes a computation for each start, takes the operands in order,
// and gives the op the start's backend config and frontend attributes.
// all-reduce-start is an op itself.
bool AsyncShorthand::IsReadBack(const InstructionRecord& start,
                                uint32_t computation) const {
  const ComputationRecord& record = data_.computations[computation];
  if (record.root >= record.count) return false;
  const InstructionRecord& root = data_.Record(computation, record.root);
  if (root.opcode == Opcode::kParameter || root.unknown_opcode ||
      OpcodeFromName(absl::StrCat(Name(root.opcode), "-start")).has_value() ||
      !absl::c_equal(data_.Operands(root), data_.Parameters(computation))) {
    return false;
  }
  const auto fields = [&](const InstructionRecord& r) {
    return FieldList::Of(data_.pools->attribute_bytes(r.attribute_bytes));
  };
  const FieldList of_start = fields(start), of_root = fields(root);
  return !of_start.has(of::kOutputOperandAliasing) &&
         !of_root.has(of::kSharding) && !of_root.has(of::kOriginalValue) &&
         of_root.Text(of::kBackendConfig) ==
             of_start.Text(of::kBackendConfig) &&
         of_root.Text(of::kFrontendAttributes) ==
             of_start.Text(of::kFrontendAttributes);
}

// Sugar shows only the start's result shape.
bool AsyncShorthand::HasShapesOf(const InstructionRecord& start,
                                 uint32_t computation) const {
  const ShapeTable& shapes = data_.pools->shapes();
  const Shape& result = shapes.shape(start.shape);
  const ComputationRecord& record = data_.computations[computation];
  const auto instructions = data_.Instructions(computation);
  if (!result.is_tuple() || result.tuple_size() < 2 ||
      record.root >= record.count ||
      !SameStructure(result.elements()[1],
                     shapes.shape(instructions[record.root].shape))) {
    return false;
  }
  const Shape& operands = result.elements()[0];
  const ModuleData::Positions parameters = data_.Parameters(computation);
  if (!operands.is_tuple() || operands.elements().size() != parameters.size()) {
    return false;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] >= record.count ||
        !SameStructure(operands.elements()[i],
                       shapes.shape(instructions[parameters[i]].shape))) {
      return false;
    }
  }
  return true;
}

bool AsyncShorthand::HasOneOp(uint32_t computation) const {
  const uint32_t root = data_.computations[computation].root;
  const auto instructions = data_.Instructions(computation);
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    if (i != root && instructions[i].opcode != Opcode::kParameter) return false;
  }
  return true;
}

std::optional<uint32_t> AsyncShorthand::Wrapped(uint32_t computation,
                                                uint32_t i) const {
  // An update or done that names no computation has its start's.
  std::vector<uint32_t> chain;
  std::optional<uint32_t> result;
  const uint32_t first = data_.computations[computation].first;
  for (;;) {
    const InstructionRecord& record = Record(computation, i);
    if (!IsAsync(record.opcode)) break;
    if (record.callee_count > 0) {
      result = data_.Callees(record)[0];
      break;
    }
    const auto known = wrapped_.find(first + i);
    if (known != wrapped_.end()) {
      result = known->second;
      break;
    }
    chain.push_back(first + i);
    if (record.operand_count == 0) break;
    i = data_.Operands(record)[0];
  }
  for (uint32_t position : chain) wrapped_.emplace(position, result);
  return result;
}

std::optional<uint32_t> AsyncShorthand::Of(uint32_t computation,
                                           uint32_t i) const {
  if (!allowed_ || !IsAsync(Record(computation, i).opcode)) {
    return std::nullopt;
  }
  const std::optional<uint32_t> wrapped = Wrapped(computation, i);
  if (!wrapped || !is_single_[*wrapped]) return std::nullopt;
  // An async op in an async op is printed unchanged: sugar has one level.
  return wrapped;
}

}  // namespace indim
