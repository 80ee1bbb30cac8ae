// SPDX-License-Identifier: Apache-2.0
#include "indim/text/attributes/attribute_text.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/text/attributes/attribute_table.h"
#include "indim/text/attributes/attribute_values.h"
#include "indim/text/base/braced_members.h"
#include "indim/text/base/old_names.h"

namespace indim {
namespace {

using Rows = absl::Span<const TextAttribute* const>;

// The index of the row; rows.size() if there is none.
size_t FindRow(Rows rows, absl::string_view name) {
  size_t i = 0;
  while (i < rows.size() && rows[i]->name != name) ++i;
  return i;
}

bool UnknownAttribute(Lexer* lexer, Opcode opcode, Rows rows, bool recorded) {
  if (lexer->text() == "broadcast_dimensions" &&
      Info(opcode).has(kBroadcasts)) {
    return lexer->ErrorAt(
        lexer->offset(), lexer->text().size(),
        absl::StrCat(
            "only a recorded module has broadcast_dimensions; to fix: put \", "
            "recorded=true\" behind the module's name, or broadcast the "
            "operand first: broadcast(...), dimensions={...}"));
  }
  const absl::string_view now = NewAttributeName(lexer->text());
  if (!now.empty()) {
    return lexer->ErrorAt(
        lexer->offset(), lexer->text().size(),
        absl::StrCat("unknown attribute \"", lexer->text(),
                     "\": XLA has renamed it to \"", now, "\""));
  }
  // The op's own stand first; all have the others.
  std::vector<absl::string_view> names;
  for (const TextAttribute* row : rows) {
    if (recorded || row->part != PrintedPart::kRecorded)
      names.push_back(row->name);
  }
  const auto is_own = [&rows](absl::string_view name) {
    return rows[FindRow(rows, name)]->part <= PrintedPart::kCalls;
  };
  const size_t own = static_cast<size_t>(
      std::stable_partition(names.begin(), names.end(), is_own) -
      names.begin());
  return UnknownName(lexer, lexer->offset(), lexer->text(),
                     absl::StrCat("attribute of ", Name(opcode)), names, own);
}

// Reads an attribute of async sugar itself, beside those of the op inside.
bool ReadAsyncAttribute(const TextAttribute& row, Lexer* lexer,
                        AttributesRead* to) {
  AttributesRead outer;
  if (!FunctionsOf(row.kind).read(row, lexer, &outer)) return false;
  if (row.kind == ValueSpelling::kThread) {
    to->async_thread = std::move(outer.async_thread);
  } else {
    for (const absl::string_view wire : outer.fields.Texts(row.path[0])) {
      to->async_aliasing.emplace_back(wire);
    }
  }
  return true;
}

bool Lacks(Lexer* lexer, Opcode opcode, size_t offset, absl::string_view what) {
  return lexer->ErrorAt(offset, 0, absl::StrCat(Name(opcode), " lacks ", what));
}

// A conditional needs both computations for a pred, or a list of them.
bool CheckConditional(Lexer* lexer, size_t offset, const AttributesRead& to) {
  const bool on_true = to.IsGiven("true_computation");
  const bool on_false = to.IsGiven("false_computation");
  if (!on_true && !on_false && !to.IsGiven("branch_computations")) {
    return Lacks(lexer, Opcode::kConditional, offset,
                 "true_computation= and false_computation=, or "
                 "branch_computations=");
  }
  if (on_true == on_false) return true;
  return Lacks(lexer, Opcode::kConditional, offset,
               on_true ? "false_computation=" : "true_computation=");
}

bool CheckRequired(Lexer* lexer, Opcode opcode, Rows rows, size_t offset,
                   const AttributesRead& to) {
  for (const TextAttribute* row : rows) {
    // The verifier checks a recorded module, but callees must be known.
    if (to.recorded && row->part != PrintedPart::kCalls) continue;
    if (row->required && !to.IsGiven(row->name)) {
      return Lacks(lexer, opcode, offset, absl::StrCat(row->name, "="));
    }
  }
  return opcode != Opcode::kConditional || CheckConditional(lexer, offset, to);
}

// Whether the row's `show` lets the value be shown.
bool IsShown(const PrintedValue& value) {
  bool shown = false;
  switch (value.row.show) {
    case Show::kAlways:
    case Show::kItself:
    case Show::kInside:
      return true;
    case Show::kNever:
      return false;
    default:
      break;
  }
  WithField(
      value.fields, value.row, [&](const FieldList& list, uint32_t field) {
        switch (value.row.show) {
          case Show::kGiven:
            shown = list.has(field);
            break;
          case Show::kFilled:
            shown = !list.Text(field).empty();
            break;
          case Show::kNotZero:
            shown = list.Number(field) != 0;
            break;
          case Show::kNotOne:
            shown = value.recorded ? list.has(field) : list.Number(field) != 1;
            break;
          default:
            shown = list.Number(field) > 1;
            break;
        }
      });
  return shown;
}

// Whether attribute bytes have a field that `part` shows; most have only fields
// of their op.
bool HasAnyOf(PrintedPart part, const AttributeBytesFields& attribute_bytes) {
  namespace of = field::HloInstructionProto;
  switch (part) {
    case PrintedPart::kDevices:
      return attribute_bytes.has(of::kSharding) ||
             attribute_bytes.is_filled(of::kFrontendAttributes);
    case PrintedPart::kConfig:
      return attribute_bytes.has(of::kBackendConfig);
    case PrintedPart::kRecorded:
      return true;
    case PrintedPart::kLate:
      return attribute_bytes.is_filled(of::kStatisticsViz) ||
             attribute_bytes.has(of::kOriginalValue) ||
             attribute_bytes.has(of::kResultAccuracy);
    default:
      return true;
  }
}

// False: no field of the attribute bytes is one that the row shows.
bool MayBeShown(const TextAttribute& row, const AttributeBytesFields& present) {
  switch (row.show) {
    case Show::kNever:
      return false;
    case Show::kGiven:
    case Show::kInside:
    case Show::kFilled:
    case Show::kNotZero:
    case Show::kAboveOne:
      return present.has(row.path[0]);
    default:
      return true;
  }
}

void AppendPart(PrintedPart part, const Instruction& instruction,
                const AttributeBytesFields& present,
                const PrintOptions& options, bool recorded, std::string* out) {
  if (!HasAnyOf(part, present)) return;
  std::optional<FieldList> fields;  // decoded if a row may be shown
  for (const TextAttribute* row : TextAttributesOf(instruction.opcode())) {
    if (row->part != part || !MayBeShown(*row, present)) continue;
    if (!fields) {
      fields.emplace(WireMessage::kHloInstructionProto);
      fields->Append(internal::AttributeBytesOf(instruction));
    }
    const PrintedValue value{*row, *fields, instruction, options, recorded};
    if (!IsShown(value)) continue;
    const size_t before = out->size();
    out->append(", ");
    out->append(row->name.data(), row->name.size());
    out->push_back('=');
    if (!FunctionsOf(row->kind).print(value, out)) out->resize(before);
  }
}

}  // namespace

bool ReadAttributes(Lexer* lexer, Opcode opcode, bool is_async,
                    size_t instruction_offset, AttributesRead* to) {
  const Rows rows = TextAttributesOf(opcode);
  const Rows outer = TextAttributesOf(Opcode::kAsyncStart);
  while (lexer->Accept(Token::kComma)) {
    if (lexer->token() != Token::kAttributeName) {
      return lexer->Expected("an attribute, as name=value");
    }
    const absl::string_view name = lexer->text();
    if (to->IsGiven(name)) {
      return lexer->ErrorAt(lexer->offset(), name.size(),
                            absl::StrCat("\"", name, "\" is given twice"));
    }
    size_t row = FindRow(rows, name);
    if (row < rows.size() && rows[row]->part == PrintedPart::kRecorded &&
        !to->recorded) {
      row = rows.size();
    }
    const bool known_outside =
        is_async && (name == "async_execution_thread" ||
                     name == "output_to_operand_aliasing");
    if (row == rows.size() && !known_outside) {
      return UnknownAttribute(lexer, opcode, rows, to->recorded);
    }
    to->given.push_back(name);
    lexer->Next();
    const bool read =
        row < rows.size()
            ? FunctionsOf(rows[row]->kind).read(*rows[row], lexer, to)
            : ReadAsyncAttribute(*outer[FindRow(outer, name)], lexer, to);
    if (!read) return false;
  }
  return CheckRequired(lexer, opcode, rows, instruction_offset, *to);
}

bool ReadAttributeText(Opcode opcode, absl::string_view name,
                       absl::string_view text, FieldList* fields) {
  const Rows rows = TextAttributesOf(opcode);
  const size_t row = FindRow(rows, name);
  TextErrors errors;
  Lexer lexer(text, &errors);
  AttributesRead read;
  if (row == rows.size() ||
      !FunctionsOf(rows[row]->kind).read(*rows[row], &lexer, &read) ||
      lexer.token() != Token::kEnd) {
    return false;
  }
  *fields = std::move(read.fields);
  return true;
}

AttributeBytesFields::AttributeBytesFields(
    const AttributeBytesView& attribute_bytes) {
  for (const absl::string_view run :
       {attribute_bytes.before_id, attribute_bytes.control,
        attribute_bytes.after_callees}) {
    WireReader reader(run);
    uint32_t tag;
    while (!reader.done() && reader.ReadTag(&tag)) {
      const char* const begin = reader.cursor();
      if (!reader.SkipValue(tag, kMaxWireDepth)) break;
      const uint32_t number = TagNumber(tag);
      broadcasts_ = broadcasts_ || number == kBroadcast;
      if (number >= kFields) continue;
      has_.set(number);
      filled_.set(number, reader.cursor() - begin > 1);
    }
  }
}

void AppendOpAttributes(const Instruction& instruction,
                        const AttributeBytesFields& fields,
                        const PrintOptions& options, bool recorded,
                        std::string* out) {
  if (options.extra_attributes) {
    AppendPart(PrintedPart::kOwn, instruction, fields, options, recorded, out);
    if (recorded ||
        fields.has(field::HloInstructionProto::kImplicitBroadcast)) {
      AppendPart(PrintedPart::kRecorded, instruction, fields, options, recorded,
                 out);
    }
  }
}

bool OpAttributesDependOnShapes(Opcode opcode) {
  // Computed once, because it is looked up for many instructions.
  static const std::vector<bool>* const kAnswers = [] {
    auto* answers = new std::vector<bool>();
    for (int op = 0; op <= std::numeric_limits<uint8_t>::max(); ++op) {
      const Rows rows = TextAttributesOf(static_cast<Opcode>(op));
      answers->push_back(
          std::any_of(rows.begin(), rows.end(), [](const TextAttribute* row) {
            return row->kind == ValueSpelling::kComparison ||
                   row->kind == ValueSpelling::kSliceSizes ||
                   row->kind == ValueSpelling::kMapDimensions;
          }));
    }
    return answers;
  }();
  return (*kAnswers)[static_cast<uint8_t>(opcode)];
}

void AppendDeviceAttributes(const Instruction& instruction,
                            const AttributeBytesFields& fields,
                            const PrintOptions& options, std::string* out) {
  AppendPart(PrintedPart::kDevices, instruction, fields, options, false, out);
}

void AppendLateAttributes(const Instruction& instruction,
                          const AttributeBytesFields& fields,
                          const PrintOptions& options, bool recorded,
                          std::string* out) {
  AppendPart(PrintedPart::kLate, instruction, fields, options, recorded, out);
}

void AppendBackendConfig(const Instruction& instruction,
                         const AttributeBytesFields& fields,
                         const PrintOptions& options, std::string* out) {
  if (options.backend_config) {
    AppendPart(PrintedPart::kConfig, instruction, fields, options, false, out);
  }
}

}  // namespace indim
