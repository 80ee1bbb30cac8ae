// NodeChecker: infers the nodes of a graph, verifies them, or both, in one
// sweep. Behind InferShapes, VerifyShapes and InferAndVerify. The way of one
// node is written down in docs/architecture.md.

#ifndef INDIM_PASSES_CHECK_NODE_CHECKER_H_
#define INDIM_PASSES_CHECK_NODE_CHECKER_H_

#include <cstdint>
#include <optional>

#include "indim/ir/ids.h"
#include "indim/ir/module_data.h"
#include "indim/ir/report.h"
#include "indim/passes/check/node_inputs.h"
#include "indim/passes/check/verify_shapes.h"
#include "indim/shape/infer/infer.h"

namespace indim {

class NodeChecker {
 public:
  // By the rules of a recorded module, if `data` is one, or of `policy`. `data`
  // must outlive this, and so must what the next two are given.
  explicit NodeChecker(const ModuleData* data)
      : NodeChecker(data, data->recorded ? InferPolicy::kBuilder
                                         : InferPolicy::kVerifier) {}
  NodeChecker(const ModuleData* data, InferPolicy policy);

  // The sweep infers: results are recorded in `data`, that of the constructor,
  // whose pools are its own. For the rest see InferOptions (infer_shapes.h).
  void Infer(ModuleData* data, bool drop, bool only_missing, Report* report);
  // The sweep verifies what is recorded, after inference where it infers.
  void Verify(BroadcastableMode mode, VerifyResult* result);

  // Callees before callers, operands before users.
  void Sweep();
  // One node of the sweep. True where the signature of `c` changes by what is
  // recorded.
  bool Visit(uint32_t c, uint32_t i);

 private:
  // What is known of a node by its key.
  struct Known {
    ShapeId shape;  // to be recorded
    NodeCheck check;
  };
  // What inference says of a node.
  struct Inferred {
    ShapeId shape;        // to be recorded
    bool silent = false;  // there is nothing to report
    // What the verifier would infer once that is recorded, where it would say
    // nothing else; and of what, valid until inputs are gathered again.
    std::optional<Shape> again;
    OpInputs inputs;
  };

  bool KeyOf(uint32_t c, const InstructionRecord& r, NodeKey* key);
  // A constant's literal can be read, and is of its shape. False: perhaps not.
  bool HasPlainLiteral(const InstructionRecord& r) const;

  // False: what is recorded stays, whatever the operands are.
  bool MayChange(const InstructionRecord& r) const;
  Inferred InferAnew(uint32_t c, uint32_t i);
  // What to record where inference says `inferred`.
  ShapeId Merge(ShapeId recorded, const Shape& inferred);
  // True as Visit.
  bool Record(uint32_t c, uint32_t i, ShapeId shape);
  void ForgetSignature(uint32_t c);

  NodeCheck VerifyAnew(uint32_t c, uint32_t i, Inferred* inferred);
  // Things that shapes don't know: an opcode or attributes that can't be read,
  // a literal that doesn't fit. False when inference would only repeat it.
  bool IsReadable(uint32_t c, uint32_t i, const InstructionRecord& r);
  bool OperandsHaveShapes(uint32_t c, const InstructionRecord& r) const;
  void Count(const NodeCheck& check, uint32_t position);

  const ModuleData& data_;
  NodeInputs inputs_;
  InferContext context_;
  NodeMemo<Known> memo_;  // of nodes of which there is nothing to report

  ModuleData* inferred_ = nullptr;  // null: the sweep doesn't infer
  bool drop_ = false;
  bool only_missing_ = false;
  Report* infer_report_ = nullptr;

  VerifyResult* verified_ = nullptr;  // null: the sweep doesn't verify
  bool told_of_values_ = false;       // constants have none, it was said
};

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_NODE_CHECKER_H_
