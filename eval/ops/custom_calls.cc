// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/custom_calls.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/interpreter.h"
#include "indim/eval/ops/lapack.h"
#include "indim/eval/ops/manual_region.h"
#include "indim/eval/ops/memory.h"
#include "indim/shape/ops/lapack.h"

namespace indim {
namespace {

constexpr uint64_t kLow32 = 0xffffffff;

// Returns the operand: the call only annotates it.
std::optional<Value> PassOn(Evaluation& e, Interpreter&) {
  if (e.operand_count() != 1) return e.Fail("it needs one operand to pass on");
  return e.operand(0);
}

// The low or high 32 bits of 64-bit integers.
template <int kShift>
std::optional<Value> HalfOf(Evaluation& e, Interpreter&) {
  const Shape* declared = e.DeclaredArray();
  if (declared == nullptr) return std::nullopt;
  if (e.operand_count() != 1) return e.Fail("it needs one operand to split");
  if (!e.ExpectArrays()) return std::nullopt;
  const Value& whole = e.operand(0);
  const ElementType type = declared->element_type();
  if (!IsIntegral(whole.type()) || whole.width() != 8 || !IsIntegral(type) ||
      ElementBytes(type) != 4) {
    return e.Fail("it is known for integers of 64 bits, split into 32");
  }
  ArrayMaker half;
  if (!e.NewArray(type, whole.sizes(), &half)) return std::nullopt;
  for (int64_t i = 0; i < whole.count(); ++i) {
    half.Set(i, Scalar::Bits((whole.At(i).bits >> kShift) & kLow32));
  }
  return std::move(half).Finish();
}

// Combines the low and high halves of 64-bit integers.
std::optional<Value> CombineHalves(Evaluation& e, Interpreter&) {
  const Shape* declared = e.DeclaredArray();
  if (declared == nullptr) return std::nullopt;
  if (e.operand_count() != 2) return e.Fail("it needs a low and a high half");
  if (!e.ExpectArrays()) return std::nullopt;
  const Value& low = e.operand(0);
  const Value& high = e.operand(1);
  const ElementType type = declared->element_type();
  if (!IsIntegral(low.type()) || low.width() != 4 || !IsIntegral(high.type()) ||
      high.width() != 4 || !IsIntegral(type) || ElementBytes(type) != 8) {
    return e.Fail("it is known for integers of 32 bits, put together to 64");
  }
  if (low.sizes() != high.sizes()) return e.Fail("its halves' sizes differ");
  ArrayMaker whole;
  if (!e.NewArray(type, low.sizes(), &whole)) return std::nullopt;
  for (int64_t i = 0; i < low.count(); ++i) {
    whole.Set(i,
              Scalar::Bits(high.At(i).bits << 32 | (low.At(i).bits & kLow32)));
  }
  return std::move(whole).Finish();
}

// The k largest elements of each row of the last dim, whatever the computation
// compares, as on XLA's CPU. k is operand 1, or else the recorded result gives
// it.
std::optional<Value> LargestK(Evaluation& e, Interpreter& machine) {
  const Shape* declared = e.declared();
  if (e.operand_count() < 1 || e.operand_count() > 2 || declared == nullptr ||
      !declared->is_tuple() || declared->tuple_size() != 2 ||
      !declared->elements()[0].is_array() ||
      declared->elements()[0].rank() == 0) {
    return e.Fail("it needs one operand and a recorded (values, indices)");
  }
  if (!e.ExpectArrays()) return std::nullopt;
  const Shape& values = declared->elements()[0];
  const Dim k = values.dim(values.rank() - 1);
  TopKAttributes topk;
  if (e.operand_count() == 2) {
    const Value& number = e.operand(1);
    if (!IsIntegral(number.type()) || number.count() != 1) return e.FailType(1);
    topk.k = number.At(0).integer();
  } else {
    if (!k.is_static()) return e.Fail("the number of its results isn't known");
    topk.k = k.size();
  }
  topk.largest = true;
  const Attributes attributes = topk;
  Evaluation inner(&machine, Opcode::kTopK, &attributes,
                   e.operands().subspan(0, 1), {}, declared);
  return machine.RunOp(inner);
}

// The order of rows that the exchanges of an LU factorization make: for each
// pivot i, of the last dim, rows i and pivots[i] change places.
std::optional<Value> PivotsToPermutation(Evaluation& e, Interpreter&) {
  const Shape* declared = e.DeclaredArray();
  if (declared == nullptr || !e.ExpectArrays()) return std::nullopt;
  if (e.operand_count() != 1 || e.operand(0).rank() == 0 ||
      declared->rank() == 0 || !IsIntegral(e.operand(0).type()) ||
      declared->element_type() != e.operand(0).type() ||
      !declared->dim(declared->rank() - 1).is_static()) {
    return e.Fail("it needs pivots, and a recorded permutation of known size");
  }
  const Value& pivots = e.operand(0);
  Sizes sizes = pivots.sizes();
  const int64_t count = sizes.back();
  const int64_t size = declared->dim(declared->rank() - 1).size();
  sizes.back() = size;
  ArrayMaker result;
  if (!e.NewArray(pivots.type(), sizes, &result)) return std::nullopt;
  for (int64_t i = 0; i < result.count(); ++i) {
    result.Set(i, Scalar::Bits(static_cast<uint64_t>(i % size)));
  }
  for (int64_t i = 0; size > 0 && i < pivots.count(); ++i) {
    const int64_t row = i % count, other = pivots.At(i).integer();
    if (row >= size || other < 0 || other >= size) {
      return e.Fail("a pivot is no row");
    }
    const int64_t first = i / count * size;
    const Scalar moved = result.At(first + row);
    result.Set(first + row, result.At(first + other));
    result.Set(first + other, moved);
  }
  return std::move(result).Finish();
}

// An array with bounded dims of an array as large as its bounds, and a size for
// each dim.
std::optional<Value> SliceToDynamic(Evaluation& e, Interpreter&) {
  if (e.operand_count() == 0 || !e.ExpectArrays()) {
    return e.Fail("it needs an array and a size for each dim");
  }
  const Value& whole = e.operand(0);
  if (e.operand_count() != 1 + whole.rank()) {
    return e.Fail("it needs an array and a size for each dim");
  }
  Sizes sizes;
  for (int dim = 0; dim < whole.rank(); ++dim) {
    const Value& size = e.operand(1 + dim);
    if (!size.is_scalar() || !IsIntegral(size.type())) {
      return e.FailType(1 + dim);
    }
    sizes.push_back(Position(size.type(), size.At(0)));
    if (sizes.back() < 0 || sizes.back() > whole.size(dim)) {
      return e.Fail(absl::StrCat("dim ", dim, " can't have the size ",
                                 sizes.back(), ": there are ", whole.size(dim),
                                 " elements"));
    }
  }
  return LiveOf(e, whole, sizes, e.declared());
}

// The inverse: as large as the bounds, with zeros behind the elements.
std::optional<Value> PadToStatic(Evaluation& e, Interpreter&) {
  const Shape* declared = e.declared();
  if (e.operand_count() != 1 || declared == nullptr || !declared->is_tuple() ||
      declared->tuple_size() == 0 || !e.ExpectArrays()) {
    return e.Fail("it needs an array, and a recorded (array, sizes)");
  }
  const Value& operand = e.operand(0);
  const Shape& whole = declared->elements()[0];
  if (!whole.is_array() || whole.rank() != operand.rank() ||
      !whole.is_static() || whole.element_type() != operand.type()) {
    return e.Fail("it needs an array, and a recorded (array, sizes)");
  }
  std::vector<Value> results(1);
  Sizes sizes;
  for (int dim = 0; dim < whole.rank(); ++dim) {
    const int64_t size = operand.size(dim);
    sizes.push_back(whole.dim(dim).size());
    if (size > sizes.back())
      return e.Fail("the array is larger than its bounds");
    results.push_back(Value::Of(ElementType::kS32,
                                Scalar::Bits(static_cast<uint64_t>(size))));
  }
  ArrayMaker zeros;
  if (!e.NewArray(operand.type(), sizes, &zeros)) return std::nullopt;
  auto padded =
      Pasted(e, std::move(zeros).Finish(), operand, Sizes(sizes.size()));
  if (!padded) return std::nullopt;
  results[0] = *std::move(padded);
  return Value::Tuple(std::move(results));
}

constexpr KnownCustomCall kKnown[] = {
    // Sharding. Source: sharding_remover.cc, shardy/constants.h.
    {"Sharding", PassOn},
    {"SPMDFullToShardShape", EnterManualRegion, nullptr, true},
    {"SPMDShardToFullShape", LeaveManualRegion, ExchangeManualResults, true},
    {"LocalToGlobalShape", LeaveManualRegion, ExchangeManualResults, true},
    {"GlobalToLocalShape", EnterManualRegion, nullptr, true},
    {"xla.sdy.FuncResultSharding", PassOn},
    {"xla.sdy.PropagationBarrier", PassOn},
    {"xla.sdy.ShardingGroup", PassOn},
    {"xla.sdy.LocalToGlobalShape", LeaveManualRegion, ExchangeManualResults,
     true},
    {"xla.sdy.GlobalToLocalShape", EnterManualRegion, nullptr, true},
    {"ShardBarrierFrom", PassOn},
    {"ShardBarrierTo", PassOn},
    // Memory placement. Source: memory_annotations.h, layout_assignment.cc.
    {"annotate_device_placement", PassOn},
    {"MoveToHost", PassOn},
    {"MoveToDevice", PassOn},
    {"PinToDevice", PassOn},
    {"PinToDeviceSram", PassOn},
    {"LayoutConstraint", PassOn},
    // Promises of a pass. Source: despecializer.cc.
    {"AssumeGatherIndicesInBound", PassOn},
    {"TopK", LargestK},
    // Of JAX: chlo.top_k with a size that is a value, and a step of LU.
    {"stablehlo.dynamic_top_k", LargestK},
#define INDIM_XLA_FACTORIZATION(target, function, signature) \
  {target, Lapack##function},
#define INDIM_LAPACK_FACTORIZATION(routine, function, signature)
#include "indim/shape/ops/factorizations.def"
    {"cu_lu_pivots_to_permutation", PivotsToPermutation},
    {"hip_lu_pivots_to_permutation", PivotsToPermutation},
    // Bounded sizes behind XLA's passes. Source: dynamic_padder.cc.
    {"SliceToDynamic", SliceToDynamic},
    {"PadToStatic", PadToStatic},
    // 64-bit integers on a 32-bit machine. Source: host_offloader.cc, and
    // sharding_propagation.cc for the order of the halves.
    {"X64SplitLow", HalfOf<0>},
    {"X64SplitHigh", HalfOf<32>},
    {"X64Combine", CombineHalves},
};

// By LapackRoutine().
constexpr KnownCustomCall kLapack[] = {
#define INDIM_XLA_FACTORIZATION(target, function, signature)
#define INDIM_LAPACK_FACTORIZATION(routine, function, signature) \
  {routine, Lapack##function},
#include "indim/shape/ops/factorizations.def"
};

const KnownCustomCall* Find(absl::Span<const KnownCustomCall> rows,
                            absl::string_view target) {
  const auto row = absl::c_find_if(rows, [&](const KnownCustomCall& known) {
    return known.target == target;
  });
  return row == rows.end() ? nullptr : &*row;
}

// Whether memory has the elements of `shape` in the order of `minor_to_major`,
// as far as dims of more than one element have an order.
bool HasOrder(const Shape& shape, const DimIndices& minor_to_major) {
  const auto order = [&](const auto& dims) {
    DimIndices moving;
    for (const int64_t dim : dims) {
      if (!shape.dim(static_cast<int>(dim)).is(1)) moving.push_back(dim);
    }
    return moving;
  };
  return order(shape.WithDefaultLayout().layout()->minor_to_major) ==
         order(minor_to_major);
}

}  // namespace

bool ReadsByColumns(Evaluation& e) {
  const auto& call = e.attributes_as<CustomCallAttributes>();
  if (!call.constrain_layout || LapackRoutine(call.target).empty()) return true;
  int rank = 0;  // of the matrices, which vectors have one dim less than
  for (const Shape& shape : call.operand_shapes_with_layout) {
    if (shape.is_array()) rank = std::max(rank, shape.rank());
  }
  for (const Shape& shape : call.operand_shapes_with_layout) {
    if (!shape.is_array() || shape.rank() < 2) continue;
    DimIndices columns;
    for (int d = shape.rank() - 1; d >= 0; --d) columns.push_back(d);
    if (shape.rank() == rank) std::swap(columns[0], columns[1]);
    if (HasOrder(shape, columns)) continue;
    e.Fail(absl::StrCat(
        "LAPACK reads the columns of a matrix one behind the other, and its "
        "operand is ",
        shape.ToString()));
    return false;
  }
  return true;
}

const KnownCustomCall* FindCustomCall(absl::string_view target) {
  const absl::string_view routine = LapackRoutine(target);
  return routine.empty() ? Find(kKnown, target) : Find(kLapack, routine);
}

}  // namespace indim
