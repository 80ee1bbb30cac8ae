// SPDX-License-Identifier: Apache-2.0
// What a builder recorded, and what that computes.

#ifndef INDIM_TESTS_BUILDER_RECORDED_VALUES_H_
#define INDIM_TESTS_BUILDER_RECORDED_VALUES_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/eval/evaluator.h"
#include "indim/io/write.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {

// "name: opcode opcode ..." of each computation, the entry last.
inline std::vector<std::string> Recorded(const Module& module) {
  std::vector<std::string> all;
  for (const Computation computation : module.computations()) {
    std::string text = absl::StrCat(computation.name(), ":");
    for (const Instruction instruction : computation.instructions()) {
      absl::StrAppend(&text, " ", Name(instruction.opcode()));
    }
    all.push_back(text);
  }
  return all;
}

// The value of `root`, as numbers in row-major order.
inline std::vector<double> ValuesOf(
    ComputationBuilder& b, Op root,
    const std::vector<Literal>& arguments = {}) {
  const BuildResult module = b.Build(root);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  const absl::StatusOr<std::string> bytes =
      WriteModuleBytes(*module, ModuleForm::kForXla);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<Literal> value = Evaluate(*module, arguments);
  EXPECT_TRUE(value.ok()) << value.status();
  std::vector<double> values;
  if (!value.ok() || !value->shape().is_array()) return values;
  for (int64_t i = 0; i < *value->shape().ElementCount(); ++i) {
    values.push_back(value->AsDouble(i));
  }
  return values;
}

inline Literal Floats(std::vector<double> values) {
  const int64_t size = static_cast<int64_t>(values.size());
  return *Literal::FromDoubles(ElementType::kF32, values, {size});
}

}  // namespace indim

#endif  // INDIM_TESTS_BUILDER_RECORDED_VALUES_H_
