// SPDX-License-Identifier: Apache-2.0
// docs/from_lc0.md: each call that the page shows stands here as the page has
// it, is recorded, and gives what it should; each row of the page has a test.

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/builder/composites/einsum.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/selection.h"
#include "indim/builder/op_names.h"
#include "indim/io/read.h"
#include "indim/io/write.h"
#include "indim/ir/module.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/page.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

// An op's opcode and shape, or the errors.
std::string Said(ComputationBuilder& b, Op op) {
  const absl::StatusOr<Opcode> opcode = b.opcode(op);
  const absl::StatusOr<Shape> shape = b.shape(op);
  if (!opcode.ok() || !shape.ok()) return b.DiagnosticsText();
  return absl::StrCat(Info(*opcode).wire, " ", shape->ToString());
}

// A call of lc0, and one that the page shows for it.
struct Row {
  std::string name;
  std::vector<const char*> parameters;
  std::function<Op(ComputationBuilder& b, Op x, Op y)> call;
  std::string expected;
};

using B = ComputationBuilder;

DotAttributes MatrixProducts() {
  DotAttributes dims;
  dims.lhs_batch_dims = dims.rhs_batch_dims = {0};
  dims.lhs_contracting_dims = {2};
  dims.rhs_contracting_dims = {1};
  return dims;
}

// Columns of a matrix.
GatherAttributes Columns() {
  GatherAttributes gather;
  gather.index_vector_dim = 1;
  gather.offset_dims = {0};
  gather.slice_sizes = {2, 1};
  gather.collapsed_slice_dims = {1};
  gather.start_index_map = {1};
  return gather;
}

std::vector<Row> Arithmetic() {
  const std::vector<const char*> equal = {"f32[2,3]", "f32[2,3]"};
  const std::vector<const char*> bias = {"f32[2,3]", "f32[3]"};
  return {
      {"Add", bias, [](B& b, Op x, Op y) { return b.Add(x, y, {1}); },
       "add f32[2,3]"},
      {"Add", equal, [](B&, Op x, Op y) { return x + y; }, "add f32[2,3]"},
      {"Add", equal, [](B&, Op x, Op) { return x + 1; }, "add f32[2,3]"},
      {"Subtract", bias, [](B& b, Op x, Op y) { return b.Sub(x, y, {1}); },
       "subtract f32[2,3]"},
      {"Subtract", equal, [](B&, Op x, Op y) { return x - y; },
       "subtract f32[2,3]"},
      {"Multiply", bias, [](B& b, Op x, Op y) { return b.Mul(x, y, {1}); },
       "multiply f32[2,3]"},
      {"Multiply", equal, [](B&, Op x, Op y) { return x * y; },
       "multiply f32[2,3]"},
      {"Divide", bias, [](B& b, Op x, Op y) { return b.Div(x, y, {1}); },
       "divide f32[2,3]"},
      {"Divide", equal, [](B&, Op x, Op y) { return x / y; },
       "divide f32[2,3]"},
      {"Maximum", bias, [](B& b, Op x, Op y) { return b.Max(x, y, {1}); },
       "maximum f32[2,3]"},
      {"Maximum", equal, [](B& b, Op x, Op) { return b.Max(x, 0); },
       "maximum f32[2,3]"},
      {"Tanh", equal, [](B& b, Op x, Op) { return b.Tanh(x); },
       "tanh f32[2,3]"},
      {"LogPlusOne", equal, [](B& b, Op x, Op) { return b.Log1p(x); },
       "log-plus-one f32[2,3]"},
      {"ExponentialMinusOne", equal, [](B& b, Op x, Op) { return b.Expm1(x); },
       "exponential-minus-one f32[2,3]"},
      {"Negate", equal, [](B& b, Op x, Op) { return b.Neg(x); },
       "negate f32[2,3]"},
      {"Negate", equal, [](B&, Op x, Op) { return -x; }, "negate f32[2,3]"},
      {"Exponential", equal, [](B& b, Op x, Op) { return b.Exp(x); },
       "exponential f32[2,3]"},
      {"Sqrt", equal, [](B& b, Op x, Op) { return b.Sqrt(x); },
       "sqrt f32[2,3]"},
      {"Rsqrt", equal, [](B& b, Op x, Op) { return b.Rsqrt(x); },
       "rsqrt f32[2,3]"},
      {"Convert", equal,
       [](B& b, Op x, Op) {
         return b.ConvertElementType(x, ElementType::kBF16);
       },
       "convert bf16[2,3]"},
      {"Compare", equal, [](B& b, Op x, Op y) { return b.Lt(x, y); },
       "compare pred[2,3]"},
      {"Compare", equal,
       [](B& b, Op x, Op y) {
         return b.Compare(x, y, ComparisonDirection::kLt);
       },
       "compare pred[2,3]"},
      {"Select", equal,
       [](B& b, Op x, Op y) {
         const Op condition = b.Lt(x, y);
         return b.Select(condition, x, y);
       },
       "select f32[2,3]"},
      {"Select", equal,
       [](B& b, Op x, Op y) {
         const Op condition = b.Lt(x, y);
         return b.Select(condition, x, 0);
       },
       "select f32[2,3]"},
  };
}

