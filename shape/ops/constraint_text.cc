// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/ops/constraint_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace indim {
namespace {

// By the number of the kind.
struct KindText {
  absl::string_view word;
  absl::string_view text;
};
constexpr KindText kKinds[] = {
#define INDIM_CONSTRAINT(name, word, per, parameters, fields, text) \
  {word, text},
#include "indim/shape/ops/constraints.def"
};

std::string Operand(int i) { return absl::StrCat("operand ", i); }

std::string Operands(OperandSet set) {
  if (set.first == OperandSet::kMiddle) return "the operand in the middle";
  if (set.is_one()) return Operand(set.first);
  if (set.last == OperandSet::kHalf) {
    return "each operand of the first half";
  }
  if (set.first == 0) return "each operand";
  return absl::StrCat("each operand from ", set.first, " on");
}

// "operands 1 and 0 have", "each operand has".
std::string Both(const Constraint& c) {
  if (!c.operands.is_one()) return absl::StrCat(Operands(c.operands), " has");
  return absl::StrCat("operands ", c.operands.first, " and ", c.other, " have");
}

// "lhs_contracting_dims and lhs_batch_dims", or the only list's name.
std::string Lists(const Constraint& c) {
  if (c.second == nullptr) return std::string(c.attribute->name);
  return absl::StrCat(c.attribute->name, " and ", c.second->name);
}

struct TextField {
  absl::string_view name;
  std::string (*text)(const Constraint& c);
};
constexpr TextField kFields[] = {
    {"operands", [](const Constraint& c) { return Operands(c.operands); }},
    {"both", Both},
    {"other", [](const Constraint& c) { return Operand(c.other); }},
    {"attribute",
     [](const Constraint& c) { return std::string(c.attribute->name); }},
    {"lists", Lists},
    {"elements", [](const Constraint& c) { return Describe(c.elements); }},
    {"type", [](const Constraint& c) { return std::string(Name(c.type)); }},
    {"form", [](const Constraint& c) { return std::string(Describe(c.form)); }},
    {"number", [](const Constraint& c) { return absl::StrCat(c.number); }},
    {"entries",
     [](const Constraint& c) -> std::string {
       return c.number == 1 ? "entry" : "entries";
     }},
    {"value", [](const Constraint& c) { return std::string(c.value); }},
    {"or_none",
     [](const Constraint& c) -> std::string {
       return c.or_none ? ", or none" : "";
     }},
};

// The column `text` with the fields of `c` filled in.
std::string Filled(absl::string_view text, const Constraint& c) {
  const std::vector<absl::string_view> forms = absl::StrSplit(text, '/');
  text = c.codes[1] == Code::kNone ? forms.back() : forms.front();
  std::string result;
  for (absl::string_view part : absl::StrSplit(text, '{')) {
    const size_t end = part.find('}');
    for (const TextField& field : kFields) {
      if (end != part.npos && field.name == part.substr(0, end)) {
        result += field.text(c);
      }
    }
    absl::StrAppend(&result, end == part.npos ? part : part.substr(end + 1));
  }
  return result;
}

std::string PartText(const ResultPart& part) {
  switch (part.kind) {
    case ResultPart::Kind::kOperand:
      return absl::StrCat("operand ", int{part.operand});
    case ResultPart::Kind::kElement:
      if (part.attribute != nullptr) {
        return absl::StrCat("element ", part.attribute->name, " of operand ",
                            int{part.operand});
      }
      return absl::StrCat("element ", int{part.element}, " of operand ",
                          int{part.operand});
    case ResultPart::Kind::kVector:
      return absl::StrCat("a vector as long as its dim ", part.attribute->name);
    case ResultPart::Kind::kScalar:
      return absl::StrCat(Name(part.type), "[]");
    case ResultPart::Kind::kToken:
      break;
  }
  return "token[]";
}

// The element type, as it follows the dims: ", elements pred".
std::string TypeText(ResultType type) {
  switch (type) {
    case ResultType::kCommon:
      return ", the common element type";
    case ResultType::kReal:
      return ", elements as one part of a complex number";
    case ResultType::kComplex:
      return ", elements complex";
    case ResultType::kPred:
      return ", elements pred";
    case ResultType::kRecorded:
      return ", the element type that is asked for";
    default:
      return "";
  }
}

std::string FormText(const ResultForm& form) {
  switch (form.kind) {
    case ResultForm::Kind::kFunction:
      return "";
    case ResultForm::Kind::kOperand:
      return absl::StrCat("as operand ", int{form.operand});
    case ResultForm::Kind::kRankedOf:
      return absl::StrCat("as operand ", int{form.operand}, ", or ",
                          int{form.other}, " if its rank isn't known");
    case ResultForm::Kind::kBroadcast:
      return "the operands broadcast";
    case ResultForm::Kind::kFixed:
      return absl::StrCat(Name(form.type), "[",
                          form.size < 0 ? "" : absl::StrCat(form.size), "]");
    case ResultForm::Kind::kPart:
    case ResultForm::Kind::kTuple: {
      std::vector<std::string> parts;
      for (int i = 0; i < form.part_count; ++i) {
        parts.push_back(PartText(form.parts[i]));
      }
      const std::string text = absl::StrJoin(parts, ", ");
      if (form.kind == ResultForm::Kind::kPart) return text;
      return absl::StrCat("a tuple: ", text);
    }
    case ResultForm::Kind::kOperandTuple:
      return "a tuple of the operands";
    case ResultForm::Kind::kOperands:
      return "as operand 0; of several, a tuple of the operands";
    case ResultForm::Kind::kRecorded:
      return "as asked for";
    case ResultForm::Kind::kRecordedDims:
      return "the dims that are asked for, operand 0's element type";
    case ResultForm::Kind::kCallee:
      return "what the computation returns";
  }
  return "";
}

}  // namespace

absl::string_view WordOf(ConstraintKind kind) {
  return kKinds[static_cast<size_t>(kind)].word;
}

std::string ConstraintText(const Constraint& constraint) {
  const std::string text =
      Filled(kKinds[static_cast<size_t>(constraint.kind)].text, constraint);
  switch (constraint.judge) {
    case ConstraintJudge::kVerifier:
      return text + " (XLA's builder doesn't check it)";
    case ConstraintJudge::kBuilder:
      return text + " (XLA's verifier doesn't check it)";
    case ConstraintJudge::kBoth:
      break;
  }
  return text;
}

std::string ResultText(Opcode opcode) {
  const std::string form = FormText(DeclarationOf(opcode).result);
  if (form.empty()) return "";
  return form + TypeText(Info(opcode).type);
}

}  // namespace indim
