// SPDX-License-Identifier: Apache-2.0
// The files that hold values of a module's literals outside the module, by the
// names that the literals give.

#ifndef INDIM_IR_STORAGE_EXTERNAL_FILES_H_
#define INDIM_IR_STORAGE_EXTERNAL_FILES_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/ir/storage/file.h"

namespace indim {

class ExternalFiles {
 public:
  void Add(absl::string_view name,
           std::shared_ptr<const RandomAccessFile> file);
  // The file opened under `name`; null: there is none.
  std::shared_ptr<const RandomAccessFile> Find(absl::string_view name) const;

 private:
  std::map<std::string, std::shared_ptr<const RandomAccessFile>, std::less<>>
      files_;
};

}  // namespace indim

#endif  // INDIM_IR_STORAGE_EXTERNAL_FILES_H_
