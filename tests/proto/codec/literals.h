// SPDX-License-Identifier: Apache-2.0
// Literals to test with.

#ifndef INDIM_TESTS_PROTO_CODEC_LITERALS_H_
#define INDIM_TESTS_PROTO_CODEC_LITERALS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/proto/codec/literal.h"

namespace indim {

// An array of numbers; a failure of the test if the type can't hold them.
inline Literal Doubles(ElementType type, const std::vector<double>& values,
                       const std::vector<int64_t>& sizes) {
  absl::StatusOr<Literal> literal = Literal::FromDoubles(type, values, sizes);
  EXPECT_TRUE(literal.ok()) << literal.status();
  return literal.ok() ? *literal : Literal();
}

}  // namespace indim

#endif  // INDIM_TESTS_PROTO_CODEC_LITERALS_H_
