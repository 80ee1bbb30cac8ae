/* Records y = x * w + bias, writes it for XLA, and evaluates it: docs/c.md.
 *
 *   cc affine.c -I include -lindim_c */

#include <indim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program with an error's message. */
static void check(indim_error* error) {
  if (error == NULL) return;
  fprintf(stderr, "%s\n", indim_error_message(error, NULL));
  indim_error_release(error);
  exit(1);
}

static indim_value parameter(indim_builder* b, const char* name,
                             const char* type) {
  indim_shape* shape = NULL;
  indim_value value;
  check(indim_shape_parse(type, strlen(type), &shape));
  check(indim_parameter(b, -1, shape, name, strlen(name), 0, &value));
  indim_shape_release(shape);
  return value;
}

/* An operation with attributes in HLO's text. */
static indim_value add(indim_builder* b, const char* opcode, indim_value lhs,
                       indim_value rhs, const char* text) {
  const indim_value operands[] = {lhs, rhs};
  indim_attributes attributes = {.struct_size = sizeof(attributes)};
  indim_op op = {.struct_size = sizeof(op)};
  indim_value value;
  attributes.text = text;
  attributes.text_size = strlen(text);
  op.name = opcode;
  op.name_size = strlen(opcode);
  op.operands = operands;
  op.operand_count = 2;
  op.attributes = &attributes;
  check(indim_add(b, &op, &value));
  return value;
}

static indim_literal* literal(int64_t rows, int64_t columns,
                              const float* elements) {
  const int64_t sizes[] = {rows, columns};
  const size_t rank = rows == 0 ? 1 : 2;
  const size_t count = (size_t)((rows == 0 ? 1 : rows) * columns);
  indim_literal* made = NULL;
  check(indim_literal_array(indim_element_type_from_name("f32", 3),
                            rank == 1 ? sizes + 1 : sizes, rank, elements,
                            count * sizeof(float), &made));
  return made;
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "affine.pb";
  const float xs[] = {1, 2, 3, 4}, ws[] = {1, 0, 0, 1}, biases[] = {10, 20};
  indim_builder* b = NULL;
  indim_module* module = NULL;
  indim_diagnostics* found = NULL;
  indim_literal* arguments[3];
  indim_literal* result = NULL;
  indim_bytes* text = NULL;
  indim_write_options options = {.struct_size = sizeof(options)};
  indim_value x, w, bias, product, wrong;
  indim_error* error;
  int i;

  check(indim_builder_create("affine", 6, NULL, &b));
  x = parameter(b, "x", "f32[2,2]");
  w = parameter(b, "w", "f32[2,2]");
  bias = parameter(b, "bias", "f32[2]");
  product =
      add(b, "dot", x, w, "lhs_contracting_dims={1}, rhs_contracting_dims={0}");

  /* A wrong call is an error, and records nothing. */
  error = indim_add_binary(b, indim_opcode_from_name("add", 3), product, bias,
                           INDIM_BROADCAST_XLA, 0, &wrong);
  printf("%s\n", indim_error_message(error, NULL));
  indim_error_release(error);

  check(indim_build(b, add(b, "add", product, bias, "broadcast_dimensions={1}"),
                    NULL, &module, NULL));
  check(indim_module_check(module, NULL, &found));
  printf("%d errors\n", (int)indim_diagnostics_error_count(found));
  options.for_xla = 1;
  check(indim_module_write_file(module, path, strlen(path), &options));

  arguments[0] = literal(2, 2, xs);
  arguments[1] = literal(2, 2, ws);
  arguments[2] = literal(0, 2, biases);
  check(indim_evaluate(module, (const indim_literal* const*)arguments, 3, NULL,
                       &result));
  check(indim_literal_text(result, 0, &text));
  printf("%s\n", indim_bytes_data(text, NULL));

  indim_bytes_release(text);
  indim_literal_release(result);
  for (i = 0; i < 3; ++i) indim_literal_release(arguments[i]);
  indim_diagnostics_release(found);
  indim_module_release(module);
  indim_builder_release(b);
  return 0;
}
