// SPDX-License-Identifier: Apache-2.0
// The reference evaluator: computes the result of a module, or of one
// operation.
//
//   absl::StatusOr<Literal> y = Evaluate(module, {x});
//
// It evaluates every op that has a value by itself, on dense literals of all
// element types; it is made to be simple and correct rather than fast.
// evaluations.def has a row for each op. Tests check shape inference against
// it, so it takes sizes only from the operation's definition; the evaluator
// itself is checked against XLA (docs/evaluator.md).
//
// Evaluate emulates one device: a collective works among one member.
// EvaluateOnDevices emulates several. A value with bounded dims (`f32[<=5]`)
// has its real size; a Literal gives it in dynamic_sizes.

#ifndef INDIM_EVAL_EVALUATOR_H_
#define INDIM_EVAL_EVALUATOR_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/eval/ops/eval_devices.h"
#include "indim/eval/ops/eval_options.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

// The result of the entry computation. `arguments` has one value for each
// parameter, by number. For a parameter with bounded dims the argument's
// dynamic_sizes are its sizes, or its dims where it has none.
//
// Only instructions that the result depends on are evaluated. Errors, each with
// a code and the instruction (InvalidArgument, except where noted):
//   IND0813  a constant whose values a dump has omitted ({...})
//   IND0850  Unimplemented: an op without a value of its own (infeed, a
//            custom-call with a target that custom_calls.h lacks, ...)
//   IND0851  an op that is undefined for the element type
//   IND0852  ResourceExhausted: a limit of `options`
//   IND0853  a result that doesn't have the recorded shape
//   IND0854  arguments that don't match the parameters
//   IND0855  values that the op can't combine
//   IND0863  a bounded dim grows, and its new elements aren't known (memory.h)
//   IND0864  a reshape cuts a bounded dim's elements into rows, not all full
absl::StatusOr<Literal> Evaluate(const Module& module,
                                 absl::Span<const Literal> arguments,
                                 const EvalOptions& options = {});

// The result of the entry computation on each of several devices, or one result
// where it is the same on all of them. `arguments` has for each parameter, by
// number, one value that serves all devices, or a value for each device.
//
// A module that XLA's partitioner cuts (its shardings say how) is computed as
// it stands, on whole arrays; only in manual regions, between the custom calls
// of JAX's shard_map, each partition has its own part. So the results of such a
// module are whole, and those of a replica's partitions equal. A module without
// shardings runs on each device as it stands, and so does one that is
// partitioned already. Groups of collectives name devices as in XLA: of
// replicas, of partitions (with a channel), of both, or of all devices
// (use_global_device_ids), numbered as EvalDevices says.
//
// Errors: those of Evaluate, whose limits count for all devices together; with
// the device, if they are about one. Also IND0855 for a collective whose groups
// name a device that isn't there or leave one out, whose members' shapes
// differ or aren't cut into equal parts; and, InvalidArgument,
//   IND0865  a collective that not all members of a group come to, since their
//            conditions differ
//   IND0866  `devices` aren't in 1..EvalDevices::kMost, or an argument has
//            neither one value nor one for each device
absl::StatusOr<std::vector<Literal>> EvaluateOnDevices(
    const Module& module, const EvalDevices& devices,
    absl::Span<const std::vector<Literal>> arguments,
    const EvalOptions& options = {});

// One operation without a graph.
struct OpCall {
  Opcode opcode = Opcode::kInvalid;
  absl::Span<const Literal> operands;
  const Attributes* attributes = nullptr;  // null: a default struct
  absl::Span<const Computation> callees;
  // The recorded result, for ops whose result the operands alone don't
  // determine (ResultSource, opcode.h). Null: none.
  const Shape* declared = nullptr;
};
// The result of one operation; errors as in Evaluate.
absl::StatusOr<Literal> EvaluateOp(const OpCall& call,
                                   const EvalOptions& options = {});

// "" when `opcode` is evaluated, else the reason why not ("its data come from a
// host").
absl::string_view WhyNotEvaluated(Opcode opcode);

}  // namespace indim

#endif  // INDIM_EVAL_EVALUATOR_H_
