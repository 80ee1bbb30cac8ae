// The stack frames of a module as XLA prints them: only those that instructions
// name, in the order in which they do, each once. XLA makes its tables so when
// it reads a module (HloModule::CanonicalizeStackFrameIds).

#ifndef INDIM_TEXT_PRINT_FRAME_TABLE_H_
#define INDIM_TEXT_PRINT_FRAME_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/module_data.h"
#include "indim/storage/intern_index.h"
#include "indim/text/base/text_buffer.h"

namespace indim {

class FrameTable {
 public:
  // Reads the module's StackFrameIndexProto. `data` must outlive this.
  explicit FrameTable(const ModuleData& data);

  // A frame of the file (from 1) in the printed tables; the first call adds it
  // and its callers. 0: none, or one that the file's tables don't explain.
  int64_t Add(int64_t frame);

  // Adds all frames as the file has them: those of tables that XLA printed keep
  // their numbers.
  void AddAll();

  // Appends the tables FileNames, FunctionNames, FileLocations, StackFrames,
  // with an empty line before each; nothing when no frame was added.
  void AppendText(TextBuffer* out) const;
  // They as canonical StackFrameIndexProto bytes.
  std::string ToWire() const;

  // Where a frame of the printed tables (from 1) is.
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
  // Names and numbers from 1; lists are 0-based.
  struct Tables {
    std::vector<absl::string_view> files;
    std::vector<absl::string_view> functions;
    std::vector<Location> locations;
    std::vector<Frame> frames;
  };

  // Fills read_ from canonical StackFrameIndexProto bytes.
  void Read(absl::string_view index);

  // The frame with its caller `parent` in the printed tables; 0 where the
  // file's tables don't have what it names.
  int64_t AddOne(const Frame& frame, int64_t parent);

  Tables read_;
  Tables printed_;
  std::vector<size_t> path_;               // Add's
  std::vector<int64_t> printed_frame_;     // of each frame read, or a state
  std::vector<int64_t> printed_location_;  // of each location read; 0: not yet
  // Of printed_.
  InternIndex files_;
  InternIndex functions_;
  InternIndex locations_;
  InternIndex frames_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_FRAME_TABLE_H_
