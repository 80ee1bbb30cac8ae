// SPDX-License-Identifier: Apache-2.0
// Appending instructions to a graph's columns: the only code that writes which
// operands and callees an instruction has. For readers and recorders, which
// append millions; nothing is checked or inferred here.
//
//   InstructionRecord& r =
//       AppendRecord(operands, callees, &data.operands, &data.instructions);
//   r.opcode = Opcode::kAdd;
//   r.shape = shape;

#ifndef INDIM_IR_APPEND_RECORD_H_
#define INDIM_IR_APPEND_RECORD_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/column.h"

namespace indim {

// Gives `*record` the operands, then `callee_count` callees, from `first` to
// the end of the column, where the caller has appended them.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void TakeOperands(
    size_t first, size_t callee_count, const Column<uint32_t>& operands,
    InstructionRecord* record) {
  record->first_operand = static_cast<uint32_t>(first);
  record->operand_count =
      static_cast<uint32_t>(operands.size() - first - callee_count);
  record->SetCalleeCount(callee_count);
}

namespace internal {

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void AppendOperands(
    absl::Span<const uint32_t> operands, absl::Span<const uint32_t> callees,
    Column<uint32_t>* all_operands, InstructionRecord* record) {
  record->first_operand = static_cast<uint32_t>(all_operands->size());
  record->operand_count = static_cast<uint32_t>(operands.size());
  record->SetCalleeCount(callees.size());
  // Most have one or two: a loop is faster than a call that copies.
  for (const uint32_t operand : operands) all_operands->push_back(operand);
  for (const uint32_t callee : callees) all_operands->push_back(callee);
}

}  // namespace internal

// Appends an instruction. The caller fills the other members in place, before
// it appends again: processors are slow at copying a record just after it was
// written in pieces. The spans mustn't lie in the column.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline InstructionRecord& AppendRecord(
    absl::Span<const uint32_t> operands, absl::Span<const uint32_t> callees,
    Column<uint32_t>* all_operands, Column<InstructionRecord>* records) {
  InstructionRecord& record = records->emplace_back();
  internal::AppendOperands(operands, callees, all_operands, &record);
  return record;
}

// Appends one that is like `like` in all but its operands and callees.
inline InstructionRecord& AppendRecordLike(const InstructionRecord& like,
                                           absl::Span<const uint32_t> operands,
                                           absl::Span<const uint32_t> callees,
                                           Column<uint32_t>* all_operands,
                                           Column<InstructionRecord>* records) {
  records->push_back(like);
  InstructionRecord& record = records->back();
  internal::AppendOperands(operands, callees, all_operands, &record);
  return record;
}

// The same, with what operand_of() and callee_of() make of operands and
// callees.
template <typename OperandOf, typename CalleeOf>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline InstructionRecord& AppendRecordMapped(
    const InstructionRecord& like, absl::Span<const uint32_t> operands,
    const OperandOf& operand_of, absl::Span<const uint32_t> callees,
    const CalleeOf& callee_of, Column<uint32_t>* all_operands,
    Column<InstructionRecord>* records) {
  records->push_back(like);
  InstructionRecord& record = records->back();
  const size_t first = all_operands->size();
  for (const uint32_t k : operands) all_operands->push_back(operand_of(k));
  for (const uint32_t c : callees) all_operands->push_back(callee_of(c));
  TakeOperands(first, callees.size(), *all_operands, &record);
  return record;
}

// Leaves `*record` its first `count` operands, and no callees.
inline void KeepOperands(uint32_t count, InstructionRecord* record) {
  record->operand_count = count;
  record->SetCalleeCount(0);
}

// Moves the instructions of columns of their own behind others. The longer of
// two columns isn't copied, so that a graph of millions of instructions is
// never there twice. What was moved is empty afterwards, and may be used again.
void AppendRecords(Column<InstructionRecord>&& from_records,
                   Column<uint32_t>&& from_operands, Column<uint32_t>* operands,
                   Column<InstructionRecord>* records);

}  // namespace indim

#endif  // INDIM_IR_APPEND_RECORD_H_
