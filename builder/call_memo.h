// SPDX-License-Identifier: Apache-2.0
// CallMemo: the results of calls, by opcode, operand shapes, callee, declared
// shape and attributes. A graph of many layers repeats few calls; a repeated
// call infers no shapes.

#ifndef INDIM_BUILDER_CALL_MEMO_H_
#define INDIM_BUILDER_CALL_MEMO_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "indim/builder/op.h"
#include "indim/ir/ids.h"
#include "indim/ir/storage/memo.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/element_type.h"

namespace indim::internal {

// All that a call says beside its operands.
struct KnownCall {
  Opcode opcode;
  AttributeBytesId attributes;
  const Callee* callee = nullptr;
  ElementType type = ElementType::kInvalid;  // the result's, if it is given
  ShapeId declared = {};                     // of a call without operands
};

class CallMemo {
 public:
  // Calls with more operands aren't remembered.
  static constexpr size_t kMaxOperands = 3;
  using Shapes = std::array<uint32_t, kMaxOperands>;  // ids; 0: no operand
  using Key = std::array<uint64_t, 3>;
  struct Answer {
    ShapeId shape;
    AttributeBytesId attribute_bytes;
  };

  // `callee`: its index in the family's store and 1, or 0.
  static Key KeyOf(const KnownCall& call, const Shapes& shapes,
                   uint32_t callee) {
    const uint32_t what = static_cast<uint32_t>(call.type) << 8 |
                          static_cast<uint8_t>(call.opcode);
    // A declared shape has the place of the first operand's.
    const uint32_t first = call.declared ? call.declared.value : shapes[0];
    return {uint64_t{callee} << 32 | what, uint64_t{shapes[1]} << 32 | first,
            uint64_t{call.attributes.value} << 32 | shapes[2]};
  }
  // Null: it isn't known. Valid until the next Insert.
  const Answer* Find(const Key& key) { return memo_.Find(key); }
  void Insert(const Key& key, Answer answer) { memo_.Insert(key, answer); }

 private:
  Memo<3, Answer> memo_;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_CALL_MEMO_H_
