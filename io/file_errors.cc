#include "indim/io/file_errors.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/text/base/text_errors.h"

namespace indim {

absl::Status WithFileName(absl::string_view path, const absl::Status& status) {
  const absl::string_view message = status.message();
  if (status.ok()) return status;
  if (path == "-") {
    return absl::StrContains(message, "standard input") ||
                   absl::StrContains(message, "standard output")
               ? status
               : WithMessage(status, absl::StrCat("standard input: ", message));
  }
  for (absl::string_view before :
       {"", "can't open ", "can't read ", "can't write ", "the name "}) {
    if (absl::StartsWith(message, absl::StrCat(before, path)) &&
        absl::string_view(": ").find(message.substr(
            before.size() + path.size(), 1)) != absl::string_view::npos) {
      return status;
    }
  }
  return WithMessage(status, absl::StrCat(path, ": ", message));
}

}  // namespace indim
