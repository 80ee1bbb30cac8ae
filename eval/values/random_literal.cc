// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/values/random_literal.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/values/scalar.h"
#include "indim/eval/values/value.h"
#include "indim/shape/types/shape_parts.h"

namespace indim {

uint64_t RandomStream::Next() {
  uint64_t x = state_ += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

int64_t RandomStream::Between(int64_t low, int64_t high) {
  const uint64_t count = static_cast<uint64_t>(high - low) + 1;
  return low + static_cast<int64_t>(Next() % count);
}

Shape RandomConcrete(const Shape& shape, RandomStream* random) {
  Shape concrete = shape.WithoutLayout();
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.elements()) {
      elements.push_back(RandomConcrete(element, random));
    }
    return Shape::Tuple(std::move(elements));
  }
  constexpr int64_t kSpread = 4;
  for (int i = 0; i < shape.rank(); ++i) {
    const Dim dim = shape.dim(i);
    if (dim.is_static()) continue;
    const int64_t low = dim.lower();
    const int64_t high = dim.is_bounded()
                             ? dim.upper()
                             : std::min(dim.upper() - low, kSpread) + low;
    concrete.set_dim(i, Dim::Static(random->Between(low, high)));
  }
  return concrete;
}

namespace {

double RandomDouble(RandomStream* random) {
  constexpr int64_t kSteps = int64_t{1} << 30;
  return static_cast<double>(random->Between(-kSteps, kSteps)) / (kSteps / 2);
}

Scalar RandomScalar(ElementType type, RandomStream* random) {
  const ElementTypeInfo& info = Info(type);
  switch (info.kind) {
    case ElementKind::kPred:
      return Scalar::Pred(random->Between(0, 1) == 1);
    case ElementKind::kFloat:
      return Scalar::Float(RandomDouble(random));
    case ElementKind::kComplex: {
      const double re = RandomDouble(random);
      return {re, RandomDouble(random), 0};
    }
    default: {
      const int64_t most =
          info.bits >= 4
              ? 6
              : (int64_t{1} << (info.bits - (IsSigned(type) ? 1 : 0))) - 1;
      const int64_t number = random->Between(IsSigned(type) ? -most : 0, most);
      return Scalar::Bits(static_cast<uint64_t>(number));
    }
  }
}

}  // namespace

absl::StatusOr<Literal> RandomLiteral(const Shape& shape,
                                      RandomStream* random) {
  if (shape.is_token()) return Literal::Token();
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements()) {
      absl::StatusOr<Literal> literal = RandomLiteral(element, random);
      if (!literal.ok()) return literal.status();
      elements.push_back(*std::move(literal));
    }
    return Literal::Tuple(std::move(elements));
  }
  constexpr int64_t kMax = int64_t{1} << 28;
  const Shape concrete = RandomConcrete(shape, random);
  const std::optional<int64_t> count = concrete.ElementCount();
  if (!count || *count > kMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("no values can be made up for ", shape.ToString()));
  }
  const ElementType type = shape.element_type();
  const size_t width = static_cast<size_t>(ElementBytes(type));
  std::string bytes(static_cast<size_t>(*count) * width, '\0');
  for (size_t i = 0; i < bytes.size(); i += width) {
    StoreScalar(type, RandomScalar(type, random), &bytes[i]);
  }
  return ToLiteral(Value::Array(type, SizesOf(concrete), std::move(bytes)),
                   shape);
}

}  // namespace indim
