// SPDX-License-Identifier: Apache-2.0
// Every function of the C interface fails as its header says, and leaves what
// its out-pointers point to untouched.

#include <indim.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/bindings/c/answers.h"
#include "indim/tests/bindings/c/things.h"
#include "indim/tests/checkout.h"
#include "indim/tests/page.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What an out-pointer points to before a call that fails.
template <typename T>
T* Untouched() {
  static const int kMark = 0;
  return reinterpret_cast<T*>(const_cast<int*>(&kMark));
}

// Where calls that fail would put what they make.
struct Outs {
  indim_shape* shape = Untouched<indim_shape>();
  indim_plan* plan = Untouched<indim_plan>();
  indim_bytes* bytes = Untouched<indim_bytes>();
  indim_module* module = Untouched<indim_module>();
  indim_literal* literal = Untouched<indim_literal>();
  indim_builder* builder = Untouched<indim_builder>();
  indim_callee* callee = Untouched<indim_callee>();
  indim_region* region = Untouched<indim_region>();
  indim_columns* columns = Untouched<indim_columns>();
  indim_editor* editor = Untouched<indim_editor>();
  indim_client* client = Untouched<indim_client>();
  indim_executable* executable = Untouched<indim_executable>();
  indim_buffer* buffer = Untouched<indim_buffer>();
  indim_dlpack* tensor = Untouched<indim_dlpack>();
  indim_diagnostics* diagnostics = Untouched<indim_diagnostics>();
  const void* data = Untouched<void>();
  int64_t number = -77;
  size_t count = 77;
  int32_t same = 7;

  friend bool operator==(const Outs& a, const Outs& b) {
    return a.shape == b.shape && a.plan == b.plan && a.bytes == b.bytes &&
           a.module == b.module && a.literal == b.literal &&
           a.builder == b.builder && a.callee == b.callee &&
           a.region == b.region && a.columns == b.columns &&
           a.editor == b.editor && a.client == b.client &&
           a.executable == b.executable && a.buffer == b.buffer &&
           a.tensor == b.tensor && a.diagnostics == b.diagnostics &&
           a.data == b.data && a.number == b.number && a.count == b.count &&
           a.same == b.same;
  }
};

struct Failure {
  const char* function;
  indim_status status;
  const char* message;  // a part of it
  std::function<indim_error*(Things&, Outs&)> call;
};

const int32_t kF32 = indim_element_type_from_name("f32", 3);
const int32_t kAdd = indim_opcode_from_name("add", 3);
constexpr int64_t kTwo[] = {2};
constexpr float kElements[] = {1, 2};

#define FAILURE(function, status, message, ...)                \
  Failure {                                                    \
#function, status, message, [](Things& t, Outs& o) {         \
      (void)t, (void)o;                                          \
      return function(__VA_ARGS__);                              \
    } \
  }
#define WRONG(function, message, ...) \
  FAILURE(function, INDIM_INVALID_ARGUMENT, message, __VA_ARGS__)
#define NONE_THERE(function, message, ...) \
  FAILURE(function, INDIM_OUT_OF_RANGE, message, __VA_ARGS__)

indim_op OpOf(const char* name, const indim_value* operands, size_t count) {
  indim_op op = Sized<indim_op>();
  op.name = name;
  op.name_size = std::strlen(name);
  op.operands = operands;
  op.operand_count = count;
  return op;
}

