// SPDX-License-Identifier: Apache-2.0
// NestedNumbers: the values of an array, as a C++ program writes them:
//
//   b.Constant(ElementType::kBF16, {{1, 2.5}, {3, 4}});   // bf16[2,2]

#ifndef INDIM_BUILDER_NESTED_NUMBERS_H_
#define INDIM_BUILDER_NESTED_NUMBERS_H_

#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/types/element_type.h"

namespace indim {

// A number, or a list of these.
class NestedNumbers {
 public:
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  NestedNumbers(T number) : number_(number) {}              // NOLINT
  NestedNumbers(std::initializer_list<NestedNumbers> list)  // NOLINT
      : list_(list) {}

  // The array. InvalidArgument: the lists of a level have different lengths or
  // depths; a number that the type doesn't have (Literal::Scalar); more than 32
  // levels.
  absl::StatusOr<Literal> ToLiteral(ElementType type) const;

 private:
  std::optional<Number> number_;
  std::vector<NestedNumbers> list_;
};

}  // namespace indim

#endif  // INDIM_BUILDER_NESTED_NUMBERS_H_
