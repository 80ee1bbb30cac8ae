// SPDX-License-Identifier: Apache-2.0
// TextPositions: the positions and names of a module's instructions in the HLO
// text that it was read from.
//
// Printed text has one instruction per line, all with one indentation: such
// neighbours form one run, of 12 bytes.

#ifndef INDIM_IR_TEXT_POSITIONS_H_
#define INDIM_IR_TEXT_POSITIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace indim {

// Line and column (in bytes) count from 1; line 0: not known.
struct TextPlace {
  uint32_t line = 0;
  uint32_t column = 0;
};

class TextPositions {
 public:
  // `file` names the text.
  explicit TextPositions(std::string file = "") : file_(std::move(file)) {}

  const std::string& file() const { return file_; }

  uint32_t size() const { return size_; }
  // Line 0 for a position without a place.
  TextPlace at(uint32_t position) const;

  // Adds the place of instruction size().
  void Add(TextPlace place) {
    if (runs_.empty() || !Continues(runs_.back(), size_, place)) {
      runs_.push_back({size_, place});
    }
    ++size_;
  }
  // Adds all places of `other`, in their order.
  void Append(const TextPositions& other);
  void clear() {
    runs_.clear();
    names_.clear();
    size_ = 0;
  }

  // The instruction's name in the text, if the module gives it another one
  // because another computation has that name too; "": no other one.
  absl::string_view name(uint32_t position) const;
  void SetName(uint32_t position, absl::string_view name);

  // Instructions on consecutive lines, in one column; or all without a place.
  struct Run {
    uint32_t first;  // position
    TextPlace place;
  };
  const std::vector<Run>& runs() const { return runs_; }

 private:
  static bool Continues(const Run& run, uint32_t position, TextPlace place) {
    return place.column == run.place.column &&
           place.line == LineAt(run, position);
  }
  static uint32_t LineAt(const Run& run, uint32_t position) {
    return run.place.line == 0 ? 0 : run.place.line + (position - run.first);
  }

  std::string file_;
  std::vector<Run> runs_;  // by position
  absl::flat_hash_map<uint32_t, std::string> names_;
  uint32_t size_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_TEXT_POSITIONS_H_
