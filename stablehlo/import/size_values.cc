// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/size_values.h"

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "indim/shape/types/element_type.h"
#include "indim/stablehlo/import/attribute_reader.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_import {
namespace {

using Exprs = SizeValues::Exprs;

// --- Functions of elements ---------------------------------------------------

DimExpr Min(const DimExpr& a, const DimExpr& b) { return a + b - a.Max(b); }

// Integers divide towards zero, which is downwards where nothing is negative.
DimExpr Divide(const DimExpr& a, const DimExpr& b) {
  if (!a.valid() || !b.is_constant() || b.constant() == 0) {
    return DimExpr::Invalid();
  }
  if (a.is_constant() && b.constant() != -1) {
    return a.constant() / b.constant();
  }
  if (b.constant() < 0 || a.lower() < 0) return DimExpr::Invalid();
  return a.FloorDivide(b.constant());
}
DimExpr Remainder(const DimExpr& a, const DimExpr& b) {
  if (!a.valid() || !b.is_constant() || b.constant() == 0) {
    return DimExpr::Invalid();
  }
  if (a.is_constant() && b.constant() != -1) {
    return a.constant() % b.constant();
  }
  if (b.constant() < 0 || a.lower() < 0) return DimExpr::Invalid();
  return a.Modulo(b.constant());
}
DimExpr Sign(const DimExpr& a) {
  if (!a.valid()) return a;
  if (a.lower() > 0) return 1;
  if (a.upper() < 0) return -1;
  if (a.is_constant()) return 0;
  return a.lower() == 0 ? Min(a, 1) : DimExpr::Invalid();
}
// `and` is known where one operand is 0.
DimExpr And(const DimExpr& a, const DimExpr& b) {
  for (const DimExpr& x : {a, b}) {
    if (x.valid() && x.is_constant() && x.constant() == 0) return 0;
  }
  const bool known = a.is_constant() && b.is_constant();
  return known ? DimExpr(a.constant() & b.constant()) : DimExpr::Invalid();
}
DimExpr Or(const DimExpr& a, const DimExpr& b) {
  const bool known = a.is_constant() && b.is_constant();
  return known ? DimExpr(a.constant() | b.constant()) : DimExpr::Invalid();
}

struct Binary {
  absl::string_view name;
  DimExpr (*function)(const DimExpr& a, const DimExpr& b);
};
const Binary kBinary[] = {
    {"stablehlo.add", [](const DimExpr& a, const DimExpr& b) { return a + b; }},
    {"stablehlo.subtract",
     [](const DimExpr& a, const DimExpr& b) { return a - b; }},
    {"stablehlo.multiply",
     [](const DimExpr& a, const DimExpr& b) { return a * b; }},
    {"stablehlo.divide", &Divide},
    {"stablehlo.remainder", &Remainder},
    {"stablehlo.maximum",
     [](const DimExpr& a, const DimExpr& b) { return a.Max(b); }},
    {"stablehlo.minimum", &Min},
    {"stablehlo.and", &And},
    {"stablehlo.or", &Or},
};
const Binary* FindBinary(absl::string_view name) {
  return mlir::FindRow(kBinary, &Binary::name, name);
}

DimExpr Compare(absl::string_view direction, const DimExpr& a,
                const DimExpr& b) {
  const DimExpr d = a - b;
  if (!d.valid()) return d;
  const auto known = [](bool value) { return DimExpr(value ? 1 : 0); };
  const bool less = d.upper()<0, more = d.lower()> 0;
  const bool zero = d.is_constant() && d.constant() == 0;
  if (direction == "EQ" && (less || more || zero)) return known(zero);
  if (direction == "NE" && (less || more || zero)) return known(!zero);
  if (direction == "LT" && (less || d.lower() >= 0)) return known(less);
  if (direction == "GE" && (less || d.lower() >= 0)) return known(!less);
  if (direction == "GT" && (more || d.upper() <= 0)) return known(more);
  if (direction == "LE" && (more || d.upper() <= 0)) return known(!more);
  return DimExpr::Invalid();
}

// --- Functions of operations -------------------------------------------------

// An operation whose operands are evaluated.
struct Call {
  const Ir& ir;
  const mlir::Op& op;
  size_t count;  // of the result's elements
  // Whether the result is a scalar or a vector. Elements of matrices are
  // followed where each stays at its place.
  bool is_vector;
  absl::FunctionRef<const Exprs&(size_t)> operand;
  absl::FunctionRef<const Shape*(ValueId)> shape_of;

