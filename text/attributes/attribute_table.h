// SPDX-License-Identifier: Apache-2.0
// The rows of attribute_text.def as data: the text attributes of each op.

#ifndef INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TABLE_H_
#define INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TABLE_H_

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

// The spelling of a value; each kind has one reader and one printer
// (value_kinds.def).
enum class ValueSpelling : uint8_t {
#define INDIM_VALUE_KIND(kind, reader, printer) k##kind,
#include "indim/text/attributes/value_kinds.def"
#undef INDIM_VALUE_KIND
};

// When the printer shows an attribute.
enum class Show : uint8_t {
  kAlways,
  kNever,     // hlo_printer prints it, or nothing does
  kGiven,     // the field is there
  kFilled,    // a list or text that isn't empty
  kNotZero,   // a number
  kNotOne,    // a number
  kAboveOne,  // a number: 0 counts as 1
  kItself,    // its kind's printer decides
  kInside,    // its kind's printer decides, if the outermost field is there
};

// The position among an instruction's printed attributes.
enum class PrintedPart : uint8_t {
  kOwn,
  kRecorded,
  kCalls,
  kDevices,
  kControl,
  kLate,
  kMetadata,
  kConfig
};

struct TextAttribute {
  absl::string_view set;  // the name in the row
  absl::string_view name;
  ValueSpelling kind;
  // The field of HloInstructionProto, then fields inside it, then 0. path[0] ==
  // 0: no field.
  std::array<uint32_t, 4> path;
  const AttributeWords* words;
  bool required;
  Show show;
  PrintedPart part;
};

// All rows in the table's order.
absl::Span<const TextAttribute> AllTextAttributes();
// The rows of `opcode` in the order in which they are printed. An opcode
// outside the table has the rows of all ops.
absl::Span<const TextAttribute* const> TextAttributesOf(Opcode opcode);

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TABLE_H_
