// SPDX-License-Identifier: Apache-2.0
// RandomOperands: shapes, element types and broadcasting forms for tests, the
// same in each run.

#ifndef INDIM_TESTS_XLA_RANDOM_OPERANDS_H_
#define INDIM_TESTS_XLA_RANDOM_OPERANDS_H_

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/element_type.h"
#include "indim/tests/shape/infer/declared_inputs.h"

namespace indim {

using Sizes = std::vector<int64_t>;
using Types = std::vector<ElementType>;

// "[1,0]": a list as Python and JSON write it.
std::string PythonList(absl::Span<const int64_t> values);

Shape MakeShape(ElementType type, absl::Span<const int64_t> sizes);

// Two operands and how they are matched.
struct BroadcastForm {
  Sizes lhs;
  Sizes rhs;
  BroadcastArg arg;
  // "*xla(%s, %s, [1])" with the operands' names: the grown operands, as
  // arguments of a function in numpy_reference.py.
  std::string Grown(const std::string& a, const std::string& b) const;

  std::string function;  // "xla", ...
  std::string more;      // its further arguments, ", [1]"
};

// Of the element types that NumPy can judge, those that operand 0 may have by
// its op's row: integers first, then floats, complex types, pred.
Types DeclaredTypes(Opcode opcode);

class RandomOperands {
 public:
  explicit RandomOperands(uint32_t seed) : random_(seed), declared_(seed) {}

  // Operands of static sizes, attributes, computations and a result such as the
  // op's row declares, against each other too; those that the builder wouldn't
  // take (they may broadcast) are drawn again. nullopt: none was found.
  std::optional<OwnedInputs> Declared(Opcode opcode);

  // low..high, both included.
  int64_t Between(int64_t low, int64_t high);
  bool OneIn(int64_t n) { return Between(1, n) == 1; }
  template <typename T>
  const T& Pick(const std::vector<T>& values) {
    return values[Between(0, static_cast<int64_t>(values.size()) - 1)];
  }

  // Of a rank, each 1..4, now and then 0.
  Sizes Dims(int64_t rank);
  Sizes Dims() { return Dims(Between(0, 4)); }
  // Without the sizes 0, for what has no value of nothing.
  Sizes FullDims(int64_t rank);
  std::vector<int64_t> Permutation(int64_t n);
  // Some of 0..n-1, ascending.
  std::vector<int64_t> Subset(int64_t n);

  // Any rule and any of its forms: no broadcast, scalar, InDim, degenerate,
  // both, outer, the other rules' own.
  BroadcastForm Form();
  BroadcastForm XlaForm();

 private:
  BroadcastForm NumpyForm(BroadcastRule rule);
  BroadcastForm PdpdForm();
  // Makes some sizes 1.
  Sizes Thinned(Sizes sizes);

  std::mt19937 random_;
  DeclaredInputs declared_;
};

}  // namespace indim

#endif  // INDIM_TESTS_XLA_RANDOM_OPERANDS_H_
