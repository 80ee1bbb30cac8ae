// Attributes in HLO text: `dimensions={0,1}`, `window={size=3x3}`,
// `to_apply=%sum`, `sharding={replicated}`, `metadata={op_name="x"}`.
//
// attribute_text.def has one row per op and text attribute, in XLA's print
// order: spelling, kind of value, field of HloInstructionProto, whether XLA's
// reader demands it and when its printer shows it. Each kind of value has one
// reader and one printer. Values go from text to canonical fields and back
// without the plain structs of shape/ops/attributes.h, so that nothing is lost
// that text can say.

#ifndef INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TEXT_H_
#define INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TEXT_H_

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
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/print_options.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {

// --- Reading ----------------------------------------------------------------

// A computation's name at an attribute, or where its body stands inline
// (`to_apply={ ... }`: `inline_body` is the offset of the "{").
struct CalleeText {
  absl::string_view name;  // empty: an inline body
  size_t offset = 0;       // of the name or the body
};

// What the attributes of one instruction say.
struct AttributesRead {
  // All fields but those below.
  FieldList fields{WireMessage::kHloInstructionProto};
  // In the order of called_computation_ids (while: body, condition).
  absl::InlinedVector<CalleeText, 2> callees;
  // Names of control-predecessors, and where they stand.
  std::vector<std::pair<absl::string_view, size_t>> control_predecessors;
  // Canonical OpMetadata; nullopt: not given.
  std::optional<std::string> metadata;
  // A value of metadata=, "{...}", that was read before; where the attribute
  // has it, it is skipped.
  absl::string_view known_metadata;
  bool has_known_metadata = false;
  // async_execution_thread as written, of async-* and of async sugar; it is in
  // no field: XLA keeps it at async-start, and leaves out "main".
  std::optional<std::string> async_thread;
  // Set by the caller: the module is a recorded one, so that its ops may say
  // how they broadcast.
  bool recorded = false;
  // output_to_operand_aliasing of async sugar around an op that has none of its
  // own: OutputOperandAliasing messages of the async-start.
  std::vector<std::string> async_aliasing;
  // The names of the attributes that are given, in order.
  absl::InlinedVector<absl::string_view, 8> given;
};

// Reads what follows an instruction's operands: (`,` name=value)*. The lexer
// stands after the ")" and ends at the first token that isn't a comma followed
// by an attribute. `opcode` is the one whose attributes are allowed (for async
// sugar, `add-start`: the wrapped one, with `is_async` set, which allows
// async_execution_thread). Attributes that name a shape or a layout are read
// too; a custom call's literal needs none.
//
// False after an error: unknown attribute, also one that only a recorded module
// has (with the nearest name), one given
// twice, a required one missing (its offset is `instruction_offset`), a value
// that isn't of its kind. The lexer then stands somewhere in the instruction.
bool ReadAttributes(Lexer* lexer, Opcode opcode, bool is_async,
                    size_t instruction_offset, AttributesRead* to);

// Reads the value alone of the attribute `name` of `opcode`: "{[0:2], [1:3]}"
// of a slice's "slice". `fields` are then those that say it. False when the
// text is anything else, or the op has no such attribute.
bool ReadAttributeText(Opcode opcode, absl::string_view name,
                       absl::string_view text, FieldList* fields);

// "b01f_01io->b01f" as ConvolutionDimensionNumbers. What is wrong with it, or
// "". `spatial`: how many digits each of the three groups has, which isn't
// compared.
std::string ReadDimLabels(absl::string_view text, FieldList* numbers,
                          std::array<size_t, 3>* spatial);

// After the shapes of the operands and of the result are known: fields that XLA
// writes though the text doesn't say them (a window of a reduce-window without
// one, slice limits, precision per operand, default layouts ...). Call it once.
void FillImpliedFields(Opcode opcode, absl::Span<const Shape* const> operands,
                       const Shape& result, AttributesRead* to);

// frontend_attributes={key="value",other={json}}, also of the module's header:
// from the "{" on to canonical FrontendAttributes bytes, sorted by key.
bool ReadFrontendAttributes(Lexer* lexer, std::string* wire);

// --- Printing ---------------------------------------------------------------

// The pieces of an instruction's attributes that need no names, each beginning
// with ", " where there is something. XLA's order: the op's own,
// sub-computations, devices, control-predecessors, late ones, metadata
// (metadata_text.h), backend_config. `fields` are those of the instruction's
// attribute bytes.

// Which fields an instruction's attribute bytes have, looked at once for all
// its parts.
class AttributeBytesFields {
 public:
  AttributeBytesFields() = default;  // none
  explicit AttributeBytesFields(const AttributeBytesView& attribute_bytes);

  bool has(uint32_t field) const {
    return field < kFields ? has_[field] : field == kBroadcast && broadcasts_;
  }
  // It has it, and not as an empty text or message.
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

// The op's own: ", dimensions={0}". For async-start and async-update its
// output_to_operand_aliasing. What it appends depends on the opcode, the
// attribute bytes, the count of operands and the options, and for these ops on
// shapes too (don't keep the text by attribute bytes): compare,
// collective-permute(-start) with slice_sizes, map (on the result's).
// `recorded`: of a recorded module, whose text says just the fields that are
// there.
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

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TEXT_H_
