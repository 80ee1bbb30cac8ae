// SPDX-License-Identifier: Apache-2.0
// `indim query` against ONNX's own inference: nowhere less precise, and where
// it says more, what it says.

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/oracle_cases.h"
#include "indim/tools/query/query.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

struct Answer {
  std::optional<Shape> shape;
  std::string json;
};

Answer AskForShape(const OracleCase& c) {
  std::string json;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(c.line, &json).ok());
  Answer answer;
  answer.json = AnswerLine(json);
  google::protobuf::Struct object;
  EXPECT_TRUE(
      google::protobuf::util::JsonStringToMessage(answer.json, &object).ok());
  const std::optional<std::string> text = TextField(object, "shape");
  if (text) {
    const absl::StatusOr<Shape> shape = ParseShape(*text);
    EXPECT_TRUE(shape.ok()) << *text;
    if (shape.ok()) answer.shape = *shape;
  }
  return answer;
}

// How much a dim says: a size, an expression or bounds, nothing.
int Precision(Dim dim) {
  return dim.is_static() ? 2 : dim.is_unknown() ? 0 : 1;
}

enum class Verdict { kSame, kMore, kLess };

Verdict Compare(const Shape& ours, const Shape& onnx) {
  if (ours == onnx) return Verdict::kSame;
  if (ours.element_type() != onnx.element_type()) return Verdict::kLess;
  if (onnx.is_unranked()) return Verdict::kMore;
  if (ours.rank() != onnx.rank()) return Verdict::kLess;
  Verdict verdict = Verdict::kSame;
  for (int i = 0; i < ours.rank(); ++i) {
    const Dim a = ours.dim(i), b = onnx.dim(i);
    if (a == b) continue;
    if (Precision(a) <= Precision(b)) return Verdict::kLess;
    verdict = Verdict::kMore;
  }
  return verdict;
}

TEST(OnnxQueryTest, NowhereLessPrecise) {
  int same = 0, more = 0, refused = 0;
  for (const OracleCase& c : LoadOracleCases("onnx_dev.jsonl")) {
    const OracleAnswer expected = *c.Answer("expect");
    const Answer answer = AskForShape(c);
    if (!expected.shape) {
      EXPECT_FALSE(answer.shape) << c.id << " " << answer.json;
      EXPECT_THAT(answer.json, HasSubstr("\"error\""));
      ++refused;
      continue;
    }
    const absl::StatusOr<Shape> onnx = ParseShape(*expected.shape);
    ASSERT_TRUE(onnx.ok()) << *expected.shape;
    ASSERT_TRUE(answer.shape) << c.id << " " << answer.json;
    const Verdict verdict = Compare(*answer.shape, *onnx);
    EXPECT_NE(verdict, Verdict::kLess)
        << c.id << " " << answer.json << ", ONNX: " << *expected.shape;
    (verdict == Verdict::kSame ? same : more) += 1;
  }
  // docs/symbols.md states these.
  RecordProperty("same", same);
  RecordProperty("more", more);
  RecordProperty("refused", refused);
  EXPECT_EQ(same + more + refused, 300);
  EXPECT_GT(more, 10);
}

