// SPDX-License-Identifier: Apache-2.0
// Operations as modules of simpler ones, which are differentiated instead.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/grad/emit.h"
#include "indim/grad/expand.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/scalar_fold.h"
#include "indim/grad/tape.h"
#include "indim/passes/export/expand_broadcasts.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/dims/free_dims.h"

namespace indim::internal {

std::vector<Op> Parameters(ComputationBuilder& b, const Instruction& node) {
  b.set_record_locations(false);
  std::vector<Op> parameters;
  for (const Instruction operand : node.operands()) {
    parameters.push_back(b.Parameter(operand.shape().WithoutLayout()));
  }
  return parameters;
}

absl::StatusOr<Module> Finished(ComputationBuilder& b, Op root) {
  BuildResult built = b.Build(root);
  if (!built.ok()) return built.status();
  ExpandResult expanded = ExpandBroadcasts(*std::move(built));
  if (!expanded.ok()) return absl::InternalError("an expansion is wrong");
  return std::move(expanded.module);
}

namespace {

// The initial values, which stand behind as many arrays.
std::vector<Op> TakeSecondHalf(std::vector<Op>* operands) {
  const auto middle = static_cast<ptrdiff_t>(operands->size() / 2);
  std::vector<Op> second(operands->begin() + middle, operands->end());
  operands->resize(static_cast<size_t>(middle));
  return second;
}

// A computation of scalars, applied to arrays of equal dims, element by
// element.
class Vectorizer {
 public:
  Vectorizer(ComputationBuilder* b, Shape dims)
      : b_(*b), dims_(std::move(dims)) {}

  // The leaves of the result. Unimplemented: an operation isn't elementwise, or
  // what it calls is too much.
  absl::StatusOr<std::vector<Op>> Run(const Computation& computation,
                                      absl::Span<const Op> arguments) {
    constexpr int64_t kMaxVisited = int64_t{1} << 16;
    visited_ += computation.instruction_count();
    if (depth_ == kMostNestedCalls || visited_ > kMaxVisited) {
      return absl::UnimplementedError(
          "its computation runs others that are too many or nest too deeply");
    }
    ++depth_;
    absl::StatusOr<std::vector<Op>> result = RunBody(computation, arguments);
    --depth_;
    return result;
  }

 private:
  absl::StatusOr<std::vector<Op>> RunBody(const Computation& computation,
                                          absl::Span<const Op> arguments) {
    std::vector<std::vector<Op>> values;
    for (const Instruction node : computation.instructions()) {
      std::vector<Op> operands;
      for (const Instruction operand : node.operands()) {
        const auto& leaves = values[static_cast<size_t>(operand.index())];
        operands.insert(operands.end(), leaves.begin(), leaves.end());
      }
      absl::StatusOr<std::vector<Op>> value = Visit(node, operands, arguments);
      if (!value.ok()) return value.status();
      values.push_back(*std::move(value));
    }
    return values[static_cast<size_t>(computation.root().index())];
  }

  Shape ArrayOf(const Shape& scalar) const {
    Shape shape = dims_;
    shape.set_element_type(scalar.element_type());
    return shape;
  }

  absl::StatusOr<std::vector<Op>> Visit(const Instruction& node,
                                        const std::vector<Op>& operands,
                                        absl::Span<const Op> arguments) {
    switch (node.opcode()) {
      case Opcode::kParameter:
        return std::vector<Op>{arguments[static_cast<size_t>(
            As<ParameterAttributes>(node.attributes()).number)]};
      case Opcode::kConstant: {
        const absl::StatusOr<Literal> literal = node.literal();
        if (!literal.ok()) return literal.status();
        return std::vector<Op>{
            SpreadTo(b_, b_.ConstantLiteral(*literal), {}, dims_)};
      }
      case Opcode::kTuple:
        return operands;
      case Opcode::kGetTupleElement:
        return std::vector<Op>{operands[static_cast<size_t>(
            As<GetTupleElementAttributes>(node.attributes()).index)]};
      case Opcode::kCall:
        return Run(node.callee(0), operands);
      case Opcode::kReshape:
      case Opcode::kBroadcast:
      case Opcode::kCopy:
        if (node.shape().is_scalar()) return operands;
        break;
      default:
        break;
    }
    if (!Info(node.opcode()).has(kElementwise) || !node.shape().is_scalar()) {
      return absl::UnimplementedError(
          absl::StrCat("its computation has ", node.opcode_name(),
                       ", which isn't elementwise"));
    }
    return std::vector<Op>{b_.AddInstruction(
        node.opcode(), operands, node.attributes(), ArrayOf(node.shape()))};
  }

