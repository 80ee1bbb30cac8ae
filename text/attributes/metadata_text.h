// OpMetadata in HLO text: where an instruction comes from.
//
//   {op_name="jit(f)/add" source_file="f.py" source_line=3 stack_frame_id=1}
//
// A header of its own: attributes hold shardings, shardings hold metadata.

#ifndef INDIM_TEXT_ATTRIBUTES_METADATA_TEXT_H_
#define INDIM_TEXT_ATTRIBUTES_METADATA_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/text_buffer.h"

namespace indim {

// Reads one `{...}`, whose "{" is the present token, to canonical OpMetadata
// bytes (none for `{}`). Members stand in any order, with or without commas
// between them. False after an error: an unknown member (with the nearest
// name), one given twice, a value of another kind or out of range, text that
// isn't UTF-8.
bool ReadMetadata(Lexer* lexer, std::string* wire);

// The same where `text` begins with metadata as most of it is printed: quicker.
// Returns how long that is; 0, and nothing else, where it isn't so, which
// ReadMetadata then tells more of.
size_t ReadPrintedMetadata(absl::string_view text, std::string* wire);

// Appends `prefix` and "{op_name=\"x\" source_line=3}" of canonical OpMetadata
// bytes, in XLA's order, to `out`. False, and nothing is appended, where XLA's
// printer shows no metadata: it has neither op_type, op_name, source_file,
// scheduling_name, stack_frame_id nor a payload. `frame`: what stands for the
// stack_frame_id where it has one; 0: as if it had none. `only_op_name`:
// nothing else inside the braces.
bool AppendMetadata(absl::string_view prefix, absl::string_view wire,
                    int64_t frame, bool only_op_name, TextBuffer* out);

// The same without braces and without that condition: what a sharding's
// metadata prints.
std::string MetadataMembersText(absl::string_view wire);

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_METADATA_TEXT_H_
