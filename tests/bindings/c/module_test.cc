// SPDX-License-Identifier: Apache-2.0
// Modules, editors and values through the C interface.

#include <cstdint>
#include <indim.hpp>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/bindings/c/things.h"

namespace indim {
namespace {

using indim_api::Literal;
using indim_api::Module;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kText[] = R"(HloModule m

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY main {
  x = f32[4,8]{1,0} parameter(0), metadata={op_name="f" source_file="f.py" source_line=3}
  zero = f32[] constant(0)
  ROOT r = f32[4]{0} reduce(x, zero), dimensions={1}, to_apply=sum
}
)";

TEST(ModuleTest, EveryFormatReadsBack) {
  const Module module = Module::Read(kText);
  const Literal x("f32", {4, 8}, std::vector<double>(32, 0.5));
  for (const indim_format format :
       {INDIM_FORMAT_PROTO, INDIM_FORMAT_PROTO_TEXT, INDIM_FORMAT_HLO_TEXT,
        INDIM_FORMAT_STABLEHLO, INDIM_FORMAT_STABLEHLO_ARTIFACT}) {
    const Module again = Module::Read(module.Write(format));
    EXPECT_TRUE(again.Check().empty()) << format;
    EXPECT_EQ(again.Evaluate({x}).text(), "{4, 4, 4, 4}") << format;
    // StableHLO has no layouts.
    if (format < INDIM_FORMAT_STABLEHLO) {
      EXPECT_EQ(again.Diff(module), "") << format;
    }
  }
  EXPECT_THAT(module.Write(INDIM_FORMAT_STABLEHLO), HasSubstr("stablehlo."));
}

TEST(ModuleTest, ATextsErrorsHavePlacesAndCodes) {
  const struct {
    std::string text;
    int64_t line;
    int32_t code;
    const char* says;
  } kCases[] = {
      {"ENTRY e {\n  ROOT x = f32[2] ad(x, x)\n}\n", 2, 800, "ad"},
      {"module {\n  func.func @main(%a: tensor<2xf33>) {\n    return\n  }\n}\n",
       2, 1204, "f33"}};
  for (const auto& c : kCases) {
    indim_module* module = nullptr;
    indim_error* const error =
        indim_module_read(c.text.data(), c.text.size(), nullptr, &module);
    ASSERT_NE(error, nullptr);
    indim_diagnostic d = Sized<indim_diagnostic>();
    ASSERT_NO_ERROR(
        indim_diagnostics_get(indim_error_diagnostics(error), 0, &d));
    EXPECT_EQ(d.text_line, c.line);
    EXPECT_EQ(d.code, c.code);
    EXPECT_THAT(std::string(d.message.data, d.message.size), HasSubstr(c.says));
    indim_error_release(error);
  }
}

TEST(ModuleTest, ACheckGivesDiagnosticsAndJson) {
  std::string wrong = kText;
  wrong.replace(wrong.find("ROOT r = f32[4]{0}"), 18, "ROOT r = f32[5]{0}");
  const Module module = Module::Read(wrong);
  const indim_api::Diagnostics found = module.Check();
  ASSERT_EQ(found.size(), 1);
  EXPECT_TRUE(found[0].is_error);
  EXPECT_EQ(found[0].instruction, 5);
  indim_bytes* json = nullptr;
  ASSERT_NO_ERROR(
      indim_module_check_json(module.get(), "m.hlo", 5, nullptr, &json));
  const std::string text = Take(json);
  EXPECT_THAT(text, StartsWith("{\"version\":1"));
  EXPECT_THAT(text, HasSubstr("\"file\":\"m.hlo\""));
  // What infers mends it.
  EXPECT_TRUE(module.Infer().Check().empty());
  EXPECT_THROW(module.Expand(), indim_api::Error);
}

TEST(ModuleTest, TellsWhatItHoldsAndCosts) {
  const Module module = Module::Read(
      "ENTRY e {\n  x = f32[8,784]{1,0} parameter(0)\n"
      "  w = f32[784,10]{1,0} parameter(1)\n"
      "  ROOT d = f32[8,10]{1,0} dot(x, w), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n}\n");
  EXPECT_THAT(module.Statistics(),
              HasSubstr("\"operations\":{\"dot\":1,\"parameter\":2}"));
  EXPECT_THAT(module.Cost(),
              HasSubstr("{\"instruction\":\"e/d\",\"flops\":125440,"));
  EXPECT_THAT(module.Cost("opcode"),
              HasSubstr("{\"opcode\":\"dot\",\"flops\":125440,"));
  EXPECT_THROW(module.Cost("colour"), indim_api::Error);
}

TEST(ModuleTest, RefineGivesSizesNumbers) {
  indim_read_options options = Sized<indim_read_options>();
  options.symbols = 1;
  const char text[] =
      "ENTRY e {\n  x = f32[n,4] parameter(0)\n"
      "  ROOT y = f32[n,4] negate(x)\n}\n";
  indim_module* read = nullptr;
  ASSERT_NO_ERROR(indim_module_read(text, sizeof(text) - 1, &options, &read));
  const Module module(read);
  EXPECT_THAT(module.Refine({"n=8"}).Write(), HasSubstr("f32[8,4]"));
  EXPECT_THROW(module.Refine({"x=f32[8,5]"}), indim_api::Error);
}

TEST(ModuleTest, ColumnsHoldEveryInstruction) {
  const Module module = Module::Read(kText);
  indim_columns* columns = nullptr;
  ASSERT_NO_ERROR(indim_module_columns(module.get(), &columns));
  indim_columns_view view = Sized<indim_columns_view>();
  ASSERT_NO_ERROR(indim_columns_get(columns, &view));
  ASSERT_EQ(view.computation_count, 2);
  ASSERT_EQ(view.instruction_count, 6);
  EXPECT_EQ(view.entry, 1);
  const auto list = [](const int64_t* first, int64_t begin, int64_t end) {
    return std::vector<int64_t>(first + begin, first + end);
  };
  EXPECT_THAT(list(view.computation_first, 0, 3), ElementsAre(0, 3, 6));
  EXPECT_THAT(list(view.computation_root, 0, 2), ElementsAre(2, 5));
  EXPECT_THAT(list(view.operand, view.operand_first[5], view.operand_first[6]),
              ElementsAre(3, 4));
  EXPECT_THAT(list(view.callee, view.callee_first[5], view.callee_first[6]),
              ElementsAre(0));
  EXPECT_STREQ(indim_opcode_name(view.opcode[5], nullptr), "reduce");
  EXPECT_EQ(std::string(view.names + view.name_first[3],
                        view.names + view.name_first[4]),
            "x");
  EXPECT_EQ(
      std::string(view.computation_names,
                  view.computation_names + view.computation_name_first[1]),
      "sum");
  EXPECT_STREQ(indim_columns_shape_text(columns, view.shape[5], nullptr),
               "f32[4]{0}");
  EXPECT_EQ(view.shape[0], view.shape[1]);
  indim_shape* shape = nullptr;
  ASSERT_NO_ERROR(indim_columns_shape(columns, view.shape[3], &shape));
  int64_t order[2];
  EXPECT_EQ(indim_shape_minor_to_major(shape, order, 2), 2);
  EXPECT_THAT(list(order, 0, 2), ElementsAre(1, 0));
  indim_shape_release(shape);
  indim_columns_release(columns);
}

TEST(ModuleTest, OneInstructionHasItsParts) {
  const Module module = Module::Read(kText);
  EXPECT_THAT(module.InstructionText(5), HasSubstr("reduce(%x, %zero)"));
  indim_bytes* bytes = nullptr;
  ASSERT_NO_ERROR(indim_instruction_attributes(module.get(), 5, &bytes));
  EXPECT_EQ(Take(bytes), "dimensions={1}");
  ASSERT_NO_ERROR(indim_instruction_metadata(module.get(), 3, &bytes));
  EXPECT_THAT(Take(bytes), HasSubstr("f.py"));
  int64_t line = 0;
  ASSERT_NO_ERROR(indim_instruction_location(module.get(), 3, &bytes, &line));
  EXPECT_EQ(Take(bytes), "f.py");
  EXPECT_EQ(line, 3);
  indim_literal* literal = nullptr;
  ASSERT_NO_ERROR(indim_instruction_literal(module.get(), 4, &literal));
  EXPECT_EQ(Literal(literal).text(), "0");
  indim_shape* shape = nullptr;
  ASSERT_NO_ERROR(indim_instruction_shape(module.get(), 5, &shape));
  EXPECT_EQ(indim_api::Shape(shape).text(), "f32[4]{0}");
}

TEST(EditorTest, InsertsAndReplaces) {
  Things t;
  indim_ref y = INDIM_NO_REF;
  ASSERT_NO_ERROR(indim_editor_find(t.editor, "y", 1, &y));
  EXPECT_EQ(y, 1);
  indim_value used, negated;
  ASSERT_NO_ERROR(indim_editor_use(t.editor, t.insertion, y, &used));
  ASSERT_NO_ERROR(indim_add_unary(
      t.insertion, indim_opcode_from_name("negate", 6), used, 0, &negated));
  indim_ref made = INDIM_NO_REF;
  ASSERT_NO_ERROR(indim_editor_insert(t.editor, t.insertion, negated, &made));
  ASSERT_NO_ERROR(indim_editor_replace_all_uses(t.editor, y, made));
  ASSERT_NO_ERROR(indim_editor_set_name(t.editor, made, "z", 1));
  // A wrong edit is the call's error alone.
  EXPECT_THAT(MessageOf(indim_editor_erase(t.editor, y)), HasSubstr("IND1005"));
  size_t count = 0;
  indim_ref users[4];
  ASSERT_NO_ERROR(indim_editor_users(t.editor, y, users, 4, &count));
  ASSERT_EQ(count, 1);
  EXPECT_EQ(users[0], made);
  ASSERT_NO_ERROR(indim_editor_operands(t.editor, y, nullptr, 0, &count));
  EXPECT_EQ(count, 2);
  indim_ref root = INDIM_NO_REF;
  ASSERT_NO_ERROR(indim_editor_root(t.editor, 0, &root));
  EXPECT_EQ(root, made);
  indim_module* changed = nullptr;
  ASSERT_NO_ERROR(indim_editor_finish(t.editor, &changed, nullptr));
  const Module module(changed);
  EXPECT_TRUE(module.Check().empty());
  EXPECT_THAT(module.Write(), HasSubstr("ROOT %z = f32[2] negate(%y)"));
  // Finished.
  EXPECT_THAT(MessageOf(indim_editor_set_name(t.editor, made, "w", 1)),
              HasSubstr("IND1003"));
}

TEST(EditorTest, InCppTheSame) {
  const Module module = Module::Read(
      "ENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[2] negate(x)\n"
      "  ROOT z = f32[2] negate(y)\n}\n");
  indim_api::Editor editor(module);
  const indim_api::Ref z = editor.Find("z");
  indim_api::Builder at = editor.After(z);
  const indim_api::Value used = editor.Use(at, editor.Find("x"));
  const indim_api::Ref made = editor.Insert(at, at.Add("sine", {used}));
  editor.SetName(made, "s");
  editor.ReplaceAllUses(z, made);
  EXPECT_THAT(editor.Users(editor.Find("y")), ElementsAre(z));
  EXPECT_EQ(editor.Run("dead-code"), 2);
  EXPECT_THROW(editor.Erase(made), indim_api::Error);
  const Module changed = editor.Finish();
  EXPECT_EQ(changed.instruction_count(), 2);
  EXPECT_TRUE(changed.Check().empty());
}

constexpr char kCalls[] =
    "f {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] negate(a)\n}\n"
    "g {\n  c = f32[2] parameter(0)\n  ROOT d = f32[2] sine(c)\n}\n"
    "ENTRY e {\n  x = f32[2] parameter(0)\n"
    "  y = f32[2] call(x), to_apply=f\n  ROOT z = f32[2] add(y, y)\n}\n";

TEST(EditorTest, Computations) {
  const Module module = Module::Read(kCalls);
  indim_api::Editor editor(module);
  indim_ref g, copy, callees[2];
  ASSERT_NO_ERROR(indim_editor_find_computation(editor.get(), "g", 1, &g));
  ASSERT_NO_ERROR(
      indim_editor_clone_computation(editor.get(), g, "h", 1, &copy));
  const indim_ref y = editor.Find("y");
  ASSERT_NO_ERROR(indim_editor_set_callee(editor.get(), y, 0, copy));
  size_t count = 0;
  ASSERT_NO_ERROR(indim_editor_callees(editor.get(), y, callees, 2, &count));
  ASSERT_EQ(count, 1);
  EXPECT_EQ(callees[0], copy);
  for (const int64_t wrong : {int64_t{-1}, int64_t{1} << 40}) {
    EXPECT_NE(MessageOf(indim_editor_set_callee(editor.get(), y, wrong, g)),
              "");
  }
  const std::string text = editor.Finish().Write();
  EXPECT_THAT(text, HasSubstr("call(%x), to_apply=%h"));

  indim_api::Editor other(module);
  ASSERT_NO_ERROR(indim_editor_find_computation(other.get(), "g", 1, &g));
  ASSERT_NO_ERROR(indim_editor_set_entry(other.get(), g));
  EXPECT_THAT(other.Finish().Write(), HasSubstr("ENTRY %g "));
}

TEST(EditorTest, Extracts) {
  const Module module = Module::Read(kCalls);
  indim_api::Editor editor(module);
  const indim_ref y = editor.Find("y"), z = editor.Find("z");
  indim_extract_options options = Sized<indim_extract_options>();
  options.inputs = &y;
  options.input_count = 1;
  ASSERT_NO_ERROR(indim_editor_extract(editor.get(), &z, 1, &options));
  const Module cone = editor.Finish();
  EXPECT_EQ(cone.instruction_count(), 2);
  EXPECT_TRUE(cone.Check().empty());
  indim_api::Editor again(module);
  options.struct_size = 0;
  EXPECT_THAT(MessageOf(indim_editor_extract(again.get(), &z, 1, &options)),
              HasSubstr("struct_size"));
}

TEST(ReduceTest, GivesTheSmallestModuleThatFails) {
  const Module module = Module::Read(kCalls);
  indim_reduce_options options = Sized<indim_reduce_options>();
  int64_t calls = 0;
  options.context = &calls;
  // It fails as long as there is a negate.
  options.fails = [](void* context, const indim_module* smaller) -> int32_t {
    ++*static_cast<int64_t*>(context);
    indim_bytes* text = nullptr;
    if (indim_error* error = indim_module_write(smaller, nullptr, &text)) {
      indim_error_release(error);
      return 0;
    }
    return Take(text).find(" negate(") != std::string::npos;
  };
  indim_module* smallest = nullptr;
  int64_t tests = 0;
  int32_t done = 0;
  ASSERT_NO_ERROR(
      indim_reduce(module.get(), &options, &smallest, &tests, &done));
  const Module made(smallest);
  EXPECT_EQ(tests, calls);
  EXPECT_EQ(done, 1);
  EXPECT_THAT(made.Write(), HasSubstr("negate("));
  EXPECT_EQ(made.instruction_count(), 2);
  EXPECT_TRUE(made.Check().empty());
  // The first call is one of those that may be made.
  options.max_tests = 1;
  calls = 0;
  ASSERT_NO_ERROR(
      indim_reduce(module.get(), &options, &smallest, nullptr, &done));
  EXPECT_EQ(Module(smallest).instruction_count(), module.instruction_count());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(done, 0);
}

TEST(EditorTest, ParametersResultsCallsAndPasses) {
  Things t;
  indim_ref call, p, root, clone, shape_of;
  const indim_ref one = 1;
  ASSERT_NO_ERROR(indim_editor_outline(t.editor, &one, 1, "f", 1, &call));
  EXPECT_EQ(indim_editor_exists(t.editor, one), 0);
  ASSERT_NO_ERROR(indim_editor_inline_call(t.editor, call, &shape_of));
  indim_shape* shape = nullptr;
  ASSERT_NO_ERROR(indim_editor_shape(t.editor, shape_of, &shape));
  EXPECT_EQ(indim_api::Shape(shape).text(), "f32[2]");
  ASSERT_NO_ERROR(indim_editor_add_parameter(t.editor, 0, t.shape, "p", 1, &p));
  ASSERT_NO_ERROR(indim_editor_set_operand(t.editor, shape_of, 1, p));
  ASSERT_NO_ERROR(indim_editor_clone(t.editor, shape_of, &clone));
  const indim_ref both[] = {p, p};
  ASSERT_NO_ERROR(indim_editor_set_operands(t.editor, clone, both, 2));
  ASSERT_NO_ERROR(indim_editor_add_result(t.editor, 0, clone, &root));
  ASSERT_NO_ERROR(indim_editor_remove_result(t.editor, 0, 0));
  int64_t changes = 0;
  ASSERT_NO_ERROR(indim_editor_pass(t.editor, "dead-code", 9, &changes));
  EXPECT_GT(changes, 0);
  ASSERT_NO_ERROR(indim_editor_remove_parameter(t.editor, 0, 0));
  ASSERT_NO_ERROR(
      indim_editor_set_frontend_attribute(t.editor, clone, "k", 1, "v", 1));
  indim_module* changed = nullptr;
  ASSERT_NO_ERROR(indim_editor_finish(t.editor, &changed, nullptr));
  const Module module(changed);
  EXPECT_TRUE(module.Check().empty());
  EXPECT_THAT(module.Write(), HasSubstr("frontend_attributes={k=\"v\"}"));
}

TEST(LiteralTest, MemoryAndNumbers) {
  const Literal m("f32", {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(m.shape().text(), "f32[2,2]");
  EXPECT_THAT(m.Values<float>(), ElementsAre(1, 2, 3, 4));
  const Literal pair = Literal::Tuple({m, Literal("s8", {}, {7})});
  EXPECT_EQ(pair.element_count(), 2);
  EXPECT_EQ(pair.element(1).text(), "7");
  EXPECT_TRUE(pair.element(0) == m);
  indim_literal* splat = nullptr;
  const int64_t sizes[] = {3};
  ASSERT_NO_ERROR(indim_literal_splat(indim_element_type_from_name("s32", 3),
                                      sizes, 1, 5, &splat));
  EXPECT_THAT(Literal(splat).Values<int32_t>(), ElementsAre(5, 5, 5));
}

TEST(LiteralTest, DlpackBothWays) {
  const Literal m("f32", {2, 3}, {1, 2, 3, 4, 5, 6});
  indim_dlpack* tensor = nullptr;
  ASSERT_NO_ERROR(indim_literal_to_dlpack(m.get(), &tensor));
  EXPECT_EQ(tensor->tensor.rank, 2);
  EXPECT_EQ(tensor->tensor.type_bits, 32);
  EXPECT_EQ(static_cast<const float*>(tensor->tensor.data)[5], 6);
  // As the transpose of it.
  int64_t sizes[] = {3, 2}, strides[] = {1, 3};
  static int deleted;
  deleted = 0;
  indim_dlpack view = *tensor;
  view.tensor.sizes = sizes;
  view.tensor.strides = strides;
  view.deleter = [](indim_dlpack*) { ++deleted; };
  indim_literal* copy = nullptr;
  ASSERT_NO_ERROR(indim_literal_from_dlpack(&view, &copy));
  EXPECT_EQ(deleted, 1);
  EXPECT_THAT(Literal(copy).Values<float>(), ElementsAre(1, 4, 2, 5, 3, 6));
  tensor->deleter(tensor);
  // Nothing in it, and what can't be.
  int64_t none[] = {0};
  view.tensor.rank = 1;
  view.tensor.sizes = none;
  view.tensor.strides = nullptr;
  ASSERT_NO_ERROR(indim_literal_from_dlpack(&view, &copy));
  EXPECT_EQ(Literal(copy).shape().text(), "f32[0]");
  int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  view.tensor.rank = 2;
  view.tensor.sizes = huge;
  EXPECT_THAT(MessageOf(indim_literal_from_dlpack(&view, &copy)),
              HasSubstr("too large"));
  EXPECT_EQ(deleted, 2);
}

TEST(EvaluateTest, ComputesAndRefuses) {
  const Module module = Module::Read(kText);
  std::vector<double> numbers(32, 0.5);
  const Literal x("f32", {4, 8}, numbers);
  EXPECT_EQ(module.Evaluate({x}).text(), "{4, 4, 4, 4}");
  indim_eval_options options = Sized<indim_eval_options>();
  options.max_steps = 1;
  const indim_literal* const argument = x.get();
  indim_literal* result = nullptr;
  EXPECT_THAT(
      MessageOf(indim_evaluate(module.get(), &argument, 1, &options, &result)),
      HasSubstr("IND0852"));
}

TEST(EvaluateTest, OpenSizesAreThoseOfTheValues) {
  constexpr char kNamed[] =
      "HloModule f\nENTRY f {\n  x = f32[n,2] parameter(0)\n"
      "  y = f32[n,2] parameter(1)\n  ROOT z = f32[n,2] add(x, y)\n}\n";
  indim_read_options named = Sized<indim_read_options>();
  named.symbols = 1;
  indim_module* module = nullptr;
  ASSERT_NO_ERROR(
      indim_module_read(kNamed, sizeof(kNamed) - 1, &named, &module));
  const Literal one("f32", {1, 2}, std::vector<double>{1, 2});
  const Literal two("f32", {2, 2}, std::vector<double>{1, 2, 3, 4});
  const indim_literal* same[] = {two.get(), two.get()};
  indim_literal* result = nullptr;
  ASSERT_NO_ERROR(indim_evaluate(module, same, 2, nullptr, &result));
  EXPECT_EQ(Literal(result).text(), "{ { 2, 4 }, { 6, 8 } }");
  const indim_literal* others[] = {two.get(), one.get()};
  EXPECT_THAT(MessageOf(indim_evaluate(module, others, 2, nullptr, &result)),
              HasSubstr("IND"));
  EXPECT_THAT(MessageOf(indim_evaluate(module, same, 1, nullptr, &result)),
              HasSubstr("IND0854"));
  // What is compiled takes them likewise.
  const Module open(module);
  EXPECT_THAT(open.RefineFor({two, two}).Write(),
              HasSubstr("x = f32[2,2]{1,0} parameter(0)"));
  EXPECT_EQ(open.RefineFor({two}).Write(), open.Write());
  EXPECT_THROW(open.RefineFor({two, one}), indim_api::Error);
  indim_module* refined = nullptr;
  EXPECT_THAT(MessageOf(indim_module_refine_for(module, nullptr, 1, &refined)),
              HasSubstr("IND1300"));
}

TEST(TablesTest, AreJsonWithVersions) {
  indim_bytes* json = nullptr;
  ASSERT_NO_ERROR(indim_op_table_json(&json));
  const std::string ops = Take(json);
  EXPECT_THAT(ops, StartsWith("{\"version\":1,\"ops\":[{\"number\":1,"));
  EXPECT_THAT(ops, HasSubstr("\"name\":\"dimensions\",\"required\":true"));
  ASSERT_NO_ERROR(indim_code_table_json(&json));
  EXPECT_THAT(Take(json), HasSubstr("\"code\":\"IND0007\""));
}

}  // namespace
}  // namespace indim
