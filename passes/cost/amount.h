// SPDX-License-Identifier: Apache-2.0
// Amount: how much of something, as a number where all sizes are known, else as
// a sum of products of what isn't: 15680*n + 4*steps(while.5).

#ifndef INDIM_PASSES_COST_AMOUNT_H_
#define INDIM_PASSES_COST_AMOUNT_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace indim {

class Amount {
 public:
  // An amount of more products than this is no expression any more: its text is
  // "unknown".
  static constexpr size_t kMaxProducts = 256;

  // NOLINTNEXTLINE(google-explicit-constructor): a number is an amount.
  Amount(double number = 0) : number_(number) {}
  // What has a name instead of a number: a size, the steps of a loop.
  static Amount Named(absl::string_view name);

  // No product of named parts is in it.
  bool is_number() const { return products_ == nullptr; }
  // The number that it is, or that stands beside the products.
  double number() const { return number_; }
  // For orders of amounts alone: its value where each name stands for a large
  // number.
  double Estimate() const;

  // Nearly all amounts are numbers.
  Amount& operator+=(const Amount& other) {
    number_ += other.number_;
    if (!other.is_number()) AddProducts(*other.products_);
    return *this;
  }
  friend Amount operator+(Amount a, const Amount& b) { return a += b; }
  friend Amount operator-(const Amount& a, const Amount& b) {
    return a + b * Amount(-1);
  }
  friend Amount operator*(const Amount& a, const Amount& b) {
    return a.is_number() && b.is_number() ? Amount(a.number_ * b.number_)
                                          : MultiplyProducts(a, b);
  }
  friend bool operator==(const Amount& a, const Amount& b);

  // "1234", "2*n*m + 10": numbers with up to 17 digits, products by the names
  // in them; "unknown": too many products.
  std::string ToString() const;

 private:
  // Names in order, repeated for powers: the number before them.
  using Products = std::map<std::vector<std::string>, double>;
  void Set(Products products);
  void AddProducts(const Products& products);
  static Amount MultiplyProducts(const Amount& a, const Amount& b);

  double number_;
  // Null: none.
  std::shared_ptr<const Products> products_;
};

}  // namespace indim

#endif  // INDIM_PASSES_COST_AMOUNT_H_
