// SPDX-License-Identifier: Apache-2.0
// OpQueries: what a recorder knows of its ops (ComputationBuilder::shape and
// others).

#ifndef INDIM_BUILDER_OP_QUERIES_H_
#define INDIM_BUILDER_OP_QUERIES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "indim/builder/op.h"
#include "indim/builder/recorder.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

class OpQueries {
 public:
  explicit OpQueries(const Recorder& recorder) : recorder_(recorder) {}

  absl::StatusOr<Shape> shape(Op op) const;
  absl::StatusOr<Opcode> opcode(Op op) const;
  absl::StatusOr<std::vector<Op>> operands(Op op) const;
  // Null for an op that has no shape.
  const Attributes* attributes(Op op) const;
  absl::StatusOr<Literal> literal(Op op) const;

 private:
  const Recorder& recorder_;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_OP_QUERIES_H_
