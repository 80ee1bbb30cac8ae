// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain/explain_call.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/module.h"
#include "indim/shape/types/suggest.h"
#include "indim/tools/explain/explain_call_module.h"
#include "indim/tools/explain/name_table.h"

namespace indim {
namespace {

// Removes "ROOT %y =" from the start.
void SkipName(absl::string_view* text) {
  absl::string_view rest = *text;
  Accept("ROOT ", &rest);
  Accept("%", &rest);
  size_t length = 0;
  while (length < rest.size() && (absl::ascii_isalnum(rest[length]) ||
                                  absl::StrContains("_-.", rest[length]))) {
    ++length;
  }
  rest.remove_prefix(length);
  if (length > 0 && Accept("=", &rest)) *text = rest;
}

// A layout behind an array.
void SkipLayout(absl::string_view* text) {
  if (absl::StartsWith(*text, "{")) {
    text->remove_prefix(std::min(text->find('}'), text->size() - 1) + 1);
  }
  SkipBlanks(text);
}

// An operand's name.
void SkipOperandName(absl::string_view* text) {
  text->remove_prefix(LengthUntil(*text, ",) "));
  SkipBlanks(text);
}

// Whether `text` begins with "name(", where the name may be an op's.
bool BeginsCall(absl::string_view text) {
  const absl::string_view name = LeadingName(text);
  return !name.empty() && name != "Shape" &&
         absl::StartsWith(text.substr(name.size()), "(");
}

// The op of "name(", without what follows it.
absl::StatusOr<Opcode> ReadOpName(absl::string_view* text) {
  const absl::string_view name = LeadingName(*text);
  const std::optional<Opcode> opcode = OpcodeFromName(name);
  if (!opcode) {
    std::vector<absl::string_view> names;
    for (const OpInfo& op : AllOps()) names.push_back(op.wire);
    const absl::string_view near = NearestName(name, names);
    // Elsewhere one may be, or a function.
    const std::vector<const NameRow*> rows = FindNames(name);
    std::string hint = "; `indim explain ops` lists them";
    if (!rows.empty() && rows[0]->opcode) {
      hint = absl::StrCat("; here it is ", Name(*rows[0]->opcode));
    } else if (!rows.empty()) {
      hint = absl::StrCat("; ", rows[0]->cpp[0],
                          " is made of several (indim explain ", name, ")");
    } else if (!near.empty()) {
      hint = absl::StrCat("; did you mean ", near, "?");
    }
    return absl::InvalidArgumentError(
        absl::StrCat("no operation is called '", name, "'", hint));
  }
  text->remove_prefix(name.size() + 1);
  return *opcode;
}

absl::Status ReadOperands(absl::string_view* text, WrittenCall* call) {
  if (Info(call->opcode).max_operands == 0) {
    const size_t length = LengthUntil(*text, "");
    call->raw_operands = std::string(text->substr(0, length));
    text->remove_prefix(length);
  } else if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(*text), ")")) {
    do {
      absl::StatusOr<Shape> shape = ConsumeQuestionShape(text, &call->seen);
      if (!shape.ok()) return shape.status();
      call->operands.push_back(*std::move(shape));
      SkipLayout(text);
      SkipOperandName(text);
    } while (Accept(",", text));
  }
  return Accept(")", text) ? absl::OkStatus() : NoCall(*text, "',' or ')'");
}

// The value of attribute `name`, as long as it is.
absl::StatusOr<std::string> ReadValue(Opcode opcode, absl::string_view name,
                                      absl::string_view* text) {
  const absl::string_view begin = *text;
  bool several;
  if (IsCallee(opcode, name, &several) && absl::StartsWith(*text, "(")) {
    const absl::StatusOr<Signature> signature = ConsumeSignature(text);
    if (!signature.ok()) return signature.status();
    return std::string(begin.substr(0, begin.size() - text->size()));
  }
  size_t length = LengthUntil(begin, ", ");
  const size_t arrow = begin.substr(0, length).rfind("->");
  if (name != "dim_labels" && arrow != absl::string_view::npos &&
      LengthUntil(begin, ">") == arrow + 1) {
    length = arrow;
  }
  if (length == 0) {
    return NoCall(begin, absl::StrCat("the value of ", name));
  }
  text->remove_prefix(length);
  return std::string(begin.substr(0, length));
}

