// SPDX-License-Identifier: Apache-2.0
// Reads and prints attributes in HLO text: `dimensions={0,1}`,
// `window={size=3x3}`, `to_apply=%sum`, `sharding={replicated}`,
// `metadata={op_name="x"}`.
//
// attribute_text.def has one row per op and text attribute, in XLA's print
// order: spelling, kind of value, field of HloInstructionProto, whether XLA's
// reader requires it and when its printer shows it. Each kind of value has one
// reader and one printer. They convert between text and canonical fields
// directly, without the plain structs of shape/ops/attributes.h, so that
// nothing in the text is lost.

#ifndef INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TEXT_H_
#define INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TEXT_H_

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/print_options.h"

namespace indim {

// --- Reading ----------------------------------------------------------------

// A computation as the value of an attribute: its name, or the position of its
// inline body (`to_apply={ ... }`; `offset` is that of the "{").
struct CalleeText {
  absl::string_view name;  // empty: an inline body
  size_t offset = 0;       // of the name or the body
};

// The execution thread of what names none.
inline constexpr absl::string_view kMainThread = "main";

// The attributes of one instruction.
struct AttributesRead {
  // All fields except the ones below.
  FieldList fields{WireMessage::kHloInstructionProto};
  // In the order of called_computation_ids (while: body, condition).
  absl::InlinedVector<CalleeText, 2> callees;
  // Names in control-predecessors, with their offsets.
  std::vector<std::pair<absl::string_view, size_t>> control_predecessors;
  // Canonical OpMetadata; nullopt: not given.
  std::optional<std::string> metadata;
  // The text "{...}" of a metadata= that was read before; the reader skips it.
  absl::string_view known_metadata;
  bool has_known_metadata = false;
  // async_execution_thread as written, of async-* and async sugar. It isn't in
  // a field: XLA keeps it at async-start and omits "main".
  std::optional<std::string> async_thread;
  // Set by the caller for a recorded module, whose ops may have attributes
  // about broadcasting.
  bool recorded = false;
  // output_to_operand_aliasing of async sugar around an op that lacks it:
  // OutputOperandAliasing messages of the async-start.
  std::vector<std::string> async_aliasing;
  // The names of the given attributes, in order.
  absl::InlinedVector<absl::string_view, 8> given;
  bool IsGiven(absl::string_view name) const {
    return std::find(given.begin(), given.end(), name) != given.end();
  }
};

// Reads the attributes after an instruction's operands: (`,` name=value)*. The
// lexer is after the ")"; it ends at the first token that isn't a comma before
// an attribute. The attributes of `opcode` are allowed (for async sugar,
// `add-start`, the wrapped opcode; `is_async` also allows
// async_execution_thread).
//
// False after an error: an unknown attribute, or one that only a recorded
// module has (with the nearest name); a duplicate one; a missing required one
// (reported at `instruction_offset`); a value of another kind. The lexer is
// then somewhere in the instruction.
bool ReadAttributes(Lexer* lexer, Opcode opcode, bool is_async,
                    size_t instruction_offset, AttributesRead* to);

// Reads the value of the attribute `name` of `opcode`, for example "{[0:2],
// [1:3]}" for a slice's "slice", into `fields`. False: the text is another one,
// or the op has no such attribute.
bool ReadAttributeText(Opcode opcode, absl::string_view name,
                       absl::string_view text, FieldList* fields);

// Reads "b01f_01io->b01f" as ConvolutionDimensionNumbers. Returns the error, or
// "". `spatial` is the number of digits in each of the three groups, which it
// doesn't compare.
std::string ReadDimLabels(absl::string_view text, FieldList* numbers,
                          std::array<size_t, 3>* spatial);

// Adds fields that XLA writes without their being in the text (the window of a
// reduce-window without one, slice limits, precision per operand, default
// layouts ...). Call it once, when the shapes of operands and result are known;
// before that, where the result's shape is to be inferred, FillForInference,
// which adds those of the op itself.
void FillForInference(Opcode opcode, absl::Span<const Shape* const> operands,
                      AttributesRead* to);
void FillImpliedFields(Opcode opcode, absl::Span<const Shape* const> operands,
                       const Shape& result, AttributesRead* to);

// Reads frontend_attributes={key="value",other={json}}, also of the module's
// header, from the "{" on, to canonical FrontendAttributes bytes, sorted by
// key.
bool ReadFrontendAttributes(Lexer* lexer, std::string* wire);

// --- Printing ---------------------------------------------------------------

// The parts of an instruction's attributes that need no names. Each part that
// isn't empty begins with ", ". XLA's order: the op's own, sub-computations,
// devices, control-predecessors, late ones, metadata (metadata_text.h),
// backend_config. `fields` are those of the instruction's attribute bytes.

// The set of fields in an instruction's attribute bytes, made once for all
// parts.
class AttributeBytesFields {
 public:
  AttributeBytesFields() = default;  // none
  explicit AttributeBytesFields(const AttributeBytesView& attribute_bytes);

  bool has(uint32_t field) const {
    return field < kFields ? has_[field] : field == kBroadcast && broadcasts_;
  }
  // Whether the field is there and isn't an empty text or message.
  bool is_filled(uint32_t field) const {
    return field < kFields && filled_[field];
  }

 private:
  static constexpr uint32_t kFields = 128;  // XLA's
  static constexpr uint32_t kBroadcast =
      field::HloInstructionProto::kImplicitBroadcast;
  std::bitset<kFields> has_;
  std::bitset<kFields> filled_;
  bool broadcasts_ = false;
};

// Appends the op's own attributes: ", dimensions={0}". For async-start and
// async-update only output_to_operand_aliasing. The text depends on the opcode,
// the attribute bytes, the number of operands and the options; for compare,
// collective-permute(-start) with slice_sizes, and map also on shapes, so don't
// cache it by attribute bytes. `recorded`: for a recorded module, whose text
// has exactly the fields that are there.
void AppendOpAttributes(const Instruction& instruction,
                        const AttributeBytesFields& fields,
                        const PrintOptions& options, bool recorded,
                        std::string* out);
bool OpAttributesDependOnShapes(Opcode opcode);
// ", sharding={...}, frontend_attributes={...}".
void AppendDeviceAttributes(const Instruction& instruction,
                            const AttributeBytesFields& fields,
                            const PrintOptions& options, std::string* out);
// ", statistics={...}, result_accuracy={...}, origin={...}".
void AppendLateAttributes(const Instruction& instruction,
                          const AttributeBytesFields& fields,
                          const PrintOptions& options, bool recorded,
                          std::string* out);
// ", backend_config=...".
void AppendBackendConfig(const Instruction& instruction,
                         const AttributeBytesFields& fields,
                         const PrintOptions& options, std::string* out);

// "{a="b"}", also for the module's header.
std::string FrontendAttributesText(absl::string_view wire);

// A backend_config, of an instruction, a computation or the module: JSON in
// braces as it is, other text in quotes. False after an error.
bool ReadJsonOrText(Lexer* lexer, std::string* value);
void AppendJsonOrText(absl::string_view value, std::string* out);

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TEXT_H_
