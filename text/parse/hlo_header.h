// What stands before the computations in HLO text: the header and the tables of
// frames.
//
//   HloModule m, is_scheduled=true,
//   entry_computation_layout={(f32[2]{0})->s32[]} FileNames 1 "model.py"
//   ...
//
// For text/ alone: ParseHloText puts a module together from it.

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
  size_t offset = 0;  // where it stands
};

struct ModuleHeader {
  absl::string_view name;  // empty: there is no header
  bool is_scheduled = false;
  // recorded=true, recorded={version=1 producer="..."}.
  bool recorded = false;
  // Canonical bytes of RecordedModule; nullopt: this library's own.
  std::optional<std::string> recorded_mark;
  // entry_computation_layout.
  struct Layout {
    std::vector<ShapeId> parameters;
    ShapeId result;
  };
  std::optional<Layout> entry_layout;
  std::vector<AliasText> aliases;  // by output index; of equal ones the first
  // Canonical bytes of messages of HloModuleProto.
  std::string buffer_donor;
  std::string frontend_attributes;
  std::string recovery_table;
  std::vector<std::string> debug_attributes;  // DebugAttributeTableEntryProto
  // HloModuleConfigProto without its entry_computation_layout; empty: defaults.
  std::string config;
};

struct HeaderOptions {
  // Reads the shapes of entry_computation_layout.
  ShapeCache* shapes = nullptr;
  // Reads the text of a module inside the header (origin_recovery_table) to
  // the bytes of its HloModuleProto. Says what is wrong.
  std::function<bool(const std::string& text, std::string* wire,
                     std::string* error)>
      read_module;
};

// Reads `HloModule name(, attribute=value)*`; the lexer stands at "HloModule".
// False after an error: an unknown attribute (with the nearest name), one given
// twice, a value that isn't of its kind.
bool ReadModuleHeader(Lexer* lexer, const HeaderOptions& options,
                      ModuleHeader* to);

// Reads the four tables FileNames, FunctionNames, FileLocations, StackFrames to
// canonical StackFrameIndexProto bytes. There is nothing to read, and `wire`
// stays empty, unless the present token is FileNames. What counts is the order
// of the lines, not their numbers, as in XLA.
bool ReadFrameTables(Lexer* lexer, std::string* wire);

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_HLO_HEADER_H_
