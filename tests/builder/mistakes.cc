// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/builder/mistakes.h"

#include <cctype>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/matrix.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNames[] = {"x", "y", "z", "u", "v"};

Ops ParametersOf(TestBuilder& b, const std::vector<std::string>& shapes) {
  Ops ops;
  for (size_t i = 0; i < shapes.size(); ++i) {
    ops.push_back(b.P(shapes[i]));
    b.SetName(ops.back(), kNames[i]);
  }
  return ops;
}

// "{1,2}", "[1]" or "3"
std::vector<int64_t> NumbersIn(absl::string_view text) {
  std::vector<int64_t> numbers;
  for (const absl::string_view number :
       absl::StrSplit(text, absl::ByAnyChar("{,} "), absl::SkipEmpty())) {
    int64_t value = 0;
    EXPECT_TRUE(absl::SimpleAtoi(number, &value)) << text;
    numbers.push_back(value);
  }
  return numbers;
}

ElementType TypeIn(absl::string_view text) {
  const size_t at = text.find("ElementType::k");
  std::string name(text.substr(at + 14));
  name = name.substr(0, name.find_first_of(")}, "));
  for (char& c : name) c = static_cast<char>(std::tolower(c));
  return ElementTypeFromName(name).value_or(ElementType::kInvalid);
}

// The fix as a reader types it into the program: another operand, or other
// numbers.
class Typed {
 public:
  Typed(const Mistake& mistake, TestBuilder& b)
      : b_(b),
        shapes_(mistake.operands),
        numbers_(mistake.numbers),
        fix_(mistake.fix) {}

  Op Call(Op (*call)(TestBuilder& b, const Ops& x, const Numbers& n)) {
    const size_t end = fix_.find(" of shape ");
    if (absl::StartsWith(fix_, "operand ") && end != fix_.npos) {
      shapes_[Operand()] = std::string(fix_.substr(end + 10));
    }
    Ops ops = ParametersOf(b_, shapes_);
    if (absl::StartsWith(fix_, "BatchDot(x, ")) {
      return BatchDot(ops[0], absl::StrContains(fix_, "x, true"), ops[1],
                      absl::StrContains(fix_, "y, true"));
    }
    if (absl::StartsWith(fix_, "DotGeneral(x, y) with ")) {
      SetNumbers();
      return DotOf(b_, ops, numbers_);
    }
    if (absl::StrContains(fix_, " as operand ")) {
      ops[Operand()] = Change(ops);
    } else if (!absl::StartsWith(fix_, "operand ")) {
      SetNumbers();
    }
    return call(b_, ops, numbers_);
  }

 private:
  // The number after "operand ".
  size_t Operand() const {
    size_t operand = 0;
    EXPECT_TRUE(
        absl::SimpleAtoi(fix_.substr(fix_.rfind("operand ") + 8, 1), &operand));
    EXPECT_LT(operand, shapes_.size());
    return operand;
  }
  // "Reshape(x, {8,1}) as operand ..."
  Op Change(const Ops& ops) const {
    const std::pair<absl::string_view, absl::string_view> call = absl::StrSplit(
        fix_.substr(0, fix_.rfind(" as operand ")), absl::MaxSplits('(', 1));
    absl::string_view function = call.first;
    function.remove_prefix(function.find_last_of(" ") + 1);
    Op x;
    for (size_t i = 0; i < ops.size(); ++i) {
      if (absl::StartsWith(call.second, kNames[i])) x = ops[i];
    }
    const absl::string_view rest =
        call.second.substr(2, call.second.size() - 3);
    if (function == "ConvertElementType") {
      return b_.ConvertElementType(x, TypeIn(rest));
    }
    if (function == "Ne") return b_.Ne(x, 0);
    if (function == "Reshape") return b_.Reshape(x, NumbersIn(rest));
    if (function == "Broadcast") return b_.Broadcast(x, NumbersIn(rest));
    if (function == "GetTupleElement") {
      return b_.GetTupleElement(x, NumbersIn(rest)[0]);
    }
    if (function == "BroadcastInDim") {
      const std::pair<absl::string_view, absl::string_view> lists =
          absl::StrSplit(rest, absl::MaxSplits("},", 1));
      return b_.BroadcastInDim(x, NumbersIn(lists.first),
                               NumbersIn(lists.second));
    }
    ADD_FAILURE() << "nobody types " << fix_;
    return x;
  }
  // "dims={0,1}", "dim=1", "Dot(x, y) with lhs_contracting_dims={1} ...",
  // "Add(x, y, {1}) matches ..."
  void SetNumbers() {
    const size_t matches = fix_.find(" matches ");
    const absl::string_view typed = fix_.substr(0, matches);
    bool found = false;
    for (auto& [name, list] : numbers_) {
      const size_t at = absl::StrCat(" ", typed).find(" " + name + "=");
      if (at == std::string::npos) continue;
      absl::string_view rest = typed.substr(at + name.size() + 1);
      // A list of lists ends at the second brace.
      list = NumbersIn(
          rest.substr(0, rest[0] == '{' ? rest.find(rest[1] == '{' ? "}}" : "}")
                                        : rest.find_first_of(", ")));
      found = true;
    }
    if (!found && absl::EndsWith(typed, "})")) {
      const bool is_reshape = absl::StartsWith(typed, "Reshape(");
      numbers_[is_reshape ? "sizes" : "broadcast_dimensions"] = NumbersIn(
          typed.substr(typed.rfind('{'), typed.size() - 1 - typed.rfind('{')));
      found = true;
    }
    if (absl::StrContains(fix_, "without broadcast_dimensions")) {
      numbers_["broadcast_dimensions"] = {};
      found = true;
    }
    EXPECT_TRUE(found) << "nobody types " << fix_;
  }

  TestBuilder& b_;
  std::vector<std::string> shapes_;
  Numbers numbers_;
  const absl::string_view fix_;
};

}  // namespace

bool CanBeTyped(const Mistake& mistake) {
  const absl::string_view fix = mistake.fix;
  return !fix.empty() && !absl::StartsWith(fix, "a computation ") &&
         !absl::StrContains(fix, " itself instead of this op");
}

void ExpectTold(const Mistake& mistake) {
  SCOPED_TRACE(mistake.name);
  TestBuilder b("wrong");
  const Op wrong =
      mistake.call(b, ParametersOf(b, mistake.operands), mistake.numbers);
  EXPECT_FALSE(b.Build(wrong).ok());
  const std::vector<CallDiagnostic> all = b.diagnostics();
  ASSERT_GE(all.size(), 1u);
  const CallDiagnostic& first = all[0];
  EXPECT_EQ(CodeText(first.diagnostic.code), mistake.code);
  EXPECT_THAT(first.message, HasSubstr(mistake.says));
  EXPECT_EQ(first.fix, mistake.fix);
  // The line, the operand and the dim, as they apply.
  EXPECT_THAT(first.file, ::testing::ContainsRegex("tests/builder/.*mistake"));
  EXPECT_GT(first.line, 0);
  if (first.diagnostic.operand >= 0) {
    EXPECT_THAT(first.text,
                HasSubstr(absl::StrCat("%", kNames[first.diagnostic.operand])));
  }
  if (first.diagnostic.dim >= 0) {
    EXPECT_THAT(first.message,
                ::testing::ContainsRegex("dim|a vector of 16 elements"));
  }
  if (!CanBeTyped(mistake)) return;
  TestBuilder again("typed");
  const Op right = Typed(mistake, again).Call(mistake.call);
  EXPECT_TRUE(again.Build(right).ok()) << again.DiagnosticsText();
}

}  // namespace indim
