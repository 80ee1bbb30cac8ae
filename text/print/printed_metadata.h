// Metadata as printed: as AppendMetadata says, with the frames numbered as in
// the printed tables (frame_table.h) and payloads in place.

#ifndef INDIM_TEXT_PRINT_PRINTED_METADATA_H_
#define INDIM_TEXT_PRINT_PRINTED_METADATA_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/ids.h"
#include "indim/ir/module_data.h"
#include "indim/text/base/print_options.h"
#include "indim/text/base/text_buffer.h"
#include "indim/text/print/frame_table.h"
#include "indim/text/print/print_order.h"

namespace indim {

class PrintedMetadata {
 public:
  // `data` and `options` must outlive this. When options.metadata is off
  // everything is empty.
  // `ids` is only used here.
  PrintedMetadata(const ModuleData& data, const PrintOptions& options,
                  const IdOrder& ids);

  // Appends the tables of files, functions, locations and frames.
  void AppendTables(TextBuffer* out) const { frames_.AppendText(out); }

  // Appends "{op_name=...}" behind `prefix`; false: nothing, since nothing is
  // shown.
  bool AppendText(absl::string_view prefix, MetadataId id,
                  TextBuffer* out) const;

 private:
  // Numbers the frames in the order in which XLA comes by them.
  void NumberFrames(const IdOrder& ids);
  int64_t NumberFrame(MetadataId id);
  // The metadata with what the options or its payload put in place of what is
  // stored.
  std::string Replaced(absl::string_view wire, int64_t frame) const;

  const ModuleData& data_;
  const PrintOptions& options_;
  FrameTable frames_;
  std::vector<absl::string_view> payloads_;
  // By metadata id: the printed frame; ~frame where more than that is printed
  // otherwise than as it is stored.
  static constexpr int64_t kNotSeen = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> frame_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_PRINTED_METADATA_H_
