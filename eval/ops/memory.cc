// SPDX-License-Identifier: Apache-2.0
// Memory itself, and operations that act on memory as they act on the visible
// elements, except along dims that they run over.

#include "indim/eval/ops/memory.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/element_type.h"

namespace indim {

bool AnyMemory(const Evaluation& e) {
  return std::any_of(
      e.operands().begin(), e.operands().end(),
      [](const Value& operand) { return operand.memory() != nullptr; });
}

std::optional<Value> WithoutMemory(Evaluation& e) {
  return GetEvaluation(e.opcode()).function(e);
}

const Value* WholeOperand(const Evaluation& e, int i) {
  const Value& operand = e.operand(i);
  if (operand.memory() != nullptr) return operand.memory();
  const Shape* recorded = e.recorded_operand(i);
  if (recorded == nullptr || !recorded->has_rank() || !operand.is_array()) {
    return &operand;
  }
  for (int d = 0; d < std::min(recorded->rank(), operand.rank()); ++d) {
    const Dim dim = recorded->dim(d);
    if (dim.is_bounded() && dim.size() > operand.size(d)) return nullptr;
  }
  return &operand;
}

std::optional<Value> FirstOf(Evaluation& e, const Value& whole,
                             const Sizes& sizes) {
  if (whole.sizes() == sizes) return whole;
  const Sizes strides = StridesOf(whole.sizes());
  return MoveElements(e, whole, sizes, nullptr, [&](const Sizes& index) {
    return LinearIndex(index, strides);
  });
}

std::optional<Value> Pasted(Evaluation& e, const Value& base, const Value& part,
                            const Sizes& starts) {
  ArrayMaker result;
  if (!e.NewArray(base.type(), base.sizes(), &result)) return std::nullopt;
  result.CopyAll(base);
  const Sizes strides = StridesOf(base.sizes());
  const int64_t first = LinearIndex(starts, strides);
  int64_t number = 0;
  for (Counter i(part.sizes()); !i.done(); i.Next(), ++number) {
    result.Copy(first + LinearIndex(i.index(), strides), part, number);
  }
  return std::move(result).Finish();
}

std::optional<Value> LiveOf(Evaluation& e, const Value& whole,
                            const Sizes& sizes, const Shape* recorded) {
  const std::optional<Value> live = FirstOf(e, whole, sizes);
  if (!live) return std::nullopt;
  std::vector<bool> given;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int dim = static_cast<int>(d);
    given.push_back(recorded != nullptr && recorded->has_rank() &&
                            dim < recorded->rank()
                        ? recorded->dim(dim).is_bounded()
                        : sizes[d] != whole.size(dim));
  }
  return live->WithMemory(whole, given);
}

Value WithParameterMemory(const Value& value, const Shape& shape,
                          int64_t* room) {
  if (value.is_tuple()) {
    std::vector<Value> elements(value.elements().begin(),
                                value.elements().end());
    const size_t count = shape.is_tuple() ? shape.elements().size() : 0;
    for (size_t i = 0; i < std::min(elements.size(), count); ++i) {
      elements[i] = WithParameterMemory(elements[i], shape.elements()[i], room);
    }
    return Value::Tuple(std::move(elements));
  }
  if (!value.is_array() || value.memory() != nullptr || !shape.has_rank() ||
      shape.rank() != value.rank() || !Contains(shape, value.shape())) {
    return value;
  }
  Sizes bounds;
  std::vector<bool> given;
  for (int d = 0; d < shape.rank(); ++d) {
    given.push_back(shape.dim(d).is_bounded());
    bounds.push_back(given.back() ? shape.dim(d).size() : value.size(d));
  }
  if (bounds == value.sizes()) return value.WithMemory(value, given);
  const std::optional<int64_t> count = CountOf(bounds);
  const size_t width = static_cast<size_t>(value.width());
  if (!count || *count > *room / value.width()) return value;
  *room -= *count * value.width();
  std::string bytes(static_cast<size_t>(*count) * width, '\0');
  const Sizes strides = StridesOf(bounds);
  size_t from = 0;
  for (Counter i(value.sizes()); !i.done(); i.Next(), from += width) {
    std::memcpy(
        &bytes[static_cast<size_t>(LinearIndex(i.index(), strides)) * width],
        &value.bytes()[from], width);
  }
  return value.WithMemory(Value::Array(value.type(), bounds, std::move(bytes)),
                          given);
}

