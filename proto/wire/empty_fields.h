// SPDX-License-Identifier: Apache-2.0
// Fields that mean the same whether they are empty or absent.

#ifndef INDIM_PROTO_WIRE_EMPTY_FIELDS_H_
#define INDIM_PROTO_WIRE_EMPTY_FIELDS_H_

#include <cstdint>

#include "indim/proto/wire/field_numbers.h"

namespace indim {

// XLA writes these of an instruction also when they are empty. They say nothing
// then, and no text has a place for them.
inline constexpr uint32_t kNothingWhenEmpty[] = {
    field::HloInstructionProto::kFrontendAttributes,
    field::HloInstructionProto::kStatisticsViz};

}  // namespace indim

#endif  // INDIM_PROTO_WIRE_EMPTY_FIELDS_H_
