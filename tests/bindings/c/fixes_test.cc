// SPDX-License-Identifier: Apache-2.0
// Mistakes in calls of indim.hpp: the fix is a call of indim.hpp too, and works
// when it is typed in the place of what was wrong.

#include <algorithm>
#include <indim.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

using indim_api::Attributes;
using indim_api::Builder;
using indim_api::Value;
using ::testing::HasSubstr;

constexpr const char* kNames[] = {"x", "y", "z"};

// A call of Builder::Add, whose operands are parameters x, y, z.
struct HppMistake {
  std::string opcode;
  std::vector<std::string> shapes;
  std::string attributes;
  std::string result;  // "": inferred
  std::string fix;
};

class HppProgram {
 public:
  explicit HppProgram(const std::vector<std::string>& shapes) : b_("f") {
    for (size_t i = 0; i < shapes.size(); ++i) {
      values_.push_back(b_.Parameter(indim_api::Shape(shapes[i]), kNames[i]));
    }
  }

  Value Add(const HppMistake& m) { return Add(m, values_); }
  Value Add(const HppMistake& m, const std::vector<Value>& operands) {
    std::optional<indim_api::Shape> result;
    if (!m.result.empty()) result = indim_api::Shape(m.result);
    return b_.Add(m.opcode, operands, Attributes{m.attributes}, result);
  }

  // The value of a call as C++ has it, such as
  // b.Add("dot", {x, y}, {"lhs_contracting_dims={1}"}).
  Value Call(absl::string_view text) {
    rest_ = text;
    const Value value = ReadValue();
    EXPECT_EQ(rest_, "") << text;
    return value;
  }
  std::vector<Value> values() const { return values_; }
  Builder& builder() { return b_; }

 private:
  bool Take(absl::string_view word) {
    return absl::ConsumePrefix(&rest_, word);
  }
  void Expect(absl::string_view word) { EXPECT_TRUE(Take(word)) << rest_; }
  // "abc", or R"(abc)".
  std::string ReadText() {
    const bool is_raw = Take("R\"(");
    if (!is_raw) Expect("\"");
    const absl::string_view end = is_raw ? ")\"" : "\"";
    const size_t at = rest_.find(end);
    EXPECT_NE(at, rest_.npos) << rest_;
    std::string text(rest_.substr(0, at));
    rest_.remove_prefix(std::min(rest_.size(), at + end.size()));
    return text;
  }
  std::vector<Value> ReadOperands() {
    std::vector<Value> operands;
    Expect("{");
    while (!Take("}") && !rest_.empty()) {
      operands.push_back(ReadValue());
      Take(", ");
    }
    return operands;
  }
  Value ReadValue() {
    for (size_t i = 0; i < values_.size(); ++i) {
      if (Take(kNames[i])) return values_[i];
    }
    if (Take("b.Constant(")) {
      const std::string type = ReadText();
      Expect(", 0)");
      return b_.Constant(type, 0);
    }
    if (Take("b.Composite(")) {
      const std::string name = ReadText();
      Expect(", ");
      const std::vector<Value> operands = ReadOperands();
      const std::string arguments = Take(", ") ? ReadText() : "";
      Expect(")[0]");
      return b_.Composite(name, operands, arguments)[0];
    }
    Expect("b.Add(");
    HppMistake call;
    call.opcode = ReadText();
    Expect(", ");
    const std::vector<Value> operands = ReadOperands();
    if (Take(", {") && !Take("}")) {
      call.attributes = ReadText();
      Expect("}");
    }
    if (Take(", ")) call.result = ReadText();
    Expect(")");
    return Add(call, operands);
  }

  Builder b_;
  std::vector<Value> values_;
  absl::string_view rest_;
};

