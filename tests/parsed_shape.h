// SPDX-License-Identifier: Apache-2.0
// Shapes as text, for tables of tests.

#ifndef INDIM_TESTS_PARSED_SHAPE_H_
#define INDIM_TESTS_PARSED_SHAPE_H_

#include <gtest/gtest.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/types/shape.h"

namespace indim {

// The shape that `text` spells; a failure of the test if it spells none.
inline Shape S(absl::string_view text) {
  absl::StatusOr<Shape> shape = ParseShape(text);
  EXPECT_TRUE(shape.ok()) << text << ": " << shape.status();
  return shape.ok() ? *shape : Shape();
}

}  // namespace indim

#endif  // INDIM_TESTS_PARSED_SHAPE_H_
