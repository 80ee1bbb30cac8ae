// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/edit_result.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace indim {
namespace {

bool IsError(const EditDiagnostic& d) {
  return d.diagnostic.severity() == Severity::kError;
}

}  // namespace

bool EditResult::ok() const {
  return std::none_of(diagnostics.begin(), diagnostics.end(), IsError);
}

absl::Status EditResult::status() const {
  return internal::StatusOf(diagnostics);
}

std::string EditResult::text() const {
  std::string text;
  for (const EditDiagnostic& d : diagnostics) text += d.text;
  return text;
}

namespace internal {

absl::Status StatusOf(const std::vector<EditDiagnostic>& diagnostics) {
  const auto first =
      std::find_if(diagnostics.begin(), diagnostics.end(), IsError);
  if (first == diagnostics.end()) return absl::OkStatus();
  std::string message = first->text;
  if (!message.empty() && message.back() == '\n') message.pop_back();
  const auto more =
      std::count_if(diagnostics.begin(), diagnostics.end(), IsError) - 1;
  if (more > 0) absl::StrAppend(&message, "\n(and ", more, " more)");
  return ErrorOf(absl::StatusCode::kInvalidArgument, *first, message);
}

}  // namespace internal
}  // namespace indim
