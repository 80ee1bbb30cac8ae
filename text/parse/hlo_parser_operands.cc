// Parses operands and names.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/shape/types/suggest.h"
#include "indim/text/parse/hlo_parser.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

// Most known names of a computation to compare for "did you mean"; more would
// cost more time than they help.
constexpr size_t kMaxNames = 2000;

}  // namespace

// ( operand, ... )
bool HloParser::ReadOperands(Node* node) {
  node->first_operand = operands_.size();
  if (!lexer_.Expect(Token::kLeftParen)) return false;
  if (lexer_.token() == Token::kRightParen) return ReadOperandsEnd();
  do {
    uint32_t position;
    if (!ReadOperand(&position)) return false;
    node->broken |= position == kBroken;
    operands_.push_back(position);
  } while (lexer_.Accept(Token::kComma));
  return ReadOperandsEnd("\",\" or \")\"");
}

bool HloParser::ReadOperandsEnd(absl::string_view expected) {
  last_end_ = lexer_.end();
  return lexer_.Expect(Token::kRightParen, expected);
}

// [shape] name, [shape] name#0#1, [shape] op(...); for a bare instruction also
// a shape alone.
bool HloParser::ReadOperand(uint32_t* position) {
  const size_t offset = lexer_.offset();
  ShapeId shape;
  if (lexer_.token() != Token::kName && IsShapeAhead(lexer_) &&
      !shapes_.Read(&lexer_, &shape)) {
    return false;
  }
  absl::string_view name;
  const size_t name_offset = lexer_.offset();
  if (lexer_.token() == Token::kName || lexer_.token() == Token::kWord) {
    const bool may_be_op = lexer_.token() == Token::kWord;
    name = lexer_.text();
    lexer_.Next();
    if (may_be_op && lexer_.token() == Token::kLeftParen) {
      lexer_.Seek(name_offset);
      return ReadNestedOperand(shape, offset, position);
    }
    if (lexer_.token() == Token::kHash) {
      return ReadTupleElements(name, name_offset, position) &&
             CheckOperandShape(*position, shape, offset);
    }
  } else if (!shape || !bare_ || open_frames_ != 1) {
    return lexer_.Expected("an operand: a name, or an op with its operands");
  }
  if (bare_ && open_frames_ == 1) {
    const std::optional<uint32_t> found =
        name.empty() ? std::nullopt : LookUp(*frame(), name);
    if (!found.has_value()) {
      if (shape) return MakeParameter(name, shape, offset, position);
      return lexer_.ErrorAt(
          name_offset, name.size(),
          absl::StrCat("no instruction before this one is named \"", name,
                       "\"; in instructions without a computation an operand "
                       "with a shape in front becomes a parameter"));
    }
  }
  // The error about the name is reported; continue with the instruction.
  if (!FindName(name, name_offset, position)) return true;
  return CheckOperandShape(*position, shape, offset);
}

bool HloParser::CheckOperandShape(uint32_t position, ShapeId shape,
                                  size_t offset) {
  if (!shape || position == kBroken) return true;
  const ShapeTable& shapes = pools_->shapes();
  const ShapeId actual = frame()->instructions[position].shape;
  if (actual == shape || shapes.structure(actual) == shapes.structure(shape) ||
      Compatible(shapes.shape(actual), shapes.shape(shape))) {
    return true;
  }
  return lexer_.ErrorAt(
      offset, 1,
      absl::StrCat("this operand is ", shapes.shape(shape).ToString(),
                   " here, but ", frame()->names[position], " is ",
                   shapes.shape(actual).ToString()));
}

bool HloParser::ReadNestedOperand(ShapeId shape, size_t offset,
                                  uint32_t* position) {
  if (nesting_ >= kMaxNesting) {
    return lexer_.Error(absl::StrCat("bodies and operands nest deeper than ",
                                     kMaxNesting, " levels"));
  }
  ++nesting_;
  auto node = std::make_unique<Node>();
  node->offset = offset;
  node->place = line_counter_.PlaceOf(offset);
  node->shape = shape;
  node->nested = true;
  const bool ok = ReadRightSide(node.get(), position);
  --nesting_;
  return ok;
}

// %x#2#0: element 0 of element 2 of x, as get-tuple-elements that are made
// once.
bool HloParser::ReadTupleElements(absl::string_view name, size_t offset,
                                  uint32_t* position) {
  if (!FindName(name, offset, position)) *position = kBroken;
  std::string path(name);
  while (lexer_.Accept(Token::kHash)) {
    const size_t at = lexer_.offset();
    int64_t index;
    if (!lexer_.ReadInt(&index)) return false;
    if (*position == kBroken) continue;
    const ShapeId tuple_id = frame()->instructions[*position].shape;
    const Shape& tuple = pools_->shapes().shape(tuple_id);
    if (!tuple.is_tuple() || index < 0 || index >= tuple.tuple_size()) {
      return lexer_.ErrorAt(at, 1,
                            absl::StrCat(path, " is ", tuple.ToString(),
                                         ", which has no element ", index));
    }
    absl::StrAppend(&path, "#", index);
    if (std::optional<uint32_t> known = LookUp(*frame(), path)) {
      *position = *known;
      continue;
    }
    Node node;
    node.name = Keep(SanitizedName(path));
    node.place = line_counter_.PlaceOf(offset);
    node.opcode = Opcode::kGetTupleElement;
    node.shape = pools_->shapes().Intern(Shape(tuple.elements()[index]));
    node.first_operand = operands_.size();
    operands_.push_back(*position);
    using field::HloInstructionProto::kTupleIndex;
    node.attributes.fields.SetNumber(kTupleIndex, index);
    *position = AddNode(&node);
    names_unique_ = false;
    Bind(Keep(path), *position);
  }
  return true;
}