// The value after somebody did what the fix says.
Value Typed(const HppMistake& m, std::optional<HppProgram>* program) {
  const absl::string_view fix = m.fix;
  HppMistake call = m;
  if (absl::StartsWith(fix, "operand ")) {  // "operand 1 of shape f32[8]"
    call.shapes[static_cast<size_t>(fix[8] - '0')] =
        std::string(fix.substr(fix.find(" shape ") + 7));
    return program->emplace(call.shapes).Add(call);
  }
  HppProgram& p = program->emplace(m.shapes);
  const size_t as = fix.find(" as operand ");
  if (as != fix.npos) {
    std::vector<Value> operands = p.values();
    operands[static_cast<size_t>(fix[as + 12] - '0')] =
        p.Call(fix.substr(0, as));
    return p.Add(call, operands);
  }
  if (absl::StrContains(fix, "without broadcast_dimensions")) {
    call.attributes.clear();
    return p.Add(call);
  }
  // "x is NHWC and y is HWIO: b.Add("convolution", {x, y}, ...) with
  // dim_labels"
  const size_t with = fix.find(" with ");
  if (absl::StartsWith(fix, "b.")) {
    const size_t end = std::min(fix.find(" matches"), fix.find(" multiplies"));
    return p.Call(fix.substr(0, end));
  }
  // One attribute in the place of that of its name.
  std::string changed(with == fix.npos ? fix : fix.substr(with + 6));
  const std::string name = changed.substr(0, changed.find('=') + 1);
  const size_t at = call.attributes.find(name);
  EXPECT_NE(at, std::string::npos) << fix;
  size_t end = call.attributes.find(", ", at);
  if (name == "slice=") end = std::string::npos;
  call.attributes.replace(at, end == std::string::npos ? end : end - at,
                          changed);
  return p.Add(call);
}

