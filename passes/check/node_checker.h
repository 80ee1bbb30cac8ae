// NodeChecker: infers the nodes of a graph, verifies them, or both, in one
// sweep. InferShapes, VerifyShapes and InferAndVerify use it.
// docs/architecture.md follows one node through it.

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
  // Uses the rules of a recorded module if `data` is one; else, or if given,
  // `policy`. `data` and the arguments of Infer and Verify must outlive this.
  explicit NodeChecker(const ModuleData* data)
      : NodeChecker(data, data->recorded ? InferPolicy::kBuilder
                                         : InferPolicy::kVerifier) {}
  NodeChecker(const ModuleData* data, InferPolicy policy);

  // Makes the sweep infer and record results in `data`, which is the
  // constructor's and owns its pools. For the other arguments see InferOptions
  // (infer_shapes.h).
  void Infer(ModuleData* data, bool drop, bool only_missing, Report* report);
  // Makes the sweep verify recorded results, after inferring if it infers.
  void Verify(BroadcastableMode mode, VerifyResult* result);

  // Visits callees before callers, operands before users.
  void Sweep();
  // Visits one node. True: the signature of `c` changed.
  bool Visit(uint32_t c, uint32_t i);

 private:
  // The known result for a key.
  struct Known {
    ShapeId shape;  // the shape to record
    NodeCheck check;
  };
  // The result of inferring a node.
  struct Inferred {
    ShapeId shape;        // the shape to record
    bool silent = false;  // it reports nothing
    // The shape that the verifier would infer after that is recorded, if it
    // would report nothing; with the inputs, valid until the next Gather.
    std::optional<Shape> again;
    OpInputs inputs;
  };

  bool KeyOf(uint32_t c, const InstructionRecord& r, NodeKey* key);
  // Whether a constant's literal is certainly readable and has its shape.
  bool HasPlainLiteral(const InstructionRecord& r) const;

  // Whether inference may change the recorded shape.
  bool MayChange(const InstructionRecord& r) const;
  Inferred InferNode(uint32_t c, uint32_t i);
  // The shape to record, given the recorded and the inferred one.
  ShapeId Merge(ShapeId recorded, const Shape& inferred);
  // True: the signature of `c` changed.
  bool Record(uint32_t c, uint32_t i, ShapeId shape);
  void ForgetSignature(uint32_t c);

  NodeCheck VerifyWithoutMemo(uint32_t c, uint32_t i, Inferred* inferred);
  // Checks beside shapes: an unreadable opcode, unreadable attributes, a
  // literal that doesn't fit. False: inference would only repeat the error.
  bool IsReadable(uint32_t c, uint32_t i, const InstructionRecord& r);
  bool OperandsHaveShapes(uint32_t c, const InstructionRecord& r) const;
  void Count(const NodeCheck& check, uint32_t position);

  const ModuleData& data_;
  NodeInputs inputs_;
  InferContext context_;
  NodeMemo<Known> memo_;  // of nodes without diagnostics

  ModuleData* inferred_ = nullptr;  // null: the sweep doesn't infer
  bool drop_ = false;
  bool only_missing_ = false;
  Report* infer_report_ = nullptr;

  VerifyResult* verified_ = nullptr;  // null: the sweep doesn't verify
  bool told_of_values_ = false;       // constants without values were reported
};

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_NODE_CHECKER_H_