indim_error* AddWrong(Things& t, Outs& o) {
  const indim_op op = OpOf("dot", &t.x, 1);
  return indim_add(t.builder, &op, &o.number);
}
indim_error* AddManyWrong(Things& t, Outs&) {
  const indim_op op = OpOf("no-such-op", &t.x, 1);
  return indim_add_many(t.builder, &op, 1, nullptr, nullptr);
}
indim_error* AddRegionsWrong(Things& t, Outs& o) {
  const indim_op op = OpOf("map", &t.x, 1);
  return indim_add_regions(t.builder, &op, nullptr, 0, &o.number, 1, &o.count);
}
indim_error* EndRegionWrong(Things& t, Outs&) {
  indim_region* region = nullptr;
  EXPECT_NO_ERROR(indim_begin_region(t.builder, "r", 1, nullptr, 0,
                                     INDIM_CAPTURE_NONE, 0, &region, nullptr));
  EXPECT_NO_ERROR(indim_end_region(t.builder, region, &t.x, 0, 0));
  indim_error* const error = indim_end_region(t.builder, region, &t.x, 0, 0);
  indim_region_release(region);
  return error;
}
indim_error* InsertWrong(Things& t, Outs& o) {
  return indim_editor_insert(t.editor, t.builder, t.x, &o.number);
}
indim_error* DlpackOfTuple(Things&, Outs& o) {
  indim_literal* tuple = nullptr;
  EXPECT_NO_ERROR(indim_literal_tuple(nullptr, 0, &tuple));
  indim_error* const error = indim_literal_to_dlpack(tuple, &o.tensor);
  indim_literal_release(tuple);
  return error;
}
indim_error* DlpackElsewhere(Things&, Outs& o) {
  indim_dlpack tensor = {};
  tensor.tensor.device_type = 2;
  return indim_literal_from_dlpack(&tensor, &o.literal);
}
indim_error* DataOfTuple(Things&, Outs& o) {
  indim_literal* tuple = nullptr;
  EXPECT_NO_ERROR(indim_literal_tuple(nullptr, 0, &tuple));
  indim_error* const error = indim_literal_data(tuple, &o.data, &o.count);
  indim_literal_release(tuple);
  return error;
}
indim_error* NullElement(Things&, Outs& o) {
  const indim_literal* const none = nullptr;
  return indim_literal_tuple(&none, 1, &o.literal);
}
indim_error* TupleOfNull(Things&, Outs& o) {
  const indim_shape* const none = nullptr;
  return indim_shape_tuple(&none, 1, &o.shape);
}
indim_error* UnequalDims(Things& t, Outs& o) {
  indim_shape* three = nullptr;
  EXPECT_NO_ERROR(Parse("f32[3]", &three));
  const indim_shape* const operands[] = {t.shape, three};
  indim_error* const error = indim_broadcast(nullptr, operands, 2, &o.plan);
  indim_shape_release(three);
  return error;
}
indim_error* InferUnequal(Things& t, Outs& o) {
  const indim_shape* const operands[] = {t.shape};
  return indim_infer("add", 3, operands, 1, nullptr, nullptr, nullptr, 0,
                     &o.shape, &o.diagnostics);
}
indim_error* RefineWrong(Things& t, Outs& o) {
  const indim_text setting = {"x=f32[", 6};
  return indim_module_refine(t.module, &setting, 1, &o.module);
}
indim_error* DerivativeWrong(Things& t, Outs& o) {
  const int64_t wrt = 99;
  return indim_module_derivative(t.module, &wrt, 1, nullptr, &o.module,
                                 nullptr);
}
indim_error* WriteWrong(Things& t, Outs& o) {
  indim_write_options options = Sized<indim_write_options>();
  options.format = 99;
  return indim_module_write(t.module, &options, &o.bytes);
}
indim_error* CheckWrong(Things& t, Outs& o) {
  indim_check_options options = Sized<indim_check_options>();
  options.max_per_code = -2;
  return indim_module_check(t.module, &options, &o.diagnostics);
}
indim_error* CheckJsonWrong(Things& t, Outs& o) {
  indim_check_options options = {};
  return indim_module_check_json(t.module, "m", 1, &options, &o.bytes);
}
indim_error* CostWrong(Things& t, Outs& o) {
  indim_cost_options options = Sized<indim_cost_options>();
  options.by = "colour";
  options.by_size = 6;
  return indim_module_cost_json(t.module, "m", 1, &options, &o.bytes);
}
indim_error* CostBranchesWrong(Things& t, Outs& o) {
  indim_cost_options options = Sized<indim_cost_options>();
  const indim_text branches = {"cond=1:x", 8};
  options.branches = &branches;
  options.branch_count = 1;
  return indim_module_cost_json(t.module, "m", 1, &options, &o.bytes);
}
indim_error* InferModuleWrong(Things& t, Outs& o) {
  indim_infer_options options = {};
  return indim_module_infer(t.module, &options, &o.module);
}
indim_error* ViewWithoutSize(Things& t, Outs&) {
  indim_columns_view view = {};
  return indim_columns_get(t.columns, &view);
}
indim_error* NoDiagnostic(Things& t, Outs&) {
  indim_diagnostic diagnostic = Sized<indim_diagnostic>();
  return indim_diagnostics_get(t.diagnostics, 0, &diagnostic);
}
indim_error* AttributesOfAdd(Things& t, Outs&) {
  indim_attributes attributes = Sized<indim_attributes>();
  attributes.text = "dimensions={0}";
  attributes.text_size = std::strlen(attributes.text);
  return indim_editor_set_attributes(t.editor, 1, &attributes);
}
indim_error* ReduceNothing(Things& t, Outs& o) {
  indim_reduce_options options = Sized<indim_reduce_options>();
  options.fails = [](void*, const indim_module*) -> int32_t { return 0; };
  return indim_reduce(t.module, &options, &o.module, &o.number, nullptr);
}
indim_error* BuildWithAliases(Things& t, Outs& o) {
  indim_build_options options = Sized<indim_build_options>();
  const int64_t aliases[] = {0, 7};
  options.aliases = aliases;
  options.alias_count = 1;
  return indim_build(t.builder, t.y, &options, &o.module, &o.diagnostics);
}
indim_error* BadSetting(Things&, Outs& o) {
  const indim_text option = {"no value", 8};
  return indim_client_create("cpu", 3, &option, 1, &o.client);
}

