// TextPositions: where the instructions of a module stand in the HLO text that
// it was read from, and what it calls them.
//
// What is printed has an instruction a line, all indented alike: such
// neighbours are one run, of 12 bytes.

#ifndef INDIM_IR_TEXT_POSITIONS_H_
#define INDIM_IR_TEXT_POSITIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace indim {

// Both from 1, a column counts bytes; line 0: not known.
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
  // Line 0 for a position that none was added for.
  TextPlace at(uint32_t position) const;

  // The place of instruction size().
  void Add(TextPlace place) {
    if (runs_.empty() || !Continues(runs_.back(), size_, place)) {
      runs_.push_back({size_, place});
    }
    ++size_;
  }
  // All of `other`, in their order.
  void Append(const TextPositions& other);
  void clear() {
    runs_.clear();
    names_.clear();
    size_ = 0;
  }

  // What the text calls an instruction to which the module gives another name,
  // because one of another computation has it too; "": what the module does.
  absl::string_view name(uint32_t position) const;
  void SetName(uint32_t position, absl::string_view name);

  // Instructions on lines that follow each other, in the same column; or all
  // without a place.
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
