// ArrayOps::Index: NumPy's basic indexing, as a slice, a reverse and a reshape.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/array_ops.h"
#include "indim/builder/record_util.h"

namespace indim {
namespace {

using internal::Recorder;

// The slice of each dim, and what comes after it.
struct Plan {
  DimIndices starts, limits, strides;
  DimIndices reversed;
  std::vector<int> dropped;
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
  plan->dropped.push_back(dim);
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

// nullopt: *context has an error.
std::optional<Plan> PlanOf(InferContext* context, const Shape& from,
                           absl::Span<const IndexArg> indices) {
  const auto fail = [](bool) { return std::nullopt; };
  if (!from.is_array())
    return fail(context->Diagnose(Code::kOperandNotArray, 0));
  if (from.is_unranked()) return fail(context->Diagnose(Code::kRankNeeded, 0));
  const size_t rank = static_cast<size_t>(from.rank());
  if (indices.size() > rank) {
    return fail(context->Diagnose(Code::kIndexCount, 0)
                    .Arg(static_cast<int64_t>(indices.size()))
                    .Arg(int64_t{from.rank()}));
  }
  Plan plan;
  for (size_t i = 0; i < rank; ++i) {
    const int dim = static_cast<int>(i);
    const IndexArg index = i < indices.size() ? indices[i] : IndexArg(kAll);
    const bool ok =
        index.range()
            ? AddRange(context, from.dim(dim), dim, *index.range(), &plan)
            : AddNumber(context, from.dim(dim), dim, index.number(), &plan);
    if (!ok) return std::nullopt;
  }
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

}  // namespace

Op ArrayOps::Index(Op operand, absl::Span<const IndexArg> indices,
                   Caller caller) {
  if (recorder_ == nullptr) return Op();
  Recorder& recorder = *recorder_;
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
  const Shape* taken = recorder.ShapeOf(result);
  if (plan->dropped.empty() || taken == nullptr) return leave(result);
  Shape kept = Shape::Scalar(taken->element_type());
  for (int i = 0, dropped = 0; i < taken->rank(); ++i) {
    const size_t next = static_cast<size_t>(dropped);
    if (next < plan->dropped.size() && plan->dropped[next] == i) {
      ++dropped;
    } else {
      kept.add_dim(taken->dim(i));
    }
  }
  return leave(
      recorder.Record({Opcode::kReshape, {result}, nullptr, &kept}, caller));
}

}  // namespace indim
