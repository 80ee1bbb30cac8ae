// SPDX-License-Identifier: Apache-2.0
// One operation with everything that its result depends on: what questions
// about operations with attributes and instructions of files become.

#ifndef INDIM_TOOLS_EXPLAIN_EXPLAIN_NODE_H_
#define INDIM_TOOLS_EXPLAIN_EXPLAIN_NODE_H_

#include <optional>
#include <string>
#include <vector>

#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/tools/explain/explain.h"

namespace indim {

struct NodeQuestion {
  Opcode opcode = Opcode::kInvalid;
  std::vector<Shape> operands;
  std::vector<std::string> names;  // of them; empty: they have none
  Attributes attributes;
  std::vector<Signature> callees;
  std::optional<Shape> recorded;
  InferPolicy policy = InferPolicy::kBuilder;
  bool has_types = true;
  std::string text;  // "dot(f32[8,784], ...), lhs_contracting_dims={1}, ..."
};

// Pointers into a question, as inference takes them.
class NodeInputsOf {
 public:
  // `question` must outlive this.
  explicit NodeInputsOf(const NodeQuestion& question);
  NodeInputsOf(const NodeInputsOf&) = delete;
  NodeInputsOf& operator=(const NodeInputsOf&) = delete;
  const OpInputs& inputs() const { return inputs_; }

 private:
  std::vector<const Shape*> operands_;
  std::vector<const Signature*> callees_;
  OpInputs inputs_;
};

// What inference says where each size of an operand has a name: a0 is dim 0 of
// operand 0, b1 dim 1 of operand 1. So the result's sizes are formulas.
struct SizeFormulas {
  std::vector<std::string> operands;  // "[a0,a1]"; "" where it has no dims
  // Of the result, or of each array of a tuple; by dims.
  std::vector<std::vector<std::string>> results;
  std::vector<std::string> conditions;  // "a1 == b0"
};
// nullopt: the op doesn't say it for sizes of any value, or there is nothing to
// name.
std::optional<SizeFormulas> NameSizes(const NodeQuestion& question,
                                      const Shape& result);

// "batch", "contracting", "free", ... of each dim of operand `operand`, for the
// ops whose attributes give dims such parts; else empty.
std::vector<std::string> DimParts(const NodeQuestion& question, int operand);

// "%y = f32[3,2] transpose(%x), dimensions={1,0}", and `place` behind it:
// "   affine.cc:14".
std::string NodeText(const Instruction& instruction,
                     absl::string_view place = "");

Explanation ExplainNode(const NodeQuestion& question,
                        const ExplainOptions& options);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_EXPLAIN_NODE_H_
