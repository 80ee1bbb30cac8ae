// SPDX-License-Identifier: Apache-2.0
// Reductions, scatters and sorts of FoldOps.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/limits.h"
#include "indim/builder/record_util.h"
#include "indim/builder/regions.h"

namespace indim {
namespace {

using internal::ComputationOf;
using internal::Indices;
using internal::IsBuilt;
using internal::One;
using internal::ScalarShapesOf;
using internal::WithCallees;
using internal::WithScalars;

// The value that a fold starts with: it changes no other.
absl::StatusOr<Literal> IdentityOf(ReduceKind kind, ElementType type) {
  switch (kind) {
    case ReduceKind::kAdd:
    case ReduceKind::kOr:
    case ReduceKind::kXor:
      return Literal::Scalar(type, 0);
    case ReduceKind::kMul:
      return Literal::Scalar(type, 1);
    case ReduceKind::kMax:
      return internal::LeastLiteral(type);
    case ReduceKind::kMin:
      return internal::GreatestLiteral(type);
    case ReduceKind::kAnd:
      return IsSigned(type) ? Literal::Scalar(type, -1)
                            : internal::GreatestLiteral(type);
  }
  return absl::InvalidArgumentError("not a ReduceKind");
}

struct FoldRow {
  const char* name;
  Opcode opcode;
};

FoldRow FoldOf(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kAdd:
      return {"sum", Opcode::kAdd};
    case ReduceKind::kMul:
      return {"product", Opcode::kMultiply};
    case ReduceKind::kMax:
      return {"max", Opcode::kMaximum};
    case ReduceKind::kMin:
      return {"min", Opcode::kMinimum};
    case ReduceKind::kAnd:
      return {"and", Opcode::kAnd};
    case ReduceKind::kOr:
      return {"or", Opcode::kOr};
    case ReduceKind::kXor:
      return {"xor", Opcode::kXor};
  }
  return {"none", Opcode::kInvalid};
}

}  // namespace

// --- With Callees ------------------------------------------------------------

Op FoldOps::Reduce(absl::Span<const Op> operands,
                   absl::Span<const Op> init_values, const Callee& computation,
                   absl::Span<const int64_t> dimensions_to_reduce,
                   Caller caller) {
  absl::InlinedVector<Op, 4> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  return recorder()->RecordAgain(
      {Opcode::kReduce, all, nullptr, nullptr, One(computation)},
      DimensionsAttributes{Indices(dimensions_to_reduce)}, caller);
}

Op FoldOps::Reduce(Op operand, Op init_value, const Callee& computation,
                   absl::Span<const int64_t> dimensions_to_reduce,
                   Caller caller) {
  return Reduce(absl::MakeConstSpan(&operand, 1),
                absl::MakeConstSpan(&init_value, 1), computation,
                dimensions_to_reduce, caller);
}

Op FoldOps::ReduceAll(Op operand, Op init_value, const Callee& computation,
                      Caller caller) {
  const Shape* shape = recorder()->ShapeOf(operand);
  if (shape != nullptr && shape->is_unranked()) {
    Diagnostic diagnostic;
    diagnostic.code = Code::kRankNeeded;
    diagnostic.operand = 0;
    return recorder()->Reject(Opcode::kReduce, {operand, init_value},
                              {std::move(diagnostic)}, caller);
  }
  DimIndices all;
  for (int i = 0; shape != nullptr && i < shape->rank(); ++i) all.push_back(i);
  return Reduce(operand, init_value, computation, all, caller);
}

Op FoldOps::Scatter(Op input, Op scatter_indices, Op updates,
                    const Callee& computation,
                    const ScatterAttributes& attributes, Caller caller) {
  return Scatter(absl::MakeConstSpan(&input, 1), scatter_indices,
                 absl::MakeConstSpan(&updates, 1), computation, attributes,
                 caller);
}

Op FoldOps::Scatter(absl::Span<const Op> inputs, Op scatter_indices,
                    absl::Span<const Op> updates, const Callee& computation,
                    const ScatterAttributes& attributes, Caller caller) {
  std::vector<Op> all(inputs.begin(), inputs.end());
  all.push_back(scatter_indices);
  all.insert(all.end(), updates.begin(), updates.end());
  return WithCallees(recorder(), Opcode::kScatter, all, attributes,
                     One(computation), caller);
}

Op FoldOps::Sort(absl::Span<const Op> operands, const Callee& comparator,
                 int64_t dimension, bool is_stable, Caller caller) {
  if (dimension == -1 && !operands.empty()) {
    const Shape* shape = recorder()->ShapeOf(operands[0]);
    if (shape != nullptr && shape->is_unranked()) {
      Diagnostic diagnostic;
      diagnostic.code = Code::kRankNeeded;
      diagnostic.operand = 0;
      return recorder()->Reject(Opcode::kSort, operands,
                                {std::move(diagnostic)}, caller);
    }
    if (shape != nullptr) dimension = int64_t{shape->rank()} - 1;
  }
  return WithCallees(recorder(), Opcode::kSort, operands,
                     SortAttributes{{dimension}, is_stable}, One(comparator),
                     caller);
}

