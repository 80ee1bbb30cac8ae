// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/instruction_parser.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/ir/append_record.h"
#include "indim/ir/shape_table.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/text/attributes/literal_reader.h"
#include "indim/text/base/name_uniquer.h"
#include "indim/text/base/old_names.h"
#include "indim/text/parse/computation_parser.h"
#include "indim/text/parse/hlo_op_rules.h"

namespace indim {
namespace {

using field::HloInstructionProto::kConstrainLayout;
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

InstructionParser::InstructionParser(TextInput* in, ParsedModule* module,
                                     NameScopes* names, KnownLines* known,
                                     ComputationParser* computations)
    : in_(*in),
      lexer_(in->lexer),
      module_(*module),
      names_(*names),
      known_(*known),
      computations_(*computations),
      shapes_(in, module, names, &operands_),
      attributes_(in, module, &shapes_),
      async_(in, module, names, this) {}

bool InstructionParser::Read(const LineText& line) {
  ParsedInstruction node;
  node.line = &line;
  const size_t mark = lexer_.offset();
  node.place = in_.line_counter.PlaceOf(mark);
  node.is_root = lexer_.AcceptWord("ROOT");
  node.offset = lexer_.offset();
  if (!in_.ReadNewName(&node.name)) return false;
  const size_t operands = operands_.size();
  uint32_t position = kBrokenPosition;
  bool ok = lexer_.Expect(Token::kEqual);
  if (ok && node.is_root) {
    if (names_.body().has_root) {
      lexer_.ErrorAt(mark, 4, "a computation has one ROOT; this is the second");
    }
    names_.body().has_root = true;
  }
  ok = ok && ReadRightSide(&node, &position);
  operands_.resize(operands);
  names_.body().is_broken |= position == kBrokenPosition;
  if (node.is_root && ok) names_.body().root = position;
  if (!ok && !names_.LookUp(node.name).has_value()) {
    names_.Bind(node.name, kBrokenPosition);
  }
  return ok;
}

bool InstructionParser::ReadRightSide(ParsedInstruction* node,
                                      uint32_t* position) {
  *position = kBrokenPosition;
  if (!node->shape && IsShapeAhead(lexer_) &&
      !module_.shapes.Read(&lexer_, &node->shape)) {
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
      if (!ReadOperands(node)) return false;
      break;
  }
  node->operands_end = last_end_;
  if (node->wrapped == Opcode::kInvalid && !CheckOperandCount(*node)) {
    node->broken = true;
  }
  known_.TakeLineMetadata(node);
  if (!attributes_.Read(node)) return false;
  node->last_token_end = lexer_.previous_end();
  node->attributes_end = lexer_.offset();
  if (!computations_.ResolveCallees(node)) return false;
  // The instruction is read to its end. Further errors break it, but the next
  // instruction gets its right position. An instruction that depends on an
  // error gets no errors of its own.
  node->broken = node->broken || !CheckName(*node) ||
                 !attributes_.CheckGiven(*node) || !async_.Finish(node) ||
                 !shapes_.Set(node);
  if (!node->broken) *position = AddNamed(node);
  operands_.resize(node->first_operand);
  if (!node->name.empty()) names_.Define(node->name, node->offset, *position);
  return true;
}

uint32_t InstructionParser::AddNamed(ParsedInstruction* node) {
  for (const uint32_t callee : node->callees) {
    module_.AddCaller(node->opcode, node->opcode_offset, callee);
  }
  if (node->name.empty()) {
    node->name = names_.NameNested(node->opcode);
  } else {
    names_.AddGiven(node->name);
  }
  if (module_.names_unique && !KnownLines::HasParts(*node) &&
      !NameUniquer::IsPlain(node->name)) {
    module_.names_unique = false;
  }
  const uint32_t position = Add(node);
  if (node->line != nullptr) known_.Remember(*node, position);
  return position;
}

bool InstructionParser::CheckName(const ParsedInstruction& node) {
  if (node.name.empty() || KnownLines::HasParts(node) ||
      IsSanitizedName(node.name) || (in_.recorded && IsNumberName(node.name))) {
    return true;
  }
  return lexer_.ErrorAt(node.offset, node.name.size(),
                        absl::StrCat("\"", node.name, "\" can't be a name; \"",
                                     SanitizedName(node.name), "\" can"));
}

bool InstructionParser::ReadOpcode(ParsedInstruction* node) {
  if (lexer_.token() != Token::kWord) return lexer_.Expected("an op");
  node->opcode_offset = lexer_.offset();
  node->opcode_text = lexer_.text();
  node->first_operand = operands_.size();
  if (std::optional<Opcode> known = OpcodeFromName(node->opcode_text)) {
    node->opcode = *known;
  } else if (!AsyncParser::Split(node)) {
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
  const bool may_lack_shape = in_.recorded && node->opcode != Opcode::kConstant;
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

bool InstructionParser::ReadParameterNumber(ParsedInstruction* node) {
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

bool InstructionParser::ReadConstant(ParsedInstruction* node) {
  if (!lexer_.Expect(Token::kLeftParen)) return false;
  LiteralReaderOptions options;
  options.allow_elided = in_.options.allow_elided_constants;
  ReadLiteralResult literal;
  if (!ReadLiteral(&lexer_, module_.pools.shapes().shape(node->shape), options,
                   &literal)) {
    return false;
  }
  if (!literal.elided) {
    node->shape =
        LiteralShape(literal.wire, node->shape, &module_.pools.shapes());
    node->literal = std::move(literal.wire);
  }
  return ReadOperandsEnd();
}

bool InstructionParser::CheckOperandCount(const ParsedInstruction& node) {
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

uint32_t InstructionParser::Add(ParsedInstruction* node) {
  OpenBody& body = names_.body();
  if (node->opcode == Opcode::kCustomCall && node->shape &&
      node->attributes.fields.Number(kConstrainLayout) != 0) {
    // XLA wants them in the result of a call that demands layouts.
    ShapeTable& shapes = module_.pools.shapes();
    node->shape = shapes.Intern(shapes.shape(node->shape).WithScalarLayouts());
  }
  // They depend on the operands.
  const AttributeBytesId attribute_bytes = attributes_.AddBytes(node);
  const uint32_t position = static_cast<uint32_t>(body.instructions.size());
  InstructionRecord& record =
      AppendRecord(absl::MakeConstSpan(operands_).subspan(node->first_operand),
                   node->callees, &module_.data->operands, &body.instructions);
  operands_.resize(node->first_operand);
  record.opcode = node->opcode;
  record.shape = node->shape;
  record.attribute_bytes = attribute_bytes;
  record.metadata = node->attributes.metadata.has_value()
                        ? module_.pools.AddMetadata(*node->attributes.metadata)
                    : node->attributes.has_known_metadata ? node->metadata
                                                          : module_.no_metadata;
  body.names.push_back(node->name);
  body.places.Add(node->place);
  if (!node->attributes.control_predecessors.empty()) {
    body.control.push_back(
        {position, std::move(node->attributes.control_predecessors)});
  }
  return position;
}

}  // namespace indim