// ", name=value, ..." and "-> shape".
absl::Status ReadRest(absl::string_view* text, WrittenCall* call) {
  while (true) {
    if (Accept("->", text)) {
      if (call->recorded) return NoCall(*text, "the end: one result is enough");
      absl::StatusOr<Shape> result = ConsumeQuestionShape(text, &call->seen);
      if (!result.ok()) return result.status();
      call->recorded = *std::move(result);
      SkipLayout(text);
      continue;
    }
    Accept(",", text);
    SkipBlanks(text);
    if (text->empty()) return absl::OkStatus();
    WrittenAttribute attribute;
    attribute.name = std::string(LeadingName(*text));
    absl::string_view rest = text->substr(attribute.name.size());
    if (attribute.name.empty() || !Accept("=", &rest)) {
      return NoCall(*text,
                    "an attribute, as dimensions={0}, or '->' and a "
                    "result");
    }
    SkipBlanks(&rest);
    absl::StatusOr<std::string> value =
        ReadValue(call->opcode, attribute.name, &rest);
    if (!value.ok()) return value.status();
    attribute.value = *std::move(value);
    call->attributes.push_back(std::move(attribute));
    *text = rest;
  }
}

// What NumPy's x @ y contracts: of arrays of more than two dims the matrices in
// the last two, one by one.
void FillMatMul(WrittenCall* call) {
  const int rank = call->operands[0].rank();
  std::vector<int64_t> batch(static_cast<size_t>(rank - 2));
  std::iota(batch.begin(), batch.end(), 0);
  const std::string dims = absl::StrCat("{", absl::StrJoin(batch, ","), "}");
  call->attributes = {
      {"lhs_batch_dims", dims},
      {"lhs_contracting_dims", absl::StrCat("{", rank - 1, "}")},
      {"rhs_batch_dims", dims},
      {"rhs_contracting_dims", absl::StrCat("{", rank - 2, "}")}};
}

// What Dot(x, y) contracts, where nothing is said.
void FillDot(WrittenCall* call) {
  if (call->opcode != Opcode::kDot || call->operands.size() != 2) return;
  for (const WrittenAttribute& attribute : call->attributes) {
    if (absl::StrContains(attribute.name, "contracting") ||
        absl::StrContains(attribute.name, "batch")) {
      return;
    }
  }
  const Shape& x = call->operands[0];
  const Shape& y = call->operands[1];
  if (!x.has_rank() || !y.has_rank() || x.rank() == 0 || y.rank() == 0) return;
  call->attributes.insert(
      call->attributes.begin(),
      {{"lhs_contracting_dims", x.rank() == 1 ? "{0}" : "{1}"},
       {"rhs_contracting_dims", "{0}"}});
}

bool AcceptDot(absl::string_view* text) {
  return Accept(". ", text) || Accept("dot ", text) || Accept("@", text);
}

// f32[8,784] . f32[784,10]
bool IsInfixDot(absl::string_view text) {
  NotationsSeen seen;
  return ConsumeQuestionShape(&text, &seen).ok() && AcceptDot(&text);
}

absl::StatusOr<WrittenCall> ReadInfixDot(absl::string_view text) {
  WrittenCall call;
  call.opcode = Opcode::kDot;
  const bool is_matmul = absl::StrContains(text, '@');
  do {
    absl::StatusOr<Shape> shape = ConsumeQuestionShape(&text, &call.seen);
    if (!shape.ok()) return shape.status();
    call.operands.push_back(*std::move(shape));
  } while (call.operands.size() < 2 && AcceptDot(&text));
  const absl::Status status = ReadRest(&text, &call);
  if (!status.ok()) return status;
  const auto rank = [&call](size_t i) {
    const Shape& shape = call.operands[i];
    return shape.is_array() && shape.has_rank() ? shape.rank() : 0;
  };
  if (is_matmul && call.operands.size() == 2 &&
      std::max(rank(0), rank(1)) > 2) {
    if (rank(0) != rank(1) || !call.attributes.empty()) {
      return NoCall("@",
                    "a dot of arrays of these ranks, which has "
                    "lhs_contracting_dims and rhs_contracting_dims");
    }
    FillMatMul(&call);
  }
  return call;
}

absl::StatusOr<WrittenCall> ReadWritten(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (IsInfixDot(text)) return ReadInfixDot(text);
  WrittenCall call;
  SkipName(&text);
  SkipBlanks(&text);
  if (!BeginsCall(text)) {
    absl::StatusOr<Shape> shape = ConsumeQuestionShape(&text, &call.seen);
    if (!shape.ok()) return shape.status();
    call.recorded = *std::move(shape);
    SkipLayout(&text);
  }
  const absl::StatusOr<Opcode> opcode = ReadOpName(&text);
  if (!opcode.ok()) return opcode.status();
  call.opcode = *opcode;
  absl::Status status = ReadOperands(&text, &call);
  if (status.ok()) status = ReadRest(&text, &call);
  if (!status.ok()) return status;
  return call;
}

