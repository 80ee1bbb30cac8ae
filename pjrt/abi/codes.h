// The code behind an error's message, as everywhere: "...  [IND1104]".

#ifndef INDIM_PJRT_ABI_CODES_H_
#define INDIM_PJRT_ABI_CODES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim {
namespace pjrt {

inline constexpr Code kPjrtNoPlugin = static_cast<Code>(1100);
inline constexpr Code kPjrtApi = static_cast<Code>(1101);
inline constexpr Code kPjrtPlugin = static_cast<Code>(1102);
inline constexpr Code kPjrtOption = static_cast<Code>(1103);
inline constexpr Code kPjrtArgument = static_cast<Code>(1104);
inline constexpr Code kPjrtBorder = static_cast<Code>(1105);
inline constexpr Code kPjrtPreflight = static_cast<Code>(1106);
inline constexpr Code kPjrtEnded = static_cast<Code>(1107);
inline constexpr Code kPjrtDevices = static_cast<Code>(1108);
inline constexpr Code kPjrtSaved = static_cast<Code>(1109);
inline constexpr Code kPjrtBuffer = static_cast<Code>(1110);

// `message` with the code behind it, as an error of kind `kind`.
absl::Status CodedError(absl::StatusCode kind, Code code,
                        absl::string_view message);

}  // namespace pjrt
}  // namespace indim

#endif  // INDIM_PJRT_ABI_CODES_H_