TEST(FixesTest, OfIndimHppWorkWhenTyped) {
  const std::vector<HppMistake> kMistakes = {
      {"topk", {"f32[8,3]"}, "k=4", "", "k=3"},
      {"dynamic-slice",
       {"f32[8,3]", "s32[]", "s32[]"},
       "dynamic_slice_sizes={2}",
       "",
       "dynamic_slice_sizes={2,3}"},
      {"dynamic-update-slice",
       {"f32[8]", "s32[2]", "s32[]"},
       "",
       "",
       "b.Add(\"convert\", {y}, {}, \"f32[2]\") as operand 1: f32[2]"},
      {"dynamic-update-slice",
       {"f32[8]", "f32[]", "s32[]"},
       "",
       "",
       "b.Add(\"broadcast\", {y}, {\"dimensions={}\"}, \"f32[1]\") as operand "
       "1: f32[1]"},
      {"add",
       {"f32[8,10]", "f32[10]"},
       "",
       "",
       "b.Add(\"add\", {x, y}, {\"broadcast_dimensions={1}\"}) matches dim 0 "
       "of y with dim 1 of x (10 = 10)"},
      {"add",
       {"f32[8,10]", "f32[8]"},
       "broadcast_dimensions={1}",
       "",
       "b.Add(\"add\", {x, y}, {\"broadcast_dimensions={0}\"}) matches dim 0 "
       "of y with dim 0 of x (8 = 8)"},
      {"add",
       {"f32[8,10]", "f32[8,10]"},
       "broadcast_dimensions={1,0}",
       "",
       "b.Add(\"add\", {x, y}, ...) without broadcast_dimensions"},
      {"maximum",
       {"f32[8,10]", "f32[8]"},
       "",
       "",
       "b.Add(\"maximum\", {x, y}, {\"broadcast_dimensions={0}\"}) matches dim "
       "0 of y with dim 0 of x (8 = 8)"},
      {"compare",
       {"f32[8,10]", "f32[8]"},
       "direction=LT",
       "",
       "b.Add(\"compare\", {x, y}, {\"direction=LT, "
       "broadcast_dimensions={0}\"}) matches dim 0 of y with dim 0 of x (8 = "
       "8)"},
      {"add",
       {"f32[8]", "s32[8]"},
       "",
       "",
       "b.Add(\"convert\", {y}, {}, \"f32[8]\") as operand 1: f32[8]"},
      {"add",
       {"(f32[8], s32[])", "f32[8]"},
       "",
       "",
       "b.Add(\"get-tuple-element\", {x}, {\"index=0\"}) as operand 0: f32[8]"},
      {"select",
       {"s32[8]", "f32[8]", "f32[8]"},
       "",
       "",
       "b.Add(\"compare\", {x, b.Constant(\"s32\", 0)}, {\"direction=NE\"}) as "
       "operand 0: pred[8]"},
      {"select",
       {"pred[2,3]", "f32[2,3]", "f32[6]"},
       "",
       "",
       "b.Add(\"reshape\", {z}, {}, \"f32[2,3]\") as operand 2: f32[2,3]"},
      {"select",
       {"pred[2,3]", "f32[2,3]", "f32[3]"},
       "",
       "",
       "b.Add(\"broadcast\", {z}, {\"dimensions={1}\"}, \"f32[2,3]\") as "
       "operand 2: f32[2,3]"},
      {"select",
       {"pred[2,3]", "f32[2,3]", "f32[2,1]"},
       "",
       "",
       "operand 2 of shape f32[2,3]"},
      {"clamp",
       {"s32[]", "f32[8]", "f32[]"},
       "",
       "",
       "b.Add(\"convert\", {x}, {}, \"f32[]\") as operand 0: f32[]"},
      {"clamp",
       {"f32[]", "f32[8]", "f32[9]"},
       "",
       "",
       "operand 2 of shape f32[8]"},
      {"dot",
       {"f32[8,784]", "f32[10,784]"},
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "",
       "b.Add(\"dot\", {x, y}, {\"lhs_contracting_dims={1}, "
       "rhs_contracting_dims={1}\"}) matches dim 1 of x with dim 1 of y (784 = "
       "784)"},
      {"dot",
       {"f32[784,8]", "f32[784,10]"},
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "",
       "b.Add(\"dot\", {x, y}, {\"lhs_contracting_dims={0}, "
       "rhs_contracting_dims={0}\"}) matches dim 0 of x with dim 0 of y (784 = "
       "784)"},
      {"dot",
       {"f32[2,3,4]", "f32[2,5,4]"},
       "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
       "rhs_contracting_dims={1}",
       "",
       "b.Add(\"dot\", {x, y}, {\"lhs_batch_dims={0}, "
       "lhs_contracting_dims={2}, rhs_batch_dims={0}, "
       "rhs_contracting_dims={2}\"}) matches dim 2 of x with dim 2 of y (4 = "
       "4)"},
      {"dot",
       {"f32[2,3,4]", "f32[2,4,5]"},
       "lhs_contracting_dims={2}, rhs_contracting_dims={0}",
       "",
       "b.Add(\"dot\", {x, y}, {\"lhs_batch_dims={0}, "
       "lhs_contracting_dims={2}, rhs_batch_dims={0}, "
       "rhs_contracting_dims={1}\"}) multiplies batch by batch, as "
       "b.Composite(\"mat_mul\", {x, y})[0] does"},
      {"dot",
       {"f32[2,3,4]", "f32[2,5,4]"},
       "lhs_contracting_dims={2}, rhs_contracting_dims={0}",
       "",
       "b.Add(\"dot\", {x, y}, {\"lhs_batch_dims={0}, "
       "lhs_contracting_dims={2}, rhs_batch_dims={0}, "
       "rhs_contracting_dims={2}\"}) multiplies batch by batch, as "
       "b.Composite(\"batch_dot\", {x, y}, "
       "R\"({\"transpose_x\":false,\"transpose_y\":true})\")[0] does"},
      {"reshape",
       {"f32[8,3]"},
       "",
       "f32[5,5]",
       "b.Add(\"reshape\", {x}, {}, \"f32[4,6]\")"},
      {"transpose", {"f32[8,3]"}, "dimensions={0,0}", "", "dimensions={0,1}"},
      {"reverse", {"f32[8,3]"}, "dimensions={2}", "", "dimensions={1}"},
      {"concatenate",
       {"f32[8,3]", "f32[8,4]"},
       "dimensions={0}",
       "",
       "operand 1 of shape f32[8,3]"},
      {"slice",
       {"f32[8,3]"},
       "slice={[0:9], [0:3]}",
       "",
       "slice={[0:8], [0:3]}"},
      {"slice",
       {"f32[8,3]"},
       "slice={[0:8], [0:3:0]}",
       "",
       "slice={[0:8], [0:3]}"},
      {"dynamic-slice",
       {"f32[8,3]", "s32[]", "s32[]"},
       "dynamic_slice_sizes={2,4}",
       "",
       "dynamic_slice_sizes={2,3}"},
      {"pad", {"f32[8,3]", "f32[]"}, "padding=1_1", "", "padding=1_1_0x0_0_0"},
      {"pad",
       {"f32[8,3]", "s32[]"},
       "padding=1_1x0_0",
       "",
       "b.Add(\"convert\", {y}, {}, \"f32[]\") as operand 1: f32[]"},
      {"gather",
       {"f32[8,3]", "s32[4]"},
       "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
       "index_vector_dim=2, slice_sizes={1,3}",
       "",
       "index_vector_dim=1"},
      {"gather",
       {"f32[8,3]", "s32[4]"},
       "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
       "index_vector_dim=1, slice_sizes={1,4}",
       "",
       "slice_sizes={1,3}"},
      {"convolution",
       {"f32[8,28,28,3]", "f32[3,3,3,16]"},
       "window={size=3x3}, dim_labels=bf01_oi01->bf01",
       "",
       "x is NHWC and y is HWIO: b.Add(\"convolution\", {x, y}, ...) with "
       "dim_labels=b01f_01io->b01f"},
      {"exponential",
       {"s32[8]"},
       "",
       "",
       "b.Add(\"convert\", {x}, {}, \"f32[8]\") as operand 0: f32[8]"},
      {"not",
       {"f32[8]"},
       "",
       "",
       "b.Add(\"convert\", {x}, {}, \"s32[8]\") as operand 0: s32[8]"},
      {"get-tuple-element", {"(f32[8], s32[])"}, "index=2", "", "index=1"},
      {"cholesky",
       {"f32[8,3]"},
       "lower=true",
       "",
       "operand 0 of shape f32[8,8]"},
  };
  for (const HppMistake& mistake : kMistakes) {
    SCOPED_TRACE(mistake.opcode + " " + mistake.attributes);
    HppProgram wrong(mistake.shapes);
    try {
      wrong.Add(mistake);
      ADD_FAILURE() << "no error";
      continue;
    } catch (const indim_api::Error& error) {
      ASSERT_EQ(error.diagnostics().size(), 1u);
      const std::string& fix = error.diagnostics()[0].fix;
      EXPECT_EQ(fix, mistake.fix);
      EXPECT_THAT(error.what(), HasSubstr("to fix: " + fix));
      EXPECT_THAT(error.diagnostics()[0].file, HasSubstr("fixes_test.cc"));
    }
    try {
      std::optional<HppProgram> typed;
      const Value value = Typed(mistake, &typed);
      typed->builder().Build(value);
    } catch (const indim_api::Error& error) {
      ADD_FAILURE() << "typed: " << error.what();
    }
  }
}

