// SPDX-License-Identifier: Apache-2.0
// What bindings to other languages call: errors of their own, and fixes in
// their language.

#include <cstring>
#include <indim.hpp>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/bindings/c/things.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

indim_text TextOf(const char* text) { return {text, std::strlen(text)}; }

indim_refusal Refusal() {
  indim_refusal refusal = Sized<indim_refusal>();
  refusal.status = INDIM_OUT_OF_RANGE;
  refusal.operand = 1;
  refusal.dim = 2;
  refusal.line = 7;
  refusal.file = TextOf("f.py");
  refusal.code = TextOf("IND1353");
  refusal.what = TextOf("sum");
  refusal.fix = TextOf("axis=0");
  return refusal;
}

TEST(BindingsTest, ARefusalLooksLikeTheLibrarys) {
  const indim_text arguments[] = {TextOf("3"), TextOf("f32[2,3]"),
                                  TextOf("2 dims")};
  indim_refusal refusal = Refusal();
  refusal.arguments = arguments;
  refusal.argument_count = 3;
  indim_error* const error = indim_refuse(&refusal);
  EXPECT_EQ(indim_error_status(error), INDIM_OUT_OF_RANGE);
  EXPECT_STREQ(indim_error_message(error, nullptr),
               "f.py:7: error: sum: axis 3 is outside f32[2,3], which has 2 "
               "dims  [IND1353]\n  to fix: axis=0");
  const indim_diagnostics* const list = indim_error_diagnostics(error);
  ASSERT_EQ(indim_diagnostics_count(list), 1u);
  indim_diagnostic said = Sized<indim_diagnostic>();
  EXPECT_NO_ERROR(indim_diagnostics_get(list, 0, &said));
  EXPECT_EQ(said.code, 1353);
  EXPECT_EQ(said.operand, 1);
  EXPECT_EQ(said.dim, 2);
  EXPECT_EQ(said.line, 7);
  EXPECT_EQ(std::string(said.file.data, said.file.size), "f.py");
  EXPECT_EQ(std::string(said.fix.data, said.fix.size), "axis=0");
  EXPECT_EQ(std::string(said.message.data, said.message.size),
            "sum: axis 3 is outside f32[2,3], which has 2 dims");
  indim_error_release(error);
}

TEST(BindingsTest, AWrongRefusalIsAnErrorToo) {
  const struct {
    const char* what;
    void (*change)(indim_refusal*);
  } kCases[] = {
      {"struct_size", [](indim_refusal* r) { r->struct_size = 0; }},
      {"no code", [](indim_refusal* r) { r->code = TextOf("IND9999"); }},
      {"no status", [](indim_refusal* r) { r->status = INDIM_OK; }},
      {"no status", [](indim_refusal* r) { r->status = 99; }},
      {"a text of the refusal is null",
       [](indim_refusal* r) {
         r->fix = {nullptr, 3};
       }},
      {"arguments is null", [](indim_refusal* r) { r->argument_count = 1; }},
  };
  for (const auto& c : kCases) {
    indim_refusal refusal = Refusal();
    c.change(&refusal);
    indim_error* const error = indim_refuse(&refusal);
    ASSERT_NE(error, nullptr);
    EXPECT_THAT(indim_error_message(error, nullptr), HasSubstr(c.what));
    EXPECT_THAT(indim_error_message(error, nullptr), HasSubstr("IND1300"));
    indim_error_release(error);
  }
}

std::string FixOfAdd() {
  try {
    indim_api::Infer(
        "add", {indim_api::Shape("f32[8,10]"), indim_api::Shape("f32[10]")}, {},
        {}, {});
  } catch (const indim_api::Error& error) {
    return error.what();
  }
  return "";
}

TEST(BindingsTest, FixesAreOfTheLanguage) {
  EXPECT_THAT(FixOfAdd(), HasSubstr("to fix: b.Add(\"add\", {x0, x1}, "
                                    "{\"broadcast_dimensions={1}\"})"));
  indim_set_language(INDIM_LANGUAGE_PYTHON);
  const std::string python = FixOfAdd();
  indim_set_language(7);
  EXPECT_EQ(FixOfAdd(), python);
  indim_set_language(INDIM_LANGUAGE_CPP);
  const std::string cpp = FixOfAdd();
  indim_set_language(INDIM_LANGUAGE_C);
  EXPECT_THAT(python,
              HasSubstr("to fix: b.add(x0, x1, broadcast_dimensions=[1])"));
  EXPECT_THAT(cpp, HasSubstr("to fix: Add(x0, x1, {1})"));
}

TEST(BindingsTest, EachErrorHasADiagnostic) {
  indim_shape* shape = nullptr;
  indim_error* const error = indim_shape_parse("f32[", 4, &shape);
  const indim_diagnostics* const list = indim_error_diagnostics(error);
  ASSERT_EQ(indim_diagnostics_count(list), 1u);
  indim_diagnostic said = Sized<indim_diagnostic>();
  EXPECT_NO_ERROR(indim_diagnostics_get(list, 0, &said));
  EXPECT_EQ(said.code, 1301);
  EXPECT_EQ(std::string(said.message.data, said.message.size),
            indim_error_message(error, nullptr));
  indim_error_release(error);
}

TEST(BindingsTest, AFixInsideAMessageIsTheFix) {
  indim_shape* shape = nullptr;
  indim_error* const error = indim_shape_parse("f32[-2]", 7, &shape);
  indim_diagnostic said = Sized<indim_diagnostic>();
  EXPECT_NO_ERROR(
      indim_diagnostics_get(indim_error_diagnostics(error), 0, &said));
  EXPECT_THAT(std::string(said.message.data, said.message.size),
              HasSubstr("to fix: write ?"));
  EXPECT_THAT(std::string(said.fix.data, said.fix.size),
              ::testing::StartsWith("write ?"));
  indim_error_release(error);
}

}  // namespace
}  // namespace indim
