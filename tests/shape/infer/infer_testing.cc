// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/shape/infer/infer_testing.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/tests/parsed_shape.h"

namespace indim {
namespace {

Signature SignatureOf(const std::string& text) {
  const std::pair<std::string, std::string> sides =
      absl::StrSplit(text, " -> ");
  Signature signature;
  for (absl::string_view parameter :
       absl::StrSplit(sides.first, ' ', absl::SkipEmpty())) {
    signature.parameters.push_back(S(parameter));
  }
  signature.result = S(sides.second);
  return signature;
}

// Keeps what OpInputs only points to.
class Inputs {
 public:
  explicit Inputs(const Query& query) {
    for (const std::string& text : query.operands) {
      operands_.push_back(S(text));
    }
    for (const std::string& text : query.callees) {
      callees_.push_back(SignatureOf(text));
    }
    for (const Shape& shape : operands_) operand_pointers_.push_back(&shape);
    for (const Signature& s : callees_) callee_pointers_.push_back(&s);
    inputs_.opcode = query.opcode;
    inputs_.operands = operand_pointers_;
    inputs_.attributes = &query.attributes;
    inputs_.callees = callee_pointers_;
    if (!query.declared.empty()) {
      declared_ = S(query.declared);
      inputs_.declared = &declared_;
    }
  }
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  const OpInputs& get() const { return inputs_; }

 private:
  std::vector<Shape> operands_;
  std::vector<Signature> callees_;
  std::vector<const Shape*> operand_pointers_;
  std::vector<const Signature*> callee_pointers_;
  Shape declared_;
  OpInputs inputs_;
};

}  // namespace

std::string AnswerText(const InferContext& context,
                       const std::optional<Shape>& shape) {
  if (context.has_error() == shape.has_value()) return "broken";
  std::vector<std::string> errors, warnings;
  for (const Diagnostic& diagnostic : context.diagnostics()) {
    (diagnostic.severity() == Severity::kError ? errors : warnings)
        .push_back(std::string(Info(diagnostic.code).slug));
  }
  std::string answer =
      shape ? shape->ToString() : absl::StrCat("!", absl::StrJoin(errors, " "));
  for (const std::string& warning : warnings) {
    absl::StrAppend(&answer, " ~", warning);
  }
  return answer;
}

std::string Ask(const Query& query, InferPolicy policy) {
  const Inputs inputs(query);
  InferContext context(policy);
  const std::optional<Shape> shape = InferShape(&context, inputs.get());
  return AnswerText(context, shape);
}

std::string Conditions(const Query& query) {
  const Inputs inputs(query);
  InferContext context;
  (void)InferShape(&context, inputs.get());
  std::vector<std::string> texts;
  for (const Condition& condition : context.conditions()) {
    if (condition.has_place()) texts.push_back(ToString(condition));
  }
  return absl::StrJoin(texts, "; ");
}

}  // namespace indim
