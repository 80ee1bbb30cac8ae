// SPDX-License-Identifier: Apache-2.0
// Expansion: the instructions that replace an instruction when its implicit
// broadcasts become explicit, outside a graph. Expander: what makes them.
//
// The serializer (module_serializer.h) asks an Expander for each node and
// writes the bytes; passes/export, which has one, adds the instructions to a
// graph.

#ifndef INDIM_PROTO_HLO_MODULE_EXPANSION_H_
#define INDIM_PROTO_HLO_MODULE_EXPANSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "indim/ir/node_key.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

struct Expansion {
  // A value: k >= 0 is operand k of the instruction; -1, -2, ... are the
  // results of the steps, in order.
  using Value = int32_t;
  using Values = absl::InlinedVector<Value, 3>;
  static Value StepValue(size_t step) { return -1 - static_cast<Value>(step); }
  static size_t StepOf(Value value) { return static_cast<size_t>(-1 - value); }

  // A new instruction before the expanded one.
  struct Step {
    Opcode opcode;
    Shape shape;
    OwnedAttributeBytes attribute_bytes;
    Values operands;
  };
  std::vector<Step> steps;
  // The operands of the instruction itself; without steps they are unchanged.
  Values operands;
  // Set where they change.
  std::optional<Shape> shape;
  std::optional<OwnedAttributeBytes> attribute_bytes;
};

class Expander {
 public:
  virtual ~Expander() = default;

  // The expansion of instruction `i` of computation `c`, the same for all nodes
  // of one key; nullopt: there is none, so that the module can't be written
  // this way: the node has an error, or stays as it is.
  virtual std::optional<Expansion> Expand(uint32_t c, uint32_t i) = 0;
  // The key of a node, metadata included. False: it has too many parts.
  virtual bool KeyOf(uint32_t c, uint32_t i, NodeKey* key) = 0;
};

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_EXPANSION_H_