namespace {

// Whether dim `d` of operand `i` is a dim of the result; else the operation
// runs over it, and only over visible elements.
bool Keeps(const Evaluation& e, int i, int d) {
  switch (e.opcode()) {
    case Opcode::kReduce:
      return !absl::c_linear_search(
          e.attributes_as<DimensionsAttributes>().dimensions, d);
    case Opcode::kDot: {
      const auto& dims = e.attributes_as<DotAttributes>();
      return !absl::c_linear_search(
          i == 0 ? dims.lhs_contracting_dims : dims.rhs_contracting_dims, d);
    }
    case Opcode::kScatter:
      return i < (e.operand_count() - 1) / 2;
    default:
      return true;
  }
}

// Shortens the longer one of two paired dims of a dot: XLA multiplies its rest
// by 0.
std::optional<Sizes> PairedSizes(const Evaluation& e, int i) {
  const auto& dims = e.attributes_as<DotAttributes>();
  Sizes sizes = e.operand(i).sizes();
  const auto shorten = [&](const DimIndices& own, const DimIndices& others) {
    const Value& other = e.operand(1 - i);
    if (own.size() != others.size()) return false;
    for (size_t k = 0; k < own.size(); ++k) {
      if (own[k] < 0 || own[k] >= e.operand(i).rank() || others[k] < 0 ||
          others[k] >= other.rank()) {
        return false;
      }
      const int d = static_cast<int>(others[k]);
      int64_t& size = sizes[static_cast<size_t>(own[k])];
      if (other.is_given(d) ||
          e.operand(i).is_given(static_cast<int>(own[k]))) {
        size = std::min(size, other.size(d));
      }
    }
    return true;
  };
  const bool ok =
      i == 0 ? shorten(dims.lhs_contracting_dims, dims.rhs_contracting_dims) &&
                   shorten(dims.lhs_batch_dims, dims.rhs_batch_dims)
             : shorten(dims.rhs_contracting_dims, dims.lhs_contracting_dims) &&
                   shorten(dims.rhs_batch_dims, dims.lhs_batch_dims);
  return ok ? std::optional<Sizes>(sizes) : std::nullopt;
}

// In a reduction of several arrays, extends `value`, of operand `i`, along the
// reduced dims to the longest array: missing elements count as the initial
// value.
std::optional<Value> Lengthened(Evaluation& e, int i, const Value& value) {
  const int n = e.operand_count() / 2;
  if (e.opcode() != Opcode::kReduce || i >= n) return value;
  Sizes sizes = value.sizes();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (Keeps(e, i, static_cast<int>(d))) continue;
    for (int k = 0; k < n; ++k) {
      const Value& other = e.operand(k);
      if (other.rank() == value.rank()) {
        sizes[d] = std::max(sizes[d], other.size(static_cast<int>(d)));
      }
    }
  }
  if (sizes == value.sizes()) return value;
  const Value& init = e.operand(n + i);
  if (!init.is_scalar() || init.type() != value.type()) return e.FailType(i);
  const Sizes own = value.sizes(), strides = StridesOf(own);
  return MoveElements(e, value, sizes, &init,
                      [&](const Sizes& index) -> int64_t {
                        for (size_t d = 0; d < own.size(); ++d) {
                          if (index[d] >= own[d]) return -1;
                        }
                        return LinearIndex(index, strides);
                      });
}

// The operands that give the result's visible elements or, for `whole`, its
// memory. nullopt after an error.
std::optional<std::vector<Value>> OperandsFor(Evaluation& e, bool whole) {
  std::vector<Value> operands;
  for (int i = 0; i < e.operand_count(); ++i) {
    const Value& operand = e.operand(i);
    const Value& all = *WholeOperand(e, i);
    Sizes sizes = operand.sizes();
    if (e.opcode() == Opcode::kDot) {
      const std::optional<Sizes> shorter = PairedSizes(e, i);
      if (shorter) sizes = *shorter;
    }
    for (size_t d = 0; whole && d < sizes.size(); ++d) {
      const int dim = static_cast<int>(d);
      if (Keeps(e, i, dim)) sizes[d] = all.size(dim);
    }
    const std::optional<Value> first = FirstOf(e, all, sizes);
    const std::optional<Value> value =
        first ? Lengthened(e, i, *first) : std::nullopt;
    if (!value) return std::nullopt;
    operands.push_back(*value);
  }
  return operands;
}

