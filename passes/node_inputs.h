// NodeInputs: what inference wants to know of one instruction, gathered from a
// graph's arrays. Shared by the passes.

#ifndef INDIM_PASSES_NODE_INPUTS_H_
#define INDIM_PASSES_NODE_INPUTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/container/node_hash_map.h"
#include "absl/types/span.h"
#include "indim/ir/module_data.h"
#include "indim/passes/node_memo.h"
#include "indim/shape/infer.h"

namespace indim {

class NodeInputs {
 public:
  // `data` must outlive this. Its shapes may change between calls as long as a
  // computation's own don't once Signature(computation) was asked for.
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

  // Of one computation, made at the first call. Parameters by number; numbers
  // that are out of range or taken leave Shape::Kind::kNone.
  const Signature& SignatureOf(uint32_t computation);

  // The key of a node for answers that depend on its callees' signatures alone:
  // as NodeKey::Of gives it, but callees of one signature are one. What was
  // said above of a computation's shapes holds for its callees too.
  bool KeyOf(uint32_t computation, const InstructionRecord& r,
             uint32_t declared, NodeKey* key) {
    return NodeKey::Of(
        data_, computation, r, declared,
        [this](uint32_t callee) { return Representative(callee); }, key);
  }

  // The first computation that has the signature of this one, layouts aside.
  uint32_t Representative(uint32_t computation) {
    return Alike(computation).second;
  }
  // Of the parameters by number, then the result, StructureIds by value; 0 for
  // those that lack a shape.
  using Structures = absl::InlinedVector<uint32_t, 6>;
  const Structures& StructuresOf(uint32_t computation) {
    return Alike(computation).first;
  }

 private:
  // A signature, layouts aside, and the first computation that has it.
  using AlikeComputations = std::pair<const Structures, uint32_t>;

  const AlikeComputations& Alike(uint32_t computation) {
    const AlikeComputations* const known = alike_[computation];
    return known != nullptr ? *known : FindAlike(computation);
  }
  const AlikeComputations& FindAlike(uint32_t computation);

  const ModuleData& data_;
  std::vector<const Shape*> operands_;
  std::vector<const Signature*> callees_;
  std::vector<std::unique_ptr<Signature>> signatures_;
  std::vector<const AlikeComputations*> alike_;  // null: not asked for
  absl::node_hash_map<Structures, uint32_t> by_structure_;
};

}  // namespace indim

#endif  // INDIM_PASSES_NODE_INPUTS_H_
