// Reads the attributes of an instruction, makes the attribute bytes, and
// resolves the computations that they name.

#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/codec/attribute_wire.h"
#include "indim/shape/types/suggest.h"
#include "indim/text/attributes/attribute_table.h"
#include "indim/text/parse/hlo_op_rules.h"
#include "indim/text/parse/hlo_parser.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"

namespace indim {
namespace {

constexpr char kNestedAttributes[] =
    "an op that is written as an operand can't have attributes; to fix: make "
    "it an instruction and name it";

}  // namespace

bool HloParser::ReadNodeAttributes(Node* node) {
  const bool is_start =
      node->wrapped != Opcode::kInvalid && node->opcode == Opcode::kAsyncStart;
  const size_t before = lexer_.offset();
  node->attributes.recorded = recorded_;
  if (node->nested && IsOperandNext()) return HasNoRequiredAttribute(*node);
  if (!ReadAttributes(&lexer_, is_start ? node->wrapped : node->opcode,
                      is_start, node->opcode_offset, &node->attributes)) {
    return false;
  }
  if (node->nested && lexer_.offset() != before) {
    return lexer_.ErrorAt(before, 1, kNestedAttributes);
  }
  return true;
}

bool HloParser::IsOperandNext() {
  const size_t comma = lexer_.offset();
  if (!lexer_.Accept(Token::kComma)) return false;
  const bool is_operand = lexer_.token() != Token::kAttributeName;
  lexer_.Seek(comma);
  return is_operand;
}

bool HloParser::HasNoRequiredAttribute(const Node& node) {
  for (const TextAttribute* row : TextAttributesOf(node.opcode)) {
    if (!row->required) continue;
    return lexer_.ErrorAt(node.opcode_offset, node.opcode_text.size(),
                          kNestedAttributes);
  }
  return true;
}

// --- Attribute bytes ---------------------------------------------------------

// The fields with XLA's defaults, or, in a recorded module, as a builder spells
// them.
OwnedAttributeBytes HloParser::FieldsOf(Node* node) {
  AttributesRead& read = node->attributes;
  if (!recorded_) {
    FillImpliedFields(node->opcode, OperandShapes(*node),
                      pools_->shapes().shape(node->shape), &read);
    return read.fields.ToAttributeBytes();
  }
  using field::HloInstructionProto::kWindow;
  OwnedAttributeBytes attribute_bytes = read.fields.ToAttributeBytes();
  absl::StatusOr<Attributes> attributes =
      DecodeAttributes(node->opcode, attribute_bytes.view());
  if (!attributes.ok() && !read.fields.has(kWindow)) {
    // A convolution without spatial dims has a window that text omits.
    const OwnedAttributeBytes with_window =
        WithField(attribute_bytes.view(), static_cast<int>(kWindow), "");
    attributes = DecodeAttributes(node->opcode, with_window.view());
    if (attributes.ok()) attribute_bytes = with_window;
  }
  if (!attributes.ok())
    return attribute_bytes;  // the verifier reports the error
  return SpellAttributes(node->opcode, attribute_bytes.view(), *attributes);
}

AttributeBytesId HloParser::AddAttributeBytesOf(Node* node) {
  const AttributeBytesId attributes =
      pools_->AddAttributeBytes(FieldsOf(node).view());
  if (node->literal.empty()) return attributes;
  // The literal is the first field.
  std::string before;
  AppendTag(field::HloInstructionProto::kLiteral, WireType::kLengthDelimited,
            &before);
  AppendVarint(node->literal.size(), &before);
  AttributeBytesView view = pools_->attribute_bytes(attributes);
  const bool is_large = node->literal.size() > Pools::kManyAttributeBytes;
  node->literal.insert(0, before);
  node->literal.append(view.before_id.data(), view.before_id.size());
  if (is_large) {
    view.before_id = pools_->KeepBytes(std::move(node->literal));
    return pools_->AddAttributeBytesView(view);
  }
  view.before_id = node->literal;
  return pools_->AddAttributeBytes(view);
}

// --- Called computations -----------------------------------------------------

bool HloParser::ResolveCallees(Node* node) {
  const size_t after = lexer_.offset();
  bool read_body = false;
  for (const CalleeText& callee : node->attributes.callees) {
    uint32_t computation = kBroken;
    if (callee.name.empty()) {
      read_body = true;
      lexer_.Seek(callee.offset);
      if (IsNameInBraces()) {
        node->broken = true;
        continue;
      }
      if (!ReadInlineBody(&computation)) return false;
    } else if (!FindCallee(callee, &computation)) {
      computation = kBroken;
    }
    node->broken |= computation == kBroken;
    node->callees.push_back(computation);
  }
  if (read_body) lexer_.Seek(after);
  return true;
}

// A body is in braces; a name of a callee isn't. Reports a name in braces.
bool HloParser::IsNameInBraces() {
  const size_t brace = lexer_.offset();
  lexer_.Next();
  const size_t offset = lexer_.offset();
  const absl::string_view name = lexer_.text();
  bool found = lexer_.token() == Token::kName || lexer_.token() == Token::kWord;
  if (found) {
    lexer_.Next();
    found = lexer_.token() == Token::kRightBrace;
  }
  if (found) {
    lexer_.ErrorAt(offset, name.size(),
                   absl::StrCat("braces hold a computation's instructions; to "
                                "fix: name one without them, %",
                                name));
  }
  lexer_.Seek(brace);
  return found;
}

// A broken body ends at its brace.
bool HloParser::ReadInlineBody(uint32_t* computation) {
  const size_t begin = lexer_.offset();
  if (!lexer_.SkipBraces()) return false;
  const size_t end = lexer_.previous_end();
  lexer_.Seek(begin);
  const size_t outer_end = skip_limit_;
  skip_limit_ = end - 1;
  const bool ok = ReadBody("_", computation);
  skip_limit_ = outer_end;
  return ok;
}

bool HloParser::FindCallee(const CalleeText& callee, uint32_t* computation) {
  auto it = computation_names_.find(callee.name);
  if (it != computation_names_.end()) {
    *computation = it->second;
    return true;
  }
  std::vector<absl::string_view> names;
  for (const ComputationFacts& facts : facts_) {
    if (names.size() < 2000) names.push_back(facts.name);
  }
  const absl::string_view near = NearestName(callee.name, names);
  std::string message = absl::StrCat(
      "no computation before this one is named \"", callee.name, "\"");
  if (!near.empty()) {
    absl::StrAppend(&message, ", did you mean \"", near, "\"?");
  }
  return lexer_.ErrorAt(callee.offset, callee.name.size(), std::move(message));
}

void HloParser::RecordCallers(const Node& node) {
  for (const uint32_t callee : node.callees) {
    RecordCaller(node.opcode, node.opcode_offset, callee);
  }
}

void HloParser::RecordCaller(Opcode opcode, size_t offset, uint32_t callee) {
  ComputationFacts& facts = facts_[callee];
  if (opcode == Opcode::kFusion) facts.is_fusion = true;
  if (opcode == Opcode::kAsyncStart) {
    facts.is_async = true;
  } else if (facts.other_caller == absl::string_view::npos) {
    facts.other_caller = offset;
  }
}

}  // namespace indim