std::vector<Row> Arrays() {
  return {
      {"Parameter",
       {},
       [](B& b, Op, Op) { return b.Parameter("f32[8,112,8,8]", "x"); },
       "parameter f32[8,112,8,8]"},
      {"Constant",
       {},
       [](B& b, Op, Op) {
         return b.Constant(ElementType::kF32, {{1, 2}, {3, 4}});
       },
       "constant f32[2,2]"},
      {"Constant",
       {},
       [](B& b, Op, Op) {
         const std::vector<float> values = {1, 2, 3, 4};
         return b.Constant(values, {2, 2});
       },
       "constant f32[2,2]"},
      {"Constant",
       {},
       [](B& b, Op, Op) {
         const Literal literal = Literal::Scalar(1.0f);
         return b.ConstantLiteral(literal);
       },
       "constant f32[]"},
      {"Convolution",
       {"f32[8,112,8,8]", "f32[32,112,3,3]"},
       [](B& b, Op x, Op kernel) {
         return b.ConvGeneral(x, kernel, {1, 1}, {{1, 1}, {1, 1}},
                              "NCHW,OIHW->NCHW");
       },
       "convolution f32[8,32,8,8]"},
      {"Broadcast",
       {"f32[3]"},
       [](B& b, Op x, Op) {
         return b.BroadcastInDim(x, {2, 3}, {1});
       },
       "broadcast f32[2,3]"},
      {"Reshape",
       {"f32[2,16,4]"},
       [](B& b, Op x, Op) {
         return b.Reshape(x, {-1, 64});
       },
       "reshape f32[2,64]"},
      {"Dot",
       {"f32[2,3]", "f32[3,4]"},
       [](B& b, Op x, Op y) { return b.Dot(x, y); },
       "dot f32[2,4]"},
      {"Dot",
       {"f32[5,2,3]", "f32[5,3,4]"},
       [](B& b, Op x, Op y) {
         const DotAttributes dims = MatrixProducts();
         return b.DotGeneral(x, y, dims);
       },
       "dot f32[5,2,4]"},
      {"Dot",
       {"f32[5,2,3]", "f32[5,3,4]"},
       [](B&, Op x, Op y) {
         return Einsum("bij,bjk->bik", {x, y});
       },
       "dot f32[5,2,4]"},
      {"Slice",
       {"f32[2,4]"},
       [](B& b, Op x, Op) {
         return b.Slice(x, {0, 1}, {2, 3});
       },
       "slice f32[2,2]"},
      {"Slice",
       {"f32[2,4]"},
       [](B& b, Op x, Op) {
         return b.Index(x, {kAll, Range(1, -1)});
       },
       "slice f32[2,2]"},
      {"Concatenate",
       {"f32[2,3]", "f32[2,4]"},
       [](B& b, Op x, Op y) {
         return b.ConcatInDim({x, y}, 1);
       },
       "concatenate f32[2,7]"},
      {"Tuple",
       {"f32[2,3]", "s32[]"},
       [](B& b, Op x, Op y) {
         return b.Tuple({x, y});
       },
       "tuple (f32[2,3], s32[])"},
      {"Reduce",
       {"f32[2,3]"},
       [](B& b, Op x, Op) {
         const auto add = [](Op p, Op q) { return p + q; };
         return b.Reduce(x, 0, add, {1});
       },
       "reduce f32[2]"},
      {"Reduce",
       {"f32[2,3]"},
       [](B& b, Op x, Op) { return b.Reduce(x, ReduceKind::kMax, {1}); },
       "reduce f32[2]"},
      {"Reduce",
       {"f32[2,3]"},
       [](B&, Op x, Op) { return ReduceSum(x, {1}); },
       "reduce f32[2]"},
      {"Transpose",
       {"f32[2,3,4]"},
       [](B& b, Op x, Op) {
         return b.Transpose(x, {0, 2, 1});
       },
       "transpose f32[2,4,3]"},
      {"Gather",
       {"f32[2,5120]", "s32[1858]"},
       [](B& b, Op x, Op indices) {
         const GatherAttributes gather = Columns();
         return b.Gather(x, indices, gather);
       },
       "gather f32[2,1858]"},
      {"Gather",
       {"f32[2,5120]", "s32[1858]"},
       [](B&, Op x, Op indices) { return Take(x, indices, 1); },
       "gather f32[2,1858]"},
      {"AddComputation",
       {"f32[2,3]"},
       [](B& b, Op x, Op) {
         ComputationBuilder add = b.SubBuilder("add");
         const Op p = add.Parameter("f32[]"), q = add.Parameter("f32[]");
         const Callee sum = add.BuildCallee(p + q);
         return b.Reduce(x, b.ConstantR0(0.0f), sum, {1});
       },
       "reduce f32[2]"},
  };
}