// The result's bounded dims, whose size is known only at run time; for a
// broadcast only those that come from the operand.
Shape RecordedFor(const Evaluation& e, const Shape& recorded) {
  if (e.opcode() != Opcode::kBroadcast) return recorded;
  Shape result = recorded;
  const DimIndices& map = e.attributes_as<DimensionsAttributes>().dimensions;
  for (int d = 0; d < result.rank(); ++d) {
    const auto at = std::find(map.begin(), map.end(), d);
    if (result.dim(d).is_bounded() &&
        (at == map.end() ||
         !e.operand(0).is_given(static_cast<int>(at - map.begin())))) {
      result.set_dim(d, Dim::Static(result.dim(d).size()));
    }
  }
  return result;
}

// `live`, an array or a tuple of arrays, as the first part of `whole`. Into
// `whole` a scatter also writes updates that begin beyond the visible elements.
std::optional<Value> Joined(Evaluation& e, const Value& live,
                            const Value& whole, const Shape* recorded) {
  if (live.is_array()) {
    if (recorded == nullptr || !recorded->has_rank()) return live;
    const Shape shape = RecordedFor(e, *recorded);
    return LiveOf(e, whole, live.sizes(), &shape);
  }
  std::vector<Value> elements;
  for (size_t i = 0; i < live.elements().size(); ++i) {
    const Shape* own = recorded != nullptr && recorded->is_tuple() &&
                               i < recorded->elements().size()
                           ? &recorded->elements()[i]
                           : nullptr;
    std::optional<Value> element =
        Joined(e, live.elements()[i], whole.elements()[i], own);
    if (!element) return std::nullopt;
    elements.push_back(*std::move(element));
  }
  return TupleOf(e, std::move(elements));
}

// Evaluates the op twice: on the visible elements, and on the memory.
std::optional<Value> TwiceMemory(Evaluation& e) {
  bool known = true;
  for (int i = 0; i < e.operand_count(); ++i) {
    if (!e.operand(i).is_array()) return e.FailType(i);
    known = known && WholeOperand(e, i) != nullptr;
  }
  if (!known) return WithoutMemory(e);
  const auto parts = OperandsFor(e, false);
  if (!parts) return std::nullopt;
  const std::optional<Value> live = e.Again(*parts, e.declared());
  if (!live) return std::nullopt;
  const auto wholes = OperandsFor(e, true);
  if (!wholes) return std::nullopt;
  const std::optional<Value> whole = e.Again(*wholes, e.declared());
  if (!whole) return std::nullopt;
  return Joined(e, *live, *whole, e.declared());
}

}  // namespace

MemoryFunction FindMemoryFunction(Opcode opcode) {
  struct Row {
    Opcode opcode;
    MemoryFunction function;
  };
  static constexpr Row kRows[] = {
      {Opcode::kTranspose, &TwiceMemory},
      {Opcode::kBroadcast, &TwiceMemory},
      {Opcode::kReduce, &TwiceMemory},
      {Opcode::kDot, &TwiceMemory},
      {Opcode::kScatter, &TwiceMemory},
      {Opcode::kSlice, &SliceMemory},
      {Opcode::kDynamicSlice, &DynamicSliceMemory},
      {Opcode::kDynamicUpdateSlice, &DynamicUpdateSliceMemory},
      {Opcode::kGather, &GatherMemory},
      {Opcode::kSort, &SortMemory},
      {Opcode::kConcatenate, &ConcatenateMemory},
      {Opcode::kReverse, &ReverseMemory},
      {Opcode::kPad, &PadMemory},
  };
  for (const Row& row : kRows) {
    if (row.opcode == opcode) return row.function;
  }
  return nullptr;
}

}  // namespace indim
