// Floating-point values as XLA prints them: as few digits as are needed where
// those that are always exact are enough, else as many as may be needed.
//
//   1.5   1e-05   0.333333343   -0   inf   nan   -nan(0x41)

#ifndef INDIM_STORAGE_FLOAT_TEXT_H_
#define INDIM_STORAGE_FLOAT_TEXT_H_

#include <cstdint>
#include <string>

#include "indim/shape/types/element_type.h"

namespace indim {

// Appends the text of a code of the float type `type`, in its low bits; nothing
// of any other type. A NaN's payload is shown when it isn't the usual one, in
// formats that have payloads (XLA: RoundTripFpToString).
void AppendFloatText(ElementType type, uint64_t code, std::string* out);

// The same of values.
void AppendFloatText(float value, std::string* out);
void AppendFloatText(double value, std::string* out);

// NaNs of this type carry a payload: the formats that have signalling NaNs.
bool HasNanPayload(ElementType type);

}  // namespace indim

#endif  // INDIM_STORAGE_FLOAT_TEXT_H_