  ComputationBuilder& b_;
  Shape dims_;  // an array of any type
  int depth_ = 0;
  int64_t visited_ = 0;
};

// Folds arrays along dim 0 by `fold`, from `inits` on, as a tree. One array
// more than inits tells which elements count; none: all.
absl::StatusOr<std::vector<Op>> FoldMajor(ComputationBuilder& b,
                                          std::vector<Op> arrays,
                                          const std::vector<Op>& inits,
                                          const Computation& fold) {
  const auto rest = [](const Shape& shape) {
    Shape result = Shape::Scalar(shape.element_type());
    for (int i = 1; i < shape.rank(); ++i) result.add_dim(shape.dim(i));
    return result;
  };
  const auto folded =
      [&](const std::vector<Op>& left,
          const std::vector<Op>& right) -> absl::StatusOr<std::vector<Op>> {
    const auto count = static_cast<ptrdiff_t>(inits.size());
    std::vector<Op> all(left.begin(), left.begin() + count);
    all.insert(all.end(), right.begin(), right.begin() + count);
    absl::StatusOr<std::vector<Op>> result =
        Vectorizer(&b, ShapeIn(b, left[0])).Run(fold, all);
    if (!result.ok() || left.size() == inits.size()) return result;
    for (size_t i = 0; i < inits.size(); ++i) {
      (*result)[i] = b.Select(b.And(left.back(), right.back()), (*result)[i],
                              b.Select(left.back(), left[i], right[i]));
    }
    result->push_back(b.Or(left.back(), right.back()));
    return result;
  };
  int64_t count = ShapeIn(b, arrays[0]).dim(0).size();
  while (count > 1) {
    const int64_t pairs = count / 2;
    std::vector<Op> left, right, odd;
    for (const Op array : arrays) {
      left.push_back(b.SliceInDim(array, 0, 2 * pairs, 2, 0));
      right.push_back(b.SliceInDim(array, 1, 2 * pairs, 2, 0));
      if (count % 2 == 1) {
        odd.push_back(b.SliceInDim(array, count - 1, count, 1, 0));
      }
    }
    absl::StatusOr<std::vector<Op>> next = folded(left, right);
    if (!next.ok()) return next.status();
    arrays = *std::move(next);
    for (size_t i = 0; i < odd.size(); ++i) {
      arrays[i] = b.ConcatInDim({arrays[i], odd[i]}, 0);
    }
    count = pairs + count % 2;
  }
  std::vector<Op> starts;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Shape shape = rest(ShapeIn(b, arrays[i]));
    starts.push_back(i < inits.size() ? SpreadTo(b, inits[i], {}, shape)
                                      : b.Splat(1, shape));
    if (count == 1) arrays[i] = ReshapeTo(b, arrays[i], shape);
  }
  return count == 0 ? starts : folded(starts, arrays);
}

// The dims `reduced` as one, in front of the others.
Op WithMajor(ComputationBuilder& b, Op x, const DimIndices& reduced) {
  const Shape shape = ShapeIn(b, x);
  int64_t count = 1;
  for (const int64_t dim : reduced) {
    count *= shape.dim(static_cast<int>(dim)).size();
  }
  Shape merged = Shape::Of(shape.element_type(), {count});
  DimIndices permutation = reduced;
  for (const int64_t dim : FreeDims(shape.rank(), reduced)) {
    permutation.push_back(dim);
    merged.add_dim(shape.dim(static_cast<int>(dim)));
  }
  return ReshapeTo(b, TransposeBy(b, x, permutation), merged);
}

absl::StatusOr<Module> FoldedModule(ComputationBuilder& b,
                                    const std::vector<Op>& arrays,
                                    const std::vector<Op>& inits,
                                    const DimIndices& reduced,
                                    const Instruction& node) {
  std::vector<Op> majors;
  for (const Op array : arrays) {
    majors.push_back(WithMajor(b, array, reduced));
  }
  absl::StatusOr<std::vector<Op>> result =
      FoldMajor(b, std::move(majors), inits, node.callee(0));
  if (!result.ok()) return result.status();
  result->resize(inits.size());
  return Finished(b, node.shape().is_tuple() ? b.Tuple(*result) : (*result)[0]);
}

// The identity of a fold, where it is known: folding it in changes nothing.
std::optional<double> IdentityOf(ScalarFold fold) {
  const double infinity = std::numeric_limits<double>::infinity();
  switch (fold) {
    case ScalarFold::kAdd:
      return 0;
    case ScalarFold::kMultiply:
      return 1;
    case ScalarFold::kMaximum:
      return -infinity;
    case ScalarFold::kMinimum:
      return infinity;
    default:
      return std::nullopt;
  }
}

Op Folded(ComputationBuilder& b, ScalarFold fold, Op x, Op y) {
  switch (fold) {
    case ScalarFold::kAdd:
      return b.Add(x, y);
    case ScalarFold::kMultiply:
      return b.Mul(x, y);
    case ScalarFold::kMaximum:
      return b.Max(x, y);
    case ScalarFold::kMinimum:
      return b.Min(x, y);
    default:
      return y;
  }
}

// Windows of one dim as a dim of their own, behind it.
Op CutWindows(ComputationBuilder& b, Op x, int64_t dim, const WindowDim& w,
              int64_t count) {
  const Shape shape = ShapeIn(b, x);
  const Shape places = Shape::Of(ElementType::kS32, {count, w.size});
  const Op start = b.Mul(b.Iota(places, 0), b.Splat(w.stride, places));
  const Op indices = b.Add(
      start, b.Mul(b.Iota(places, 1), b.Splat(w.window_dilation, places)));
  GatherAttributes gather;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    gather.slice_sizes.push_back(
        i == dim ? 1 : shape.dim(static_cast<int>(i)).size());
    if (i != dim) gather.offset_dims.push_back(i < dim ? i : i + 1);
  }
  gather.collapsed_slice_dims = {dim};
  gather.start_index_map = {dim};
  gather.index_vector_dim = 2;
  return b.Gather(x, indices, gather);
}

}  // namespace

