// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain/explain_values.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/eval/evaluator.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/tools/explain/explain_parts.h"

namespace indim {
namespace {

absl::Status CheckDrawable(absl::string_view what, const Shape& shape) {
  if (!shape.has_rank() || !shape.is_static()) {
    return absl::InvalidArgumentError(
        absl::StrCat("values need sizes that are known, but ", what, " is ",
                     shape.ToString()));
  }
  constexpr int kMaxDims = 8;
  if (shape.rank() > kMaxDims) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " has ", shape.rank(), " dims; with values at most ",
                     kMaxDims, " are drawn"));
  }
  const auto count = shape.ElementCount();
  if (!count || *count > static_cast<int64_t>(kMaxDrawn)) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " is ", shape.ToString(), "; with values at most ",
                     kMaxDrawn, " elements are drawn"));
  }
  return absl::OkStatus();
}

// A literal of HLO text, read as a constant's.
absl::StatusOr<Literal> ReadLiteral(size_t operand, const Shape& shape,
                                    absl::string_view text) {
  const std::string constant = absl::StrCat(
      "ENTRY e { ROOT c = ", shape.ToString(), " constant(", text, ") }");
  const absl::StatusOr<Module> module = ParseHloText(constant);
  absl::StatusOr<Literal> literal =
      absl::InvalidArgumentError("it is not a literal");
  if (!module.ok()) {
    literal = absl::InvalidArgumentError(ErrorsOf(module.status())[0].message);
  } else if (module->instruction_count() == 1 &&
             module->entry().root().opcode() == Opcode::kConstant) {
    literal = module->entry().root().literal();
    if (literal.ok()) literal = literal->Expanded();
  }
  if (literal.ok() && literal->shape() == shape) return literal;
  return absl::InvalidArgumentError(absl::StrCat(
      "--values: '", text, "' is not a value of operand ", operand, ", ",
      shape.ToString(), ": ",
      literal.ok() ? "it has another shape" : literal.status().message(),
      "; values look like '{1,2,3,4};{{5,6}}'"));
}

// first, first + 1, ...: small enough for every type.
absl::StatusOr<Literal> Counted(const Shape& shape, int64_t first) {
  const int64_t modulus = Info(shape.element_type()).bits < 8 ||
                                  shape.element_type() == ElementType::kPred
                              ? 2
                              : 100;
  const size_t count = static_cast<size_t>(*shape.ElementCount());
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(
        static_cast<double>((first + static_cast<int64_t>(i)) % modulus));
  }
  return Literal::FromDoubles(shape.element_type(), values, SizesOf(shape));
}

absl::StatusOr<std::vector<Literal>> OperandValues(
    const BroadcastQuestion& question, absl::string_view values) {
  std::vector<absl::string_view> texts(question.operands.size());
  if (values != "counted") {
    texts = absl::StrSplit(values, ';');
    if (texts.size() != question.operands.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--values has ", texts.size(), " literals between semicolons, but ",
          question.operands.size(),
          " operands need one each; they look like '{1,2,3,4};{{5,6}}'"));
    }
  }
  std::vector<Literal> literals;
  int64_t next = 1;
  for (size_t k = 0; k < texts.size(); ++k) {
    const Shape shape = question.operands[k].WithoutLayout();
    const absl::Status drawable =
        CheckDrawable(absl::StrCat("operand ", k), shape);
    if (!drawable.ok()) return drawable;
    const absl::string_view text = absl::StripAsciiWhitespace(texts[k]);
    absl::StatusOr<Literal> literal =
        text.empty() ? Counted(shape, next) : ReadLiteral(k, shape, text);
    if (!literal.ok()) return literal.status();
    next += *shape.ElementCount();
    literals.push_back(*std::move(literal));
  }
  return literals;
}

absl::StatusOr<Literal> Reshaped(const Literal& from, const Shape& to) {
  OpCall call;
  call.opcode = Opcode::kReshape;
  call.operands = absl::MakeConstSpan(&from, 1);
  call.declared = &to;
  return EvaluateOp(call);
}