std::string AttributesText(const WrittenCall& call) {
  return absl::StrJoin(call.attributes, ", ",
                       [](std::string* out, const WrittenAttribute& one) {
                         absl::StrAppend(out, one.name, "=", one.value);
                       });
}

std::string CallText(const WrittenCall& call) {
  std::vector<std::string> shapes;
  for (const Shape& shape : call.operands) {
    shapes.push_back(ShapeText(call.seen.has_types, shape));
  }
  std::string text = absl::StrCat(
      Name(call.opcode), "(",
      shapes.empty() ? call.raw_operands : absl::StrJoin(shapes, ", "), ")");
  const std::string attributes = AttributesText(call);
  if (!attributes.empty()) absl::StrAppend(&text, ", ", attributes);
  return text;
}

// The words about broadcasting, which HLO text doesn't have at each op; they
// are taken from the call.
absl::StatusOr<BroadcastQuestion> TakeBroadcast(WrittenCall* call) {
  std::string question = "f32[] + f32[]";
  std::vector<WrittenAttribute> others;
  for (WrittenAttribute& attribute : call->attributes) {
    if (attribute.name == "broadcast_dimensions" || attribute.name == "axis" ||
        attribute.name == "rule" || attribute.name == "broadcast_rule") {
      absl::StrAppend(&question, ", ", attribute.name, "=", attribute.value);
    } else {
      others.push_back(std::move(attribute));
    }
  }
  call->attributes = std::move(others);
  return ReadBroadcastQuestion(question);
}

absl::StatusOr<std::variant<NodeQuestion, BroadcastQuestion>> BroadcastCall(
    WrittenCall call) {
  absl::StatusOr<BroadcastQuestion> question = TakeBroadcast(&call);
  if (!question.ok()) return question.status();
  for (const WrittenAttribute& attribute : call.attributes) {
    const absl::string_view near =
        NearestName(attribute.name, {"broadcast_dimensions", "axis", "rule"});
    if (near.empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(Name(call.opcode), " has no attribute ", attribute.name,
                     "; did you mean ", near, "?"));
  }
  const absl::StatusOr<Module> module = AsModule(call);
  if (!module.ok()) return module.status();
  question->opcode = call.opcode;
  question->operands = std::move(call.operands);
  question->has_types = call.seen.has_types;
  question->attributes = module->entry().root().attributes();
  question->attributes_text = AttributesText(call);
  question->result = std::move(call.recorded);
  return *std::move(question);
}

}  // namespace

bool IsCall(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (IsInfixDot(text)) return true;
  absl::string_view rest = text;
  SkipName(&rest);
  SkipBlanks(&rest);
  if (absl::StartsWith(rest, "\"")) return false;  // MLIR's generic form
  if (BeginsCall(rest)) return true;
  // A shape and then the call: an HLO line.
  NotationsSeen seen;
  if (!ConsumeQuestionShape(&rest, &seen).ok()) return false;
  SkipLayout(&rest);
  return BeginsCall(rest) && seen.notation == ShapeNotation::kHlo;
}

absl::StatusOr<std::variant<NodeQuestion, BroadcastQuestion>> ReadCall(
    absl::string_view text) {
  absl::StatusOr<WrittenCall> call = ReadWritten(text);
  if (!call.ok()) return call.status();
  const OpInfo& op = Info(call->opcode);
  if (op.has(kBroadcasts)) return BroadcastCall(*std::move(call));
  FillDot(&*call);
  if (op.result == ResultSource::kGiven && !call->recorded) {
    return absl::InvalidArgumentError(
        absl::StrCat("the result of ", op.wire,
                     " doesn't follow from its operands; write it behind ->, "
                     "as in: ",
                     op.wire, "(...) -> f32[4]"));
  }
  const absl::StatusOr<Module> module = AsModule(*call);
  if (!module.ok()) return module.status();
  const Instruction root = module->entry().root();
  NodeQuestion question;
  question.opcode = call->opcode;
  question.attributes = root.attributes();
  for (int i = 0; i < root.callee_count(); ++i) {
    question.callees.push_back(root.callee(i).signature());
  }
  question.has_types = call->seen.has_types;
  question.text = CallText(*call);
  question.operands = std::move(call->operands);
  question.recorded = std::move(call->recorded);
  return question;
}

}  // namespace indim
