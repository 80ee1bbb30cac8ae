// Parses one instruction: `[ROOT] name = [shape] op(operands)[,
// attribute=value]*`.

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/codec/attribute_wire.h"
#include "indim/ir/append_record.h"
#include "indim/ir/module_access.h"
#include "indim/shape/types/suggest.h"
#include "indim/text/attributes/literal_reader.h"
#include "indim/text/base/old_names.h"
#include "indim/text/parse/hlo_op_rules.h"
#include "indim/text/parse/hlo_parser.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"

namespace indim {
namespace {

using field::HloInstructionProto::kParameterNumber;

std::string Plural(int64_t n, absl::string_view what) {
  return absl::StrCat(n, " ", what, n == 1 ? "" : "s");
}

// The number of operands that the op takes: "two", "at least one".
std::string OperandsWanted(const OpInfo& info) {
  if (info.min_operands == info.max_operands) {
    return Plural(info.min_operands, "operand");
  }
  if (info.max_operands < 0) {
    return absl::StrCat("at least ", Plural(info.min_operands, "operand"));
  }
  return absl::StrCat(info.min_operands, " to ",
                      Plural(info.max_operands, "operand"));
}

// A constant has its literal's shape: no dynamic dims, no element sizes.
// `shape` if it has that form, else the literal's.
ShapeId LiteralShape(absl::string_view wire, ShapeId id, ShapeTable* shapes) {
  const Shape& shape = shapes->shape(id);
  if (shape.has_rank() && shape.is_static() &&
      (shape.layout() == nullptr ||
       shape.layout()->element_size_in_bits == 0)) {
    return id;
  }
  WireReader reader(wire);
  uint32_t tag;
  absl::string_view field;
  if (!reader.ReadTag(&tag) || TagNumber(tag) != field::LiteralProto::kShape ||
      !reader.ReadLengthDelimited(&field)) {
    return id;
  }
  const absl::StatusOr<ShapeId> of_literal = shapes->InternWire(field);
  return of_literal.ok() ? *of_literal : id;
}

}  // namespace

bool HloParser::ReadInstruction(const LineText& line) {
  Node node;
  node.line = &line;
  const size_t mark = lexer_.offset();
  node.place = line_counter_.PlaceOf(mark);
  node.is_root = lexer_.AcceptWord("ROOT");
  node.offset = lexer_.offset();
  if (!ReadNewName(&node.name)) return false;
  const size_t operands = operands_.size();
  uint32_t position = kBroken;
  bool ok = lexer_.Expect(Token::kEqual);
  if (ok && node.is_root) {
    if (frame()->has_root) {
      lexer_.ErrorAt(mark, 4, "a computation has one ROOT; this is the second");
    }
    frame()->has_root = true;
  }
  ok = ok && ReadRightSide(&node, &position);
  operands_.resize(operands);
  frame()->is_broken |= position == kBroken;
  if (node.is_root && ok) frame()->root = position;
  if (!ok && !LookUp(*frame(), node.name).has_value()) {
    Bind(node.name, kBroken);
  }
  return ok;
}

bool HloParser::ReadNewName(absl::string_view* name) {
  if (lexer_.token() == Token::kWord && IsReservedWord(lexer_.text())) {
    return lexer_.Error(absl::StrCat("\"", lexer_.text(),
                                     "\" can't be a name: it is reserved"));
  }
  return lexer_.ReadName(name);
}

bool HloParser::ReadRightSide(Node* node, uint32_t* position) {
  *position = kBroken;
  if (!node->shape && IsShapeAhead(lexer_) &&
      !shapes_.Read(&lexer_, &node->shape)) {
    return false;
  }
  if (!ReadOpcode(node)) return false;
  switch (node->opcode) {
    case Opcode::kParameter:
      if (!ReadParameterNumber(node)) return false;
      break;
    case Opcode::kConstant:
      if (!ReadConstant(node)) return false;
      break;
    default:
      if (!TakeLineOperands(node) && !ReadOperands(node)) return false;
      break;
  }
  node->operands_end = last_end_;
  if (node->wrapped == Opcode::kInvalid && !CheckOperandCount(*node)) {
    node->broken = true;
  }
  TakeLineMetadata(node);
  if (!ReadNodeAttributes(node)) return false;
  node->last_token_end = lexer_.previous_end();
  node->attributes_end = lexer_.offset();
  if (!ResolveCallees(node)) return false;
  // The instruction is read to its end. Further errors break it, but the next
  // instruction gets its right position. An instruction that depends on an
  // error gets no errors of its own.
  node->broken = node->broken || !CheckName(*node) ||
                 !CheckGivenAttributes(*node) || !FinishAsync(node) ||
                 !SetResultShape(node);
  if (!node->broken) {
    RecordCallers(*node);
    if (node->name.empty()) {
      node->name = NameNested(node->opcode);
    } else if (nested_names_ != nullptr) {
      nested_names_->Unique(node->name);
    }
    if (names_unique_ && !IsLineKnown(*node) &&
        !NameUniquer::IsPlain(node->name)) {
      names_unique_ = false;
    }
    *position = AddNode(node);
    if (node->line != nullptr) RememberLine(*node, *position);
  }
  operands_.resize(node->first_operand);
  if (!node->name.empty()) Define(node->name, node->offset, *position);
  return true;
}

bool HloParser::CheckName(const Node& node) {
  if (node.name.empty() || IsLineKnown(node) || IsSanitizedName(node.name) ||
      (recorded_ && IsNumberName(node.name))) {
    return true;
  }
  return lexer_.ErrorAt(node.offset, node.name.size(),
                        absl::StrCat("\"", node.name, "\" can't be a name; \"",
                                     SanitizedName(node.name), "\" can"));
}

bool HloParser::ReadOpcode(Node* node) {
  if (lexer_.token() != Token::kWord) return lexer_.Expected("an op");
  node->opcode_offset = lexer_.offset();
  node->opcode_text = lexer_.text();
  node->first_operand = operands_.size();
  if (std::optional<Opcode> known = OpcodeFromName(node->opcode_text)) {
    node->opcode = *known;
  } else if (!ReadAsyncSugar(node)) {
    std::string message =
        absl::StrCat("unknown op \"", node->opcode_text, "\"");
    const absl::string_view now = NewOpName(node->opcode_text);
    if (!now.empty()) {
      absl::StrAppend(&message, ": XLA has renamed it, it is ", now, " now");
    } else if (std::optional<Opcode> near = NearestOpcode(node->opcode_text)) {
      absl::StrAppend(&message, ", did you mean \"", Name(*near), "\"?");
    } else if (ElementTypeFromName(node->opcode_text)) {
      message = absl::StrCat("expected a shape or an op; \"", node->opcode_text,
                             "\" needs its sizes: \"", node->opcode_text,
                             "[2,3]\", \"", node->opcode_text, "[]\"");
    }
    return lexer_.Error(std::move(message));
  }
  const bool may_lack_shape = recorded_ && node->opcode != Opcode::kConstant;
  if (!node->shape && !may_lack_shape &&
      Info(node->opcode).has(kResultWritten)) {
    return lexer_.Error(
        absl::StrCat(node->opcode_text,
                     " needs its result's shape in front: XLA's reader doesn't "
                     "infer it"));
  }
  lexer_.Next();
  return true;
}

bool HloParser::ReadParameterNumber(Node* node) {
  if (!lexer_.Expect(Token::kLeftParen)) return false;
  const size_t at = lexer_.offset();
  int64_t number;
  if (!lexer_.ReadInt(&number)) return false;
  if (number < 0) {
    return lexer_.ErrorAt(at, 1, "parameters are numbered from 0");
  }
  node->attributes.fields.SetNumber(kParameterNumber, number);
  return ReadOperandsEnd();
}

bool HloParser::ReadConstant(Node* node) {
  if (!lexer_.Expect(Token::kLeftParen)) return false;
  LiteralReaderOptions options;
  options.allow_elided = options_.allow_elided_constants;
  ReadLiteralResult literal;
  if (!ReadLiteral(&lexer_, pools_->shapes().shape(node->shape), options,
                   &literal)) {
    return false;
  }
  if (!literal.elided) {
    node->shape = LiteralShape(literal.wire, node->shape, &pools_->shapes());
    node->literal = std::move(literal.wire);
  }
  return ReadOperandsEnd();
}

bool HloParser::CheckOperandCount(const Node& node) {
  // XLA's parser accepts any number for an rng; its verifier checks it.
  if (node.opcode == Opcode::kRng) return true;
  const OpInfo& info = Info(node.opcode);
  const int64_t count =
      static_cast<int64_t>(operands_.size() - node.first_operand);
  if (count < info.min_operands ||
      (info.max_operands >= 0 && count > info.max_operands)) {
    return lexer_.ErrorAt(
        node.opcode_offset, node.opcode_text.size(),
        absl::StrCat(node.opcode_text, " takes ", OperandsWanted(info),
                     "; there ", count == 1 ? "is " : "are ", count));
  }
  return true;
}

bool HloParser::CheckGivenAttributes(const Node& node) {
  // The verifier checks a recorded module, as it does for other files.
  if (recorded_) return true;
  const ShapeList operands = OperandShapes(node);
  OpText op;
  op.opcode = node.opcode;
  op.operands = operands;
  op.declared = node.shape ? &pools_->shapes().shape(node.shape) : nullptr;
  op.attributes = &node.attributes;
  op.callee_count = node.attributes.callees.size();
  if (op.callee_count > InstructionRecord::kMaxCallees) {
    return lexer_.ErrorAt(
        node.opcode_offset, node.opcode_text.size(),
        absl::StrCat(node.opcode_text, " can call ",
                     InstructionRecord::kMaxCallees,
                     " computations at most, not ", op.callee_count));
  }
  const std::string wrong = XlaParserError(op);
  if (wrong.empty()) return true;
  return lexer_.ErrorAt(node.opcode_offset, node.opcode_text.size(), wrong);
}

// --- Shapes ------------------------------------------------------------------

const Signature& HloParser::SignatureOf(uint32_t computation) {
  std::unique_ptr<Signature>& signature = facts_[computation].signature;
  if (signature == nullptr) {
    signature = std::make_unique<Signature>(
        internal::ComputationOf(data_.get(), computation).signature());
  }
  return *signature;
}

// --- Shapes ------------------------------------------------------------------

const Shape& HloParser::ShapeOf(uint32_t position) {
  return pools_->shapes().shape(frame()->instructions[position].shape);
}

HloParser::ShapeList HloParser::OperandShapes(const Node& node) {
  ShapeList shapes;
  for (size_t i = node.first_operand; i < operands_.size(); ++i) {
    shapes.push_back(&ShapeOf(operands_[i]));
  }
  return shapes;
}

bool HloParser::SetResultShape(Node* node) {
  ShapeTable& shapes = pools_->shapes();
  if (recorded_) return true;  // as given, or left to inference
  if (node->shape && !DerivesResultShape(node->opcode)) return true;
  const ShapeList operands = OperandShapes(*node);
  if (DerivesResultShape(node->opcode)) {
    static const Shape* const kNone = new Shape();
    const Shape& declared = node->shape ? shapes.shape(node->shape) : *kNone;
    const std::optional<Shape> derived =
        DerivedResultShape(node->opcode, operands, declared);
    if (!derived.has_value() && node->shape) return true;
    if (!derived.has_value()) {
      return lexer_.ErrorAt(
          node->opcode_offset, node->opcode_text.size(),
          absl::StrCat(node->opcode_text,
                       "'s result is a tuple that begins with "
                       "the data"));
    }
    node->shape = shapes.Intern(*derived);
    return true;
  }
  return InferShapeOf(node);
}

bool HloParser::InferShapeOf(Node* node) {
  const ShapeList operands = OperandShapes(*node);
  std::vector<const Signature*> callees;
  for (uint32_t callee : node->callees) callees.push_back(&SignatureOf(callee));
  const FieldList& fields = node->attributes.fields;
  const OwnedAttributeBytes attribute_bytes = fields.ToAttributeBytes();
  absl::StatusOr<Attributes> attributes =
      DecodeAttributes(node->opcode, attribute_bytes.view());
  const auto fail = [&](absl::string_view why) {
    return lexer_.ErrorAt(node->opcode_offset, node->opcode_text.size(),
                          absl::StrCat("no result shape is given, and ", why));
  };
  if (!attributes.ok()) return fail(attributes.status().message());
  OpInputs inputs;
  inputs.opcode = node->opcode;
  inputs.operands = operands;
  inputs.attributes = &*attributes;
  inputs.callees = callees;
  std::string why;
  std::optional<Shape> shape = InferForText(inputs, &why);
  if (!shape.has_value()) return fail(why);
  if (!CountLeftOut(*shape)) {
    return fail(absl::StrCat(
        "the shapes that this text leaves out have more than ",
        kMaxLeftOutParts + text_.size(),
        " parts (arrays, tuples) together; to fix: nest fewer tuples"));
  }
  node->shape = pools_->shapes().Intern(
      options_.fill_missing_layouts ? shape->WithDefaultLayout() : *shape);
  return true;
}

bool HloParser::CountLeftOut(const Shape& shape) {
  if (++left_out_parts_ > kMaxLeftOutParts + text_.size()) return false;
  for (const Shape& element : shape.elements()) {
    if (!CountLeftOut(element)) return false;
  }
  return true;
}

uint32_t HloParser::AddNode(Node* node) {
  Frame* const f = frame();
  // They depend on the operands.
  const AttributeBytesId attribute_bytes = AddAttributeBytesOf(node);
  const uint32_t position = static_cast<uint32_t>(f->instructions.size());
  InstructionRecord& record =
      AppendRecord(absl::MakeConstSpan(operands_).subspan(node->first_operand),
                   node->callees, &data_->operands, &f->instructions);
  operands_.resize(node->first_operand);
  record.opcode = node->opcode;
  record.shape = node->shape;
  record.attribute_bytes = attribute_bytes;
  record.metadata = node->attributes.metadata.has_value()
                        ? pools_->AddMetadata(*node->attributes.metadata)
                    : node->attributes.has_known_metadata ? node->metadata
                                                          : no_metadata_;
  f->names.push_back(node->name);
  f->places.Add(node->place);
  if (!node->attributes.control_predecessors.empty()) {
    f->control.push_back(
        {position, std::move(node->attributes.control_predecessors)});
  }
  return position;
}

}  // namespace indim
