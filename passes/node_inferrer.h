// NodeInferrer: infers one instruction of a graph at a time and says what to
// record for it. Behind InferShapes and InferAndVerify.

#ifndef INDIM_PASSES_NODE_INFERRER_H_
#define INDIM_PASSES_NODE_INFERRER_H_

#include <cstdint>
#include <optional>

#include "indim/ir/module_data.h"
#include "indim/ir/report.h"
#include "indim/passes/node_inputs.h"
#include "indim/shape/infer.h"

namespace indim {

class NodeInferrer {
 public:
  // What inference says of a node.
  struct Answer {
    ShapeId shape;  // to be recorded
    // It said nothing else, so that all nodes like this one have this answer.
    bool silent = false;
    std::optional<Shape> inferred;  // nullopt: nothing was inferred
    // Of what; `declared` is what was recorded, which inference may have left
    // out. Valid until inputs are gathered again.
    OpInputs inputs;

    static Answer Unchanged(const InstructionRecord& r) {
      Answer answer;
      answer.shape = r.shape;
      answer.silent = true;
      return answer;
    }
  };

  // By the rules of a recorded module, if `data` is one. `data`, whose pools
  // are its own, `inputs` (of `data`) and `report`, to which diagnostics are
  // added, must outlive this. For the rest see InferOptions (infer_shapes.h).
  NodeInferrer(ModuleData* data, bool drop, bool only_missing,
               NodeInputs* inputs, Report* report);

  // False: what is recorded stays, whatever the operands are.
  bool MayChange(const InstructionRecord& r) const;
  // Of instruction `i` of computation `c`, for which MayChange is true.
  Answer Infer(uint32_t c, uint32_t i);
  // Records `shape` for it. True where the signature of `c` changes by that.
  bool Record(uint32_t c, uint32_t i, ShapeId shape);
  // The signature of `c` has changed: what a file said of it goes.
  void ForgetSignature(uint32_t c);

  // Calls visit(c, i) for each instruction in the order of the graph; it
  // records what it wants and returns what Record said.
  template <typename Visit>
  void ForEach(const Visit& visit) {
    for (uint32_t c = 0; c < data_.computations.size(); ++c) {
      bool signature_changed = false;
      for (uint32_t i = 0; i < data_.computations[c].count; ++i) {
        signature_changed |= visit(c, i);
      }
      if (signature_changed) ForgetSignature(c);
    }
  }

 private:
  // What to record where inference says `inferred`.
  ShapeId Merge(ShapeId recorded, const Shape& inferred);

  const bool drop_;
  const bool only_missing_;
  ModuleData& data_;
  NodeInputs& inputs_;
  InferContext context_;
  Report& report_;
};

}  // namespace indim

#endif  // INDIM_PASSES_NODE_INFERRER_H_
