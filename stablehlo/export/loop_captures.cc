// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/loop_captures.h"

#include <algorithm>

#include "indim/ir/module_access.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/stablehlo/export/shardy.h"

namespace indim::stablehlo_export {
namespace {

bool HasSharding(const Instruction& instruction) {
  namespace of = field::HloInstructionProto;
  const FieldList fields = internal::FieldsOf(instruction);
  return fields.has(of::kSharding) ||
         FrontendAttribute(fields.Text(of::kFrontendAttributes), kSdySharding)
             .has_value();
}

}  // namespace

std::vector<bool> LoopCaptures(const Instruction& loop) {
  if (loop.opcode() != Opcode::kWhile || loop.callee_count() != 2 ||
      loop.shape().depth() != 1 || !HasSharding(loop)) {
    return {};
  }
  const Instruction root = loop.callee(0).root();  // of the body
  if (root.opcode() != Opcode::kTuple ||
      root.operand_count() != loop.shape().tuple_size()) {
    return {};
  }
  std::vector<bool> captures;
  for (int i = 0; i < root.operand_count(); ++i) {
    const Instruction element = root.operand(i);
    captures.push_back(
        element.opcode() == Opcode::kGetTupleElement &&
        As<GetTupleElementAttributes>(element.attributes()).index == i &&
        element.operand(0).opcode() == Opcode::kParameter &&
        loop.shape().elements()[static_cast<size_t>(i)].is_array());
  }
  const auto count = std::count(captures.begin(), captures.end(), true);
  // A loop of nothing would be left.
  if (count == 0 || count == root.operand_count()) return {};
  return captures;
}

}  // namespace indim::stablehlo_export