const std::vector<Failure>& Failures() {
  static const auto* const kFailures = new std::vector<Failure>{
      // base.h
      {"indim_diagnostics_get", INDIM_OUT_OF_RANGE, "0 diagnostics",
       NoDiagnostic},
      WRONG(indim_refuse, "refusal is null", nullptr),
      WRONG(indim_op_table_json, "json is null", nullptr),
      WRONG(indim_code_table_json, "json is null", nullptr),
      WRONG(indim_shape_parse, "column", "f32[", 4, &o.shape),
      WRONG(indim_shape_array, "no element type", 0, kTwo, nullptr, 1,
            &o.shape),
      {"indim_shape_tuple", INDIM_INVALID_ARGUMENT, "null", TupleOfNull},
      NONE_THERE(indim_shape_element, "no element 0", t.shape, 0, &o.shape),
      // infer.h
      {"indim_infer", INDIM_INVALID_ARGUMENT, "IND0100", InferUnequal},
      FAILURE(indim_infer, INDIM_NOT_FOUND, "did you mean \"add\"", "ad", 2,
              nullptr, 0, nullptr, nullptr, nullptr, 0, &o.shape,
              &o.diagnostics),
      {"indim_broadcast", INDIM_INVALID_ARGUMENT, "[IND00", UnequalDims},
      WRONG(indim_broadcast_to, "target is null", nullptr, t.shape, nullptr,
            &o.plan),
      WRONG(indim_query_json, "answer is null", "{}", 2, nullptr),
      WRONG(indim_explain, "", "what?", 5, &o.bytes),
      // builder.h
      WRONG(indim_builder_create, "builder is null", "b", 1, nullptr, nullptr),
      WRONG(indim_builder_sub, "builder is null", nullptr, "b", 1, &o.builder),
      WRONG(indim_builder_file, "zero byte", t.builder, "a\0b", 3, &o.number),
      WRONG(indim_parameter, "IND0606", t.builder, 0, t.shape, "", 0, 0,
            &o.number),
      WRONG(indim_constant, "literal is null", t.builder, nullptr, 0,
            &o.number),
      WRONG(indim_constant_array, "", t.builder, kF32, kTwo, 1, kElements, 4, 0,
            &o.number),
      WRONG(indim_constant_double, "no element type", t.builder, 0, 1.5, 0,
            &o.number),
      WRONG(indim_constant_int64, "", t.builder,
            indim_element_type_from_name("s8", 2), 300, 0, &o.number),
      {"indim_add", INDIM_INVALID_ARGUMENT, "IND0100", AddWrong},
      {"indim_add_many", INDIM_NOT_FOUND, "no-such-op", AddManyWrong},
      WRONG(indim_add_unary, "no value 99", t.builder, kAdd, 99, 0, &o.number),
      WRONG(indim_add_binary, "no indim_broadcast_rule", t.builder, kAdd, t.x,
            t.x, 9, 0, &o.number),
      WRONG(indim_composite, "did you mean \"softmax\"", t.builder, "sofmax", 6,
            &t.x, 1, "", 0, 0, &o.number, 1, &o.count),
      WRONG(indim_composite_table_json, "json is null", nullptr),
      WRONG(indim_derivative, "no indim_derivative_kind", t.builder, 9, &t.x, 1,
            0, 0, &o.number, 1, &o.count),
      WRONG(indim_mark_gradient, "can't have the mark", t.builder, t.x, "go",
            2),
      WRONG(indim_inline, "IND0401", t.builder, t.module, nullptr, 0, 0,
            &o.number),
      WRONG(indim_build_callee, "no value 99", t.builder, 99, &o.callee),
      WRONG(indim_module_callee, "module is null", nullptr, &o.callee),
      WRONG(indim_drop_region, "builder is null", nullptr, nullptr),
      WRONG(indim_begin_region, "no indim_capture", t.builder, "r", 1, nullptr,
            0, 9, 0, &o.region, nullptr),
      {"indim_end_region", INDIM_INVALID_ARGUMENT, "innermost", EndRegionWrong},
      {"indim_add_regions", INDIM_INVALID_ARGUMENT, "no region",
       AddRegionsWrong},
      WRONG(indim_set_name, "IND0609", t.builder, t.x, "\xff", 1),
      WRONG(indim_set_frontend_attribute, "IND0609", t.builder, t.x, "\xff", 1,
            "", 0),
      WRONG(indim_set_backend_config, "no value -1", t.builder, -1, "", 0),
      WRONG(indim_add_control_dependency, "IND0633", t.builder, t.y, t.x),
      WRONG(indim_set_op_name, "IND0609", t.builder, "\xff", 1),
      WRONG(indim_set_op_type, "IND0609", t.builder, "\xff", 1),
      WRONG(indim_set_sharding, "IND0640", t.builder, "\xff", 1),
      WRONG(indim_value_shape, "no value 99", t.builder, 99, &o.shape),
      WRONG(indim_value_literal, "", t.builder, t.x, &o.literal),
      WRONG(indim_builder_diagnostics, "builder is null", nullptr,
            &o.diagnostics),
      {"indim_build", INDIM_INVALID_ARGUMENT, "IND078", BuildWithAliases},
      // module.h
      WRONG(indim_module_read, "", "ENTRY e {", 9, nullptr, &o.module),
      FAILURE(indim_module_read_file, INDIM_NOT_FOUND, "/no/such/file",
              "/no/such/file", 13, nullptr, &o.module),
      {"indim_module_write", INDIM_INVALID_ARGUMENT, "no indim_format",
       WriteWrong},
      FAILURE(indim_module_write_file, INDIM_NOT_FOUND, "/no/such/folder",
              t.module, "/no/such/folder/m.pb", 20, nullptr),
      {"indim_module_check", INDIM_INVALID_ARGUMENT, "max_per_code",
       CheckWrong},
      {"indim_module_check_json", INDIM_INVALID_ARGUMENT, "struct_size",
       CheckJsonWrong},
      {"indim_module_cost_json", INDIM_INVALID_ARGUMENT, "by 'colour'",
       CostWrong},
      {"indim_module_cost_json", INDIM_INVALID_ARGUMENT, "NAME=W:W",
       CostBranchesWrong},
      WRONG(indim_module_statistics_json, "json is null", t.module, "", 0,
            nullptr),
      {"indim_module_infer", INDIM_INVALID_ARGUMENT, "struct_size",
       InferModuleWrong},
      {"indim_module_refine", INDIM_INVALID_ARGUMENT, "f32[", RefineWrong},
      {"indim_module_derivative", INDIM_INVALID_ARGUMENT, "no parameter 99",
       DerivativeWrong},
      WRONG(indim_module_expand, "module is null", nullptr, &o.module),
      WRONG(indim_module_diff, "b is null", t.module, nullptr, &o.bytes),
      WRONG(indim_module_fingerprint, "module is null", nullptr, &o.bytes),
      WRONG(indim_module_compare, "b is null", t.module, nullptr, nullptr,
            &o.same, &o.bytes),
      WRONG(indim_module_columns, "module is null", nullptr, &o.columns),
      {"indim_columns_get", INDIM_INVALID_ARGUMENT, "struct_size",
       ViewWithoutSize},
      NONE_THERE(indim_columns_shape, "no number 99", t.columns, 99, &o.shape),
      NONE_THERE(indim_instruction_shape, "none at 2", t.module, 2, &o.shape),
      NONE_THERE(indim_instruction_text, "none at -1", t.module, -1, &o.bytes),
      NONE_THERE(indim_instruction_attributes, "none at 2", t.module, 2,
                 &o.bytes),
      FAILURE(indim_instruction_literal, INDIM_NOT_FOUND, "", t.module, 0,
              &o.literal),
      NONE_THERE(indim_instruction_metadata, "none at 2", t.module, 2,
                 &o.bytes),
      NONE_THERE(indim_instruction_location, "none at 2", t.module, 2, &o.bytes,
                 &o.number),
      // edit.h
      WRONG(indim_editor_create, "module is null", nullptr, &o.editor),
      FAILURE(indim_editor_find, INDIM_NOT_FOUND, "no instruction is named",
              t.editor, "z", 1, &o.number),
      WRONG(indim_editor_find_all, "column 1", t.editor, "(", 1, nullptr, 0,
            &o.count),
      WRONG(indim_editor_find_near, "column 1", t.editor, "(", 1, nullptr, 0,
            &o.count),
      WRONG(indim_editor_misfit, "no reference 9", t.editor, "add", 3, 9,
            &o.bytes),
      WRONG(indim_editor_root, "no reference 9", t.editor, 9, &o.number),
      WRONG(indim_editor_operands, "no reference 9", t.editor, 9, nullptr, 0,
            &o.count),
      WRONG(indim_editor_users, "no reference 9", t.editor, 9, nullptr, 0,
            &o.count),
      WRONG(indim_editor_shape, "no reference 9", t.editor, 9, &o.shape),
      WRONG(indim_editor_insert_before, "no reference -1", t.editor, -1,
            &o.builder),
      WRONG(indim_editor_insert_after, "IND1000", t.editor, 9, &o.builder),
      WRONG(indim_editor_use, "doesn't add", t.editor, t.builder, 0, &o.number),
      {"indim_editor_insert", INDIM_INVALID_ARGUMENT, "doesn't add",
       InsertWrong},
      WRONG(indim_editor_clone, "IND1010", t.editor, 0, &o.number),
      WRONG(indim_editor_set_operand, "IND1004", t.editor, 1, 7, 0),
      WRONG(indim_editor_set_operands, "operands is null", t.editor, 1, nullptr,
            2),
      {"indim_editor_set_attributes", INDIM_INVALID_ARGUMENT, "dimensions",
       AttributesOfAdd},
      WRONG(indim_editor_set_shape, "shape is null", t.editor, 0, nullptr),
      WRONG(indim_editor_set_name, "IND0609", t.editor, 1, "\xff", 1),
      WRONG(indim_editor_set_sharding, "IND0640", t.editor, 1, "\xff", 1),
      WRONG(indim_editor_set_metadata, "IND0640", t.editor, 1, "\xff", 1),
      WRONG(indim_editor_set_frontend_attribute, "IND0609", t.editor, 1, "\xff",
            1, "", 0),
      WRONG(indim_editor_replace_all_uses, "IND1000", t.editor, 9, 0),
      WRONG(indim_editor_set_root, "no reference -1", t.editor, 0, -1),
      WRONG(indim_editor_erase, "IND1005", t.editor, 1),
      WRONG(indim_editor_callees, "no reference 9", t.editor, 9, nullptr, 0,
            &o.count),
      FAILURE(indim_editor_find_computation, INDIM_NOT_FOUND,
              "no computation is named", t.editor, "z", 1, &o.number),
      WRONG(indim_editor_clone_computation, "IND1000", t.editor, 9, "", 0,
            &o.number),
      WRONG(indim_editor_set_callee, "IND1004", t.editor, 1, 0, 0),
      WRONG(indim_editor_set_entry, "IND1000", t.editor, 9),
      WRONG(indim_editor_extract, "IND1012", t.editor, nullptr, 0, nullptr),
      {"indim_reduce", INDIM_FAILED_PRECONDITION, "doesn't fail",
       ReduceNothing},
      WRONG(indim_editor_add_parameter, "IND1000", t.editor, 9, t.shape, "", 0,
            &o.number),
      WRONG(indim_editor_remove_parameter, "IND1005", t.editor, 0, 0),
      WRONG(indim_editor_add_result, "no reference -1", t.editor, 0, -1,
            &o.number),
      WRONG(indim_editor_remove_result, "IND1014", t.editor, 0, 0),
      WRONG(indim_editor_inline_call, "IND1009", t.editor, 1, &o.number),
      WRONG(indim_editor_outline, "IND1012", t.editor, nullptr, 0, "f", 1,
            &o.number),
      FAILURE(indim_editor_pass, INDIM_NOT_FOUND, "did you mean \"dead-code\"",
              t.editor, "dead-cod", 8, &o.number),
      WRONG(indim_editor_finish, "module is null", t.editor, nullptr,
            &o.diagnostics),
      // run.h
      WRONG(indim_literal_array, "", kF32, kTwo, 1, kElements, 4, &o.literal),
      WRONG(indim_literal_doubles, "", kF32, kTwo, 1, nullptr, 0, &o.literal),
      WRONG(indim_literal_splat, "no element type", 0, kTwo, 1, 0, &o.literal),
      {"indim_literal_tuple", INDIM_INVALID_ARGUMENT, "null", NullElement},
      WRONG(indim_literal_shape, "literal is null", nullptr, &o.shape),
      {"indim_literal_data", INDIM_INVALID_ARGUMENT, "no array", DataOfTuple},
      NONE_THERE(indim_literal_element, "no element 0", t.literal, 0,
                 &o.literal),
      WRONG(indim_literal_text, "negative", t.literal, -1, &o.bytes),
      {"indim_literal_to_dlpack", INDIM_UNIMPLEMENTED, "DLPack", DlpackOfTuple},
      {"indim_literal_from_dlpack", INDIM_UNIMPLEMENTED, "kind 2",
       DlpackElsewhere},
      WRONG(indim_evaluate, "IND0854", t.module, nullptr, 0, nullptr,
            &o.literal),
      WRONG(indim_module_refine_for, "module is null", nullptr, nullptr, 0,
            &o.module),
      {"indim_client_create", INDIM_INVALID_ARGUMENT, "name=value", BadSetting},
      FAILURE(indim_client_create, INDIM_NOT_FOUND, "IND1100", "./none.so", 9,
              nullptr, 0, &o.client),
      WRONG(indim_compile, "client is null", nullptr, t.module, nullptr,
            &o.executable),
      WRONG(indim_run, "executable is null", nullptr, nullptr, 0, &o.literal),
      WRONG(indim_execute, "executable is null", nullptr, nullptr, 0, nullptr,
            0, &o.count),
      WRONG(indim_buffer_from_literal, "client is null", nullptr, t.literal, 0,
            &o.buffer),
      WRONG(indim_buffer_to_literal, "buffer is null", nullptr, &o.literal),
      WRONG(indim_buffer_from_dlpack, "client is null", nullptr, o.tensor,
            &o.buffer),
      WRONG(indim_buffer_to_dlpack, "buffer is null", nullptr, &o.tensor),
      WRONG(indim_pass_check_border, "after is null", t.module, nullptr),
  };
  return *kFailures;
}

