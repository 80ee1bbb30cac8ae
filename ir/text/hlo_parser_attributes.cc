// The attributes of an instruction: read, or known from one before, and put
// into the blob; the computations that they name.

#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/ir/attribute_wire.h"
#include "indim/ir/text/hlo_op_rules.h"
#include "indim/ir/text/hlo_parser.h"
#include "indim/ir/text/metadata_text.h"
#include "indim/ir/wire.h"
#include "indim/shape/suggest.h"

namespace indim {
namespace {

constexpr uint32_t kLiteral = 8;
constexpr uint32_t kParameterNumber = 9;

bool IsAsync(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate ||
         opcode == Opcode::kAsyncDone;
}

}  // namespace

bool HloParser::ReadNodeAttributes(Node* node) {
  if (ReadKnownAttributes(node)) return true;
  const bool is_start =
      node->wrapped != Opcode::kInvalid && node->opcode == Opcode::kAsyncStart;
  const size_t before = lexer_.offset();
  if (!ReadAttributes(&lexer_, is_start ? node->wrapped : node->opcode,
                      is_start, node->opcode_offset, &node->attributes)) {
    return false;
  }
  if (node->nested && lexer_.offset() != before) {
    return lexer_.ErrorAt(
        before, 1, "an op among operands can't have attributes: name it");
  }
  return true;
}

// --- What was read before ----------------------------------------------------

// Fields depend on the shapes too (FillImpliedFields), and so does what is
// refused; so shapes are in the key, and must be known by now.
bool HloParser::MayBeKnown(const Node& node) const {
  return !node.nested && !node.broken && node.shape && !IsAsync(node.opcode) &&
         !DerivesResultShape(node.opcode);
}

bool HloParser::ReadKnownAttributes(Node* node) {
  node->line = AttributeLine();
  node->line.is_known = false;
  if (!MayBeKnown(*node)) return false;
  // The ")" was the last token but one: the line begins behind it.
  const size_t begin = lexer_.offset();
  const AttributeLine line = FindAttributeLine(text_, node->operands_end);
  if (!line.is_known) return false;
  node->line = line;
  attributes_.Begin(node->opcode, node->shape,
                    node->opcode == Opcode::kParameter
                        ? node->attributes.fields.Number(kParameterNumber)
                        : 0);
  for (size_t i = node->first_operand; i < operands_.size(); ++i) {
    attributes_.AddOperand(frame()->instructions[operands_[i]].shape);
  }
  const AttributeCache::Entry* known = attributes_.Find(line);
  if (known == nullptr) return false;
  MetadataId metadata = no_metadata_;
  if (line.metadata != line.end && !ReadKnownMetadata(line, &metadata)) {
    lexer_.Seek(begin);
    return false;
  }
  if (line.metadata == line.end) lexer_.Seek(line.end);
  // What follows may still be an attribute, on a line of its own.
  if (lexer_.token() == Token::kComma) {
    lexer_.Seek(begin);
    return false;
  }
  for (const auto& [offset, length] : known->callees) {
    CalleeText callee;
    callee.offset = line.begin + offset;
    callee.name = text_.substr(callee.offset, length);
    node->attributes.callees.push_back(callee);
  }
  node->known_blob = known->blob;
  node->known_metadata = metadata;
  node->is_known = true;
  return true;
}

// `, metadata={...}` to the line's end, known or read. False, without an error,
// where it isn't that alone.
bool HloParser::ReadKnownMetadata(const AttributeLine& line, MetadataId* id) {
  if (attributes_.FindMetadata(line, id)) {
    lexer_.Seek(line.end);
    return true;
  }
  // Wrong metadata is told when all attributes are read in order.
  TextErrors errors;
  Lexer lexer(text_.substr(line.metadata, line.end - line.metadata), &errors);
  lexer.Next();
  lexer.Next();
  std::string wire;
  if (!ReadMetadata(&lexer, &wire) || lexer.token() != Token::kEnd ||
      !errors.empty()) {
    return false;
  }
  *id = pools_->AddMetadata(wire);
  attributes_.InsertMetadata(line, *id);
  lexer_.Seek(line.end);
  return true;
}

// Remembers the attributes that were just read, if they were those of the line
// and metadata was the last.
void HloParser::RememberAttributes(const Node& node, BlobId blob) {
  const AttributeLine& line = node.line;
  if (node.is_known || !line.is_known || node.attributes_end < line.end ||
      !node.attributes.control_predecessors.empty()) {
    return;
  }
  const auto offset_of = [this](absl::string_view in_text) {
    return static_cast<size_t>(in_text.data() - text_.data());
  };
  const std::vector<absl::string_view>& given = node.attributes.given;
  const bool has_metadata = line.metadata != line.end;
  if (has_metadata != node.attributes.metadata.has_value() ||
      (has_metadata && offset_of(given.back()) != line.metadata + 2)) {
    return;
  }
  // An attribute on a later line is none of this one's.
  if (!given.empty() && offset_of(given.back()) >= line.end) return;
  AttributeCache::Entry entry;
  entry.blob = blob;
  for (const CalleeText& callee : node.attributes.callees) {
    if (callee.name.empty()) return;
    entry.callees.emplace_back(
        static_cast<uint32_t>(offset_of(callee.name) - line.begin),
        static_cast<uint32_t>(callee.name.size()));
  }
  attributes_.Insert(line, std::move(entry));
}

// --- Into the blob -----------------------------------------------------------

BlobId HloParser::AddBlobOf(Node* node) {
  BlobId attributes = node->known_blob;
  if (!node->is_known) {
    FillImpliedFields(node->opcode, OperandShapes(*node),
                      pools_->shapes().shape(node->shape), &node->attributes);
    attributes = pools_->AddBlob(node->attributes.fields.ToBlob().view());
    RememberAttributes(*node, attributes);
  }
  if (node->literal.empty()) return attributes;
  // The literal is the first field.
  std::string before;
  AppendTag(kLiteral, WireType::kLengthDelimited, &before);
  AppendVarint(node->literal.size(), &before);
  BlobView view = pools_->blob(attributes);
  const bool is_large = node->literal.size() > Pools::kLargeBlob;
  node->literal.insert(0, before);
  node->literal.append(view.before_id.data(), view.before_id.size());
  if (is_large) {
    view.before_id = pools_->KeepBytes(std::move(node->literal));
    return pools_->AddBlobView(view);
  }
  view.before_id = node->literal;
  return pools_->AddBlob(view);
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
      if (!ReadBody("_", &computation)) return false;
    } else if (!FindCallee(callee, &computation)) {
      computation = kBroken;
    }
    node->broken |= computation == kBroken;
    node->callees.push_back(computation);
  }
  if (read_body) lexer_.Seek(after);
  return true;
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

void HloParser::NoteCaller(const Node& node) {
  const bool is_async = node.opcode == Opcode::kAsyncStart;
  for (size_t i = 0; i < node.callees.size(); ++i) {
    ComputationFacts& facts = facts_[node.callees[i]];
    if (node.opcode == Opcode::kFusion) facts.is_fusion = true;
    if (is_async) {
      facts.is_async = true;
    } else if (facts.other_caller == absl::string_view::npos) {
      facts.other_caller = node.opcode_offset;
    }
  }
}

}  // namespace indim