// `value`, whose shape is `from`, with its 1s stretched to `to`.
absl::StatusOr<Literal> Stretched(const Literal& value, const Shape& from,
                                  const Shape& to) {
  Shape kept = Shape::Scalar(from.element_type());
  DimensionsAttributes dims;
  for (int d = 0; d < from.rank(); ++d) {
    if (from.dim(d) != to.dim(d)) continue;
    kept.add_dim(from.dim(d));
    dims.dimensions.push_back(d);
  }
  const absl::StatusOr<Literal> narrow = Reshaped(value, kept);
  if (!narrow.ok()) return narrow.status();
  const Attributes attributes = dims;
  OpCall call;
  call.opcode = Opcode::kBroadcast;
  call.operands = absl::MakeConstSpan(&*narrow, 1);
  call.attributes = &attributes;
  call.declared = &to;
  return EvaluateOp(call);
}

// Which elements of `to` lie outside of `from`.
std::vector<bool> Copies(const Shape& from, const Shape& to) {
  std::vector<bool> copies(static_cast<size_t>(*to.ElementCount()));
  for (size_t i = 0; i < copies.size(); ++i) {
    int64_t rest = static_cast<int64_t>(i);
    for (int d = to.rank() - 1; d >= 0; --d) {
      const int64_t size = to.dim(d).size();
      copies[i] = copies[i] || rest % size >= from.dim(d).size();
      rest /= size;
    }
  }
  return copies;
}

absl::StatusOr<DrawnArray> Drawn(const Literal& literal, const Shape& from) {
  const absl::StatusOr<Literal> whole = literal.Expanded();
  if (!whole.ok()) return whole.status();
  DrawnArray array;
  array.shape = whole->shape();
  array.copies = Copies(from, array.shape);
  const Shape scalar = Shape::Scalar(array.shape.element_type());
  const size_t width = static_cast<size_t>(ElementBytes(scalar.element_type()));
  for (size_t i = 0; i < array.copies.size(); ++i) {
    const absl::StatusOr<Literal> element =
        Literal::FromBytes(scalar, whole->bytes().substr(i * width, width));
    if (!element.ok()) return element.status();
    array.cells.push_back(element->ToString());
  }
  return array;
}

struct OperatorSign {
  Opcode opcode;
  const char* sign;
};
constexpr OperatorSign kSigns[] = {
    {Opcode::kInvalid, ","},  {Opcode::kAdd, "+"},    {Opcode::kSubtract, "-"},
    {Opcode::kMultiply, "*"}, {Opcode::kDivide, "/"}, {Opcode::kRemainder, "%"},
    {Opcode::kAnd, "&"},      {Opcode::kOr, "|"},     {Opcode::kXor, "^"}};

// "+"; "maximum" of an operation that has no sign.
std::string SignOf(const BroadcastQuestion& question) {
  if (question.opcode == Opcode::kCompare && question.attributes) {
    switch (As<CompareAttributes>(*question.attributes).direction) {
      case ComparisonDirection::kEq:
        return "==";
      case ComparisonDirection::kNe:
        return "!=";
      case ComparisonDirection::kGe:
        return ">=";
      case ComparisonDirection::kGt:
        return ">";
      case ComparisonDirection::kLe:
        return "<=";
      case ComparisonDirection::kLt:
        return "<";
    }
  }
  for (const OperatorSign& sign : kSigns) {
    if (sign.opcode == question.opcode) return sign.sign;
  }
  return std::string(Name(question.opcode));
}

// op(op(a, b), c).
absl::StatusOr<Literal> Folded(const BroadcastQuestion& question,
                               const std::vector<Literal>& operands) {
  Literal result = operands[0];
  Attributes attributes = ElementwiseAttributes{};
  if (question.opcode == Opcode::kCompare) {
    CompareAttributes compare;
    compare.direction = ComparisonDirection::kEq;
    if (question.attributes) {
      compare = As<CompareAttributes>(*question.attributes);
    }
    compare.broadcast = {};
    attributes = compare;
  }
  for (size_t k = 1; k < operands.size(); ++k) {
    const Literal both[] = {result, operands[k]};
    OpCall call;
    call.opcode = question.opcode;
    call.operands = both;
    call.attributes = &attributes;
    absl::StatusOr<Literal> next = EvaluateOp(call);
    if (!next.ok()) return next.status();
    result = *std::move(next);
  }
  return result;
}

