// Reads instructions that repeat an earlier one: most of a large text.
//
// This code repeats no check that the grammar made for the earlier line. It
// leaves everything unusual, also wrong names, to the grammar, which then reads
// the line from its beginning and reports errors.

#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "indim/ir/append_record.h"
#include "indim/text/base/metadata_text.h"
#include "indim/text/parse/hlo_parser.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"

namespace indim {
namespace {

// The number of a parameter: its attribute bytes before the id.
std::string NumberField(int64_t number) {
  using field::HloInstructionProto::kParameterNumber;
  std::string field;
  if (number == 0) return field;
  AppendTag(kParameterNumber, WireType::kVarint, &field);
  AppendVarint(static_cast<uint64_t>(number), &field);
  return field;
}

bool HasComment(absl::string_view text) {
  return !text.empty() &&
         std::memchr(text.data(), '/', text.size()) != nullptr &&
         absl::StrContains(text, "/*");
}

}  // namespace

bool HloParser::ReadKnownInstruction(LineText* line) {
  *line = LineText();
  if (bare_ || nested_names_ != nullptr) return false;
  const size_t mark = lexer_.offset();
  const size_t operands = data_->operands.size();
  if (FindKnownInstruction(line)) return true;
  line_operands_.assign(
      data_->operands.begin() + static_cast<std::ptrdiff_t>(operands),
      data_->operands.end());
  data_->operands.resize(operands);
  if (lexer_.offset() != mark) lexer_.Seek(mark);
  return false;
}

bool HloParser::FindKnownInstruction(LineText* line) {
  const TextPlace place = line_counter_.PlaceOf(lexer_.offset());
  const bool is_root = lexer_.AcceptWord("ROOT");
  const absl::string_view name = lexer_.text();
  if ((lexer_.token() != Token::kName && lexer_.token() != Token::kWord) ||
      !NameUniquer::IsPlainIdentifier(name) ||
      (lexer_.token() == Token::kWord && IsReservedWord(name)) ||
      (is_root && frame()->has_root)) {
    return false;
  }
  const uint64_t hash = HashBytes(name);
  constexpr absl::string_view kEquals = " = ";
  if (!absl::StartsWith(text_.substr(lexer_.end()), kEquals)) return false;
  const size_t first_operand = data_->operands.size();
  if (!FindLine(lexer_.end() + kEquals.size(), line)) return false;
  const LineCache::Instruction* const known = lines_.Find(line, line_shapes_);
  if (known == nullptr) return false;
  absl::Span<const uint32_t> callees = known->callees;
  if (!line->callee.empty()) {
    const auto callee = computation_names_.find(line->callee);
    if (callee == computation_names_.end() || callee->second == kBroken) {
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
  MetadataId metadata = no_metadata_;
  if (!line->metadata.empty() && !FindLineMetadata(*line, &metadata)) {
    return false;
  }
  Binding* const binding = FindBinding(name, hash);
  if (Meaning(*frame(), binding).has_value()) return false;
  const size_t line_end = static_cast<size_t>(line->end() - text_.data());
  // Another line may follow "ROOT".
  if (!is_root) line_counter_.SkipTo(line_end);
  lexer_.Seek(line_end);
  // An attribute may follow on its own line.
  if (lexer_.token() == Token::kComma) return false;

  const uint32_t position = static_cast<uint32_t>(frame()->instructions.size());
  InstructionRecord& record = frame()->instructions.emplace_back();
  record.opcode = known->opcode;
  record.shape = known->shape;
  record.attribute_bytes = attribute_bytes;
  record.metadata = metadata;
  AddKnownCallees(*line, known->opcode, callees);
  TakeOperands(first_operand, callees.size(), data_->operands, &record);
  frame()->names.push_back(name);
  frame()->places.Add(place);
  Bind(binding, name, hash, position);
  if (is_root) {
    frame()->has_root = true;
    frame()->root = position;
  }
  return true;
}

void HloParser::AddKnownCallees(const LineText& line, Opcode opcode,
                                absl::Span<const uint32_t> callees) {
  if (callees.empty()) return;
  data_->operands.insert(data_->operands.end(), callees.begin(), callees.end());
  // The opcode is after the last blank of the head.
  const size_t place = static_cast<size_t>(line.head.data() - text_.data()) +
                       line.head.rfind(' ') + 1;
  for (const uint32_t callee : callees) RecordCaller(opcode, place, callee);
}

// Finds the parts of the line whose right side begins at `at`. Appends the
// operands to the module's, and their shapes to line_shapes_. False: the line
// has another form, or an operand isn't known; line->head is then empty.
bool HloParser::FindLine(size_t at, LineText* line) {
  line_shapes_.clear();
  const absl::string_view head = FindLineHead(text_, at);
  if (head.empty()) return false;
  at += head.size();
  if (IsParameter(head)) {
    const size_t begin = at;
    while (at < text_.size() && absl::ascii_isdigit(text_[at])) ++at;
    line->number = text_.substr(begin, at - begin);
    if (line->number.empty()) return false;
  } else if (!IsConstant(head) && !FindLineOperands(&at)) {
    return false;
  }
  if (!FindLineRest(text_, at, line)) return false;
  line->head = head;
  return true;
}

// Reads `%a, f32[2] %b, /*index=5*/%c)` from *at on, and moves *at to after the
// ")".
bool HloParser::FindLineOperands(size_t* at) {
  const char* p = text_.data() + *at;
  const char* const end = text_.data() + text_.size();
  const Frame& f = *frame();
  const auto skip = [&p, end](absl::string_view what) {
    const bool found = absl::StartsWith(
        absl::string_view(p, static_cast<size_t>(end - p)), what);
    if (found) p += what.size();
    return found;
  };
  const auto offset = [this](const char* at) {
    return static_cast<size_t>(at - text_.data());
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
        if (p[-1] == '%' ||
            !shapes_.FindKnown(text_, offset(p), &shape_end, &shape)) {
          return false;
        }
        p = text_.data() + shape_end;
        if (!skip(" ")) return false;
        skip("%");
        name_end = Lexer::SkipIdentifier(p, end);
      }
      if (name_end == p) return false;
      const absl::string_view name(p, static_cast<size_t>(name_end - p));
      const std::optional<uint32_t> found = LookUp(f, name);
      if (!found.has_value() || *found == kBroken) return false;
      const ShapeId known = f.instructions[*found].shape;
      if (shape && shape != known) return false;
      data_->operands.push_back(*found);
      line_shapes_.push_back(known);
      p = name_end;
    } while (skip(", "));
    if (!skip(")")) return false;
  }
  *at = offset(p);
  return true;
}

// Finds the line's metadata, known or read. False, without an error: there is
// something else in it.
bool HloParser::FindLineMetadata(const LineText& line, MetadataId* id) {
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
  *known = *id = pools_->AddMetadata(wire);
  return true;
}

// The attribute bytes of a parameter that differs from an earlier one only by
// its number.
bool HloParser::FindParameterAttributeBytes(absl::string_view number,
                                            AttributeBytesId like,
                                            AttributeBytesId* attribute_bytes) {
  constexpr size_t kFits = 18;
  int64_t value;
  if (number.size() > kFits || !absl::SimpleAtoi(number, &value)) return false;
  const std::string field = NumberField(value);
  AttributeBytesView view = pools_->attribute_bytes(like);
  if (view.before_id == field) {
    *attribute_bytes = like;
    return true;
  }
  view.before_id = field;
  *attribute_bytes = pools_->AddAttributeBytes(view);
  return true;
}

// Uses the operands that FindLine found in a line that isn't known, if they are
// at the grammar's position.
bool HloParser::TakeLineOperands(Node* node) {
  if (!IsLineOf(*node)) return false;
  node->first_operand = operands_.size();
  operands_.insert(operands_.end(), line_operands_.begin(),
                   line_operands_.end());
  last_end_ = static_cast<size_t>(node->line->attributes.data() - text_.data());
  lexer_.Seek(last_end_);
  return true;
}

// Uses the metadata that FindLine found.
void HloParser::TakeLineMetadata(Node* node) {
  constexpr absl::string_view kName = ", metadata=";
  if (!IsLineOf(*node) || node->line->metadata.empty() ||
      IsAsync(node->opcode) ||
      !FindLineMetadata(*node->line, &node->metadata)) {
    return;
  }
  node->attributes.known_metadata = node->line->metadata.substr(kName.size());
}

bool HloParser::IsLineOf(const Node& node) {
  if (!IsLineKnown(node)) return false;
  const absl::string_view head = node.line->head;
  return node.opcode_text.data() + node.opcode_text.size() + 1 ==
         head.data() + head.size();
}

// Remembers the instruction that the grammar has just read, if its parts are at
// the line's positions.
void HloParser::RememberLine(const Node& node, uint32_t position) {
  const LineText& line = *node.line;
  const Frame& f = *frame();
  if (line.head.empty() || IsAsync(node.opcode) ||
      (!f.control.empty() && f.control.back().position == position)) {
    return;
  }
  const auto at = [this](const char* p) {
    return static_cast<size_t>(p - text_.data());
  };
  const size_t end = at(line.end());
  const size_t operands_end = at(line.attributes.data());
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
  const InstructionRecord& record = f.instructions[position];
  int64_t number;
  if (!line.number.empty() &&
      (!absl::SimpleAtoi(line.number, &number) ||
       pools_->attribute_bytes(record.attribute_bytes).before_id !=
           NumberField(number))) {
    return;
  }
  line_shapes_.clear();
  for (const uint32_t operand : data_->Operands(record)) {
    line_shapes_.push_back(f.instructions[operand].shape);
  }
  lines_.Insert(
      line, line_shapes_,
      {record.opcode, record.shape, record.attribute_bytes, node.callees});
}

bool HloParser::HasCalleeWhereSaid(const Node& node) const {
  const absl::string_view callee = node.line->callee;
  const auto& callees = node.attributes.callees;
  return callee.empty() ||
         (callees.size() == 1 && callees[0].name.data() == callee.data() &&
          callees[0].name.size() == callee.size());
}

}  // namespace indim
