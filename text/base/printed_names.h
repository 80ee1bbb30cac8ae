// SPDX-License-Identifier: Apache-2.0
// PrintedNames: the names that the text shows.

#ifndef INDIM_TEXT_BASE_PRINTED_NAMES_H_
#define INDIM_TEXT_BASE_PRINTED_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/final_names.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/byte_pool.h"
#include "indim/text/base/copy_text.h"

namespace indim {

// Names in a file may have any bytes; text can't spell all. XLA replaces them
// when it reads the file (NameUniquer::GetSanitizedName, in the constructors of
// HloModule and HloComputation and in SetAndSanitizeName), and refuses the file
// if two become equal. Here the later one gets ".1", ".2", ..., so that the
// text can be read back. Empty names stay empty, as in XLA, except in a
// recorded module: there an instruction without a name is called by its
// position in the module, from 1, and so is a computation.
class PrintedNames {
 public:
  // `data` must outlive this.
  explicit PrintedNames(const ModuleData& data);

  const std::string& module() const { return module_; }
  absl::string_view instruction(uint32_t position) const {
    return instructions_[position];
  }
  // Writes the name to `to`, which has room for it; returns its end.
  char* WriteInstruction(uint32_t position, char* to) const {
    return CopyText(instructions_[position], to);
  }
  absl::string_view computation(uint32_t index) const {
    return computations_[index];
  }
  // Whether an instruction or a computation has a name that text can't spell
  // without "%", such as "true".
  bool HasReservedWord() const;

 private:
  // Replaces characters that text can't spell.
  void Respell(std::vector<absl::string_view>* names);
  void Number(std::vector<absl::string_view>* names);

  const FinalNames names_;
  std::string module_;
  // Looked up once, because each user of an instruction prints its name.
  std::vector<absl::string_view> instructions_;
  std::vector<absl::string_view> computations_;
  BytePool respelled_;
};

}  // namespace indim

#endif  // INDIM_TEXT_BASE_PRINTED_NAMES_H_
