// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/known_lines.h"

#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "indim/ir/append_record.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/text/base/metadata_text.h"
#include "indim/text/base/name_uniquer.h"

namespace indim {
namespace {

// The number of a parameter: its attribute bytes before the id.
std::string NumberField(int64_t number) {
  using field::HloInstructionProto::kParameterNumber;
  std::string field;
  if (number == 0) return field;
  wire_fields::AppendNumber(kParameterNumber, static_cast<uint64_t>(number),
                            &field);
  return field;
}

bool HasComment(absl::string_view text) {
  return !text.empty() &&
         std::memchr(text.data(), '/', text.size()) != nullptr &&
         absl::StrContains(text, "/*");
}

}  // namespace

bool KnownLines::Read(LineText* line) {
  *line = LineText();
  if (in_.bare || names_.has_nested()) return false;
  const size_t mark = in_.lexer.offset();
  const size_t operands = module_.data->operands.size();
  if (FindKnown(line)) return true;
  module_.data->operands.resize(operands);
  if (in_.lexer.offset() != mark) in_.lexer.Seek(mark);
  return false;
}

bool KnownLines::FindKnown(LineText* line) {
  OpenBody& body = names_.body();
  const TextPlace place = in_.line_counter.PlaceOf(in_.lexer.offset());
  const bool is_root = in_.lexer.AcceptWord("ROOT");
  const absl::string_view name = in_.lexer.text();
  if ((in_.lexer.token() != Token::kName &&
       in_.lexer.token() != Token::kWord) ||
      !NameUniquer::IsPlainIdentifier(name) ||
      (in_.lexer.token() == Token::kWord && IsReservedWord(name)) ||
      (is_root && body.has_root)) {
    return false;
  }
  const uint64_t hash = HashBytes(name);
  constexpr absl::string_view kEquals = " = ";
  if (!absl::StartsWith(in_.text.substr(in_.lexer.end()), kEquals))
    return false;
  const size_t first_operand = module_.data->operands.size();
  if (!FindLine(in_.lexer.end() + kEquals.size(), line)) return false;
  const LineCache::Instruction* const known = lines_.Find(line, line_shapes_);
  if (known == nullptr) return false;
  absl::Span<const uint32_t> callees = known->callees;
  if (!line->callee.empty()) {
    const auto callee = module_.computation_names.find(line->callee);
    if (callee == module_.computation_names.end() ||
        callee->second == kBrokenPosition) {
      return false;
    }
    callees = absl::MakeConstSpan(&callee->second, 1);
  }
  AttributeBytesId attribute_bytes = known->attribute_bytes;
  if (!line->number.empty() &&
      !FindParameterAttributeBytes(line->number, known->attribute_bytes,
                                   &attribute_bytes)) {
    return false;
  }
  MetadataId metadata = module_.no_metadata;
  if (!line->metadata.empty() && !FindMetadata(*line, &metadata)) {
    return false;
  }
  NameScopes::Binding* const binding = names_.FindBinding(name, hash);
  if (names_.Meaning(binding).has_value()) return false;
  const size_t line_end = in_.OffsetOf(line->end());
  // Another line may follow "ROOT".
  if (!is_root) in_.line_counter.SkipTo(line_end);
  in_.lexer.Seek(line_end);
  // An attribute may follow on its own line.
  if (in_.lexer.token() == Token::kComma) return false;

  const uint32_t position = static_cast<uint32_t>(body.instructions.size());
  InstructionRecord& record = body.instructions.emplace_back();
  record.opcode = known->opcode;
  record.shape = known->shape;
  record.attribute_bytes = attribute_bytes;
  record.metadata = metadata;
  AddCallees(*line, known->opcode, callees);
  TakeOperands(first_operand, callees.size(), module_.data->operands, &record);
  body.names.push_back(name);
  body.places.Add(place);
  names_.Bind(binding, name, hash, position);
  if (is_root) {
    body.has_root = true;
    body.root = position;
  }
  return true;
}

void KnownLines::AddCallees(const LineText& line, Opcode opcode,
                            absl::Span<const uint32_t> callees) {
  if (callees.empty()) return;
  module_.data->operands.insert(module_.data->operands.end(), callees.begin(),
                                callees.end());
  // The opcode is after the last blank of the head.
  const size_t place =
      in_.OffsetOf(line.head.data()) + line.head.rfind(' ') + 1;
  for (const uint32_t callee : callees)
    module_.AddCaller(opcode, place, callee);
}

// Finds the parts of the line whose right side begins at `at`. Appends the
// operands to the module's, and their shapes to line_shapes_. False: the line
// has another form, or an operand isn't known; line->head is then empty.
bool KnownLines::FindLine(size_t at, LineText* line) {
  line_shapes_.clear();
  const absl::string_view head = FindLineHead(in_.text, at);
  if (head.empty()) return false;
  at += head.size();
  if (IsParameter(head)) {
    const size_t begin = at;
    while (at < in_.text.size() && absl::ascii_isdigit(in_.text[at])) ++at;
    line->number = in_.text.substr(begin, at - begin);
    if (line->number.empty()) return false;
  } else if (!IsConstant(head) && !FindOperands(&at)) {
    return false;
  }
  if (!FindLineRest(in_.text, at, line)) return false;
  line->head = head;
  return true;
}

// Reads `%a, f32[2] %b, /*index=5*/%c)` from *at on, and moves *at to after the
// ")".
bool KnownLines::FindOperands(size_t* at) {
  const char* p = in_.text.data() + *at;
  const char* const end = in_.text.data() + in_.text.size();
  const OpenBody& body = names_.body();
  const auto skip = [&p, end](absl::string_view what) {
    const bool found = absl::StartsWith(
        absl::string_view(p, static_cast<size_t>(end - p)), what);
    if (found) p += what.size();
    return found;
  };
  if (!skip(")")) {
    do {
      if (skip("/*index=")) {
        while (p != end && *p >= '0' && *p <= '9') ++p;
        if (!skip("*/")) return false;
      }
      ShapeId shape;
      if (p != end && *p == '%') ++p;
      const char* name_end = Lexer::SkipIdentifier(p, end);
      if (name_end != end && (*name_end == '[' || *p == '(')) {
        size_t shape_end;
        if (p[-1] == '%' || !module_.shapes.FindKnown(in_.text, in_.OffsetOf(p),
                                                      &shape_end, &shape)) {
          return false;
        }
        p = in_.text.data() + shape_end;
        if (!skip(" ")) return false;
        skip("%");
        name_end = Lexer::SkipIdentifier(p, end);
      }
      if (name_end == p) return false;
      const absl::string_view name(p, static_cast<size_t>(name_end - p));
      const std::optional<uint32_t> found = names_.LookUp(name);
      if (!found.has_value() || *found == kBrokenPosition) return false;
      const ShapeId known = body.instructions[*found].shape;
      if (shape && shape != known) return false;
      module_.data->operands.push_back(*found);
      line_shapes_.push_back(known);
      p = name_end;
    } while (skip(", "));
    if (!skip(")")) return false;
  }
  *at = in_.OffsetOf(p);
  return true;
}

// Finds the line's metadata, known or read. False, without an error: there is
// something else in it.
bool KnownLines::FindMetadata(const LineText& line, MetadataId* id) {
  MetadataId* const known = lines_.Metadata(line.metadata);
  if (*known) {
    *id = *known;
    return true;
  }
  std::string& wire = metadata_wire_;
  constexpr absl::string_view kName = ", metadata=";
  if (!ReadPrintedMetadata(line.metadata.substr(kName.size()), &wire)) {
    // Wrong metadata is reported when all attributes are read in order.
    TextErrors errors;
    Lexer lexer(line.metadata, &errors);
    lexer.Next();
    lexer.Next();
    if (!ReadMetadata(&lexer, &wire) || lexer.token() != Token::kEnd ||
        !errors.empty()) {
      return false;
    }
  }
  *known = *id = module_.pools.AddMetadata(wire);
  return true;
}

// The attribute bytes of a parameter that differs from an earlier one only by
// its number.
bool KnownLines::FindParameterAttributeBytes(
    absl::string_view number, AttributeBytesId like,
    AttributeBytesId* attribute_bytes) {
  constexpr size_t kFits = 18;
  int64_t value;
  if (number.size() > kFits || !absl::SimpleAtoi(number, &value)) return false;
  const std::string field = NumberField(value);
  AttributeBytesView view = module_.pools.attribute_bytes(like);
  if (view.before_id == field) {
    *attribute_bytes = like;
    return true;
  }
  view.before_id = field;
  *attribute_bytes = module_.pools.AddAttributeBytes(view);
  return true;
}

void KnownLines::TakeLineMetadata(ParsedInstruction* node) {
  constexpr absl::string_view kName = ", metadata=";
  if (!IsLineOf(*node) || node->line->metadata.empty() ||
      IsAsync(node->opcode) || !FindMetadata(*node->line, &node->metadata)) {
    return;
  }
  node->attributes.known_metadata = node->line->metadata.substr(kName.size());
}

bool KnownLines::IsLineOf(const ParsedInstruction& node) {
  if (!HasParts(node)) return false;
  const absl::string_view head = node.line->head;
  return node.opcode_text.data() + node.opcode_text.size() + 1 ==
         head.data() + head.size();
}

void KnownLines::Remember(const ParsedInstruction& node, uint32_t position) {
  const LineText& line = *node.line;
  const OpenBody& body = names_.body();
  if (line.head.empty() || IsAsync(node.opcode) ||
      (!body.control.empty() && body.control.back().position == position)) {
    return;
  }
  const size_t end = in_.OffsetOf(line.end());
  const size_t operands_end = in_.OffsetOf(line.attributes.data());
  if (!IsLineOf(node) ||
      (IsConstant(line.head)
           ? node.operands_end > end
           : node.operands_end !=
                 operands_end + (line.number.empty() ? 0 : 1)) ||
      node.last_token_end > end || node.attributes_end < end) {
    return;
  }
  // A comment may continue after the line.
  if (HasComment(line.attributes) || HasComment(line.after_callee) ||
      HasComment(line.tail) || node.attributes.metadata.has_value() ||
      node.attributes.has_known_metadata == line.metadata.empty() ||
      !HasCalleeWhereSaid(node)) {
    return;
  }
  for (const CalleeText& callee : node.attributes.callees) {
    if (callee.name.empty()) return;  // an inline body
  }
  const InstructionRecord& record = body.instructions[position];
  int64_t number;
  if (!line.number.empty() &&
      (!absl::SimpleAtoi(line.number, &number) ||
       module_.pools.attribute_bytes(record.attribute_bytes).before_id !=
           NumberField(number))) {
    return;
  }
  line_shapes_.clear();
  for (const uint32_t operand : module_.data->Operands(record)) {
    line_shapes_.push_back(body.instructions[operand].shape);
  }
  lines_.Insert(
      line, line_shapes_,
      {record.opcode, record.shape, record.attribute_bytes, node.callees});
}

bool KnownLines::HasCalleeWhereSaid(const ParsedInstruction& node) {
  const absl::string_view callee = node.line->callee;
  const auto& callees = node.attributes.callees;
  return callee.empty() ||
         (callees.size() == 1 && callees[0].name.data() == callee.data() &&
          callees[0].name.size() == callee.size());
}

}  // namespace indim