TEST(OnnxQueryTest, SaysMoreWhereOnnxGivesUp) {
  const struct {
    const char* line;
    const char* answer;
  } kCases[] = {
      {R"("op":"Concat","operands":["f32[n,m]","f32[n,m]"],"attributes":{"axis":0})",
       R"("shape":"f32[2*n,m]")"},
      {R"("op":"Concat","operands":["f32[N,M]","f32[K,L]"],"attributes":{"axis":0})",
       R"("shape":"f32[K+N,M]","conditions":["L == M"])"},
      {R"("op":"MatMul","operands":["f32[a,b]","f32[c,d]"])",
       R"("shape":"f32[a,d]","conditions":["b == c"])"},
      {R"("op":"Add","operands":["f32[N]","f32[M]"],"facts":"N>=1,M>=1")",
       R"("shape":"f32[max(M,N)]","conditions":["M == 1 or N == 1 or M == N"])"},
      {R"("op":"Add","operands":["f32[N]","f32[M]"],"facts":"N>=2")",
       R"("shape":"f32[N]","conditions":["M == 1 or M == N"])"},
      {R"("op":"Add","operands":["f32[N]","f32[5]"],"facts":"N>=2")",
       R"("shape":"f32[5]","conditions":["N == 5"])"},
      {R"("op":"Add","operands":["f32[N]","f32[N+1]"],"facts":"N>=2")",
       R"("code":"IND0001")"},
      {R"("op":"Reshape","operands":["f32[N,4]"],"attributes":{"shape":[-1]})",
       R"("shape":"f32[4*N]")"},
      {R"("op":"Reshape","operands":["f32[N,4]"],"attributes":{"shape":[2,-1]})",
       R"("shape":"f32[2,2*N]")"},
      {R"("op":"Reshape","operands":["f32[N]"],"attributes":{"shape":[4,-1]})",
       R"("shape":"f32[4,floordiv(N,4)]","conditions":["N % 4 == 0"])"},
      {R"("op":"Reshape","operands":["f32[N]"],"attributes":{"shape":[4,-1]},"facts":"N % 8 == 0")",
       R"("shape":"f32[4,floordiv(N,4)]"})"},
      {R"("op":"Reshape","operands":["f32[2*N+1]"],"attributes":{"shape":[2,-1]})",
       R"("code":"IND0238")"},
      {R"("op":"Reshape","operands":["f32[24]"],"attributes":{"shape":[-1,-1]})",
       R"("code":"IND0239")"},
      {R"("op":"Reshape","operands":["f32[24]"],"attributes":{"shape":[-2,3]})",
       R"(is negative","code":"IND0200")"},
      {R"("op":"Reshape","operands":["f32[N,?,4]"],"attributes":{"shape":[0,0,-1]})",
       R"("shape":"f32[N,?,4]","conditions":["1 <= N"])"},
      {R"("op":"Reshape","operands":["f32[2,3]"],"attributes":{"shape":[7]})",
       R"("shape":"f32[7]","warnings":[{"code":"IND0912")"},
      {R"("op":"Reshape","operands":["f32[?,0,M]"],"attributes":{"shape":[2,-1]})",
       R"("shape":"f32[2,0]")"},
      // Of any number of operands, of one, of other results.
      {R"("op":"Max","operands":["f32[1,M]","f32[N,1]","f32[]"])",
       R"("shape":"f32[N,M]")"},
      {R"("op":"Sum","operands":["f32[N]"])", R"("shape":"f32[N]")"},
      {R"("op":"Mean","operands":[])", R"("code":"IND0100")"},
      {R"("op":"Relu","operands":["f32[N,2]"])", R"("shape":"f32[N,2]")"},
      {R"("op":"Less","operands":["f32[N,1]","f32[2]"])",
       R"("shape":"pred[N,2]")"},
      {R"("op":"Pow","operands":["f32[N]","s64[]"])", R"("shape":"f32[N]")"},
      {R"("op":"Conv","operands":["f32[N]","f32[N]"])", R"("error")"},
      {R"("op":"Where","operands":["pred[N]","f32[1]","f32[N]"])",
       R"("shape":"f32[N]"})"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(AnswerLine(absl::StrCat(R"({"rule":"onnx",)", c.line, "}")),
                HasSubstr(c.answer))
        << c.line;
  }
}

// docs/symbols.md shows these.
TEST(SymbolQueryTest, ThroughOperations) {
  const struct {
    const char* line;
    const char* answer;
  } kCases[] = {
      {R"("op":"concatenate","operands":["f32[n,m]","f32[n,m]"],"attributes":{"dimensions":[0]})",
       R"("shape":"f32[2*n,m]"})"},
      {R"("op":"dot","operands":["f32[a,b]","f32[c,d]"],"attributes":{"lhs_contracting_dims":[1],"rhs_contracting_dims":[0]})",
       R"("shape":"f32[a,d]","conditions":["b == c"])"},
      {R"("op":"slice","operands":["f32[n]"],"attributes":{"slice":"{[0:8:2]}"})",
       R"("shape":"f32[4]","conditions":["8 <= n"])"},
      {R"("op":"pad","operands":["f32[n]","f32[]"],"attributes":{"padding":"1_2"})",
       R"("shape":"f32[n+3]"})"},
      {R"("op":"reduce-window","operands":["f32[n]","f32[]"],"attributes":{"window":"size=3 stride=2","to_apply":{"parameters":["f32[]","f32[]"],"result":"f32[]"}})",
       R"("shape":"f32[max(0,floordiv(n+1,2)-1)]"})"},
      {R"("facts":"n>=1","op":"reduce-window","operands":["f32[n]","f32[]"],"attributes":{"window":"size=3 stride=2","to_apply":{"parameters":["f32[]","f32[]"],"result":"f32[]"}})",
       R"("shape":"f32[floordiv(n+1,2)-1]"})"},
      {R"("op":"reshape","operands":["f32[n,6]"],"attributes":{"new_sizes":["?",4]})",
       R"("shape":"f32[floordiv(n,2)+n,4]","conditions":["n % 2 == 0"])"},
      {R"("op":"reshape","operands":["f32[n,6]"],"attributes":{"new_sizes":["?",4]},"facts":"n%2==0")",
       R"("shape":"f32[floordiv(n,2)+n,4]"})"},
      {R"("op":"add","operands":["f32[n]","f32[m]"])",
       R"("shape":"f32[?]","conditions":["m == 1 or n == 1 or m == n"])"},
      {R"("op":"add","operands":["f32[n]","f32[m]"],"facts":"n>=2")",
       R"("shape":"f32[n]","conditions":["m == 1 or m == n"])"},
      {R"("op":"add","operands":["f32[n]","f32[m]"],"facts":"n==m")",
       R"("shape":"f32[m]"})"},
      {R"("op":"add","operands":["f32[n]","f32[n+1]"],"facts":"n>=2")",
       R"("code":"IND0001")"},
      {R"("op":"add","operands":["f32[n]"],"facts":"n>=2,n<=1")",
       R"(contradicts)"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(AnswerLine(absl::StrCat("{", c.line, "}")), HasSubstr(c.answer))
        << c.line;
  }
}

}  // namespace
}  // namespace indim
