// SPDX-License-Identifier: Apache-2.0
// Reads the part of HLO text before the computations: the header and the tables
// of frames.
//
//   HloModule m, is_scheduled=true,
//   entry_computation_layout={(f32[2]{0})->s32[]} FileNames 1 "model.py"
//   ...
//
// For text/ only; ParseHloText builds a module from it.

#ifndef INDIM_TEXT_PARSE_HLO_HEADER_H_
#define INDIM_TEXT_PARSE_HLO_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/ids.h"
#include "indim/text/base/lexer.h"
#include "indim/text/parse/shape_cache.h"

namespace indim {

using ShapeIndex = std::vector<int64_t>;

// One entry of input_output_alias.
struct AliasText {
  ShapeIndex output;
  int64_t parameter = 0;
  ShapeIndex parameter_index;
  bool must = false;
  size_t offset = 0;  // in the text
};

struct ModuleHeader {
  absl::string_view name;  // empty: no header
  bool is_scheduled = false;
  // From recorded=true or recorded={version=1 producer="..."}.
  bool recorded = false;
  // Canonical bytes of RecordedModule; nullopt: this library's mark.
  std::optional<std::string> recorded_mark;
  // entry_computation_layout.
  struct Layout {
    std::vector<ShapeId> parameters;
    ShapeId result;
  };
  std::optional<Layout> entry_layout;
  std::vector<AliasText> aliases;  // by output index; of equal ones the first
  // Canonical bytes of HloModuleProto's messages.
  std::string buffer_donor;
  std::string frontend_attributes;
  std::string recovery_table;
  std::vector<std::string> debug_attributes;  // DebugAttributeTableEntryProto
  std::string backend_config;
  // HloModuleConfigProto without entry_computation_layout; empty: defaults.
  std::string config;
};

struct HeaderOptions {
  // Reads the shapes of entry_computation_layout.
  ShapeCache* shapes = nullptr;
  // Reads the text of a module inside the header (origin_recovery_table) to the
  // bytes of its HloModuleProto. False: *error has the error.
  std::function<bool(const std::string& text, std::string* wire,
                     std::string* error)>
      read_module;
};

// Reads `HloModule name(, attribute=value)*`; the current token is "HloModule".
// False after an error: an unknown attribute (with the nearest name), a
// duplicate one, a value of another kind.
bool ReadModuleHeader(Lexer* lexer, const HeaderOptions& options,
                      ModuleHeader* to);

// Reads the four tables FileNames, FunctionNames, FileLocations, StackFrames to
// canonical StackFrameIndexProto bytes. If the current token isn't FileNames
// there are no tables, and `wire` stays empty. As in XLA, the order of lines
// counts, not their numbers.
bool ReadFrameTables(Lexer* lexer, std::string* wire);

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_HLO_HEADER_H_
