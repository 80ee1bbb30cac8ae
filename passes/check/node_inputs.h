// NodeInputs: what inference wants to know of one instruction, gathered from a
// graph's arrays, and a memo of what was found out about instructions.

#ifndef INDIM_PASSES_CHECK_NODE_INPUTS_H_
#define INDIM_PASSES_CHECK_NODE_INPUTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "indim/ir/module_data.h"
#include "indim/shape/infer/infer.h"
#include "indim/storage/memo.h"

namespace indim {

// All that shapes and attributes can say about a node: nodes with equal keys
// have the same answer.
// Counts and opcode; attribute bytes and recorded shape; shapes of operands,
// then callees, two in each.
using NodeKey = std::array<uint64_t, 5>;
constexpr uint32_t kMostKeyParts = 6;  // operands and callees

template <typename Answer>
using NodeMemo = Memo<std::tuple_size<NodeKey>::value, Answer, size_t{1} << 14>;

class NodeInputs {
 public:
  // `data` must outlive this. Its shapes may change between calls as long as a
  // computation's own don't once its signature was asked for.
  explicit NodeInputs(const ModuleData* data);

  // Inputs of instruction `r` of `computation`, `declared` its recorded shape
  // (null when it has none). What they point to is valid until the next call.
  OpInputs Gather(uint32_t computation, const InstructionRecord& r);

  // Infers instruction `r` again, with what Gather gives, which `inputs` gets.
  // nullopt: it has no shape, an operand has none, or its opcode can't be
  // inferred, which other passes report; or an error is in `context`, which is
  // cleared first.
  std::optional<Shape> InferAgain(uint32_t computation,
                                  const InstructionRecord& r,
                                  InferContext* context, OpInputs* inputs);

  // The key of a node for answers that depend on its opcode, shapes and
  // `attribute_bytes` (its own, or 0 where attributes are no matter) and, of
  // its callees, on their signatures alone, whose layouts don't count. False:
  // it has so many operands and callees that to look at them takes as long as
  // an answer. What was said above of a computation's shapes holds for its
  // callees too.
  bool KeyOf(uint32_t computation, const InstructionRecord& r,
             AttributeBytesId attribute_bytes, NodeKey* key) {
    const uint32_t count = r.operand_count + r.callee_count;
    if (r.operand_count > kMostKeyParts || count > kMostKeyParts) {
      return false;
    }
    const InstructionRecord* const base =
        data_.instructions.data() + data_.computations[computation].first;
    const uint32_t* const parts = data_.operands.data() + r.first_operand;
    *key = {uint64_t{r.callee_count} << 32 | r.operand_count << 8 |
                static_cast<uint8_t>(r.opcode),
            uint64_t{attribute_bytes.value} << 32 | r.shape.value};
    for (uint32_t k = 0; k < count; ++k) {
      const uint32_t part = k < r.operand_count ? base[parts[k]].shape.value
                                                : Representative(parts[k]);
      (*key)[2 + k / 2] |= uint64_t{part} << (k % 2 * 32);
    }
    return true;
  }

  // The first computation that has the signature of this one, layouts aside.
  uint32_t Representative(uint32_t computation) {
    const uint32_t known = representatives_[computation];
    return known != kNotAsked ? known : FindRepresentative(computation);
  }

 private:
  static constexpr uint32_t kNotAsked = ~uint32_t{0};
  // Of the parameters by number, then the result, StructureIds by value; 0 for
  // those that lack a shape.
  using Structures = absl::InlinedVector<uint32_t, 6>;

  // Of one computation, made at the first call. Parameters by number; numbers
  // that are out of range or taken leave Shape::Kind::kNone.
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
