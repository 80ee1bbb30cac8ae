// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/bindings/c/answers.h"

#include <indim.h>

#include <vector>

namespace indim {
namespace {

#define ANSWERS(function, condition)    \
  Answer {                              \
#function, [] { return condition; } \
  }
// Of a function that releases: null is nothing to release.
#define RELEASES(function) \
  Answer {                 \
#function, [] {          \
      function(nullptr);     \
      return true;           \
    } \
  }

bool IsNothing(const char* text) { return *text == '\0'; }

}  // namespace

const std::vector<Answer>& Answers() {
  static const auto* const kAnswers = new std::vector<Answer>{
      ANSWERS(indim_version, !IsNothing(indim_version(nullptr))),
      RELEASES(indim_error_release),
      ANSWERS(indim_error_status, indim_error_status(nullptr) == INDIM_OK),
      ANSWERS(indim_error_message,
              IsNothing(indim_error_message(nullptr, nullptr))),
      ANSWERS(indim_error_diagnostics,
              indim_diagnostics_count(indim_error_diagnostics(nullptr)) == 0),
      RELEASES(indim_diagnostics_release),
      ANSWERS(indim_diagnostics_count, indim_diagnostics_count(nullptr) == 0),
      ANSWERS(indim_diagnostics_error_count,
              indim_diagnostics_error_count(nullptr) == 0),
      ANSWERS(indim_set_language, (indim_set_language(7), true)),
      RELEASES(indim_bytes_release),
      ANSWERS(indim_bytes_data, IsNothing(indim_bytes_data(nullptr, nullptr))),
      ANSWERS(indim_element_type_from_name,
              indim_element_type_from_name("f33", 3) == 0),
      ANSWERS(indim_element_type_name,
              IsNothing(indim_element_type_name(-1, nullptr))),
      ANSWERS(indim_element_type_bytes, indim_element_type_bytes(13) == 0),
      ANSWERS(indim_opcode_from_name, indim_opcode_from_name("ad", 2) == 0),
      ANSWERS(indim_opcode_name, IsNothing(indim_opcode_name(1000, nullptr))),
      RELEASES(indim_shape_release),
      ANSWERS(indim_shape_kind_of,
              indim_shape_kind_of(nullptr) == INDIM_SHAPE_NONE),
      ANSWERS(indim_shape_element_type, indim_shape_element_type(nullptr) == 0),
      ANSWERS(indim_shape_rank, indim_shape_rank(nullptr) == -1),
      ANSWERS(indim_shape_dims,
              indim_shape_dims(nullptr, nullptr, nullptr, 0) == -1),
      ANSWERS(indim_shape_minor_to_major,
              indim_shape_minor_to_major(nullptr, nullptr, 0) == -1),
      ANSWERS(indim_shape_element_count,
              indim_shape_element_count(nullptr) == 0),
      ANSWERS(indim_shape_text, IsNothing(indim_shape_text(nullptr, nullptr))),
      ANSWERS(indim_shape_equal, indim_shape_equal(nullptr, nullptr) == 0),
      RELEASES(indim_plan_release),
      ANSWERS(indim_plan_dims,
              indim_plan_dims(nullptr, nullptr, nullptr, 0) == -1),
      ANSWERS(indim_plan_places,
              indim_plan_places(nullptr, 0, nullptr, 0) == -1),
      ANSWERS(indim_plan_condition_count,
              indim_plan_condition_count(nullptr) == 0),
      ANSWERS(indim_plan_condition,
              IsNothing(indim_plan_condition(nullptr, 0, nullptr))),
      RELEASES(indim_builder_release),
      ANSWERS(indim_next_value, indim_next_value(nullptr) == INDIM_NO_VALUE),
      RELEASES(indim_callee_release),
      RELEASES(indim_region_release),
      ANSWERS(indim_value_opcode, indim_value_opcode(nullptr, 0) == 0),
      ANSWERS(indim_value_dims,
              indim_value_dims(nullptr, 0, nullptr, nullptr, nullptr, 0) == -1),
      RELEASES(indim_module_release),
      ANSWERS(indim_module_name,
              IsNothing(indim_module_name(nullptr, nullptr))),
      ANSWERS(indim_module_instruction_count,
              indim_module_instruction_count(nullptr) == 0),
      ANSWERS(indim_module_computation_count,
              indim_module_computation_count(nullptr) == 0),
      ANSWERS(indim_module_is_recorded, indim_module_is_recorded(nullptr) == 0),
      RELEASES(indim_columns_release),
      ANSWERS(indim_columns_shape_text,
              IsNothing(indim_columns_shape_text(nullptr, 0, nullptr))),
      ANSWERS(indim_command, indim_command(nullptr, 1) == 2),
      RELEASES(indim_editor_release),
      ANSWERS(indim_editor_exists, indim_editor_exists(nullptr, 0) == 0),
      RELEASES(indim_literal_release),
      ANSWERS(indim_literal_element_count,
              indim_literal_element_count(nullptr) == 0),
      ANSWERS(indim_literal_equal, indim_literal_equal(nullptr, nullptr) == 0),
      RELEASES(indim_client_release),
      ANSWERS(indim_client_platform,
              IsNothing(indim_client_platform(nullptr, nullptr))),
      ANSWERS(indim_client_device_count,
              indim_client_device_count(nullptr) == 0),
      RELEASES(indim_executable_release),
      ANSWERS(indim_executable_input_count,
              indim_executable_input_count(nullptr) == 0),
      ANSWERS(indim_executable_output_count,
              indim_executable_output_count(nullptr) == 0),
      RELEASES(indim_buffer_release),
  };
  return *kAnswers;
}

}  // namespace indim
