// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/evaluation.h"

#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "indim/eval/ops/evaluation_functions.h"
#include "indim/eval/ops/interpreter.h"
#include "indim/eval/values/scalar_functions.h"
#include "indim/shape/fixes/call_language.h"

namespace indim {

// --- ArrayMaker --------------------------------------------------------------
ArrayMaker::ArrayMaker(ElementType type, Sizes sizes, int64_t count,
                       std::shared_ptr<int64_t> live_bytes)
    : type_(type),
      sizes_(std::move(sizes)),
      count_(count),
      width_(static_cast<size_t>(ElementBytes(type))),
      bytes_(static_cast<size_t>(count) * width_, '\0'),
      live_bytes_(std::move(live_bytes)) {}

void ArrayMaker::Copy(int64_t i, const Value& from, int64_t j) {
  std::memcpy(&bytes_[static_cast<size_t>(i) * width_],
              &from.bytes()[static_cast<size_t>(j) * width_], width_);
}

void ArrayMaker::CopyAll(const Value& from) { bytes_ = from.bytes(); }

Value ArrayMaker::Finish() && {
  return Value::Array(type_, sizes_, std::move(bytes_), std::move(live_bytes_));
}

// --- Evaluation --------------------------------------------------------------
std::optional<Value> Evaluation::Constant() {
  return interpreter_->CurrentConstant();
}

std::optional<Value> Evaluation::Run(int i, absl::Span<const Value> arguments) {
  return interpreter_->Run(callee(i), arguments);
}

std::optional<Value> Evaluation::Again(absl::Span<const Value> operands,
                                       const Shape* declared) {
  Evaluation again(interpreter_, opcode_, attributes_, operands, callees_,
                   declared);
  return GetEvaluation(opcode_).function(again);
}

const EvalDevices& Evaluation::devices() const {
  return interpreter_->devices();
}

size_t Evaluation::device() const { return interpreter_->device(); }

bool Evaluation::Charge(int64_t steps) { return interpreter_->Charge(steps); }

bool Evaluation::ExpectRoom(int64_t bytes) {
  if (interpreter_->HasRoomFor(bytes)) return true;
  Diagnostic diagnostic;
  diagnostic.code = Code::kEvalLimit;
  diagnostic.args = {interpreter_->options().max_bytes,
                     absl::StrCat("bytes (", SettingText(Setting::kMaxBytes),
                                  " allows more)")};
  Error(std::move(diagnostic));
  return false;
}

bool Evaluation::NewArray(ElementType type, const Sizes& sizes,
                          ArrayMaker* array) {
  for (int64_t size : sizes) {
    if (size < 0) {
      Fail(absl::StrCat("its result would have the size ", size));
      return false;
    }
  }
  const std::optional<int64_t> count =
      Shape::Of(type, absl::MakeConstSpan(sizes)).ElementCount();
  const int64_t width = ElementBytes(type);
  if (width == 0) {
    Fail("its result has no element type");
    return false;
  }
  constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max();
  const int64_t bytes =
      count && *count <= kTooMany / width ? *count * width : kTooMany;
  if (!ExpectRoom(bytes) || !Charge(*count)) return false;
  *array = ArrayMaker(type, sizes, *count, interpreter_->live_bytes());
  return true;
}

std::nullopt_t Evaluation::Fail(std::string why) {
  Diagnostic diagnostic;
  diagnostic.code = Code::kEvalImpossible;
  diagnostic.args = {std::move(why)};
  return Error(std::move(diagnostic));
}

std::nullopt_t Evaluation::FailMemory(int dim, int64_t wanted, int64_t known) {
  Diagnostic diagnostic;
  diagnostic.code = Code::kEvalMemoryUnknown;
  diagnostic.operand = 0;
  diagnostic.args = {int64_t{dim}, wanted, known};
  return Error(std::move(diagnostic));
}

std::nullopt_t Evaluation::FailType(int i) {
  Diagnostic diagnostic;
  diagnostic.code = Code::kEvalType;
  diagnostic.operand = i;
  return Error(std::move(diagnostic));
}

std::nullopt_t Evaluation::Error(Diagnostic diagnostic) {
  interpreter_->AddError(std::move(diagnostic));
  return std::nullopt;
}

bool Evaluation::ExpectArrays(int first, int last) {
  if (last < 0) last = operand_count() - 1;
  for (int i = first; i <= last; ++i) {
    if (operand(i).is_array()) continue;
    FailType(i);
    return false;
  }
  return true;
}

bool Evaluation::ExpectDim(int i, int64_t dim) {
  if (operand(i).is_array() && dim >= 0 && dim < operand(i).rank()) return true;
  Fail(absl::StrCat("operand ", i, " has no dim ", dim));
  return false;
}

const Shape* Evaluation::DeclaredArray() {
  if (declared_ != nullptr && declared_->has_rank()) return declared_;
  Fail("the array that it gives isn't recorded");
  return nullptr;
}

std::string Evaluation::Message(const Diagnostic& diagnostic) const {
  std::vector<const Shape*> shapes;
  for (const Value& operand : operands_) shapes.push_back(&operand.shape());
  DiagnosticSubject subject;
  subject.op = Name(opcode_);
  subject.operands = shapes;
  subject.declared = declared_;
  return FormatMessage(diagnostic, subject);
}

// --- The table ---------------------------------------------------------------
const EvaluationInfo& GetEvaluation(Opcode opcode) {
  static const auto* const kTable = [] {
    auto* table = new std::vector<EvaluationInfo>(256);
    const auto at = [table](Opcode op) -> EvaluationInfo& {
      return (*table)[static_cast<uint8_t>(op)];
    };
#define INDIM_EVAL(op, name) at(Opcode::k##op).function = Eval##name;
#define INDIM_EVAL_SCALAR(op, name, of)         \
  at(Opcode::k##op).function = EvalElementwise; \
  at(Opcode::k##op).scalar = Scalar##name;      \
  at(Opcode::k##op).types = TypeMask::of;
#define INDIM_EVAL_EXCHANGE(op, name)          \
  at(Opcode::k##op).function = EvalCollective; \
  at(Opcode::k##op).exchange = Exchange##name;
#define INDIM_EVAL_NONE(op, why) at(Opcode::k##op).reason = why;
#include "indim/eval/values/evaluations.def"
    return table;
  }();
  return (*kTable)[static_cast<uint8_t>(opcode)];
}

}  // namespace indim
