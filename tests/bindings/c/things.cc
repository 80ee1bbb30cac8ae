// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/bindings/c/things.h"

namespace indim {
namespace {

void Record(indim_builder* builder, const indim_shape* shape, indim_value* x,
            indim_value* y) {
  EXPECT_NO_ERROR(indim_parameter(builder, 0, shape, "x", 1, 0, x));
  EXPECT_NO_ERROR(indim_add_binary(builder, indim_opcode_from_name("add", 3),
                                   *x, *x, INDIM_BROADCAST_XLA, 0, y));
  EXPECT_NO_ERROR(indim_set_name(builder, *y, "y", 1));
}

}  // namespace

Things::Things() {
  EXPECT_NO_ERROR(Parse("f32[2]", &shape));
  const int64_t sizes[] = {2};
  const float elements[] = {1, 2};
  EXPECT_NO_ERROR(indim_literal_array(indim_shape_element_type(shape), sizes, 1,
                                      elements, sizeof(elements), &literal));
  EXPECT_NO_ERROR(indim_builder_create("b", 1, nullptr, &builder));
  Record(builder, shape, &x, &y);
  indim_builder* other = nullptr;
  EXPECT_NO_ERROR(indim_builder_create("m", 1, nullptr, &other));
  indim_value a, b;
  Record(other, shape, &a, &b);
  EXPECT_NO_ERROR(indim_build(other, b, nullptr, &module, &diagnostics));
  indim_builder_release(other);
  EXPECT_NO_ERROR(indim_module_columns(module, &columns));
  EXPECT_NO_ERROR(indim_editor_create(module, &editor));
  EXPECT_NO_ERROR(indim_editor_insert_after(editor, 1, &insertion));
  EXPECT_NO_ERROR(indim_module_callee(module, &callee));
  const indim_shape* const operands[] = {shape, shape};
  EXPECT_NO_ERROR(indim_broadcast(nullptr, operands, 2, &plan));
}

Things::~Things() {
  indim_plan_release(plan);
  indim_callee_release(callee);
  indim_builder_release(insertion);
  indim_editor_release(editor);
  indim_columns_release(columns);
  indim_diagnostics_release(diagnostics);
  indim_module_release(module);
  indim_builder_release(builder);
  indim_literal_release(literal);
  indim_shape_release(shape);
}

}  // namespace indim
