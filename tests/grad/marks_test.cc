// SPDX-License-Identifier: Apache-2.0
// Marks of derivatives: what they do, and that they survive files.

#include "indim/grad/marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/builder/composites/reductions.h"
#include "indim/edit/editor.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/edit/passes/inline_calls.h"
#include "indim/grad/builder_gradient.h"
#include "indim/grad/gradient.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/write.h"
#include "indim/tests/grad/probe.h"
#include "indim/tests/page.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Module Built(const std::function<Op(ComputationBuilder& b, Op x)>& body) {
  ComputationBuilder b("marks");
  const Op x = b.Parameter("f64[2]", "x");
  BuildResult built = b.Build(body(b, x));
  EXPECT_TRUE(built.ok()) << built.status();
  return built.ok() ? *std::move(built) : Module();
}

const std::vector<double> kPoint = {0.5, -0.8};

std::vector<double> MarkedValues(const Module& module,
                                 const std::vector<Literal>& at) {
  const absl::StatusOr<Literal> value = Evaluate(module, at);
  EXPECT_TRUE(value.ok()) << value.status() << PrintHloText(module);
  return value.ok() ? Flat(*value) : std::vector<double>();
}

Literal Vector(const std::vector<double>& values) {
  return LiteralOf(Shape::Of(kF64, {2}), values);
}

// The derivative of each element by its own, in both modes.
void ExpectSlopes(const Module& module, const std::vector<double>& want) {
  const std::vector<Literal> at = {Vector(kPoint), Vector({1, 1})};
  for (const bool forward : {false, true}) {
    const absl::StatusOr<Module> made =
        forward ? Tangents(module, {0}) : Gradient(module, {0});
    ASSERT_TRUE(made.ok()) << made.status();
    const std::vector<double> got = MarkedValues(*made, at);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_NEAR(got[i], want[i], 1e-9) << forward << PrintHloText(*made);
    }
  }
}

Op Stopped(ComputationBuilder& b, Op x) {
  return b.Mul(x, StopGradient(b.Mul(x, x)));
}
const std::vector<double> kStopped = {0.25, 0.64};

// floor(x) with the derivative 1 + x: what passes through is the custom one.
Op Rounded(ComputationBuilder& b, Op x) {
  // As in docs/gradients.md.
  Op y = CustomGradient(b, "rounded", x, [&](Op inner) {
    const Op slope = inner + 1;
    return std::pair(b.Floor(inner), [=](Op ct) { return ct * slope; });
  });
  return y;
}
const std::vector<double> kRounded = {1.5, 0.2};

// The same by a rule of tangents.
Op RoundedForward(ComputationBuilder& b, Op x) {
  return CustomTangent(b, "rounded", x, [&](Op inner) {
    const Op slope = inner + 1;
    return std::pair(b.Floor(inner), [=](Op t) { return t * slope; });
  });
}

Op Again(ComputationBuilder& b, Op x) {
  return Checkpoint(b, "again", x,
                    [&](Op inner) { return b.Sin(b.Exp(b.Sin(inner))); });
}
std::vector<double> AgainSlopes() {
  std::vector<double> slopes;
  for (const double x : kPoint) {
    const double e = std::exp(std::sin(x));
    slopes.push_back(std::cos(e) * e * std::cos(x));
  }
  return slopes;
}

struct MarkRow {
  const char* name;
  Op (*body)(ComputationBuilder& b, Op x);
  std::vector<double> slopes;
};
std::vector<MarkRow> MarkRows() {
  return {{"Stop", Stopped, kStopped},
          {"Custom", Rounded, kRounded},
          {"CustomTangent", RoundedForward, kRounded},
          {"Checkpoint", Again, AgainSlopes()}};
}

TEST(MarksTest, DecideTheDerivative) {
  for (const MarkRow& row : MarkRows()) {
    SCOPED_TRACE(row.name);
    const Module module = Built(row.body);
    ExpectSlopes(module, row.slopes);
    // In a called computation, a loop's body, a branch; at the builder.
    ExpectSlopes(Built([&](ComputationBuilder& b, Op x) {
                   return b.Call("outer", x,
                                 [&](Op y) { return row.body(b, y); });
                 }),
                 row.slopes);
    ExpectSlopes(Built([&](ComputationBuilder& b, Op x) {
                   return b.ForLoop(1, x,
                                    [&](Op, Op y) { return row.body(b, y); });
                 }),
                 row.slopes);
    ExpectSlopes(Built([&](ComputationBuilder& b, Op x) {
                   return b.Conditional(
                       b.ConstantR0(true), [&] { return row.body(b, x); },
                       [&] { return x; });
                 }),
                 row.slopes);
    const Module inside = Built([&](ComputationBuilder& b, Op x) {
      return Gradient(ReduceSum(row.body(b, x), {0}), {x})[0];
    });
    const std::vector<double> got = MarkedValues(inside, {Vector(kPoint)});
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], row.slopes[i], 1e-9);
    }
    // Of second order: that of the first one's graph.
    const absl::StatusOr<Module> first = Gradient(module, {0});
    ASSERT_TRUE(first.ok());
    if (row.body != Stopped) {
      ExpectDerivative(*first, row.name);
    } else {
      EXPECT_TRUE(Gradient(*first, {0}).ok());
    }
  }
}

