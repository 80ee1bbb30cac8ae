// SPDX-License-Identifier: Apache-2.0
// Bytes of an HloModuleProto, and of the messages that wrap one: libprotobuf
// accepts and refuses the same, and what is accepted is written again as it
// would write it.

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/wrapped_module.h"
#include "indim/proto/wire/canonical.h"
#include "indim/tests/fuzz/fuzz_target.h"
#include "indim/tests/fuzz/module_checks.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {
namespace {

constexpr WireMessage kModule = WireMessage::kHloModuleProto;

// The layer below: which bytes are valid, and which form they have.
std::string CheckCanonical(absl::string_view bytes,
                           const std::optional<std::string>& judged) {
  const absl::StatusOr<std::string> canonical = Canonicalize(kModule, bytes);
  if (canonical.ok() != judged.has_value()) {
    return absl::StrCat("libprotobuf ", judged ? "accepts" : "refuses", ": ",
                        canonical.status().ToString());
  }
  if (judged && *canonical != *judged) return "libprotobuf's bytes differ";
  if (judged && IsCanonical(kModule, bytes) != (*judged == bytes)) {
    return "IsCanonical is wrong";
  }
  return "";
}

// Values in another file, which wasn't opened, or are more than a module holds.
bool IsElsewhere(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) ||
         absl::IsResourceExhausted(status);
}

std::string CheckWrapped(absl::string_view bytes) {
  const absl::StatusOr<WrappedModule> any = ReadAnyModuleProto(bytes);
  if (!any.ok()) return "";
  const absl::StatusOr<std::string> written =
      SerializeWrapped(any->module, any->wrapper);
  if (!written.ok()) {
    return IsElsewhere(written.status())
               ? ""
               : absl::StrCat("a wrapped module: ", written.status().message());
  }
  const absl::StatusOr<WrappedModule> back = ReadAnyModuleProto(*written);
  if (!back.ok()) {
    return absl::StrCat("a wrapped module can't be read again: ",
                        back.status().message());
  }
  if (*SerializeWrapped(back->module, back->wrapper) != *written) {
    return "a wrapped module comes back different";
  }
  return "";
}

}  // namespace

std::string CheckWireImport(absl::string_view bytes) {
  const std::optional<std::string> judged = Judge(kModule, bytes);
  std::string complaint = CheckCanonical(bytes, judged);
  if (complaint.empty()) complaint = CheckWrapped(bytes);
  if (!complaint.empty()) return complaint;
  const absl::StatusOr<Module> module = ReadHloModuleProto(bytes);
  if (!module.ok()) {
    return module.status().code() == absl::StatusCode::kInternal
               ? module.status().ToString()
               : "";
  }
  if (!judged) return "libprotobuf refuses what was read";
  const absl::StatusOr<std::string> written = SerializeModule(*module);
  if (IsElsewhere(written.status())) return "";
  if (!written.ok()) return written.status().ToString();
  if (*written != *judged) return "what was read is written differently";
  return CheckModule(*module, false);
}

}  // namespace indim
