// SPDX-License-Identifier: Apache-2.0
// FrameTable: the stack frames of a module as XLA prints them: only those that
// instructions refer to, in the order of the instructions, each once. XLA makes
// such tables when it reads a module (HloModule::CanonicalizeStackFrameIds).

#ifndef INDIM_TEXT_BASE_FRAME_TABLE_H_
#define INDIM_TEXT_BASE_FRAME_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/intern_index.h"
#include "indim/text/base/text_buffer.h"

namespace indim {

class FrameTable {
 public:
  // Reads the module's StackFrameIndexProto. `data` must outlive this.
  explicit FrameTable(const ModuleData& data);

  // The number in the printed tables of a frame of the file (both from 1); the
  // first call adds it and its callers. 0: no frame, or one with invalid
  // references in the file's tables.
  int64_t Add(int64_t frame);

  // Adds all frames in the file's order: frames of tables that XLA printed keep
  // their numbers.
  void AddAll();

  // Appends the tables FileNames, FunctionNames, FileLocations, StackFrames,
  // each after an empty line; nothing if there are no frames.
  void AppendText(TextBuffer* out) const;
  // The tables as canonical StackFrameIndexProto bytes.
  std::string ToWire() const;

  // The place of a frame of the printed tables (from 1).
  struct Place {
    absl::string_view file;
    int64_t line = 0;
    int64_t column = 0;
  };
  Place PlaceOf(int64_t printed_frame) const;

 private:
  struct Location {
    int64_t file = 0;
    int64_t function = 0;
    int64_t line = 0;
    int64_t column = 0;
    int64_t end_line = 0;
    int64_t end_column = 0;
  };
  struct Frame {
    int64_t location = 0;
    int64_t parent = 0;
  };
  // Names and numbers refer to the lists from 1; the lists are 0-based.
  struct Tables {
    std::vector<absl::string_view> files;
    std::vector<absl::string_view> functions;
    std::vector<Location> locations;
    std::vector<Frame> frames;
  };

  // Fills read_ from canonical StackFrameIndexProto bytes.
  void Read(absl::string_view index);

  // Adds a frame with its caller `parent` in the printed tables; 0: the file's
  // tables lack an entry that it refers to.
  int64_t AddOne(const Frame& frame, int64_t parent);

  Tables read_;
  Tables printed_;
  std::vector<size_t> path_;               // scratch of Add
  std::vector<int64_t> printed_frame_;     // of each frame read, or a state
  std::vector<int64_t> printed_location_;  // of each location read; 0: not yet
  // Indices of printed_.
  InternIndex files_;
  InternIndex functions_;
  InternIndex locations_;
  InternIndex frames_;
};

}  // namespace indim

#endif  // INDIM_TEXT_BASE_FRAME_TABLE_H_