absl::StatusOr<Module> ExpandMap(const Instruction& node) {
  ComputationBuilder b("map");
  const std::vector<Op> arguments = Parameters(b, node);
  absl::StatusOr<std::vector<Op>> result =
      Vectorizer(&b, node.shape().WithoutLayout())
          .Run(node.callee(0), arguments);
  if (!result.ok()) return result.status();
  return Finished(b, (*result)[0]);
}

// A tree is right for associative folds alone.
absl::Status CheckAssociative(const Computation& fold) {
  const Opcode root = fold.root().opcode();
  if (root == Opcode::kSubtract || root == Opcode::kDivide ||
      root == Opcode::kPower || root == Opcode::kRemainder ||
      root == Opcode::kAtan2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its computation, ", Name(root), ", isn't associative"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Module> ExpandReduce(const Instruction& node) {
  if (absl::Status s = CheckAssociative(node.callee(0)); !s.ok()) return s;
  ComputationBuilder b("reduce");
  std::vector<Op> arrays = Parameters(b, node);
  const std::vector<Op> inits = TakeSecondHalf(&arrays);
  return FoldedModule(b, arrays, inits,
                      As<DimensionsAttributes>(node.attributes()).dimensions,
                      node);
}

absl::StatusOr<Module> ExpandReduceWindow(const Instruction& node) {
  if (absl::Status s = CheckAssociative(node.callee(0)); !s.ok()) return s;
  ComputationBuilder b("reduce_window");
  std::vector<Op> arrays = Parameters(b, node);
  const std::vector<Op> inits = TakeSecondHalf(&arrays);
  const auto& window = As<WindowAttributes>(node.attributes()).window;
  const Shape result =
      node.shape().is_tuple() ? node.shape().elements()[0] : node.shape();
  std::vector<PaddingDim> padding;
  bool has_holes = false;
  for (const WindowDim& w : window) {
    padding.push_back({w.padding_low, w.padding_high, w.base_dilation - 1});
    has_holes = has_holes || w.padding_low > 0 || w.padding_high > 0 ||
                w.base_dilation > 1;
  }
  std::vector<Op> paddings = inits;
  const std::optional<double> identity =
      arrays.size() == 1 ? IdentityOf(ScalarFoldOf(node.callee(0)))
                         : std::nullopt;
  if (identity) {
    paddings[0] = b.ConstantR0(ShapeIn(b, inits[0]).element_type(), *identity);
  } else if (has_holes) {
    Shape counts = ShapeIn(b, arrays[0]);
    counts.set_element_type(ElementType::kPred);
    arrays.push_back(b.Splat(1, counts));
    paddings.push_back(b.ConstantR0(ElementType::kPred, 0));
  }
  DimIndices reduced;
  for (size_t k = 0; k < arrays.size(); ++k) {
    arrays[k] = b.Pad(arrays[k], paddings[k], padding);
    reduced.clear();
    int64_t dim = 0;
    for (size_t i = 0; i < window.size(); ++i, ++dim) {
      const WindowDim& w = window[i];
      if (w.size == 1 && w.stride == 1) continue;
      arrays[k] = CutWindows(b, arrays[k], dim, w,
                             result.dim(static_cast<int>(i)).size());
      reduced.push_back(++dim);
    }
  }
  return FoldedModule(b, arrays, inits, reduced, node);
}

// Folds in what the computation makes of the updates; where that isn't
// possible, takes what is there, folds, and writes it back.
absl::StatusOr<Module> ExpandScatter(const Instruction& node) {
  ComputationBuilder b("scatter");
  const std::vector<Op> parameters = Parameters(b, node);
  const auto& scatter = As<ScatterAttributes>(node.attributes());
  const size_t count = parameters.size() / 2;
  const int arrays = static_cast<int>(count);
  const Op indices = parameters[count];
  const bool folds_updates = FoldsUpdates(node);
  std::vector<ScalarFold> folds;
  std::vector<Op> arguments;
  for (int i = 0; i < arrays; ++i) {
    const Shape updates = node.operand(arrays + 1 + i).shape().WithoutLayout();
    folds.push_back(folds_updates ? UpdateFoldOf(node.callee(0), i, arrays)
                                  : ScalarFold::kSecond);
    const Op array = parameters[static_cast<size_t>(i)];
    arguments.push_back(
        folds_updates
            ? b.Splat(IdentityOf(folds.back()).value_or(0), updates)
            : b.Gather(array, indices,
                       GatherOf(scatter, node.operand(i).shape(), updates)));
  }
  arguments.insert(arguments.end(),
                   parameters.begin() + static_cast<ptrdiff_t>(count) + 1,
                   parameters.end());
  absl::StatusOr<std::vector<Op>> folded =
      Vectorizer(&b, ShapeIn(b, arguments.back()))
          .Run(node.callee(0), arguments);
  if (!folded.ok()) return folded.status();
  std::vector<Op> results;
  for (size_t i = 0; i < count; ++i) {
    results.push_back(
        folds[i] == ScalarFold::kFirst
            ? parameters[i]
            : b.Scatter(
                  parameters[i], indices, (*folded)[i],
                  [&](Op x, Op y) { return Folded(b, folds[i], x, y); },
                  scatter));
  }
  return Finished(b, node.shape().is_tuple() ? b.Tuple(results) : results[0]);
}

}  // namespace indim::internal
