// SPDX-License-Identifier: Apache-2.0
// Probe: the derivative of a module at a point along a direction: by five
// values of the module, and by modules of its derivative.

#ifndef INDIM_TESTS_GRAD_PROBE_H_
#define INDIM_TESTS_GRAD_PROBE_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/eval/evaluator.h"
#include "indim/grad/gradient.h"
#include "indim/ir/module.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/infer/signature.h"
#include "indim/shape/types/shape.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {

inline constexpr ElementType kF64 = ElementType::kF64;

inline bool IsReal(const Shape& shape) { return shape.element_type() == kF64; }

// The arrays of f64 in a value, one after the other.
inline std::vector<double> Flat(const Literal& value) {
  std::vector<double> all;
  if (value.shape().is_tuple()) {
    for (const Literal& element : value.elements()) {
      for (const double x : Flat(element)) all.push_back(x);
    }
  } else if (IsReal(value.shape())) {
    for (int64_t i = 0; i < value.element_count(); ++i) {
      all.push_back(value.AsDouble(i));
    }
  }
  return all;
}

inline Literal LiteralOf(const Shape& shape,
                         const std::vector<double>& values) {
  std::vector<int64_t> sizes;
  for (const Dim dim : shape.dims()) sizes.push_back(dim.size());
  return *Literal::FromDoubles(shape.element_type(), values, sizes);
}

inline double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// A module, a point, a direction.
class Probe {
 public:
  explicit Probe(Module module) : module_(std::move(module)) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const Signature signature = module_.entry().signature();
    for (size_t p = 0; p < signature.parameters.size(); ++p) {
      const Shape& shape = signature.parameters[p];
      const auto count = static_cast<size_t>(*shape.ElementCount());
      std::vector<double> at(count), along(count);
      for (size_t i = 0; i < count; ++i) {
        if (IsReal(shape)) {
          // Away from 0 and from each other, in (0.3, 1.3).
          at[i] = 0.8 + 0.5 * uniform(random);
          along[i] = uniform(random);
        } else {
          at[i] = static_cast<double>(random() % 3);
        }
      }
      if (IsReal(shape)) wrt_.push_back(static_cast<int64_t>(p));
      at_.push_back(at);
      along_.push_back(along);
      shapes_.push_back(shape.WithoutLayout());
    }
    weights_ = Flat(ValueAt(0));
    for (double& w : weights_) w = uniform(random);
  }

  Literal ValueAt(double step) const {
    std::vector<Literal> arguments;
    for (size_t p = 0; p < shapes_.size(); ++p) {
      std::vector<double> x = at_[p];
      for (size_t i = 0; i < x.size(); ++i) x[i] += step * along_[p][i];
      arguments.push_back(LiteralOf(shapes_[p], x));
    }
    absl::StatusOr<Literal> value = Evaluate(module_, arguments);
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? *std::move(value) : Literal();
  }

  // d/dh <weights, f(x + h along)>, by five points.
  double Numeric(double h = 1e-3) const {
    const auto at = [&](double step) {
      return Dot(weights_, Flat(ValueAt(step)));
    };
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  }

  // The same by a module that takes the parameters, then more.
  std::vector<double> Run(const Module& module,
                          const std::vector<Literal>& more) const {
    std::vector<Literal> arguments;
    for (size_t p = 0; p < shapes_.size(); ++p) {
      arguments.push_back(LiteralOf(shapes_[p], at_[p]));
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    const absl::StatusOr<Literal> value = Evaluate(module, arguments);
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? Flat(*value) : std::vector<double>();
  }

  double ByGradient(const Module& gradient) const {
    return Dot(Run(gradient, Cotangents()), Directions());
  }
  double ByTangents(const Module& tangents) const {
    std::vector<Literal> along;
    for (const int64_t p : wrt_) {
      along.push_back(LiteralOf(shapes_[static_cast<size_t>(p)],
                                along_[static_cast<size_t>(p)]));
    }
    return Dot(Run(tangents, along), weights_);
  }

  const std::vector<int64_t>& wrt() const { return wrt_; }

 private:
  std::vector<Literal> Cotangents() const {
    const Shape root = module_.entry().root().shape().WithoutLayout();
    std::vector<Shape> results;
    if (root.is_tuple()) {
      results.assign(root.elements().begin(), root.elements().end());
    } else {
      results.push_back(root);
    }
    std::vector<Literal> cotangents;
    size_t next = 0;
    for (const Shape& shape : results) {
      if (!IsReal(shape)) continue;
      const auto count = static_cast<size_t>(*shape.ElementCount());
      cotangents.push_back(LiteralOf(
          shape, std::vector<double>(
                     weights_.begin() + static_cast<ptrdiff_t>(next),
                     weights_.begin() + static_cast<ptrdiff_t>(next + count))));
      next += count;
    }
    return cotangents;
  }
  std::vector<double> Directions() const {
    std::vector<double> all;
    for (const int64_t p : wrt_) {
      const auto& along = along_[static_cast<size_t>(p)];
      all.insert(all.end(), along.begin(), along.end());
    }
    return all;
  }

  Module module_;
  std::vector<Shape> shapes_;
  std::vector<std::vector<double>> at_, along_;
  std::vector<double> weights_;
  std::vector<int64_t> wrt_;
};

inline Module Parsed(const std::string& text) {
  absl::StatusOr<Module> module = ParseHloText(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : Module();
}

inline void ExpectClose(double got, double want, const std::string& what) {
  EXPECT_NEAR(got, want, 1e-6 * (1 + std::abs(want))) << what;
}

// Both modes beside the numerical derivative. Returns the gradient's module.
inline Module ExpectDerivative(const Module& module, const std::string& what,
                               const GradientOptions& options = {}) {
  const Probe probe(module);
  const double numeric = probe.Numeric();
  const absl::StatusOr<Module> gradient =
      Gradient(module, probe.wrt(), options);
  EXPECT_TRUE(gradient.ok()) << gradient.status() << "\n" << what;
  if (!gradient.ok()) return Module();
  EXPECT_TRUE(VerifyModule(*gradient).ok()) << what;
  ExpectClose(probe.ByGradient(*gradient), numeric, "reverse: " + what);
  const absl::StatusOr<Module> tangents =
      Tangents(module, probe.wrt(), options);
  EXPECT_TRUE(tangents.ok()) << tangents.status() << "\n" << what;
  if (!tangents.ok()) return Module();
  EXPECT_TRUE(VerifyModule(*tangents).ok()) << what;
  ExpectClose(probe.ByTangents(*tangents), numeric, "forward: " + what);
  return *gradient;
}

}  // namespace indim

#endif  // INDIM_TESTS_GRAD_PROBE_H_