  // Element `i` of an operand; the only one of a scalar, for all.
  DimExpr At(size_t k, size_t i) const {
    const Exprs& exprs = operand(k);
    if (exprs.size() == 1) return exprs[0];
    return i < exprs.size() ? exprs[i] : DimExpr::Invalid();
  }
  Exprs Unknown() const { return Exprs(count, DimExpr::Invalid()); }
  const Shape* OperandShape() const {
    return op.operand_count == 0 ? nullptr : shape_of(ir.operands(op)[0]);
  }
  DimIndices Numbers(absl::string_view attribute) const {
    return ReadNumbers(ir, ir.Find(op, attribute)).value_or(DimIndices());
  }
};

// Operations whose result has the elements of their operand.
Exprs Same(const Call& call) { return call.operand(0); }

Exprs ByElement(const Binary& binary, const Call& call) {
  Exprs out = call.Unknown();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = binary.function(call.At(0, i), call.At(1, i));
  }
  return out;
}

Exprs Constant(const Call& call) {
  DimIndices numbers = call.Numbers("value");
  if (numbers.empty()) numbers = call.Numbers("shape");
  Exprs out = call.Unknown();
  for (size_t i = 0; i < out.size() && i < numbers.size(); ++i) {
    out[i] = numbers[i];
  }
  return out;
}

Exprs SizeOfDim(const Call& call) {
  Exprs out = call.Unknown();
  const Shape* shape = call.OperandShape();
  DimIndices dims = call.Numbers("dimension");
  if (dims.empty() && call.At(1, 0).is_constant()) {  // tensor.dim
    dims = {call.At(1, 0).constant()};
  }
  if (shape != nullptr && dims.size() == 1 && dims[0] >= 0 &&
      dims[0] < shape->rank() && !out.empty()) {
    out[0] = DimExpr(shape->dim(static_cast<int>(dims[0])));
  }
  return out;
}

Exprs AllSizes(const Call& call) {
  Exprs out = call.Unknown();
  const Shape* shape = call.OperandShape();
  for (size_t i = 0; shape != nullptr && i < out.size(); ++i) {
    if (static_cast<int>(i) < shape->rank()) {
      out[i] = DimExpr(shape->dim(static_cast<int>(i)));
    }
  }
  return out;
}

Exprs Concatenated(const Call& call) {
  // Rows of matrices follow each other as elements of vectors do.
  if (!call.is_vector && call.Numbers("dimension") != DimIndices{0}) {
    return call.Unknown();
  }
  Exprs out;
  for (size_t k = 0; k < call.op.operand_count; ++k) {
    const Exprs& part = call.operand(k);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

Exprs Broadcasted(const Call& call) {
  const Exprs& a = call.operand(0);
  if (a.size() == 1) return Exprs(call.count, a[0]);
  return call.is_vector && a.size() == call.count ? a : call.Unknown();
}

Exprs Sliced(const Call& call) {
  Exprs out = call.Unknown();
  const DimIndices starts = call.Numbers("start_indices");
  const DimIndices steps = call.Numbers("strides");
  constexpr int64_t kMost = SizeValues::kMostElements;
  if (!call.is_vector || starts.size() != 1 || steps.size() != 1 ||
      starts[0] < 0 || starts[0] > kMost || steps[0] < 1 || steps[0] > kMost) {
    return out;
  }
  const Exprs& a = call.operand(0);
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t at =
        static_cast<size_t>(starts[0]) + i * static_cast<size_t>(steps[0]);
    if (at < a.size()) out[i] = a[at];
  }
  return out;
}

template <DimExpr (*function)(const DimExpr&)>
Exprs Unary(const Call& call) {
  Exprs out = call.Unknown();
  for (size_t i = 0; i < out.size(); ++i) out[i] = function(call.At(0, i));
  return out;
}
DimExpr Negative(const DimExpr& a) { return DimExpr(0) - a; }
DimExpr Magnitude(const DimExpr& a) {
  return a.valid() && a.lower() >= 0 ? a : DimExpr::Invalid();
}

Exprs Compared(const Call& call) {
  const absl::string_view direction =
      ReadWord(call.ir, call.ir.Find(call.op, "comparison_direction"))
          .value_or("");
  Exprs out = call.Unknown();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = Compare(direction, call.At(0, i), call.At(1, i));
  }
  return out;
}

