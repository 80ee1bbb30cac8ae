#include "indim/stablehlo/import/size_values.h"

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "indim/shape/types/element_type.h"
#include "indim/stablehlo/import/attribute_reader.h"

namespace indim::mlir {
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
// `and` and `or` of bools may be known though one operand isn't.
DimExpr And(const DimExpr& a, const DimExpr& b) {
  for (const DimExpr& x : {a, b}) {
    if (x.valid() && x.is_constant() && x.constant() == 0) return 0;
  }
  const bool known = a.is_constant() && b.is_constant();
  return known ? DimExpr(a.constant() & b.constant()) : DimExpr::Invalid();
}
DimExpr Or(const DimExpr& a, const DimExpr& b) {
  for (const DimExpr& x : {a, b}) {
    if (x.valid() && x.is_constant() && x.constant() == 1) return 1;
  }
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
};
const Binary* FindBinary(absl::string_view name) {
  for (const Binary& binary : kBinary) {
    if (binary.name == name) return &binary;
  }
  return nullptr;
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

// The name of the only operation of a region, of its two arguments in order;
// "": it is another region.
absl::string_view FoldOf(const Ir& ir, RegionId region) {
  if (ir.region(region).blocks.size() != 1) return "";
  const Block& block = ir.block(ir.region(region).blocks[0]);
  if (block.ops.size() != 2 || block.arguments.size() != 2) return "";
  const Op& op = ir.op(block.ops[0]);
  const absl::Span<const ValueId> operands = ir.operands(op);
  if (operands.size() != 2 || operands[0] != block.arguments[0] ||
      operands[1] != block.arguments[1]) {
    return "";
  }
  return ir.name(op);
}

// Operations whose result has the elements of their operand.
bool KeepsElements(absl::string_view name) {
  return name == "stablehlo.convert" || name == "stablehlo.reshape" ||
         name == "stablehlo.dynamic_reshape" || name == "tensor.cast" ||
         name == "arith.index_cast" || name == "stablehlo.optimization_barrier";
}

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
    const Op& op = ir_.op(v.op);
    bool ready = true;
    for (const ValueId operand : ir_.operands(op)) {
      if (known_.contains(operand.index)) continue;
      stack.push_back(operand);
      ready = false;
    }
    if (!ready) continue;
    Exprs exprs = Evaluate(op, count, shape_of);
    exprs.resize(static_cast<size_t>(count), DimExpr::Invalid());
    known_[at.index] = std::move(exprs);
  }
  return known_[value.index];
}

void SizeValues::Forget(BlockId id) {
  const Block& block = ir_.block(id);
  for (const ValueId argument : block.arguments) known_.erase(argument.index);
  for (const OpId op_id : block.ops) {
    const Op& op = ir_.op(op_id);
    for (uint32_t i = 0; i < op.result_count; ++i) {
      known_.erase(ir_.result(op, i).index);
    }
  }
}

const Exprs& SizeValues::Operand(const Op& op, size_t i) const {
  static const auto* const kNone = new Exprs();
  if (i >= op.operand_count) return *kNone;
  return known_.at(ir_.operands(op)[i].index);
}

