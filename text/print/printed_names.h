// The names that text shows.

#ifndef INDIM_TEXT_PRINT_PRINTED_NAMES_H_
#define INDIM_TEXT_PRINT_PRINTED_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/final_names.h"
#include "indim/ir/module_data.h"
#include "indim/text/base/copy_text.h"

namespace indim {

// A file may name things by any bytes; text can't. XLA makes a name that text
// can spell of each when it reads the file (NameUniquer::GetSanitizedName, in
// the constructors of HloModule and HloComputation and in SetAndSanitizeName),
// and refuses the file where that makes two equal. Here the later one then gets
// ".1", ".2", ... so that what is printed reads back. Empty names stay empty,
// as in XLA, but in a recorded module: there an instruction without a name is
// called by its position in the module, from 1, and a computation likewise.
class PrintedNames {
 public:
  // `data` must outlive this.
  explicit PrintedNames(const ModuleData& data);

  const std::string& module() const { return module_; }
  absl::string_view instruction(uint32_t position) const {
    return instructions_[position];
  }
  // Writes it to `to`, where CopyBlocks may; returns the end of it.
  char* WriteInstruction(uint32_t position, char* to) const {
    const absl::string_view name = instructions_[position];
    const size_t place = reinterpret_cast<uintptr_t>(name.data()) -
                         reinterpret_cast<uintptr_t>(source_.data());
    // All but the last names in a file have more of it behind them.
    const bool in_source = place < source_.size() &&
                           source_.size() - place > name.size() + kCopyBlock;
    return in_source ? CopyBlocks(name.data(), name.size(), to)
                     : CopyText(name, to);
  }
  absl::string_view computation(uint32_t index) const {
    return computations_[index];
  }
  // The size of the longest name of an instruction.
  size_t longest() const { return longest_; }

 private:
  // Replaces what text can't spell.
  void Respell(std::vector<absl::string_view>* names);
  void Number(std::vector<absl::string_view>* names);

  const FinalNames names_;
  const absl::string_view source_;  // where most names stand; empty: nowhere
  std::string module_;
  // Looked up once: a name is printed by each of its users.
  std::vector<absl::string_view> instructions_;
  std::vector<absl::string_view> computations_;
  std::deque<std::string> respelled_;
  size_t longest_ = 0;
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_PRINTED_NAMES_H_