Exprs Selected(const Call& call) {
  Exprs out = call.Unknown();
  for (size_t i = 0; i < out.size(); ++i) {
    const DimExpr which = call.At(0, i);
    const DimExpr on_true = call.At(1, i), on_false = call.At(2, i);
    if (which.is_constant()) {
      out[i] = which.constant() != 0 ? on_true : on_false;
    } else if (on_true == on_false) {
      out[i] = on_true;
    }
  }
  return out;
}

Exprs Clamped(const Call& call) {
  Exprs out = call.Unknown();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = Min(call.At(0, i).Max(call.At(1, i)), call.At(2, i));
  }
  return out;
}

// The name of the only operation of a region, of its two arguments in order;
// "": it is another region.
absl::string_view FoldOf(const Ir& ir, RegionId region) {
  if (ir.region(region).blocks.size() != 1) return "";
  const Block& block = ir.block(ir.region(region).blocks[0]);
  if (block.ops.size() != 2 || block.arguments.size() != 2) return "";
  const mlir::Op& op = ir.op(block.ops[0]);
  const absl::Span<const ValueId> operands = ir.operands(op);
  if (operands.size() != 2 || operands[0] != block.arguments[0] ||
      operands[1] != block.arguments[1]) {
    return "";
  }
  return ir.name(op);
}

Exprs FoldedElements(const Call& call) {
  if (call.op.region_count != 1 || call.op.operand_count != 2 ||
      call.count != 1) {
    return call.Unknown();
  }
  const Binary* fold = FindBinary(FoldOf(call.ir, call.ir.regions(call.op)[0]));
  if (fold == nullptr) return call.Unknown();
  DimExpr sum = call.At(1, 0);
  for (const DimExpr& element : call.operand(0)) {
    sum = fold->function(sum, element);
  }
  return {sum};
}

using SizesOfCall = Exprs (*)(const Call& call);
struct SizeFunctionRow {
  absl::string_view name;
  SizesOfCall function;
};
constexpr SizeFunctionRow kSizeFunctions[] = {
    {"arith.constant", &Constant},
    {"chlo.constant", &Constant},
    {"arith.index_cast", &Same},
    {"sdy.constant", &Constant},
    {"shape.const_shape", &Constant},
    {"shape.shape_of", &AllSizes},
    {"stablehlo.abs", &Unary<&Magnitude>},
    {"stablehlo.broadcast_in_dim", &Broadcasted},
    {"stablehlo.clamp", &Clamped},
    {"stablehlo.compare", &Compared},
    {"stablehlo.concatenate", &Concatenated},
    {"stablehlo.constant", &Constant},
    {"stablehlo.convert", &Same},
    {"stablehlo.dynamic_reshape", &Same},
    {"stablehlo.get_dimension_size", &SizeOfDim},
    {"stablehlo.negate", &Unary<&Negative>},
    {"stablehlo.optimization_barrier", &Same},
    {"stablehlo.reduce", &FoldedElements},
    {"stablehlo.reshape", &Same},
    {"stablehlo.select", &Selected},
    {"stablehlo.sign", &Unary<&Sign>},
    {"stablehlo.slice", &Sliced},
    {"tensor.cast", &Same},
    {"tensor.dim", &SizeOfDim},
    {"tensor.from_elements", &Concatenated},
};
}  // namespace

// --- Values ------------------------------------------------------------------

int64_t SizeValues::CountOf(ValueId value) const {
  const Type& type = ir_.type(ir_.type_of(value));
  const Type* element = &type;
  int64_t count = 1;
  if (type.kind == TypeKind::kTensor) {
    element = &ir_.type(type.element);
    for (const int64_t dim : type.dims) {
      if (dim < 0 || dim > kMostElements) return -1;
      count *= dim;
      if (count > kMostElements) return -1;
    }
  }
  if (element->kind == TypeKind::kElement) {
    const ElementKind kind = Info(element->element_type).kind;
    if (kind != ElementKind::kSigned && kind != ElementKind::kUnsigned &&
        kind != ElementKind::kPred) {
      return -1;
    }
  } else if (element->kind != TypeKind::kIndex) {
    return -1;
  }
  return count < 0 || count > kMostElements ? -1 : count;
}

