// SPDX-License-Identifier: Apache-2.0
// Composites by name record what the functions of C++ record. A program of its
// own: the C++ library and indim.hpp both have a Module.

#include <indim.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/random.h"
#include "indim/builder/computation_builder.h"
#include "indim/tests/bindings/c/things.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

indim_value Record(indim_builder* b, const std::string& name,
                   const indim_value* operand, const std::string& arguments) {
  indim_value made[2] = {};
  EXPECT_NO_ERROR(indim_composite(b, name.data(), name.size(), operand,
                                  operand == nullptr ? 0 : 1, arguments.data(),
                                  arguments.size(), 0, made, 2, nullptr));
  return made[0];
}

TEST(CppCompositesTest, AreTheSame) {
  indim_builder* c = nullptr;
  ASSERT_NO_ERROR(indim_builder_create("t", 1, nullptr, &c));
  const indim_value state =
      Record(c, "three_fry_state", nullptr, R"({"seed":42})");
  const indim_value noise =
      Record(c, "random_normal", &state, R"({"shape":"bf16[8]"})");
  const indim_value weights = Record(c, "softmax", &noise, "");
  indim_module* module = nullptr;
  ASSERT_NO_ERROR(indim_build(c, weights, nullptr, &module, nullptr));
  indim_write_options options = Sized<indim_write_options>();
  options.format = INDIM_FORMAT_HLO_TEXT;
  indim_bytes* text = nullptr;
  ASSERT_NO_ERROR(indim_module_write(module, &options, &text));

  ComputationBuilder b("t");
  RandomState random = ThreeFryState(b, 42, Caller{});
  const Op noise_op = RandomNormal(&random, "bf16[8]", 0, 1, Caller{});
  const auto built = b.Build(Softmax(noise_op, -1, Caller{}));
  ASSERT_TRUE(built.ok());
  EXPECT_EQ(Take(text), PrintHloText(*built));
  indim_module_release(module);
  indim_builder_release(c);
}

}  // namespace
}  // namespace indim