// --- With lambdas ------------------------------------------------------------

Op FoldOps::ReduceBy(ReduceKind kind, Op operand,
                     const std::optional<absl::Span<const int64_t>>& dimensions,
                     Caller caller) {
  std::vector<Shape> shapes;
  Op failed;
  if (!ScalarShapesOf(recorder(), Opcode::kReduce, {operand}, &shapes, &failed,
                      caller)) {
    return failed;
  }
  const ElementType type = shapes[0].element_type();
  const absl::StatusOr<Literal> identity = IdentityOf(kind, type);
  const FoldRow fold = FoldOf(kind);
  if (!identity.ok()) {
    return recorder()->Reject(Opcode::kReduce, {operand}, Code::kReduceKindType,
                              {std::string(fold.name), std::string(Name(type))},
                              caller);
  }
  const Callee reducer =
      internal::SharedState::Shared(recorder()->family(), fold.name, type, [&] {
        Region region =
            internal::Regions(recorder())
                .Begin(absl::StrCat(fold.name, "_", Name(type)),
                       {shapes[0], shapes[0]}, CaptureForm::kNone, caller);
        const Op result =
            recorder()->Binary(fold.opcode, region.arguments()[0],
                               region.arguments()[1], BroadcastSpec(), caller);
        internal::Regions(recorder()).End(&region, {result}, caller);
        return internal::Regions(recorder())
            .CalleeOf(std::move(region), caller);
      });
  const Op init = OwnConstant(recorder(), *identity, caller);
  return dimensions ? Reduce(operand, init, reducer, *dimensions, caller)
                    : ReduceAll(operand, init, reducer, caller);
}

Op FoldOps::ReduceOf(Op operand, const Operand& init, internal::OneResult fold,
                     absl::Span<const int64_t> dimensions, Caller caller) {
  std::vector<Op> ops;
  Op failed;
  if (!WithScalars(recorder(), Opcode::kReduce, {operand, init}, 0, &ops,
                   &failed, caller)) {
    return failed;
  }
  const std::optional<Callee> reducer = ComputationOf(
      recorder(), Opcode::kReduce, "reducer", {ops[1]}, fold, &failed, caller);
  return reducer ? Reduce(ops[0], ops[1], *reducer, dimensions, caller)
                 : failed;
}

std::vector<Op> FoldOps::ReduceOf(internal::Ops operands, internal::Ops inits,
                                  internal::Recording fold,
                                  absl::Span<const int64_t> dimensions,
                                  Caller caller) {
  std::vector<Op> both(inits.begin(), inits.end());
  both.insert(both.end(), inits.begin(), inits.end());
  std::vector<Shape> shapes;
  Op failed;
  if (!ScalarShapesOf(recorder(), Opcode::kReduce, both, &shapes, &failed,
                      caller)) {
    return std::vector<Op>(operands.size(), failed);
  }
  Region region = internal::Regions(recorder())
                      .Begin("reducer", shapes, CaptureForm::kNone, caller);
  internal::Regions(recorder()).End(&region, fold(region.arguments()), caller);
  const Callee reducer =
      internal::Regions(recorder()).CalleeOf(std::move(region), caller);
  if (!IsBuilt(recorder(), Opcode::kReduce, reducer, &failed, caller)) {
    return std::vector<Op>(operands.size(), failed);
  }
  Op reduced;
  {
    const internal::ForItself part(recorder());
    reduced = Reduce(operands, inits, reducer, dimensions, caller);
  }
  return internal::ElementsOf(recorder(), reduced, /*own=*/0, operands.size(),
                              caller);
}

Op FoldOps::ReduceWindowOf(Op operand, const Operand& init,
                           internal::OneResult fold,
                           absl::Span<const WindowDim> window, Caller caller) {
  std::vector<Op> ops;
  Op failed;
  if (!WithScalars(recorder(), Opcode::kReduceWindow, {operand, init}, 0, &ops,
                   &failed, caller)) {
    return failed;
  }
  const std::optional<Callee> reducer =
      ComputationOf(recorder(), Opcode::kReduceWindow, "reducer", {ops[1]},
                    fold, &failed, caller);
  return reducer ? ReduceWindow(ops[0], ops[1], *reducer, window, caller)
                 : failed;
}

Op FoldOps::ScatterOf(Op input, Op scatter_indices, Op updates,
                      internal::OneResult fold,
                      const ScatterAttributes& attributes, Caller caller) {
  Op failed;
  const std::optional<Callee> combiner = ComputationOf(
      recorder(), Opcode::kScatter, "combiner", {input}, fold, &failed, caller);
  return combiner ? Scatter(input, scatter_indices, updates, *combiner,
                            attributes, caller)
                  : failed;
}

Op FoldOps::SortOf(internal::Ops operands, internal::OneResult less,
                   int64_t dimension, bool is_stable, Caller caller) {
  Op failed;
  const std::optional<Callee> comparator = ComputationOf(
      recorder(), Opcode::kSort, "comparator", operands, less, &failed, caller);
  return comparator ? Sort(operands, *comparator, dimension, is_stable, caller)
                    : failed;
}

}  // namespace indim
