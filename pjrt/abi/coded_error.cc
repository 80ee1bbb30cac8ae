#include "indim/pjrt/abi/coded_error.h"

#include "absl/strings/str_cat.h"

namespace indim {
namespace pjrt {

absl::Status CodedError(absl::StatusCode kind, Code code,
                        absl::string_view message) {
  return absl::Status(kind, absl::StrCat(message, "  [", CodeText(code), "]"));
}

}  // namespace pjrt
}  // namespace indim
