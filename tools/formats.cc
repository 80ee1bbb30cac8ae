#include "indim/tools/formats.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/file.h"
#include "indim/ir/proto_text.h"
#include "indim/ir/wrapped_module.h"

namespace indim {

absl::StatusOr<Format> FormatOf(absl::string_view path, absl::string_view flag,
                                absl::string_view flag_name) {
  if (flag == "pb") return Format::kPb;
  if (flag == "pbtxt") return Format::kPbtxt;
  if (!flag.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag_name, "=", flag, ": expected pb or pbtxt"));
  }
  if (absl::EndsWith(path, ".pb")) return Format::kPb;
  if (absl::EndsWith(path, ".pbtxt") || absl::EndsWith(path, ".textproto")) {
    return Format::kPbtxt;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path == "-" ? "- has no extension" : absl::StrCat("the name ", path),
      path == "-" ? "" : " doesn't tell the format",
      "; expected .pb, .pbtxt, or --", flag_name, "=pb|pbtxt"));
}

absl::StatusOr<WrappedModule> ReadModule(absl::string_view path,
                                         Format format) {
  absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  if (bytes->empty()) return absl::InvalidArgumentError("the file is empty");
  if (format == Format::kPbtxt) {
    absl::StatusOr<Module> module = ReadHloModuleText(*bytes);
    if (!module.ok()) return module.status();
    return WrappedModule{*std::move(module), {}};
  }
  auto owner = std::make_shared<const std::string>(*std::move(bytes));
  return ReadAnyModuleProto(*owner, owner);
}

absl::Status WriteModule(const Module& module, const ModuleWrapper& wrapper,
                         absl::string_view path, Format format) {
  const absl::StatusOr<std::string> bytes =
      format == Format::kPb ? SerializeWrapped(module, wrapper)
                            : WriteHloModuleText(module);
  if (!bytes.ok()) return bytes.status();
  return WriteFile(path, *bytes);
}

}  // namespace indim
