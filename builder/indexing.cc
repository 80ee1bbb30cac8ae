// SPDX-License-Identifier: Apache-2.0
// ArrayOps::Index: NumPy's basic indexing, as a slice, a reverse, a
// dynamic-slice and a reshape.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/record_util.h"

namespace indim {
namespace {

using internal::Recorder;

// The slice of each dim, and what comes after it.
struct Plan {
  static constexpr int kNew = -1;
  DimIndices starts, limits, strides;
  DimIndices reversed;
  std::vector<std::pair<int, Op>> places;  // dims with an element of an Op
  std::vector<int> axes;  // of the result: dims of the operand, or kNew
  bool reshapes = false;  // dims come or go
};

std::string TextOf(const Range& range) {
  const auto text = [](std::optional<int64_t> end) {
    return end ? absl::StrCat(*end) : std::string();
  };
  return absl::StrCat(text(range.start), ":", text(range.stop),
                      range.stride == 1 ? "" : absl::StrCat(":", range.stride));
}

void AddSlice(int64_t start, int64_t limit, int64_t stride, Plan* plan) {
  plan->starts.push_back(start);
  plan->limits.push_back(limit);
  plan->strides.push_back(stride);
}

// Element `number` of dim `dim` of operand 0. False: there is none (IND0619),
// or it counts from an end that isn't known (IND0651).
bool AddNumber(InferContext* context, Dim size, int dim, int64_t number,
               Plan* plan) {
  if (number < 0 && !size.is_static()) {
    return context->Diagnose(Code::kIndexFromEnd, 0, dim)
        .Arg(absl::StrCat(number));
  }
  if (number >= size.upper() || (number < 0 && number < -size.upper())) {
    return context->Diagnose(Code::kIndexRange, 0, dim).Arg(number);
  }
  if (number < 0) number += size.upper();
  AddSlice(number, number + 1, 1, plan);
  plan->reshapes = true;
  return true;
}

// A range of a static dim. Source: Python, slice.indices.
void AddStaticRange(int64_t size, int dim, const Range& range, Plan* plan) {
  const bool down = range.stride < 0;
  // The greatest and the least position that an end may have.
  const int64_t least = down ? -1 : 0;
  const int64_t greatest = down ? size - 1 : size;
  const auto place = [&](std::optional<int64_t> end, int64_t open) {
    if (!end) return open;
    if (*end < -size) return least;
    return std::min(*end < 0 ? *end + size : *end, greatest);
  };
  const int64_t start = place(range.start, down ? greatest : least);
  const int64_t stop = place(range.stop, down ? least : greatest);
  if (!down) {
    AddSlice(start, std::max(start, stop), range.stride, plan);
    return;
  }
  plan->reversed.push_back(dim);
  if (start <= stop) {
    AddSlice(0, 0, 1, plan);
    return;
  }
  // The stride is at least -2^63+1: what is as large takes one element.
  const int64_t stride = range.stride < -size ? size : -range.stride;
  const int64_t last = start - (start - stop - 1) / stride * stride;
  AddSlice(last, start + 1, stride, plan);
}

// A range of dim `dim` of operand 0. False: a stride of 0 (IND0223), or it
// counts from an end that isn't known (IND0651).
bool AddRange(InferContext* context, Dim size, int dim, const Range& range,
              Plan* plan) {
  plan->axes.push_back(dim);
  if (range.stride == 0) {
    return context->Diagnose(Code::kSliceStride, 0, dim).Arg(range.stride);
  }
  if (size.is_static()) {
    AddStaticRange(size.size(), dim, range, plan);
    return true;
  }
  const int64_t start = range.start.value_or(0);
  if (start < 0 || range.stop.value_or(0) < 0 || range.stride < 0) {
    return context->Diagnose(Code::kIndexFromEnd, 0, dim).Arg(TextOf(range));
  }
  AddSlice(start, range.stop.value_or(kWhole), range.stride, plan);
  return true;
}

// One index of the operand's next dim, or of none. False: *context has an
// error.
bool AddIndex(InferContext* context, const Shape& from, const IndexArg& index,
              int dim, Plan* plan) {
  if (const Range* range = index.range()) {
    return AddRange(context, from.dim(dim), dim, *range, plan);
  }
  if (index.op() == nullptr) {
    return AddNumber(context, from.dim(dim), dim, index.number(), plan);
  }
  const Dim size = from.dim(dim);
  AddSlice(0, size.is_static() ? size.size() : kWhole, 1, plan);
  plan->places.emplace_back(dim, *index.op());
  plan->reshapes = true;
  return true;
}

// The number of dims that the indices are of. nullopt: *context has an error.
std::optional<int> CountDims(InferContext* context, const Shape& from,
                             absl::Span<const IndexArg> indices) {
  int64_t dims = 0, ellipses = 0;
  for (const IndexArg& index : indices) {
    ellipses += index.is_ellipsis();
    dims += !index.is_ellipsis() && !index.is_new_axis();
  }
  if (dims > from.rank()) {
    context->Diagnose(Code::kIndexCount, 0).Arg(dims).Arg(int64_t{from.rank()});
    return std::nullopt;
  }
  if (ellipses > 1) {
    context->Diagnose(Code::kIndexEllipsis, 0).Arg(ellipses);
    return std::nullopt;
  }
  return static_cast<int>(dims);
}

// nullopt: *context has an error.
std::optional<Plan> PlanOf(InferContext* context, const Shape& from,
                           absl::Span<const IndexArg> indices) {
  const auto fail = [](bool) { return std::nullopt; };
  if (!from.is_array())
    return fail(context->Diagnose(Code::kOperandNotArray, 0));
  if (from.is_unranked()) return fail(context->Diagnose(Code::kRankNeeded, 0));
  const std::optional<int> indexed = CountDims(context, from, indices);
  if (!indexed) return std::nullopt;
  Plan plan;
  int dim = 0;
  const auto add_whole = [&](int count) {
    for (; count > 0; --count, ++dim) {
      AddRange(context, from.dim(dim), dim, kAll, &plan);
    }
  };
  for (const IndexArg& index : indices) {
    if (index.is_ellipsis()) {
      add_whole(from.rank() - *indexed);
    } else if (index.is_new_axis()) {
      plan.axes.push_back(Plan::kNew);
      plan.reshapes = true;
    } else if (!AddIndex(context, from, index, dim++, &plan)) {
      return std::nullopt;
    }
  }
  add_whole(from.rank() - dim);
  return plan;
}

bool IsWhole(const Shape& from, const Plan& plan) {
  for (size_t i = 0; i < plan.starts.size(); ++i) {
    const Dim size = from.dim(static_cast<int>(i));
    if (plan.starts[i] != 0 || plan.strides[i] != 1) return false;
    if (plan.limits[i] != kWhole && !size.is(plan.limits[i])) return false;
  }
  return true;
}

// The shape of `taken`, an array that has all dims of the operand, with the
// dims of the result.
Shape ResultOf(const Shape& taken, const Plan& plan) {
  Shape result = Shape::Scalar(taken.element_type());
  for (const int axis : plan.axes) {
    result.add_dim(axis == Plan::kNew ? Dim::Static(1) : taken.dim(axis));
  }
  return result;
}

}  // namespace

Op ArrayOps::Index(Op operand, absl::Span<const IndexArg> indices,
                   Caller caller) {
  Recorder& recorder = *this->recorder();
  const bool outermost = recorder.EnterComposite("Index", caller);
  const auto leave = [&](Op result) {
    if (outermost) recorder.LeaveComposite(result);
    return result;
  };
  const Shape* shape = recorder.ShapeOf(operand);
  InferContext context;
  std::optional<Plan> plan;
  if (shape != nullptr) plan = PlanOf(&context, *shape, indices);
  if (!plan) {
    return leave(recorder.Reject(Opcode::kInvalid, {operand},
                                 std::move(*context.mutable_diagnostics()),
                                 caller));
  }
  Op result = operand;
  if (!IsWhole(*shape, *plan)) {
    result = Slice(result, plan->starts, plan->limits, plan->strides, caller);
  }
  if (!plan->reversed.empty()) result = Rev(result, plan->reversed, caller);
  if (!plan->places.empty()) {
    std::vector<Operand> starts(plan->starts.size(), Operand(0));
    std::vector<SizeArg> sizes(plan->starts.size(), SizeArg(kWhole));
    for (const auto& [dim, place] : plan->places) {
      starts[static_cast<size_t>(dim)] = place;
      sizes[static_cast<size_t>(dim)] = SizeArg(1);
    }
    result = DynamicSlice(result, starts, sizes, caller);
  }
  const Shape* taken = recorder.ShapeOf(result);
  if (!plan->reshapes || taken == nullptr) return leave(result);
  const Shape kept = ResultOf(*taken, *plan);
  return leave(
      recorder.Record({Opcode::kReshape, {result}, nullptr, &kept}, caller));
}

}  // namespace indim