const Exprs& SizeValues::Of(ValueId value, ShapeOf shape_of) {
  std::vector<ValueId> stack = {value};
  while (!stack.empty()) {
    const ValueId at = stack.back();
    if (known_.contains(at.index)) {
      stack.pop_back();
      continue;
    }
    const int64_t count = CountOf(at);
    const Value& v = ir_.value(at);
    if (count < 0 || !v.op.valid()) {
      known_[at.index] =
          Exprs(count < 0 ? 0 : static_cast<size_t>(count), DimExpr::Invalid());
      continue;
    }
    const mlir::Op& op = ir_.op(v.op);
    bool ready = true;
    for (const ValueId operand : ir_.operands(op)) {
      if (known_.contains(operand.index)) continue;
      stack.push_back(operand);
      ready = false;
    }
    if (!ready) continue;
    if (ir_.name(op) == "func.call") {
      FollowCall(op);
      continue;
    }
    Exprs exprs = Evaluate(op, count, shape_of);
    exprs.resize(static_cast<size_t>(count), DimExpr::Invalid());
    known_[at.index] = std::move(exprs);
  }
  return known_[value.index];
}

void SizeValues::FollowCall(const mlir::Op& call) {
  for (uint32_t i = 0; i < call.result_count; ++i) {
    const ValueId result = ir_.result(call, i);
    const int64_t count = std::max<int64_t>(CountOf(result), 0);
    Set(result, Exprs(static_cast<size_t>(count), DimExpr::Invalid()));
  }
  const AttrId callee = ir_.Find(call, "callee");
  if (!find_ || !callee.valid() || calls_left_ == 0 || depth_ == kMostDepth) {
    return;
  }
  const OpId function = find_(ir_.attr(callee).text);
  if (!function.valid()) return;
  const absl::Span<const RegionId> regions = ir_.regions(ir_.op(function));
  if (regions.empty() || ir_.region(regions[0]).blocks.empty()) return;
  const Block& body = ir_.body(ir_.op(function));
  if (body.ops.empty()) return;
  const absl::Span<const ValueId> returned =
      ir_.operands(ir_.op(body.ops.back()));
  SizeValues inner(ir_, find_);
  inner.depth_ = depth_ + 1;
  inner.calls_left_ = calls_left_ - 1;
  for (size_t i = 0; i < body.arguments.size() && i < call.operand_count; ++i) {
    inner.Set(body.arguments[i], Operand(call, i));
  }
  for (uint32_t i = 0; i < call.result_count && i < returned.size(); ++i) {
    const ValueId result = ir_.result(call, i);
    const Exprs& exprs =
        inner.Of(returned[i], [](ValueId) -> const Shape* { return nullptr; });
    if (exprs.size() == known_[result.index].size()) Set(result, exprs);
  }
  calls_left_ = inner.calls_left_;
}

void SizeValues::Forget(BlockId id) {
  const Block& block = ir_.block(id);
  for (const ValueId argument : block.arguments) known_.erase(argument.index);
  for (const OpId op_id : block.ops) {
    const mlir::Op& op = ir_.op(op_id);
    for (uint32_t i = 0; i < op.result_count; ++i) {
      known_.erase(ir_.result(op, i).index);
    }
  }
}

const Exprs& SizeValues::Operand(const mlir::Op& op, size_t i) const {
  static const auto* const kNone = new Exprs();
  if (i >= op.operand_count) return *kNone;
  return known_.at(ir_.operands(op)[i].index);
}

Exprs SizeValues::Evaluate(const mlir::Op& op, int64_t count,
                           ShapeOf shape_of) {
  const absl::string_view name = ir_.name(op);
  const Binary* const binary = FindBinary(name);
  const SizeFunctionRow* const row =
      mlir::FindRow(kSizeFunctions, &SizeFunctionRow::name, name);
  if ((binary == nullptr && row == nullptr) || op.result_count != 1) return {};
  const auto operand = [&](size_t i) -> const Exprs& { return Operand(op, i); };
  const Type& type = ir_.type(ir_.type_of(ir_.result(op, 0)));
  const Call call = {
      ir_,     op,      static_cast<size_t>(count), type.dims.size() < 2,
      operand, shape_of};
  return binary != nullptr ? ByElement(*binary, call) : row->function(call);
}

}  // namespace indim::stablehlo_import
