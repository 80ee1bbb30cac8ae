// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/run/compared_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/eval/values/random_literal.h"
#include "indim/run/compile/interface.h"

namespace indim {
namespace {

// How far two results may be from each other, as a part of the larger: some
// roundings of the type.
double ToleranceOf(ElementType type) {
  switch (type) {
    case ElementType::kF64:
    case ElementType::kC128:
      return 1e-9;
    case ElementType::kF32:
    case ElementType::kC64:
      return 1e-4;
    case ElementType::kF16:
      return 1e-2;
    case ElementType::kBF16:
      return 5e-2;
    default:  // narrower ones: two bits of mantissa
      return 0.3;
  }
}

bool IsClose(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  const double scale = std::max({std::abs(a), std::abs(b), 1.0});
  return std::abs(a - b) <= tolerance * scale;
}

// A complex array as floats, real and imaginary part in turn.
Literal AsFloats(const Literal& literal) {
  const ElementType type = literal.shape().element_type();
  if (!IsComplex(type)) return literal;
  Shape floats = Shape::Array(
      type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64,
      literal.shape().dims());
  floats.add_dim(Dim::Static(2));
  return Literal::FromBytes(floats, literal.bytes()).value_or(Literal());
}

bool AreStatic(const std::vector<pjrt::Port>& ports) {
  return std::all_of(ports.begin(), ports.end(), [](const pjrt::Port& port) {
    return port.shape.is_static();
  });
}

}  // namespace

std::vector<std::string> PluginPaths() {
  const char* const paths = std::getenv("INDIM_PJRT_PLUGINS");
  if (paths == nullptr) return {};
  return absl::StrSplit(paths, ':', absl::SkipEmpty());
}

std::optional<std::vector<Literal>> MakeInputs(const Module& module) {
  const absl::StatusOr<pjrt::Interface> interface = pjrt::InterfaceOf(module);
  if (!interface.ok() || !AreStatic(interface->inputs)) return std::nullopt;
  RandomStream random(1);
  std::vector<Literal> inputs;
  for (const Shape& shape : interface->parameters) {
    absl::StatusOr<Literal> value = RandomLiteral(shape, &random);
    if (!value.ok()) return std::nullopt;
    inputs.push_back(*std::move(value));
  }
  return inputs;
}

void ExpectClose(const Literal& ours, const Literal& said) {
  const Shape& shape = ours.shape();
  ASSERT_EQ(said.shape(), shape);
  if (shape.is_tuple()) {
    for (size_t i = 0; i < ours.elements().size(); ++i) {
      SCOPED_TRACE(absl::StrCat("element ", i));
      ExpectClose(ours.elements()[i], said.elements()[i]);
    }
    return;
  }
  ASSERT_EQ(said.dynamic_sizes(), ours.dynamic_sizes());
  const absl::StatusOr<Literal> dense = ours.Expanded();
  ASSERT_TRUE(dense.ok()) << dense.status();
  const ElementType type = shape.element_type();
  if (!IsFloat(type) && !IsComplex(type)) {
    EXPECT_TRUE(said == *dense)
        << shape << ": the plugin says " << said.ToString(30)
        << "\nthe evaluator " << dense->ToString(30);
    return;
  }
  const Literal a = AsFloats(said), b = AsFloats(*dense);
  for (int64_t i = 0; i < b.element_count(); ++i) {
    ASSERT_TRUE(IsClose(a.AsDouble(i), b.AsDouble(i), ToleranceOf(type)))
        << shape << " at " << i << ": the plugin says " << a.AsDouble(i)
        << ", the evaluator " << b.AsDouble(i);
  }
}

}  // namespace indim
