// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/eval_product.h"

namespace indim {

std::optional<ElementType> ProductType(Evaluation& e) {
  if (e.declared() != nullptr && e.declared()->is_array()) {
    return e.declared()->element_type();
  }
  const std::optional<ElementType> type =
      HigherPrecision(e.operand(0).type(), e.operand(1).type());
  if (!type) return e.FailType(1);
  return type;
}

std::vector<Scalar> Elements(const Value& array, ElementType type) {
  std::vector<Scalar> elements;
  elements.reserve(static_cast<size_t>(array.count()));
  for (int64_t i = 0; i < array.count(); ++i) {
    const Scalar element = array.At(i);
    elements.push_back(
        array.type() == type
            ? element
            : RoundedTo(type, ConvertScalar(array.type(), type, element)));
  }
  return elements;
}

void AddProduct(ElementKind kind, const Scalar& a, const Scalar& b,
                Scalar* sum) {
  switch (kind) {
    case ElementKind::kFloat:
      sum->re += a.re * b.re;
      return;
    case ElementKind::kComplex:
      sum->re += a.re * b.re - a.im * b.im;
      sum->im += a.re * b.im + a.im * b.re;
      return;
    case ElementKind::kPred:
      sum->bits |= a.bits & b.bits;
      return;
    default:
      sum->bits += a.bits * b.bits;
  }
}

bool ChargeElements(Evaluation& e) {
  constexpr int64_t kBytes = sizeof(Scalar);
  return e.Charge(e.operand(0).count()) && e.Charge(e.operand(1).count()) &&
         e.ExpectRoom(e.operand(0).count() * kBytes) &&
         e.ExpectRoom(e.operand(1).count() * kBytes);
}

}  // namespace indim