// A call of lc0 that makes no op: what stands for it, as a text of its effect.
struct TextRow {
  std::string name;
  std::function<std::string()> effect;
  std::string expected;
};

// The op that `record` records, as HLO text has its metadata.
std::string Metadata(const std::function<Op(B& b, Op x)>& record) {
  B b("f");
  b.set_record_locations(false);
  const Op x = b.Parameter("f32[2]");
  const BuildResult module = b.Build(record(b, x));
  if (!module.ok()) return std::string(module.status().message());
  const std::string text = PrintHloText(*module);
  const size_t begin = text.find("metadata={");
  return begin == text.npos ? text
                            : text.substr(begin, text.find('}', begin) - begin);
}

std::string Scoped() {
  return Metadata([](B& b, Op x) {
    b.set_op_name("before");
    {
      ScopedOpName scope(&b, "encoder");
      x = b.Tanh(x);
    }
    b.set_op_name("");
    return b.Exp(x);
  });
}

template <typename T>
std::string MessageOf(const absl::StatusOr<T>& value) {
  return value.ok() ? "" : std::string(value.status().message());
}

std::vector<TextRow> TextRows() {
  return {
      {"GetComputationId",
       [] {
         B b("f");
         Op x = b.Parameter("f32[2,3]"), zero = b.ConstantR0(0.0f);
         B add = b.SubBuilder("add");
         Op p = add.Parameter("f32[]"), q = add.Parameter("f32[]");
         const Callee sum = add.BuildCallee(p + q);
         x = b.Reduce(x, zero, sum, {0});
         const BuildResult built = b.Build(b.Reduce(x, zero, sum, {0}));
         return absl::StrCat(built.ok() ? built->computation_count() : 0,
                             " computations");
       },
       "2 computations"},
      {"BuildModule",
       [] {
         B b("f");
         Op x = b.Parameter("f32[2]");
         const BuildResult module = b.Build(x);
         if (!module.ok()) return MessageOf(module);
         const absl::StatusOr<std::string> bytes =
             WriteModuleBytes(*module, ModuleForm::kForXla);
         if (!bytes.ok()) return MessageOf(bytes);
         const absl::StatusOr<Module> read = ReadModuleBytes(*bytes);
         if (!read.ok()) return MessageOf(read);
         return read->entry().signature().result.ToString();
       },
       "f32[2]{0}"},
      {"HloContext", Scoped, "metadata={op_name=\"before/encoder\""},
      {"PushMetadataScope", Scoped, "metadata={op_name=\"before/encoder\""},
      {"PopMetadataScope", Scoped, "metadata={op_name=\"before/encoder\""},
      {"SetOpName",
       [] {
         return Metadata([](B& b, Op x) {
           b.set_op_name("encoder/attention");
           return b.Tanh(x);
         });
       },
       "metadata={op_name=\"encoder/attention\""},
      {"SetOpType",
       [] {
         return Metadata([](B& b, Op x) {
           b.set_op_type("Conv");
           return b.Tanh(x);
         });
       },
       "metadata={op_type=\"Conv\""},
      {"GetType",
       [] {
         B b("f");
         Op x = b.Parameter("f32[2]");
         const absl::StatusOr<Shape> shape = b.shape(x);
         return shape.ok() ? shape->ToString() : MessageOf(shape);
       },
       "f32[2]"},
      {"GetOpKind",
       [] {
         B b("f");
         Op x = b.Tanh(b.Parameter("f32[2]"));
         const absl::StatusOr<Opcode> opcode = b.opcode(x);
         if (!opcode.ok()) return MessageOf(opcode);
         const bool more = b.operands(x).ok() && b.attributes(x).ok();
         return absl::StrCat(Info(*opcode).wire, more);
       },
       "tanh1"},
      {"TryGetLiteral",
       [] {
         B b("f");
         Op x = b.ConstantR0(2.5f);
         const absl::StatusOr<Literal> literal = b.literal(x);
         return literal.ok() ? absl::StrCat(literal->AsDouble(0))
                             : MessageOf(literal);
       },
       "2.5"},
  };
}