// Sizes alone stand for f32; operations of integers need others.
BroadcastQuestion WithTypes(const BroadcastQuestion& question) {
  BroadcastQuestion typed = question;
  const bool integers = question.opcode == Opcode::kAnd ||
                        question.opcode == Opcode::kOr ||
                        question.opcode == Opcode::kXor ||
                        question.opcode == Opcode::kShiftLeft ||
                        question.opcode == Opcode::kShiftRightArithmetic ||
                        question.opcode == Opcode::kShiftRightLogical ||
                        question.opcode == Opcode::kMulhi;
  for (Shape& operand : typed.operands) {
    if (!question.has_types && integers) {
      operand.set_element_type(ElementType::kS32);
    }
  }
  return typed;
}

}  // namespace

absl::StatusOr<ValueDrawing> DrawValues(const BroadcastQuestion& asked,
                                        absl::string_view values) {
  const BroadcastQuestion question = WithTypes(asked);
  OperandShapes shapes;
  for (const Shape& shape : question.operands) shapes.push_back(&shape);
  BroadcastPlan plan;
  std::vector<Diagnostic> diagnostics;
  absl::StatusOr<std::vector<Literal>> given = OperandValues(question, values);
  if (!given.ok()) return given.status();
  if (!PlanBroadcast(question.spec, shapes, &plan, &diagnostics)) {
    return absl::InvalidArgumentError("the operands don't match");
  }
  const absl::Status drawable = CheckDrawable(
      "the result",
      Shape::Array(question.operands[0].element_type(), plan.dims));
  if (!drawable.ok()) return drawable;
  ValueDrawing drawing;
  drawing.sign = SignOf(question);
  DrawnStep first = {"as given", {}}, placed = {"", {}}, stretched = {"", {}};
  placed.name = std::string(StepName(BroadcastStep::kPlaced, question.spec));
  stretched.name =
      std::string(StepName(BroadcastStep::kStretched, question.spec));
  const std::vector<OperandSteps> all_steps = StepsOf(question, plan);
  std::vector<Literal> last;
  bool moves = false, stretches = false;
  for (size_t k = 0; k < given->size(); ++k) {
    const Literal& literal = (*given)[k];
    const OperandSteps& steps = all_steps[k];
    const absl::StatusOr<Literal> own = Reshaped(literal, *steps.own);
    if (!own.ok()) return own.status();
    const absl::StatusOr<Literal> in_place =
        Stretched(*own, *steps.own, *steps.placed);
    if (!in_place.ok()) return in_place.status();
    absl::StatusOr<Literal> whole =
        Stretched(*own, *steps.own, *steps.stretched);
    if (!whole.ok()) return whole.status();
    // A scalar that gets no sizes has no dims to place.
    const bool is_placed =
        literal.shape().rank() > 0 || *steps.own != *steps.placed;
    moves = moves || (is_placed && literal.shape() != *steps.placed);
    stretches = stretches || *steps.placed != *steps.stretched;
    const std::pair<DrawnStep*, const Literal*> all[] = {
        {&first, &literal}, {&placed, &*in_place}, {&stretched, &*whole}};
    for (const auto& [step, value] : all) {
      absl::StatusOr<DrawnArray> array =
          Drawn(*value, step == &first ? value->shape() : *steps.own);
      if (!array.ok()) return array.status();
      step->operands.push_back(*std::move(array));
    }
    last.push_back(*std::move(whole));
  }
  drawing.steps.push_back(std::move(first));
  if (moves) drawing.steps.push_back(std::move(placed));
  if (stretches) drawing.steps.push_back(std::move(stretched));
  if (question.opcode != Opcode::kInvalid) {
    const absl::StatusOr<Literal> result = Folded(question, last);
    if (!result.ok()) return result.status();
    absl::StatusOr<DrawnArray> array = Drawn(*result, result->shape());
    if (!array.ok()) return array.status();
    drawing.result = *std::move(array);
  }
  return drawing;
}

}  // namespace indim