bool HloParser::MakeParameter(absl::string_view name, ShapeId shape,
                              size_t offset, uint32_t* position) {
  Node node;
  node.place = line_counter_.PlaceOf(offset);
  const int64_t number = frame()->made_parameters++;
  node.name = name.empty() ? Keep(absl::StrCat("_", number)) : name;
  node.opcode = Opcode::kParameter;
  node.shape = shape;
  node.first_operand = operands_.size();
  using field::HloInstructionProto::kParameterNumber;
  node.attributes.fields.SetNumber(kParameterNumber, number);
  *position = AddNode(&node);
  Bind(node.name, *position);
  return true;
}

// --- Names -------------------------------------------------------------------

HloParser::Binding* HloParser::FindBinding(absl::string_view name,
                                           uint64_t hash) {
  const auto known = binding_index_.Find(hash, [&](uint32_t index) {
    return SameBytes(bindings_[index].name, name);
  });
  return known ? &bindings_[*known] : nullptr;
}

std::optional<uint32_t> HloParser::LookUp(const Frame& frame,
                                          absl::string_view name) {
  return Meaning(frame, FindBinding(name, HashBytes(name)));
}

std::optional<uint32_t> HloParser::Meaning(const Frame& frame,
                                           const Binding* binding) {
  if (binding == nullptr) return std::nullopt;
  if (binding->serial == frame.serial) return binding->position;
  if (frame.shadowed.empty()) return std::nullopt;
  auto shadowed = frame.shadowed.find(binding->name);
  if (shadowed == frame.shadowed.end()) return std::nullopt;
  return shadowed->second;
}

bool HloParser::FindName(absl::string_view name, size_t offset,
                         uint32_t* position) {
  const Frame& f = *frame();
  if (const std::optional<uint32_t> found = LookUp(f, name)) {
    *position = *found;
    return true;
  }
  *position = kBroken;
  const size_t known = std::min(f.names.size(), kMaxNames);
  const absl::string_view near = NearestName(
      name, absl::MakeConstSpan(f.names).subspan(f.names.size() - known));
  std::string message =
      absl::StrCat("no instruction before this one is named \"", name, "\"");
  if (!near.empty()) {
    absl::StrAppend(&message, ", did you mean \"", near, "\"?");
  }
  return lexer_.ErrorAt(offset, name.size(), std::move(message));
}

void HloParser::Bind(absl::string_view name, uint32_t position) {
  const uint64_t hash = HashBytes(name);
  Bind(FindBinding(name, hash), name, hash, position);
}

void HloParser::Bind(Binding* binding, absl::string_view name, uint64_t hash,
                     uint32_t position) {
  const uint32_t serial = frame()->serial;
  if (binding == nullptr) {
    binding_index_.Insert(hash, static_cast<uint32_t>(bindings_.size()));
    bindings_.push_back({name, serial, position});
    return;
  }
  names_unique_ = false;
  // A frame that is still open may look its own meaning up again. Open frames
  // have ascending serials.
  const auto open_end =
      frames_.begin() + static_cast<std::ptrdiff_t>(open_frames_);
  const auto owner =
      std::lower_bound(frames_.begin(), open_end, binding->serial,
                       [](const std::unique_ptr<Frame>& f, uint32_t s) {
                         return f->serial < s;
                       });
  if (owner != open_end && (*owner)->serial == binding->serial) {
    (*owner)->shadowed[name] = binding->position;
  }
  binding->serial = serial;
  binding->position = position;
}

void HloParser::Define(absl::string_view name, size_t offset,
                       uint32_t position) {
  const uint64_t hash = HashBytes(name);
  Binding* const binding = FindBinding(name, hash);
  if (Meaning(*frame(), binding).has_value()) {
    lexer_.ErrorAt(
        offset, name.size(),
        absl::StrCat("there is an instruction named \"", name, "\" already"));
    return;
  }
  Bind(binding, name, hash, position);
}

absl::string_view HloParser::Keep(std::string name) {
  kept_.push_back(std::move(name));
  return kept_.back();
}

// XLA's name for an operand without one: "add.anon", made unique among all
// names so far.
absl::string_view HloParser::NameNested(Opcode opcode) {
  if (nested_names_ == nullptr) {
    nested_names_ = std::make_unique<NameUniquer>();
    for (absl::string_view name : instruction_names_) {
      nested_names_->Unique(name);
    }
    for (size_t i = 0; i < open_frames_; ++i) {
      for (absl::string_view name : frames_[i]->names) {
        nested_names_->Unique(name);
      }
    }
  }
  return nested_names_->Unique(Keep(absl::StrCat(Name(opcode), ".anon")));
}

}  // namespace indim
