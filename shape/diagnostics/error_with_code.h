// The code behind an error's message, as everywhere: "...  [IND1104]".

#ifndef INDIM_SHAPE_DIAGNOSTICS_ERROR_WITH_CODE_H_
#define INDIM_SHAPE_DIAGNOSTICS_ERROR_WITH_CODE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim {

// `message` with the code behind it, as an error of kind `kind`.
absl::Status ErrorWithCode(absl::StatusCode kind, Code code,
                           absl::string_view message);

}  // namespace indim

#endif  // INDIM_SHAPE_DIAGNOSTICS_ERROR_WITH_CODE_H_
