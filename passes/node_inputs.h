// NodeInputs: what inference wants to know of one instruction, gathered from a
// graph's arrays. Shared by the passes.

#ifndef INDIM_PASSES_NODE_INPUTS_H_
#define INDIM_PASSES_NODE_INPUTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "indim/ir/module_data.h"
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

  // Of one computation, made at the first call. Parameters by number; numbers
  // that are out of range or taken leave Shape::Kind::kNone.
  const Signature& SignatureOf(uint32_t computation);

 private:
  const ModuleData& data_;
  std::vector<const Shape*> operands_;
  std::vector<const Signature*> callees_;
  std::vector<std::unique_ptr<Signature>> signatures_;
};

// A node as the memo of a pass knows it: two nodes with equal keys have the
// same answer.
struct NodeKey {
  Opcode opcode = Opcode::kInvalid;
  BlobId blob;
  StructureId declared;
  // Structures of operands, then indices of callees.
  absl::InlinedVector<uint32_t, 6> parts;

  static NodeKey Of(const ModuleData& data, uint32_t computation,
                    const InstructionRecord& r);

  friend bool operator==(const NodeKey& a, const NodeKey& b) {
    return a.opcode == b.opcode && a.blob == b.blob &&
           a.declared == b.declared && a.parts == b.parts;
  }
  template <typename H>
  friend H AbslHashValue(H h, const NodeKey& k) {
    return H::combine(std::move(h), k.opcode, k.blob, k.declared, k.parts);
  }
};

}  // namespace indim

#endif  // INDIM_PASSES_NODE_INPUTS_H_