// Of a composite: its operands are parameters x, y, z.
TEST(FixesTest, OfCompositesAreOfIndimHppToo) {
  const struct {
    std::string composite;
    std::vector<std::string> shapes;
    std::string arguments;  // JSON
    std::string fix;
  } kMistakes[] = {
      {"softmax", {"f32[2,3]"}, "{\"dims\":[3]}", "\"dims\":[1]"},
      {"softmax", {"f32[2,3]"}, "{\"dims\":1}", "\"dims\":[1]"},
      {"softmax", {"f32[2,3]"}, "{\"dim\":1}", "dims"},
      {"sofmax", {"f32[2,3]"}, "", "softmax"},
      {"arg_max",
       {"f32[2,3]"},
       "{\"dim\":2,\"index_type\":\"s32\"}",
       "\"dim\":1"},
      {"split", {"f32[3]"}, "{\"dim\":0,\"count\":2}", "\"count\":1"},
      {"squeeze", {"f32[2,1]"}, "{\"dims\":[0]}", "\"dims\":[1]"},
      {"layer_norm",
       {"f32[8,16]", "f32[8]", "f32[16]"},
       "",
       "operand 1 of shape f32[16]"},
      {"gelu",
       {"s32[2]"},
       "",
       "b.Add(\"convert\", {x}, {}, \"f32[2]\") as operand 0: f32[2]"},
      {"mat_mul",
       {"f32[2,3]", "f32[2,3]"},
       "",
       "b.Composite(\"batch_dot\", {x, y}, "
       "R\"({\"transpose_x\":false,\"transpose_y\":true})\")[0], which "
       "transposes y"},
  };
  for (const auto& mistake : kMistakes) {
    SCOPED_TRACE(mistake.composite + " " + mistake.arguments);
    HppProgram wrong(mistake.shapes);
    try {
      wrong.builder().Composite(mistake.composite, wrong.values(),
                                mistake.arguments);
      ADD_FAILURE() << "no error";
    } catch (const indim_api::Error& error) {
      ASSERT_EQ(error.diagnostics().size(), 1u);
      EXPECT_EQ(error.diagnostics()[0].fix, mistake.fix) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(mistake.fix));
    }
  }
}

}  // namespace
}  // namespace indim
