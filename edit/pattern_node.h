// SPDX-License-Identifier: Apache-2.0
// PatternNode: a parsed Pattern. Internal to edit/.

#ifndef INDIM_EDIT_PATTERN_NODE_H_
#define INDIM_EDIT_PATTERN_NODE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/element_type.h"

namespace indim::internal {

struct ShapePattern {
  bool any = false;                          // *
  bool is_tuple = false;                     // of `elements`
  std::optional<ElementType> type;           // nullopt: any
  bool any_rank = false;                     // no dims were given
  std::vector<std::optional<int64_t>> dims;  // nullopt: any size
  std::vector<ShapePattern> elements;
};

struct PatternNode {
  std::string name;              // "": none
  std::optional<Opcode> opcode;  // nullopt: any instruction
  bool has_operands = false;     // else any
  bool more = false;             // further operands may follow
  std::vector<PatternNode> operands;
  std::optional<int64_t> parameter;
  std::optional<double> value;
  // Keys and values without blanks.
  std::vector<std::pair<std::string, std::string>> attributes;
  std::optional<ShapePattern> shape;
  std::string shape_text;  // as the pattern has it
};

// The end of a value in a list of attributes: of the first "," or closing
// bracket that isn't inside brackets or quotes, or of the text. In a pattern a
// ":" ends it too.
size_t EndOfValue(absl::string_view text, size_t begin, bool colon_ends);
// Without the blanks outside quotes.
std::string WithoutBlanks(absl::string_view text);

}  // namespace indim::internal

#endif  // INDIM_EDIT_PATTERN_NODE_H_
