// SPDX-License-Identifier: Apache-2.0
// KnownLines: reads instructions that repeat an earlier one, which are most of
// a large text.
//
// It repeats no check that the grammar made for the earlier line. It leaves
// everything unusual, also wrong names, to the grammar (InstructionParser),
// which then reads the line from its beginning and reports errors.
//
// For text/ only.

#ifndef INDIM_TEXT_PARSE_KNOWN_LINES_H_
#define INDIM_TEXT_PARSE_KNOWN_LINES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/text/parse/line_cache.h"
#include "indim/text/parse/name_scopes.h"
#include "indim/text/parse/parsed_module.h"

namespace indim {

class KnownLines {
 public:
  KnownLines(TextInput* in, ParsedModule* module, NameScopes* names)
      : in_(*in), module_(*module), names_(*names) {}

  // Reads an instruction that repeats an earlier one. False: the lexer doesn't
  // move, and the grammar has to read the line, whose parts are in *line.
  bool Read(LineText* line);

  // For the grammar, of the instruction in the last Read's line: uses the
  // metadata that Read found.
  void TakeLineMetadata(ParsedInstruction* node);
  // Remembers the instruction that the grammar has just read, if its parts are
  // at the line's positions.
  void Remember(const ParsedInstruction& node, uint32_t position);

  // Whether the parts of node.line are known; then its name is plain.
  static bool HasParts(const ParsedInstruction& node) {
    return node.line != nullptr && !node.line->head.empty();
  }

  // Drops all lines: their symbols have other meanings from now on.
  void Forget() { lines_ = LineCache(); }

 private:
  bool FindKnown(LineText* line);
  void AddCallees(const LineText& line, Opcode opcode,
                  absl::Span<const uint32_t> callees);
  bool FindLine(size_t at, LineText* line);
  bool FindOperands(size_t* at);
  bool FindMetadata(const LineText& line, MetadataId* id);
  bool FindParameterAttributeBytes(absl::string_view number,
                                   AttributeBytesId like,
                                   AttributeBytesId* attribute_bytes);
  // Whether the grammar read the head of node.line at its position.
  static bool IsLineOf(const ParsedInstruction& node);
  static bool HasCalleeWhereSaid(const ParsedInstruction& node);

  TextInput& in_;
  ParsedModule& module_;
  NameScopes& names_;
  LineCache lines_;
  std::vector<ShapeId> line_shapes_;  // of a line's operands
  std::string metadata_wire_;  // the last metadata that FindMetadata read
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_KNOWN_LINES_H_
