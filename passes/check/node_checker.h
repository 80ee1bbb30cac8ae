// SPDX-License-Identifier: Apache-2.0
// NodeChecker: infers the nodes of a graph, verifies them, or both, in one
// sweep, as two policies say. InferShapes, VerifyShapes and InferAndVerify use
// it. docs/architecture.md follows one node through it.

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

// --- Policies of inference ---------------------------------------------------

// Recorded results stay as they are.
struct NoInference {
  static constexpr bool kOn = false;
  using Data = const ModuleData;
};

// Infers results and records them in the module, which owns its pools. For
// `drop` and `only_missing` see InferOptions (infer_shapes.h).
struct Inference {
  static constexpr bool kOn = true;
  using Data = ModuleData;

  bool drop;
  bool only_missing;
  Report* report;
};

// --- Policies of verification ------------------------------------------------

struct NoVerification {
  static constexpr bool kOn = false;
};

// Verifies recorded results, after inference where that is on.
struct Verification {
  static constexpr bool kOn = true;

  BroadcastableMode mode;
  VerifyResult* result;
};

// A recorded module goes by the builder's rules, others by those of XLA's
// verifier.
inline InferPolicy RulesOf(const ModuleData& data) {
  return data.recorded ? InferPolicy::kBuilder : InferPolicy::kVerifier;
}

// --- The visitor -------------------------------------------------------------

template <typename Inferring, typename Verifying>
class NodeChecker {
 public:
  using Data = typename Inferring::Data;

  // `data` and what the policies point to must outlive this.
  NodeChecker(Data* data, InferPolicy rules, Inferring inference,
              Verifying verification);

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

  NodeCheck Verify(uint32_t c, uint32_t i, Inferred* inferred);
  // Checks beside shapes: an unreadable opcode, unreadable attributes, a
  // literal that doesn't fit. False: inference would only repeat the error.
  bool IsReadable(uint32_t c, uint32_t i, const InstructionRecord& r);
  bool OperandsHaveShapes(uint32_t c, const InstructionRecord& r) const;
  void Count(const NodeCheck& check, uint32_t position);
  // The rare part, so that the rest is inlined.
  void CountUnchecked(uint32_t position);

  Data& data_;
  const Inferring inference_;
  const Verifying verification_;
  NodeInputs inputs_;
  InferContext context_;
  NodeMemo<kMaxKeyParts, Known> memo_;  // of nodes without diagnostics
  bool told_of_values_ = false;  // constants without values were reported
};

using ShapeInferrer = NodeChecker<Inference, NoVerification>;
using ShapeVerifier = NodeChecker<NoInference, Verification>;
using ShapeInferrerAndVerifier = NodeChecker<Inference, Verification>;

extern template class NodeChecker<Inference, NoVerification>;
extern template class NodeChecker<NoInference, Verification>;
extern template class NodeChecker<Inference, Verification>;

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_NODE_CHECKER_H_
