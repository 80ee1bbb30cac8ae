// The code behind an error's message, as everywhere: "...  [IND1104]".

#ifndef INDIM_PJRT_ABI_CODED_ERROR_H_
#define INDIM_PJRT_ABI_CODED_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim {
namespace pjrt {

// `message` with the code behind it, as an error of kind `kind`.
absl::Status CodedError(absl::StatusCode kind, Code code,
                        absl::string_view message);

}  // namespace pjrt
}  // namespace indim

#endif  // INDIM_PJRT_ABI_CODED_ERROR_H_
