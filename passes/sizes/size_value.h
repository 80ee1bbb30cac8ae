// SPDX-License-Identifier: Apache-2.0
// SizeValue: writes the arithmetic that gives an expression of named sizes its
// value at run time. Not part of the API.

#ifndef INDIM_PASSES_SIZES_SIZE_VALUE_H_
#define INDIM_PASSES_SIZES_SIZE_VALUE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_expr_internal.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

template <typename Writer>
std::optional<typename Writer::Value> SizeValue(const DimExpr& expr,
                                                Writer* writer);

// The value of an atom of an expression.
template <typename Writer>
std::optional<typename Writer::Value> AtomValue(const DimAtom& atom,
                                                Writer* writer) {
  using Value = std::optional<typename Writer::Value>;
  if (atom.kind == DimAtom::Kind::kSymbol) {
    const Value value = writer->Symbol(atom.text);
    if (!value || !atom.scaled()) return value;
    const Value remainder = writer->Number(atom.facts.remainder);
    const Value divisor = writer->Number(atom.facts.divisor);
    if (!remainder || !divisor) return std::nullopt;
    return writer->Binary(Opcode::kDivide,
                          writer->Binary(Opcode::kSubtract, *value, *remainder),
                          *divisor);
  }
  if (atom.kind == DimAtom::Kind::kMax) {
    Value value;
    for (const DimExpr& operand : atom.operands) {
      const Value one = SizeValue(operand, writer);
      if (!one) return std::nullopt;
      value = value ? writer->Binary(Opcode::kMaximum, *value, *one) : one;
    }
    return value;
  }
  const Value a = SizeValue(atom.a, writer);
  const Value divisor = writer->Number(atom.divisor);
  // HLO's division rounds towards 0.
  if (!a || !divisor || atom.a.lower() < 0) return std::nullopt;
  return writer->Binary(Opcode::kDivide, *a, *divisor);
}

// Writer has a type Value, which names a scalar s32 at run time, and
//   std::optional<Value> Number(int64_t);             // a constant
//   std::optional<Value> Symbol(const std::string&);  // the size of that name
//   Value Binary(Opcode, Value, Value);
// nullopt: the writer has no value for a part.
template <typename Writer>
std::optional<typename Writer::Value> SizeValue(const DimExpr& expr,
                                                Writer* writer) {
  using Value = std::optional<typename Writer::Value>;
  Value sum;
  for (const auto& term : DimExprAccess::Terms(expr)) {
    Value product;
    if (term.coefficient != 1 || term.factors.empty()) {
      product = writer->Number(term.coefficient);
      if (!product) return std::nullopt;
    }
    for (const auto& factor : term.factors) {
      const Value value = AtomValue(*factor.atom, writer);
      if (!value) return std::nullopt;
      for (int i = 0; i < factor.power; ++i) {
        product = product ? writer->Binary(Opcode::kMultiply, *product, *value)
                          : *value;
      }
    }
    sum = sum ? writer->Binary(Opcode::kAdd, *sum, *product) : *product;
  }
  return sum ? sum : writer->Number(0);
}

// Where a named size stands: the size of a dim is factor*name+offset. nullopt:
// the dim doesn't give a size of one name.
struct NamedSize {
  std::string name;
  int64_t offset = 0;
  int64_t factor = 1;
};
inline std::optional<NamedSize> NamedSizeOf(Dim dim) {
  if (!dim.is_symbolic()) return std::nullopt;
  const DimExpr expr(dim);
  const std::set<std::string> names = NamesIn(expr);
  if (names.size() != 1) return std::nullopt;
  const std::string& name = *names.begin();
  const std::optional<Dim> symbol = SymbolDim(name, expr.Symbols()[name]);
  if (!symbol) return std::nullopt;
  const int64_t unit = DimExpr(*symbol).LeadingCoefficient();
  const int64_t factor = unit == 0 ? 0 : expr.LeadingCoefficient() / unit;
  if (factor < 1) return std::nullopt;
  const DimExpr offset = expr - DimExpr(*symbol) * factor;
  if (!offset.is_constant()) return std::nullopt;
  return NamedSize{name, offset.constant(), factor};
}

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_SIZE_VALUE_H_