TEST(MarksTest, SurviveFilesAndPasses) {
  for (const MarkRow& row : MarkRows()) {
    SCOPED_TRACE(row.name);
    const Module module = Built(row.body);
    const Module text = Parsed(PrintHloText(module));
    ExpectSlopes(text, row.slopes);
    const absl::StatusOr<std::string> mlir = WriteStablehlo(module);
    ASSERT_TRUE(mlir.ok()) << mlir.status();
    const absl::StatusOr<Module> read = ReadStablehlo(*mlir);
    ASSERT_TRUE(read.ok()) << read.status() << *mlir;
    ExpectSlopes(*read, row.slopes);
    Editor editor(*read);
    InlineCalls(&editor);
    RemoveDeadCode(&editor);
    EditResult edited = editor.Finish();
    ASSERT_TRUE(edited.ok()) << edited.text();
    ExpectSlopes(edited.module, row.slopes);
  }
}

std::string WithoutBlanks(const std::string& text) {
  return absl::StrReplaceAll(text, {{" ", ""}, {"\n", ""}});
}

// The page shows the program above, and a file with the same derivative.
TEST(MarksTest, PageIsRight) {
  const std::string own = WithoutBlanks(FileText("tests/grad/marks_test.cc"));
  int programs = 0, files = 0;
  for (const PageBlock& block : PageBlocks(FileText("docs/gradients.md"))) {
    if (absl::StartsWith(block.text, "HloModule")) {
      ++files;
      ExpectSlopes(Parsed(block.text), kRounded);
    }
    if (absl::StrContains(block.text, "CustomGradient")) {
      ++programs;
      EXPECT_TRUE(absl::StrContains(own, WithoutBlanks(block.text)))
          << block.text;
    }
  }
  EXPECT_EQ(programs, 1);
  EXPECT_EQ(files, 1);
}

// Nothing but the operand is kept: the call stays as it was, and its transpose
// runs behind a barrier.
TEST(MarksTest, CheckpointKeepsOperandsOnly) {
  const std::string with = PrintHloText(*Gradient(Built(Again), {0}));
  EXPECT_THAT(with, HasSubstr("opt-barrier"));
  EXPECT_THAT(with, HasSubstr("to_apply=%again_checkpoint"));
  const std::string without = PrintHloText(*Gradient(
      Built([](ComputationBuilder& b, Op x) {
        return b.Call("again", x, [&](Op y) { return b.Sin(b.Exp(b.Sin(y))); });
      }),
      {0}));
  EXPECT_THAT(without, Not(HasSubstr("opt-barrier")));
}

// Several results, some without cotangents; values from outside.
TEST(MarksTest, CustomOfAggregates) {
  const Module module = Built([](ComputationBuilder& b, Op x) {
    const Op three = b.Splat(3, "f64[2]");
    const auto [sum, number, product] =
        CustomGradient(b, "both", std::tuple(x, b.Sin(x)), [&](Op u, Op v) {
          return std::pair(std::tuple(u + v, b.ConstantR0(7), u * v * three),
                           [&, u, v](Op sum_ct, Op, Op product_ct) {
                             return std::tuple(sum_ct * v,
                                               product_ct * u * three);
                           });
        });
    return sum + product * b.ConvertElementType(number, kF64);
  });
  std::vector<double> want;
  for (const double x : kPoint) {
    want.push_back(std::sin(x) + 21 * x * std::cos(x));
  }
  ExpectSlopes(module, want);
}

// Likewise of tangents: of a tuple with an integer, computed in the rule, and
// with the result used in it.
TEST(MarksTest, CustomTangentOfAggregates) {
  const Module module = Built([](ComputationBuilder& b, Op x) {
    const Op three = b.Splat(3, "f64[2]");
    const auto [root, number, sum] = CustomTangent(
        b, "both", std::tuple(x, b.ConstantR0(7), b.Sin(x)),
        [&](Op u, Op n, Op v) {
          const Op exp = b.Exp(u);
          return std::pair(
              std::tuple(exp, n, u + v), [&, exp, v](Op du, Op, Op dv) {
                return std::tuple(du * exp * three, du * b.Cos(v) + dv);
              });
        });
    return root + sum * b.ConvertElementType(number, kF64);
  });
  std::vector<double> want;
  for (const double x : kPoint) {
    want.push_back(3 * std::exp(x) + 7 * (std::cos(std::sin(x)) + std::cos(x)));
  }
  ExpectSlopes(module, want);
}