TEST(FunctionsTest, EachFailsAndTouchesNothing) {
  Things things;
  for (const Failure& failure : Failures()) {
    SCOPED_TRACE(failure.function);
    Outs outs;
    indim_error* const error = failure.call(things, outs);
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(indim_error_status(error), failure.status)
        << indim_error_message(error, nullptr);
    EXPECT_THAT(indim_error_message(error, nullptr),
                HasSubstr(failure.message));
    EXPECT_TRUE(outs == Outs());
    indim_error_release(error);
  }
  // Nothing of it stays behind.
  indim_module* module = nullptr;
  EXPECT_NO_ERROR(
      indim_build(things.builder, things.y, nullptr, &module, nullptr));
  indim_module_release(module);
  indim_module* edited = nullptr;
  EXPECT_NO_ERROR(indim_editor_finish(things.editor, &edited, nullptr));
  indim_module_release(edited);
}

TEST(FunctionsTest, OthersAnswerNothing) {
  for (const Answer& answer : Answers()) {
    EXPECT_TRUE(answer.holds()) << answer.function;
  }
}

// The names of all functions that the headers declare.
std::set<std::string> Declared() {
  std::set<std::string> names;
  const std::regex declaration(R"((?:^|[\s*])(indim_[a-z0-9_]+)\()");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           Checkout() / "bindings/c/include")) {
    if (entry.path().extension() != ".h") continue;
    // What comments say isn't declared.
    const std::string text = std::regex_replace(
        FileText(entry.path()), std::regex(R"(/\*[^]*?\*/)"), "");
    for (std::sregex_iterator at(text.begin(), text.end(), declaration), end;
         at != end; ++at) {
      names.insert((*at)[1]);
    }
  }
  return names;
}

TEST(FunctionsTest, NoneIsForgotten) {
  std::set<std::string> tested;
  for (const Failure& failure : Failures()) tested.insert(failure.function);
  for (const Answer& answer : Answers()) tested.insert(answer.function);
  const std::set<std::string> declared = Declared();
  EXPECT_GT(declared.size(), 150);
  std::vector<std::string> forgotten;
  std::set_symmetric_difference(declared.begin(), declared.end(),
                                tested.begin(), tested.end(),
                                std::back_inserter(forgotten));
  EXPECT_THAT(forgotten, IsEmpty());
}

}  // namespace
}  // namespace indim
