// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/append_record.h"

namespace indim {
namespace {

template <typename T>
void MoveBehind(Column<T>& from, Column<T>* to) {
  if (from.size() > to->size()) {
    from.insert(from.begin(), to->begin(), to->end());
    to->swap(from);
  } else {
    to->insert(to->end(), from.begin(), from.end());
  }
  from.clear();
}

}  // namespace

void AppendRecords(Column<InstructionRecord>&& from_records,
                   Column<uint32_t>&& from_operands, Column<uint32_t>* operands,
                   Column<InstructionRecord>* records) {
  const size_t first = records->size();
  const uint32_t base = static_cast<uint32_t>(operands->size());
  MoveBehind(from_records, records);
  MoveBehind(from_operands, operands);
  if (base == 0) return;
  for (size_t i = first; i < records->size(); ++i) {
    (*records)[i].first_operand += base;
  }
}

}  // namespace indim
