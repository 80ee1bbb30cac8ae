#include "indim/shape/diagnostics/error_with_code.h"

#include "absl/strings/str_cat.h"

namespace indim {

absl::Status ErrorWithCode(absl::StatusCode kind, Code code,
                           absl::string_view message) {
  return absl::Status(kind, absl::StrCat(message, "  [", CodeText(code), "]"));
}

}  // namespace indim
