// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/amount.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace indim {
namespace {

// Whole numbers without an exponent.
std::string NumberText(double number) {
  if (std::floor(number) == number && std::abs(number) < 1e18) {
    return absl::StrFormat("%.0f", number);
  }
  return absl::StrFormat("%.17g", number);
}

}  // namespace

Amount Amount::Named(absl::string_view name) {
  Amount amount;
  amount.Set({{{std::string(name)}, 1}});
  return amount;
}

void Amount::Set(Products products) {
  for (auto i = products.begin(); i != products.end();) {
    i = i->second == 0 ? products.erase(i) : std::next(i);
  }
  if (products.size() > kMaxProducts) {
    // NaN stands for it, and stays NaN in all that is computed with it.
    number_ = std::numeric_limits<double>::quiet_NaN();
    products.clear();
  }
  products_ = products.empty()
                  ? nullptr
                  : std::make_shared<const Products>(std::move(products));
}

void Amount::AddProducts(const Products& products) {
  Products sum = is_number() ? Products() : *products_;
  for (const auto& [names, factor] : products) sum[names] += factor;
  Set(std::move(sum));
}

Amount Amount::MultiplyProducts(const Amount& a, const Amount& b) {
  Amount result(a.number_ * b.number_);
  for (const auto& [factor, other] : {std::tie(a, b), std::tie(b, a)}) {
    if (!factor.is_number()) continue;
    if (factor.number_ == 0) return result;
    if (factor.number_ == 1) return other;
  }
  Products products;
  const auto add = [&](const Products& of, double number) {
    for (const auto& [names, factor] : of) products[names] += factor * number;
  };
  if (a.products_ != nullptr) add(*a.products_, b.number_);
  if (b.products_ != nullptr) add(*b.products_, a.number_);
  if (a.products_ != nullptr && b.products_ != nullptr) {
    for (const auto& [names_a, factor_a] : *a.products_) {
      for (const auto& [names_b, factor_b] : *b.products_) {
        std::vector<std::string> names = names_a;
        names.insert(names.end(), names_b.begin(), names_b.end());
        std::sort(names.begin(), names.end());
        products[std::move(names)] += factor_a * factor_b;
      }
    }
  }
  result.Set(std::move(products));
  return result;
}

double Amount::Estimate() const {
  constexpr double kLarge = 1024;
  if (products_ == nullptr) return std::isnan(number_) ? 0 : number_;
  double sum = number_;
  for (const auto& [names, factor] : *products_) {
    sum += factor * std::pow(kLarge, static_cast<double>(names.size()));
  }
  return std::isnan(sum) ? 0 : sum;
}

bool operator==(const Amount& a, const Amount& b) {
  if (a.number_ != b.number_) return false;
  if (a.is_number() || b.is_number()) return a.is_number() == b.is_number();
  return *a.products_ == *b.products_;
}

std::string Amount::ToString() const {
  if (std::isnan(number_)) return "unknown";
  if (is_number()) return NumberText(number_);
  std::string text;
  const auto add = [&](double factor, const std::string& names) {
    absl::StrAppend(&text, text.empty() ? (factor < 0 ? "-" : "")
                           : factor < 0 ? " - "
                                        : " + ");
    const double size = std::abs(factor);
    if (size != 1 || names.empty()) absl::StrAppend(&text, NumberText(size));
    if (size != 1 && !names.empty()) absl::StrAppend(&text, "*");
    absl::StrAppend(&text, names);
  };
  for (const auto& [names, factor] : *products_) {
    add(factor, absl::StrJoin(names, "*"));
  }
  if (number_ != 0) add(number_, "");
  return text;
}

}  // namespace indim
