// SPDX-License-Identifier: Apache-2.0
// Floating-point values as XLA prints them: with the fewest digits, if these
// are at most as many as every value of the type can keep; else with as many as
// any value may need.
//
//   1.5   1e-05   0.333333343   -0   inf   nan   -nan(0x41)

#ifndef INDIM_IR_STORAGE_FLOAT_TEXT_H_
#define INDIM_IR_STORAGE_FLOAT_TEXT_H_

#include <cstdint>
#include <string>

#include "indim/shape/types/element_type.h"

namespace indim {

// Appends the text of a code of type `type`, which is in the low bits; nothing
// where `type` is not a float. Shows an unusual payload of a NaN in formats
// with payloads (XLA: RoundTripFpToString).
void AppendFloatText(ElementType type, uint64_t code, std::string* out);

// Whether NaNs of this type carry a payload: in formats with signalling NaNs.
bool HasNanPayload(ElementType type);

}  // namespace indim

#endif  // INDIM_IR_STORAGE_FLOAT_TEXT_H_
