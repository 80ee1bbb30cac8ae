// SPDX-License-Identifier: Apache-2.0
// Reads and prints OpMetadata in HLO text: the source of an instruction.
//
//   {op_name="jit(f)/add" source_file="f.py" source_line=3 stack_frame_id=1}
//
// It is a separate header, because attributes contain shardings, and shardings
// contain metadata.

#ifndef INDIM_TEXT_BASE_METADATA_TEXT_H_
#define INDIM_TEXT_BASE_METADATA_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/text_buffer.h"

namespace indim {

// Reads one `{...}`, whose "{" is the current token, to canonical OpMetadata
// bytes (empty for `{}`). Members may have any order, with or without commas.
// False after an error: an unknown member (with the nearest name), a duplicate
// one, a value of another kind or out of range, text that isn't UTF-8.
bool ReadMetadata(Lexer* lexer, std::string* wire);

// A faster ReadMetadata for the usual printed form at the beginning of `text`.
// Returns its length; 0 for any other form, which ReadMetadata reads or
// reports.
size_t ReadPrintedMetadata(absl::string_view text, std::string* wire);

// Appends `prefix` and "{op_name=\"x\" source_line=3}" of canonical OpMetadata
// bytes, in XLA's order, to `out`. False, and nothing is appended, where XLA's
// printer shows no metadata: it has none of op_type, op_name, source_file,
// scheduling_name, stack_frame_id and a payload. `frame` replaces the
// stack_frame_id if there is one; 0 omits it. `only_op_name` omits all other
// members.
bool AppendMetadata(absl::string_view prefix, absl::string_view wire,
                    int64_t frame, bool only_op_name, TextBuffer* out);

// The members without braces, and without the condition of AppendMetadata: the
// form in a sharding's metadata.
std::string MetadataMembersText(absl::string_view wire);

// Reads one message or a list of them, {...} or {{...},{...}}, to canonical
// OpMetadata bytes, which it appends. False after an error.
bool ReadMetadataList(Lexer* lexer, std::vector<std::string>* wires);
// "{{...}, {...}}".
std::string MetadataListText(const std::vector<std::string>& wires);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_METADATA_TEXT_H_
