// SPDX-License-Identifier: Apache-2.0
/* A module on a PJRT plugin through the C interface: c_interface PLUGIN. Ends
 * with 0 if all is as it should be. */

#include <indim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char* what) {
  fprintf(stderr, "FAILED: %s\n", what);
  exit(1);
}

static void check(indim_error* error) {
  if (error == NULL) return;
  fprintf(stderr, "%s\n", indim_error_message(error, NULL));
  exit(1);
}

static const char kModule[] =
    "ENTRY e {\n  x = f32[3] parameter(0)\n  y = f32[3] parameter(1)\n"
    "  s = f32[3] add(x, y)\n  p = f32[3] multiply(x, y)\n"
    "  ROOT r = (f32[3], f32[3]) tuple(s, p)\n}\n";

static void expect(const indim_literal* literal, const char* text) {
  indim_bytes* printed = NULL;
  check(indim_literal_text(literal, 0, &printed));
  if (strcmp(indim_bytes_data(printed, NULL), text) != 0) {
    fail(indim_bytes_data(printed, NULL));
  }
  indim_bytes_release(printed);
}

static void expect_buffer(const indim_buffer* buffer, const char* text) {
  indim_literal* literal = NULL;
  check(indim_buffer_to_literal(buffer, &literal));
  expect(literal, text);
  indim_literal_release(literal);
}

int main(int argc, char** argv) {
  const float xs[] = {1, 2, 3}, ys[] = {10, 20, 30};
  const int64_t sizes[] = {3};
  const int32_t f32 = indim_element_type_from_name("f32", 3);
  indim_client* client = NULL;
  indim_module* module = NULL;
  indim_executable* executable = NULL;
  indim_literal *arguments[2], *result = NULL, *element = NULL;
  indim_buffer *inputs[2], *outputs[2], *again = NULL;
  indim_dlpack* tensor = NULL;
  size_t count = 0;
  int i;
  if (argc != 2) fail("usage: c_interface PLUGIN");
  check(indim_client_create(argv[1], strlen(argv[1]), NULL, 0, &client));
  if (strcmp(indim_client_platform(client, NULL), "cpu") != 0) fail("platform");
  check(indim_module_read(kModule, strlen(kModule), NULL, &module));
  check(indim_compile(client, module, NULL, &executable));
  check(indim_literal_array(f32, sizes, 1, xs, sizeof(xs), &arguments[0]));
  check(indim_literal_array(f32, sizes, 1, ys, sizeof(ys), &arguments[1]));

  check(indim_run(executable, (const indim_literal* const*)arguments, 2,
                  &result));
  check(indim_literal_element(result, 0, &element));
  expect(element, "{11, 22, 33}");
  indim_literal_release(element);
  indim_literal_release(result);

  /* From buffers to buffers, which stay on the device. */
  for (i = 0; i < 2; ++i) {
    check(indim_buffer_from_literal(client, arguments[i], 0, &inputs[i]));
  }
  if (indim_executable_input_count(executable) != 2 ||
      indim_executable_output_count(executable) != 2) {
    fail("counts");
  }
  if (indim_execute(executable, (const indim_buffer* const*)inputs, 2, outputs,
                    1, &count) == NULL) {
    fail("room for one of two outputs is enough");
  }
  check(indim_execute(executable, (const indim_buffer* const*)inputs, 2,
                      outputs, 2, &count));
  if (count != 2) fail("the number of outputs");
  expect_buffer(outputs[0], "{11, 22, 33}");
  expect_buffer(outputs[1], "{10, 40, 90}");

  /* Out and in again through DLPack. */
  check(indim_buffer_to_dlpack(outputs[1], &tensor));
  indim_buffer_release(outputs[1]);
  if (tensor->tensor.rank != 1 || tensor->tensor.sizes[0] != 3) fail("tensor");
  check(indim_buffer_from_dlpack(client, tensor, &again));
  expect_buffer(again, "{10, 40, 90}");

  /* What is released first doesn't matter. */
  indim_client_release(client);
  check(indim_run(executable, (const indim_literal* const*)arguments, 2,
                  &result));
  indim_literal_release(result);
  indim_buffer_release(again);
  indim_buffer_release(outputs[0]);
  for (i = 0; i < 2; ++i) {
    indim_buffer_release(inputs[i]);
    indim_literal_release(arguments[i]);
  }
  indim_executable_release(executable);
  indim_module_release(module);
  return 0;
}
