// NodeVerifier: verifies one instruction of a graph at a time. Behind
// VerifyShapes and the export.

#ifndef INDIM_PASSES_NODE_VERIFIER_H_
#define INDIM_PASSES_NODE_VERIFIER_H_

#include <cstdint>

#include "indim/ir/module_data.h"
#include "indim/ir/report.h"
#include "indim/passes/glance.h"
#include "indim/passes/node_inputs.h"
#include "indim/passes/node_memo.h"
#include "indim/shape/infer.h"

namespace indim {

class NodeVerifier {
 public:
  // By the rules of a recorded module, if `data` is one. `data` and `report`,
  // to which diagnostics are added, must outlive this.
  NodeVerifier(const ModuleData* data, BroadcastableMode mode, Report* report);
  // By XLA's rules or a recorded module's, whatever `data` is.
  NodeVerifier(const ModuleData* data, InferPolicy policy,
               BroadcastableMode mode, Report* report);

  // Of instruction `i` of computation `c`.
  NodeCheck Check(uint32_t c, uint32_t i);
  // The same without looking whether the like of it was checked before.
  NodeCheck CheckAnew(uint32_t c, uint32_t i) {
    return CheckAnew(c, i, nullptr, nullptr);
  }
  // The same of a node of which it is known what InferShape says, `inferred`,
  // without a diagnostic; of `inputs` as it is recorded now.
  NodeCheck CheckInferred(uint32_t c, uint32_t i, const OpInputs& inputs,
                          const Shape& inferred) {
    return CheckAnew(c, i, &inputs, &inferred);
  }

  // Sees what needs no check.
  Glance& glance() { return glance_; }

  // The key of a node for answers about its shapes: NodeInputs::KeyOf, but
  // parameters of any number are alike.
  bool KeyOf(uint32_t c, const InstructionRecord& r, uint32_t declared,
             NodeKey* key) {
    if (!inputs_.KeyOf(c, r, declared, key)) return false;
    // Its number is no matter of shapes.
    if (r.opcode == Opcode::kParameter &&
        glance_.UnderstandsParameter(r.blob)) {
      key->ForgetBlob();
    }
    return true;
  }

  NodeInputs& inputs() { return inputs_; }

 private:
  // `inputs` and `inferred` are null where they aren't known.
  NodeCheck CheckAnew(uint32_t c, uint32_t i, const OpInputs* inputs,
                      const Shape* inferred);
  // Things that shapes don't know: an opcode or attributes that can't be read,
  // a literal that doesn't fit. False when inference would only repeat it.
  bool CheckReadable(uint32_t c, uint32_t i, const InstructionRecord& r);
  bool OperandsHaveShapes(uint32_t c, const InstructionRecord& r) const;
  void Add(uint32_t c, uint32_t i, Diagnostic diagnostic);

  const ModuleData& data_;
  Report& report_;
  NodeInputs inputs_;
  Glance glance_;
  InferContext context_;
  // Nodes that passed without a word.
  NodeMemo<NodeCheck> memo_;
  // It was said that constants have no values.
  bool told_of_values_ = false;
};

}  // namespace indim

#endif  // INDIM_PASSES_NODE_VERIFIER_H_