Exprs SizeValues::Evaluate(const Op& op, int64_t count, ShapeOf shape_of) {
  const absl::string_view name = ir_.name(op);
  const auto n = static_cast<size_t>(count);
  Exprs out(n, DimExpr::Invalid());
  const Exprs& a = Operand(op, 0);
  const Exprs& b = Operand(op, 1);
  if (op.result_count != 1) return out;
  // The element of a vector, or the only one of a scalar.
  const auto at = [](const Exprs& exprs, size_t i) {
    return i < exprs.size() ? exprs[i] : DimExpr::Invalid();
  };
  if (KeepsElements(name)) return a;
  // Elements of matrices are followed where each stays at its place.
  const bool is_vector =
      ir_.type(ir_.type_of(ir_.result(op, 0))).dims.size() < 2;
  if (const Binary* binary = FindBinary(name)) {
    for (size_t i = 0; i < n; ++i)
      out[i] = binary->function(at(a, i), at(b, i));
  } else if (name == "stablehlo.constant" || name == "arith.constant" ||
             name == "shape.const_shape") {
    const AttrId value =
        ir_.Find(op, name == "shape.const_shape" ? "shape" : "value");
    const std::optional<DimIndices> numbers =
        value.valid() ? ReadNumbers(ir_, value) : std::nullopt;
    for (size_t i = 0; numbers.has_value() && i < n && i < numbers->size();
         ++i) {
      out[i] = (*numbers)[i];
    }
  } else if (name == "stablehlo.get_dimension_size" || name == "tensor.dim") {
    const Shape* shape = shape_of(ir_.operands(op)[0]);
    int64_t dim = -1;
    if (name == "tensor.dim") {
      if (at(b, 0).valid() && at(b, 0).is_constant()) dim = at(b, 0).constant();
    } else {
      const AttrId attr = ir_.Find(op, "dimension");
      dim = attr.valid() ? ReadNumber(ir_, attr).value_or(-1) : -1;
    }
    if (shape != nullptr && dim >= 0 && dim < shape->rank()) {
      out[0] = DimExpr(shape->dim(static_cast<int>(dim)));
    }
  } else if (name == "shape.shape_of") {
    const Shape* shape = shape_of(ir_.operands(op)[0]);
    for (size_t i = 0; shape != nullptr && i < n; ++i) {
      if (static_cast<int>(i) < shape->rank()) {
        out[i] = DimExpr(shape->dim(static_cast<int>(i)));
      }
    }
  } else if (is_vector && (name == "stablehlo.concatenate" ||
                           name == "tensor.from_elements")) {
    out.clear();
    for (size_t i = 0; i < op.operand_count; ++i) {
      const Exprs& part = Operand(op, i);
      out.insert(out.end(), part.begin(), part.end());
    }
  } else if (name == "stablehlo.broadcast_in_dim") {
    if (a.size() == 1) out.assign(n, a[0]);
    if (is_vector && a.size() == n) out = a;
  } else if (is_vector && name == "stablehlo.slice") {
    const auto list = [&](absl::string_view attribute) {
      const AttrId id = ir_.Find(op, attribute);
      return id.valid() ? ReadNumbers(ir_, id).value_or(DimIndices())
                        : DimIndices();
    };
    const DimIndices starts = list("start_indices"), steps = list("strides");
    if (starts.size() == 1 && steps.size() == 1 && starts[0] >= 0 &&
        steps[0] > 0 && starts[0] <= kMostElements &&
        steps[0] <= kMostElements) {
      for (size_t i = 0; i < n; ++i) {
        out[i] = at(a, static_cast<size_t>(starts[0]) +
                           i * static_cast<size_t>(steps[0]));
      }
    }
  } else if (name == "stablehlo.negate") {
    for (size_t i = 0; i < n; ++i) out[i] = DimExpr(0) - at(a, i);
  } else if (name == "stablehlo.abs") {
    for (size_t i = 0; i < n; ++i) {
      if (at(a, i).valid() && at(a, i).lower() >= 0) out[i] = at(a, i);
    }
  } else if (name == "stablehlo.sign") {
    for (size_t i = 0; i < n; ++i) out[i] = Sign(at(a, i));
  } else if (name == "stablehlo.and") {
    for (size_t i = 0; i < n; ++i) out[i] = And(at(a, i), at(b, i));
  } else if (name == "stablehlo.or") {
    for (size_t i = 0; i < n; ++i) out[i] = Or(at(a, i), at(b, i));
  } else if (name == "stablehlo.compare") {
    const AttrId id = ir_.Find(op, "comparison_direction");
    const absl::string_view direction =
        id.valid() ? ReadWord(ir_, id).value_or("") : "";
    for (size_t i = 0; i < n; ++i) {
      out[i] = Compare(direction, at(a, i), at(b, i));
    }
  } else if (name == "stablehlo.select" || name == "stablehlo.clamp") {
    const Exprs& c = Operand(op, 2);
    for (size_t i = 0; i < n; ++i) {
      const DimExpr first = at(a, a.size() == 1 ? 0 : i);
      if (name == "stablehlo.clamp") {
        out[i] = Min(first.Max(at(b, i)), at(c, c.size() == 1 ? 0 : i));
      } else if (first.valid() && first.is_constant()) {
        out[i] = first.constant() != 0 ? at(b, i) : at(c, i);
      } else if (at(b, i) == at(c, i)) {
        out[i] = at(b, i);
      }
    }
  } else if (name == "stablehlo.reduce" && op.region_count == 1 && n == 1) {
    const Binary* fold = FindBinary(FoldOf(ir_, ir_.regions(op)[0]));
    if (fold != nullptr && op.operand_count == 2) {
      out[0] = at(b, 0);
      for (const DimExpr& element : a) out[0] = fold->function(out[0], element);
    }
  }
  return out;
}

}  // namespace indim::mlir
