// SPDX-License-Identifier: Apache-2.0
// PrintedMetadata: prints metadata as AppendMetadata does, with frames numbered
// as in the printed tables (frame_table.h) and payloads inserted. Each is
// formatted once.

#ifndef INDIM_TEXT_PRINT_PRINTED_METADATA_H_
#define INDIM_TEXT_PRINT_PRINTED_METADATA_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/ids.h"
#include "indim/ir/module_data.h"
#include "indim/text/base/frame_table.h"
#include "indim/text/base/print_options.h"
#include "indim/text/base/text_buffer.h"
#include "indim/text/print/print_order.h"

namespace indim {

class PrintedMetadata {
 public:
  // `data` and `options` must outlive this; `ids` needn't. Without
  // options.metadata everything is empty.
  PrintedMetadata(const ModuleData& data, const PrintOptions& options,
                  const IdOrder& ids);

  // Appends the tables of files, functions, locations and frames.
  void AppendTables(TextBuffer* out) const { frames_.AppendText(out); }

  // Appends ", metadata={op_name=...}"; nothing if there is nothing to show.
  void Append(MetadataId id, TextBuffer* out) {
    if (!options_.metadata || !id) return;
    out->AppendOnce(&pieces_[id.value], [&] { Format(id, out); });
  }
  // Drops what was formatted: the buffer loses it.
  void Forget();

 private:
  // Numbers the frames in the order in which XLA meets them.
  void NumberFrames(const IdOrder& ids);
  int64_t NumberFrame(MetadataId id);
  void Format(MetadataId id, TextBuffer* out) const;
  // False: there is nothing to show, and nothing was appended.
  bool AppendText(MetadataId id, TextBuffer* out) const;
  // The metadata with the parts replaced that the options or its payload
  // change.
  std::string Replaced(absl::string_view wire, int64_t frame) const;

  const ModuleData& data_;
  const PrintOptions& options_;
  FrameTable frames_;
  std::vector<absl::string_view> payloads_;
  // By metadata id: the printed frame; ~frame if printing changes more than
  // that.
  static constexpr int64_t kNotSeen = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> frame_;
  std::vector<TextBuffer::Piece> pieces_;  // by metadata id
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_PRINTED_METADATA_H_