constexpr char kCustomCall[] = R"(HloModule m
mine_vjp { ct = f64[2] parameter(0)  x = f64[2] parameter(1)  n = s32[] parameter(2)  r = f64[2] parameter(3)  a = f64[2] multiply(ct, r)  ROOT g = f64[2] add(a, x) }
f { x = f64[2] parameter(0)  n = s32[] constant(3)  ROOT r = f64[2] custom-call(x, n), custom_call_target="mine", called_computations={mine_vjp}, frontend_attributes={indim.gradient="vjp"} }
ENTRY e { x = f64[2] parameter(0)  ROOT r = f64[2] call(x), to_apply=f }
)";

TEST(MarksTest, CustomCallWithAVjp) {
  const std::string gradient =
      PrintHloText(*Gradient(Parsed(kCustomCall), {0}));
  EXPECT_THAT(gradient, HasSubstr("custom_call_target=\"mine\""));
  EXPECT_THAT(gradient, HasSubstr("to_apply=%mine_vjp"));
}

// Forward mode calls the computation; reverse mode transposes it.
TEST(MarksTest, CustomCallWithAJvp) {
  const Module module =
      Parsed(absl::StrReplaceAll(kCustomCall, {{"vjp", "jvp"}}));
  const std::string tangents = PrintHloText(*Tangents(module, {0}));
  EXPECT_THAT(tangents, HasSubstr("custom_call_target=\"mine\""));
  EXPECT_THAT(tangents, HasSubstr("to_apply=%mine_jvp"));
  EXPECT_THAT(PrintHloText(*Gradient(module, {0})),
              HasSubstr("to_apply=%mine_jvp_backward"));
}

TEST(MarksTest, Refused) {
  struct Row {
    const char* body;
    const char* says;
  };
  const Row rows[] = {
      {"ROOT r = f64[2] sine(x), frontend_attributes={indim.gradient=\"halt\"}",
       "indim.gradient"},
      {"ROOT r = f64[2] call(x), to_apply=f, "
       "frontend_attributes={indim.gradient=\"custom\"}",
       "no call marked vjp or jvp"},
      {"ROOT r = f64[2] call(x), to_apply=wrong, "
       "frontend_attributes={indim.gradient=\"custom\"}",
       "%g gives f64[3]"},
      {"ROOT r = f64[2] custom-call(x), custom_call_target=\"mine\", "
       "frontend_attributes={indim.gradient=\"vjp\"}",
       "calls no computation"},
      {"ROOT r = f64[2] custom-call(x), custom_call_target=\"mine\", "
       "called_computations={f}, "
       "frontend_attributes={indim.gradient=\"jvp:2\"}",
       "takes 2 tangents, and its operands have 1"},
      {"ROOT r = f64[2] custom-call(x), custom_call_target=\"mine\", "
       "called_computations={f}, "
       "frontend_attributes={indim.gradient=\"jvp:4000000000\"}",
       "takes 4000000000 tangents, and its operands have 1"},
      {"ROOT r = f64[2] sine(x), frontend_attributes={indim.gradient=\"jvp:\"}",
       "indim.gradient"},
      {"ROOT r = f64[2] call(x), to_apply=forward, "
       "frontend_attributes={indim.gradient=\"custom\"}",
       "%g gives f64[3]"},
      {"ROOT r = f64[2] custom-call(x), custom_call_target=\"mine\", "
       "called_computations={f}, frontend_attributes={indim.gradient=\"vjp\"}",
       "takes 1 operands, and not 3"},
      {"ROOT r = f64[2] call(x), to_apply=random, "
       "frontend_attributes={indim.gradient=\"checkpoint\"}",
       "random numbers"},
  };
  for (const Row& row : rows) {
    const Module module = Parsed(absl::StrCat(
        "HloModule m\n"
        "f { y = f64[2] parameter(0)  ROOT s = f64[2] sine(y) }\n"
        "g { ct = f64[2] parameter(0)  z = f64[] constant(0)  ROOT s = f64[3] "
        "broadcast(z), dimensions={} }\n"
        "wrong { y = f64[2] parameter(0)  g = f64[3] call(y), to_apply=g, "
        "frontend_attributes={indim.gradient=\"vjp\"}  ROOT s = f64[2] sine(y) "
        "}\n"
        "forward { y = f64[2] parameter(0)  g = f64[3] call(y), to_apply=g, "
        "frontend_attributes={indim.gradient=\"jvp\"}  ROOT s = f64[2] sine(y) "
        "}\n"
        "random { y = f64[2] parameter(0)  l = f64[] constant(0)  h = f64[] "
        "constant(1)  u = f64[2] rng(l, h), distribution=rng_uniform  e = "
        "f64[2] exponential(y)  ROOT s = f64[2] multiply(e, u) }\n"
        "ENTRY e { x = f64[2] parameter(0)  ",
        row.body, " }\n"));
    const absl::Status status = Gradient(module, {0}).status();
    EXPECT_EQ(CodeOf(status), Code::kNoDerivative) << row.body;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.says));
  }
}

}  // namespace
}  // namespace indim