TEST(Lc0Calls, RecordWhatTheyShould) {
  std::vector<Row> rows = Arithmetic();
  for (Row& row : Arrays()) rows.push_back(std::move(row));
  for (const Row& row : rows) {
    B b("f");
    std::vector<Op> p;
    for (const char* shape : row.parameters) p.push_back(b.Parameter(shape));
    p.resize(2, Op());
    const Op op = row.call(b, p[0], p[1]);
    EXPECT_EQ(Said(b, op), row.expected) << row.name;
    EXPECT_EQ(MessageOf(b.Build(op)), "") << row.name;
  }
  for (const TextRow& row : TextRows()) {
    EXPECT_EQ(row.effect(), row.expected) << row.name;
  }
}

// A line of the page's table: its lc0 calls, and its own.
struct PageRow {
  std::vector<std::string> names;
  std::vector<std::string> calls;
};

std::vector<std::string> Code(absl::string_view cell) {
  const std::vector<std::string> parts = absl::StrSplit(cell, '`');
  std::vector<std::string> code;
  for (size_t i = 1; i < parts.size(); i += 2) code.push_back(parts[i]);
  return code;
}

std::vector<PageRow> RowsOfThePage() {
  std::vector<PageRow> rows;
  for (absl::string_view line :
       absl::StrSplit(FileText("docs/from_lc0.md"), '\n')) {
    const std::vector<absl::string_view> cells = absl::StrSplit(line, " | ");
    if (cells.size() < 2 || !absl::StartsWith(line, "| `")) continue;
    rows.push_back({Code(cells[0]), Code(cells[1])});
  }
  return rows;
}

std::string WithoutBlanks(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(), absl::ascii_isspace),
             text.end());
  return text;
}

TEST(Lc0Calls, AreThoseOfThePage) {
  std::set<std::string> tested, shown;
  for (const Row& row : Arithmetic()) tested.insert(row.name);
  for (const Row& row : Arrays()) tested.insert(row.name);
  for (const TextRow& row : TextRows()) tested.insert(row.name);
  const std::string source =
      WithoutBlanks(FileText("tests/builder/lc0_calls_test.cc"));
  for (const PageRow& row : RowsOfThePage()) {
    shown.insert(row.names.begin(), row.names.end());
    EXPECT_FALSE(row.calls.empty()) << row.names[0];
    for (const std::string& call : row.calls) {
      EXPECT_THAT(source, HasSubstr(WithoutBlanks(call))) << row.names[0];
    }
  }
  EXPECT_EQ(shown, tested);
}

}  // namespace
}  // namespace indim
