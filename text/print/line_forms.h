// SPDX-License-Identifier: Apache-2.0
// LineForms: where the printer's text has the parts of lines that recur.
//
// Most lines of a large module repeat an earlier one except in names and
// metadata; the printer copies the rest from there.

#ifndef INDIM_TEXT_PRINT_LINE_FORMS_H_
#define INDIM_TEXT_PRINT_LINE_FORMS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "indim/ir/module_data.h"
#include "indim/ir/node_key.h"
#include "indim/ir/storage/intern_index.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/print_options.h"
#include "indim/text/base/text_buffer.h"

namespace indim {

// The key of lines that differ only in names and metadata: `%x = f32[2]{0}
// add(%a), attributes, metadata={...}, config`. Its part is the first operand's
// shape, if attributes depend on it.
using FormKey = NodeKeyOf<1>;

struct alignas(64) LineForm {  // one cache line: each printed line looks one up
  struct Range {               // [text + begin, text + begin + size)
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  FormKey key;
  // Where the first such line begins after its name; kNowhere: none was printed
  // yet.
  size_t text = TextBuffer::Piece::kNowhere;
  // " = f32[2]{0} add("; without operands, also the text in parentheses.
  uint32_t head_size = 0;
  // Parts from the ")" on. Names of callees are between them.
  Range attributes;
  Range after_callees;
  Range config;
  bool can_be_kept = false;
};

// The attributes of all instructions with one opcode and attribute bytes (and
// one shape of the first operand if they depend on it): the key has only these.
struct AttributePieces {
  FormKey key;
  AttributeBytesFields fields;  // of the attribute bytes
  TextBuffer::Piece own, devices, late, backend_config;
};

// Whether the bodies of callees are shown at the call.
inline bool ShowsBodies(const PrintOptions& options) {
  using Subcomputations = PrintOptions::Subcomputations;
  return options.subcomputations == Subcomputations::kBodies ||
         options.subcomputations == Subcomputations::kNonSequentialBodies;
}

class LineForms {
 public:
  // Both must outlive this.
  LineForms(const ModuleData& data, const PrintOptions& options);

  // The form of the line of an instruction; null: none. Valid until the next
  // call.
  LineForm* Find(uint32_t computation, uint32_t i);
  // The kept attributes of an instruction; null: they can't be kept.
  AttributePieces* FindAttributes(uint32_t computation, uint32_t i);
  // Drops all texts: the printer's buffer loses them.
  void Forget();

 private:
  bool MayHaveForm(const InstructionRecord& record) const {
    return int64_t{record.operand_count} <= most_operands_ &&
           (record.callee_count == 0 || !ShowsBodies(options_)) &&
           !record.unknown_opcode && !IsAsync(record.opcode);
  }

  const ModuleData& data_;
  const PrintOptions& options_;
  // More are counted by comments; -1: no lines use forms.
  const int64_t most_operands_;
  std::vector<LineForm> forms_;
  InternIndex form_index_;
  std::deque<AttributePieces> attributes_;
  InternIndex attribute_index_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_LINE_FORMS_H_
