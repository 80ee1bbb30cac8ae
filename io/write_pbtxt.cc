// SPDX-License-Identifier: Apache-2.0
#include "indim/io/write_pbtxt.h"

#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/proto_text.h"

namespace indim {

absl::StatusOr<std::string> WritePbtxt(const Module& module,
                                       const PbtxtOptions& options) {
  const absl::StatusOr<Module> formed =
      InForm(module, options.form, options.verify);
  if (!formed.ok()) return formed.status();
  return WriteWrappedText(*formed, options.wrapper);
}

absl::Status WritePbtxtFile(const Module& module, absl::string_view path,
                            const PbtxtOptions& options) {
  const absl::StatusOr<std::string> text = WritePbtxt(module, options);
  return text.ok() ? WriteFile(path, *text) : text.status();
}

}  // namespace indim
