// SPDX-License-Identifier: Apache-2.0
// NodeInputs: collects the inputs of inference for one instruction from a
// graph's arrays, and makes its key for a memo.

#ifndef INDIM_PASSES_CHECK_NODE_INPUTS_H_
#define INDIM_PASSES_CHECK_NODE_INPUTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "indim/ir/module_data.h"
#include "indim/ir/node_key.h"
#include "indim/shape/infer/infer.h"

namespace indim {

class NodeInputs {
 public:
  // `data` must outlive this. Its shapes may change between calls, but those of
  // a computation must not once its signature was used.
  explicit NodeInputs(const ModuleData* data);

  // The inputs of instruction `r` of `computation`; `declared` is its recorded
  // shape (null: none). The pointers are valid until the next call.
  OpInputs Gather(uint32_t computation, const InstructionRecord& r);

  // Infers instruction `r` again, with inputs from Gather, which it sets
  // *inputs to. nullopt: the instruction or an operand has no shape, or its
  // opcode can't be inferred, which other passes report; or `context`, which is
  // cleared first, has an error.
  std::optional<Shape> InferAgain(uint32_t computation,
                                  const InstructionRecord& r,
                                  InferContext* context, OpInputs* inputs);

  // The key of a node for what depends only on its opcode, shapes,
  // `attribute_bytes` and `metadata` (its own, or 0 where they don't matter)
  // and the signatures of its callees, without layouts. False: it has more
  // parts than kMaxKeyParts. The condition on a computation's shapes above
  // applies to its callees too.
  bool KeyOf(uint32_t computation, const InstructionRecord& r,
             AttributeBytesId attribute_bytes, MetadataId metadata,
             NodeKey* key) {
    const uint32_t count = r.operand_count + r.callee_count;
    if (r.operand_count > kMaxKeyParts || count > kMaxKeyParts) {
      return false;
    }
    const InstructionRecord* const base =
        data_.instructions.data() + data_.computations[computation].first;
    const uint32_t* const parts = data_.operands.data() + r.first_operand;
    SetNodeKey(r.opcode, r.operand_count, r.callee_count, metadata, r.shape,
               attribute_bytes, key);
    for (uint32_t k = 0; k < count; ++k) {
      AddPart(k,
              k < r.operand_count ? base[parts[k]].shape.value
                                  : Representative(parts[k]),
              key);
    }
    return true;
  }

  // The first computation with the signature of this one, ignoring layouts.
  uint32_t Representative(uint32_t computation) {
    const uint32_t known = representatives_[computation];
    return known != kNotAsked ? known : FindRepresentative(computation);
  }

 private:
  static constexpr uint32_t kNotAsked = ~uint32_t{0};
  // StructureIds as values, of the parameters by number, then the result; 0 for
  // a missing shape.
  using Structures = absl::InlinedVector<uint32_t, 6>;

  // The signature of a computation, made at the first call. A parameter whose
  // number is out of range or taken leaves Shape::Kind::kNone.
  const Signature& SignatureOf(uint32_t computation);
  uint32_t FindRepresentative(uint32_t computation);

  const ModuleData& data_;
  std::vector<const Shape*> operands_;
  std::vector<const Signature*> callees_;
  std::vector<std::unique_ptr<Signature>> signatures_;
  std::vector<uint32_t> representatives_;
  absl::flat_hash_map<Structures, uint32_t> by_structure_;
};

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_NODE_INPUTS_H_
