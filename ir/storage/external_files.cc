// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/external_files.h"

#include <utility>

namespace indim {

void ExternalFiles::Add(absl::string_view name,
                        std::shared_ptr<const RandomAccessFile> file) {
  files_[std::string(name)] = std::move(file);
}

std::shared_ptr<const RandomAccessFile> ExternalFiles::Find(
    absl::string_view name) const {
  const auto found = files_.find(name);
  return found == files_.end() ? nullptr : found->second;
}

}  // namespace indim
