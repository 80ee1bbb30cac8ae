#include "indim/shape/ops/constraint_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace indim {
namespace {

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

// "operand 1 and operand 0 have ", "all operands have ".
std::string Both(const Constraint& c) {
  if (!c.operands.is_one()) return absl::StrCat(Operands(c.operands), " has");
  return absl::StrCat("operands ", c.operands.first, " and ", c.other, " have");
}

std::string OneOperand(const Constraint& c) {
  const std::string operand = Operands(c.operands);
  switch (c.kind) {
    case ConstraintKind::kArray:
      return operand + " is an array";
    case ConstraintKind::kArrayOrBuffer:
      return operand + " is an array or a buffer of one";
    case ConstraintKind::kElements:
      if (c.codes[1] == Code::kNone) {
        return absl::StrCat("elements of ", operand, " are ",
                            Describe(c.elements));
      }
      return absl::StrCat(operand, " is an array whose elements are ",
                          Describe(c.elements));
    case ConstraintKind::kElementType:
      return absl::StrCat("elements of ", operand, " are ", Name(c.type));
    case ConstraintKind::kElementsWhere:
      return absl::StrCat("where ", c.attribute->name, " is ", c.value,
                          ", elements of ", operand, " are ",
                          Describe(c.elements));
    case ConstraintKind::kScalar:
      return operand + " is a scalar";
    case ConstraintKind::kSizeScalar:
      return operand + " is s32[]";
    case ConstraintKind::kToken:
      return operand + " is a token";
    case ConstraintKind::kTuple:
      return operand + " is a tuple";
    case ConstraintKind::kForm:
      return absl::StrCat(operand, " is ", Describe(c.form));
    case ConstraintKind::kRankAtLeast:
      return absl::StrCat(operand, " has at least ", c.number, " dims");
    case ConstraintKind::kRankAtMost:
      return absl::StrCat(operand, " has 1 to ", c.number, " dims");
    case ConstraintKind::kSquare:
      return absl::StrCat("the last two dims of ", operand, " are equal");
    default:
      return "";
  }
}

std::string AgainstAnother(const Constraint& c) {
  const std::string operand = Operands(c.operands);
  const std::string other = Operand(c.other);
  switch (c.kind) {
    case ConstraintKind::kCommonType:
      return Both(c) +
             " one element type, or floats one of which is more general";
    case ConstraintKind::kSameType:
      return Both(c) + " the same element type";
    case ConstraintKind::kSameFloatType:
      return Both(c) + " the same element type, or floats";
    case ConstraintKind::kSameWidth:
      return absl::StrCat("elements of ", operand,
                          " are unsigned integers as wide as those of ", other);
    case ConstraintKind::kSameRank:
      return Both(c) + " the same rank";
    case ConstraintKind::kSameDims:
      return Both(c) + " the same dims";
    case ConstraintKind::kExactDims:
      return Both(c) + " the same dims, bounds and sizes told apart";
    case ConstraintKind::kScalarOrDims:
      return operand +
             " is an array; those that aren't scalars have the same dims";
    case ConstraintKind::kSameShape:
      return absl::StrCat(operand, " has the shape of ", other);
    case ConstraintKind::kVector:
      return absl::StrCat(operand, " is a vector as long as dim ",
                          c.attribute->name, " of ", other);
    case ConstraintKind::kVectorOrMore:
      return absl::StrCat(operand, "'s first dim is as long as dim ",
                          c.attribute->name, " of ", other);
    default:
      return "";
  }
}

// "lhs_contracting_dims and lhs_batch_dims", or the only list's name.
std::string Lists(const Constraint& c) {
  if (c.second == nullptr) return std::string(c.attribute->name);
  return absl::StrCat(c.attribute->name, " and ", c.second->name);
}

std::string OfAttributes(const Constraint& c) {
  switch (c.kind) {
    case ConstraintKind::kAtLeast:
      return absl::StrCat(c.attribute->name, " is at least ", c.number);
    case ConstraintKind::kLength:
      return absl::StrCat(c.attribute->name, " has ", c.number,
                          c.number == 1 ? " entry" : " entries");
    case ConstraintKind::kLengthIsRank:
      return absl::StrCat(c.attribute->name, " has an entry for each dim of ",
                          Operand(c.other), c.or_none ? ", or none" : "");
    case ConstraintKind::kDims:
      if (c.codes[1] == Code::kNone) {
        return absl::StrCat(c.attribute->name, " names a dim of ",
                            Operands(c.operands));
      }
      return absl::StrCat("each number of ", Lists(c), " is a dim of ",
                          Operands(c.operands), ", none is there twice");
    case ConstraintKind::kPermutation:
      return absl::StrCat(c.attribute->name, " has each dim of ",
                          Operand(c.other), " once");
    case ConstraintKind::kPairs:
      return absl::StrCat(
          Lists(c), " pair dims of operands 0 and 1, whose sizes are equal");
    case ConstraintKind::kElementIndex:
      return absl::StrCat(c.attribute->name, " is that of an element of ",
                          Operands(c.operands));
    case ConstraintKind::kSizeInInt32:
      return absl::StrCat("the size of dim ", c.attribute->name, " of ",
                          Operands(c.operands), " has 32 bits");
    default:
      return "";
  }
}

std::string OfTheRest(const Constraint& c) {
  switch (c.kind) {
    case ConstraintKind::kRecordedArray:
      return "the result that is asked for is an array";
    case ConstraintKind::kRecordedType:
      return "the result's element type is asked for";
    case ConstraintKind::kRecordedForm:
      return absl::StrCat("the result that is asked for is ", Describe(c.form));
    case ConstraintKind::kElementCount:
      return "the result has as many elements as operand 0";
    case ConstraintKind::kSizesForDims:
      return absl::StrCat(Operands(c.operands),
                          " is the size of one dim of the result");
    case ConstraintKind::kEven:
      return "the number of operands is even";
    case ConstraintKind::kOdd:
      return "the number of operands is odd";
    case ConstraintKind::kArguments:
      return "operands are the computation's parameters";
    case ConstraintKind::kTakesAtLeastArguments:
      return "the first operands are the computation's parameters";
    case ConstraintKind::kReducer:
      return "the computation folds an element of each operand of the first "
             "half into a scalar that starts as one of the second half";
    case ConstraintKind::kComparator:
      return "the computation takes two elements of each operand and returns "
             "pred[]";
    default:
      return "";
  }
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

std::string ConstraintText(const Constraint& constraint) {
  std::string text = OneOperand(constraint);
  if (text.empty()) text = AgainstAnother(constraint);
  if (text.empty()) text = OfAttributes(constraint);
  if (text.empty()) text = OfTheRest(constraint);
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
