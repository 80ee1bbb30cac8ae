// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/builder/named_cases.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/export.h"
#include "indim/passes/sizes/refine.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

struct Built {
  absl::StatusOr<Module> module;
  std::string errors;
  std::string result;  // shape
};

// Also in computations that a composite inside another one makes for itself.
void ExpectLinesAreTheCaller(const Module& module) {
  for (const Computation computation : module.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      EXPECT_THAT(std::string(instruction.location().file), HasSubstr("tests/"))
          << computation.name() << ", " << instruction.name();
    }
  }
}

// With N and M replaced; `facts`: what is known of names.
Built Record(const NamedCase& c, const std::string& n, const std::string& m,
             const char* facts = "") {
  SymbolScope scope;
  EXPECT_TRUE(scope.State(facts).ok() || *facts == '\0');
  ShapeTextOptions options;
  options.scope = &scope;
  TestBuilder b("case");
  Ops ops;
  for (const std::string& text : c.shapes) {
    const absl::StatusOr<Shape> shape =
        ParseShape(absl::StrReplaceAll(text, {{"N", n}, {"M", m}}), options);
    EXPECT_TRUE(shape.ok()) << shape.status();
    ops.push_back(b.P(*shape));
  }
  const Op root = c.call(b, ops);
  const absl::StatusOr<Shape> shape = b.shape(root);
  Built built{b.Build(root), "", shape.ok() ? shape->ToString() : ""};
  built.errors = b.DiagnosticsText();
  if (built.module.ok()) ExpectLinesAreTheCaller(*built.module);
  return built;
}

std::vector<Literal> Arguments(const NamedCase& c, int n, int m) {
  std::vector<Literal> arguments;
  RandomStream random(7);
  for (const std::string& text : c.shapes) {
    const absl::StatusOr<Shape> shape = ParseShape(absl::StrReplaceAll(
        text, {{"N", absl::StrCat(n)}, {"M", absl::StrCat(m)}}));
    arguments.push_back(*RandomLiteral(*shape, &random));
  }
  return arguments;
}

void ExpectSameAsStatic(const NamedCase& c, const Module& refined, int n,
                        int m) {
  const Built fixed = Record(c, absl::StrCat(n), absl::StrCat(m));
  ASSERT_TRUE(fixed.module.ok()) << fixed.module.status();
  EXPECT_FALSE(HasOpenSizes(refined)) << PrintHloText(refined);
  EXPECT_EQ(refined.entry().root().shape().ToString(), fixed.result);
  EXPECT_TRUE(VerifyModule(refined).ok());
  const std::vector<Literal> arguments = Arguments(c, n, m);
  const absl::StatusOr<Literal> expected = Evaluate(*fixed.module, arguments);
  const absl::StatusOr<Literal> got = Evaluate(refined, arguments);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->ToString(), expected->ToString());
  EXPECT_TRUE(ExportHloModuleProto(refined).ok())
      << ExportHloModuleProto(refined).status();
}

bool ExpectRefused(const Built& built, const char* rule) {
  if (*rule == '\0') {
    EXPECT_TRUE(built.module.ok()) << built.module.status();
    return !built.module.ok();
  }
  EXPECT_FALSE(built.module.ok()) << built.result;
  EXPECT_THAT(built.errors, HasSubstr(absl::StrCat("[", rule, "]")));
  return true;
}

}  // namespace

void ExpectRefinedAreStatic(const std::vector<NamedCase>& cases) {
  for (const char* facts : {"", "n <= 64, m <= 64", "n >= 2"}) {
    for (const NamedCase& c : cases) {
      SCOPED_TRACE(absl::StrCat(c.name, ", ", facts));
      const Built built = Record(c, "n", "m", facts);
      EXPECT_THAT(built.result, Not(ContainsRegex("[[,]64[],]")));
      if (ExpectRefused(built, c.named)) continue;
      RefineOptions options;
      for (const char* setting : {"n=4", "m=3"}) {
        if (SymbolsOf(*built.module).count(std::string(setting, 1)) > 0) {
          ASSERT_TRUE(AddSetting(setting, &options).ok());
        }
      }
      const RefineResult refined = Refine(*built.module, options);
      ASSERT_TRUE(refined.report.ok())
          << RenderRefinement(*built.module, refined);
      ExpectSameAsStatic(c, refined.module, 4, 3);
    }
  }
}

void ExpectUnknownAreStatic(const std::vector<NamedCase>& cases) {
  for (const NamedCase& c : cases) {
    SCOPED_TRACE(c.name);
    const Built built = Record(c, "?", "?");
    if (ExpectRefused(built, c.unknown)) continue;
    RefineOptions options;
    for (size_t i = 0; i < c.shapes.size(); ++i) {
      ASSERT_TRUE(
          AddSetting(absl::StrCat("p", i, "=",
                                  absl::StrReplaceAll(
                                      c.shapes[i], {{"N", "4"}, {"M", "3"}})),
                     &options)
              .ok());
    }
    const RefineResult refined = Refine(*built.module, options);
    ASSERT_TRUE(refined.report.ok())
        << RenderRefinement(*built.module, refined);
    ExpectSameAsStatic(c, refined.module, 4, 3);
  }
}

// A bounded size is a number to HLO, and nothing is left to refinement.
void ExpectBoundedAreSaid(const std::vector<NamedCase>& cases) {
  for (const NamedCase& c : cases) {
    const Built built = Record(c, "<=4", "<=3");
    SCOPED_TRACE(absl::StrCat(c.name, "\n", built.errors));
    if (!built.module.ok()) continue;  // what it refuses: composites_test
    EXPECT_THAT(PrintHloText(*built.module), Not(HasSubstr(":?]")));
    EXPECT_TRUE(VerifyModule(*built.module).ok());
  }
}

std::string ResultOf(const NamedCase& c, const std::string& n,
                     const char* facts) {
  return Record(c, n, "", facts).result;
}

}  // namespace indim
