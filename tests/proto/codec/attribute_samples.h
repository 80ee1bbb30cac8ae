// SPDX-License-Identifier: Apache-2.0
// Attribute structs for tests: random ones, and whether two are equal.
#ifndef INDIM_TESTS_PROTO_CODEC_ATTRIBUTE_SAMPLES_H_
#define INDIM_TESTS_PROTO_CODEC_ATTRIBUTE_SAMPLES_H_

#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {

// The struct of `opcode` with random members, such that the wire can say them:
// no lists of unequal lengths, enums and counts in their ranges.
Attributes RandomAttributes(Opcode opcode, Random* random);

// The same struct with equal members. What isn't on the wire doesn't count.
bool SameAttributes(const Attributes& a, const Attributes& b);

}  // namespace indim

#endif  // INDIM_TESTS_PROTO_CODEC_ATTRIBUTE_SAMPLES_H_
