// SPDX-License-Identifier: Apache-2.0
#include "indim/bindings/c/composite_arguments.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/fixes/call_language.h"

namespace indim::capi {
namespace {

using google::protobuf::Value;

// An integer of type T: a number that a double holds exactly, or its text.
template <typename T>
bool ReadInteger(const Value& value, T* result) {
  if (value.kind_case() == Value::kStringValue) {
    return absl::SimpleAtoi(value.string_value(), result);
  }
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const double number = value.number_value();
  if (value.kind_case() != Value::kNumberValue ||
      number != std::trunc(number) || std::abs(number) >= kExact ||
      (number < 0 && !std::is_signed_v<T>)) {
    return false;
  }
  *result = static_cast<T>(number);
  return true;
}

bool ReadDouble(const Value& value, double* result) {
  if (value.kind_case() == Value::kStringValue) {
    return absl::SimpleAtod(value.string_value(), result);
  }
  if (value.kind_case() != Value::kNumberValue) return false;
  *result = value.number_value();
  return true;
}

}  // namespace

absl::Status CompositeCall::status() const {
  return status_.ok() ? fields_.status() : status_;
}

void CompositeCall::Fail(const std::string& name, absl::string_view what) {
  status_.Update(absl::InvalidArgumentError(absl::StrCat(name, ": ", what)));
}

const std::string& CompositeCall::Next() {
  static const auto* const none = new std::string("a parameter without a row");
  return next_ < parameters_.size() ? parameters_[next_++].name : *none;
}

absl::Status CompositeCall::End() {
  if (!status().ok()) return status();
  if (operand_ + named_ < operands_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it takes ", operand_ + named_,
                     operand_ + named_ == 1 ? " operand" : " operands",
                     ", but got ", operands_.size()));
  }
  for (const auto& [name, near] : fields_.Unknown()) {
    const std::string others = absl::StrJoin(fields_.Asked(), ", ");
    return absl::InvalidArgumentError(absl::StrCat(
        "it has no argument \"", name, "\"; ",
        !near.empty()    ? absl::StrCat("did you mean \"", near, "\"?")
        : others.empty() ? "it takes operands alone"
                         : absl::StrCat("it takes ", others)));
  }
  return absl::OkStatus();
}

Op CompositeCall::NextOperand() {
  const std::string& name = Next();
  if (operand_ < operands_.size()) return operands_[operand_++];
  status_.Update(absl::InvalidArgumentError(
      absl::StrCat("operand ", operand_, ", ", name, ", is missing")));
  return Op();
}

absl::Span<const Op> CompositeCall::OtherOperands() {
  Next();
  const absl::Span<const Op> rest = operands_.subspan(operand_);
  operand_ = operands_.size();
  return rest;
}

std::optional<Op> CompositeCall::NamedOperand() {
  const std::string& name = Next();
  std::optional<int64_t> place;
  Read(name, &place);
  if (!place) return std::nullopt;
  if (*place < static_cast<int64_t>(operand_) ||
      *place >= static_cast<int64_t>(operands_.size())) {
    Fail(name, absl::StrCat("there is no operand ", *place,
                            " behind the first ", operand_));
    return std::nullopt;
  }
  ++named_;
  return operands_[static_cast<size_t>(*place)];
}

const Value* CompositeCall::Must(const std::string& name) {
  const Value* const value = fields_.Find(name);
  if (value == nullptr) Fail(name, "is missing");
  return value;
}

void CompositeCall::Read(const std::string& name, bool* value) {
  if (Must(name) != nullptr) fields_.Read(name, value);
}
void CompositeCall::Read(const std::string& name, std::string* value) {
  if (Must(name) != nullptr) fields_.Read(name, value);
}
void CompositeCall::Read(const std::string& name, ElementType* value) {
  if (Must(name) != nullptr) fields_.Read(name, value);
}
void CompositeCall::Read(const std::string& name, int64_t* value) {
  const Value* const given = Must(name);
  if (given == nullptr || ReadInteger(*given, value)) return;
  Fail(name, "must be an integer of 64 bits, as text from 2^53 on");
}
void CompositeCall::Read(const std::string& name, uint64_t* value) {
  const Value* const given = Must(name);
  if (given == nullptr || ReadInteger(*given, value)) return;
  Fail(name, "must be an integer in 0..2^64-1, as text from 2^53 on");
}
void CompositeCall::Read(const std::string& name, double* value) {
  const Value* const given = Must(name);
  if (given == nullptr || ReadDouble(*given, value)) return;
  Fail(name, "must be a number");
}

void CompositeCall::Read(const std::string& name, std::vector<int64_t>* value) {
  const Value* const given = Must(name);
  if (given == nullptr) return;
  bool ok = given->kind_case() == Value::kListValue;
  for (const Value& item : given->list_value().values()) {
    ok = ok && ReadInteger(item, &value->emplace_back());
  }
  if (ok) return;
  int64_t number = 0;
  Fail(name, ReadInteger(*given, &number)
                 ? absl::StrCat("must be a list of integers; to fix: ",
                                CallText(FixCall::kListArgument,
                                         {name, absl::StrCat(number)}))
                 : "must be a list of integers, as [0]");
}

void CompositeCall::Read(const std::string& name,
                         std::vector<PaddingArg::Pair>* value) {
  const Value* const given = Must(name);
  if (given == nullptr) return;
  bool ok = given->kind_case() == Value::kListValue;
  for (const Value& item : given->list_value().values()) {
    const auto& pair = item.list_value().values();
    PaddingArg::Pair& read = value->emplace_back();
    ok = ok && pair.size() == 2 && ReadInteger(pair[0], &read.first) &&
         ReadInteger(pair[1], &read.second);
  }
  if (!ok) Fail(name, "must be \"same\", \"valid\" or a list of pairs");
}

Number CompositeCall::ReadNumber() {
  const std::string& name = Next();
  const Value* const given = Must(name);
  int64_t integer = 0;
  uint64_t positive = 0;
  double number = 0;
  if (given == nullptr) return 0;
  if (ReadInteger(*given, &integer)) return integer;
  if (ReadInteger(*given, &positive)) return positive;
  if (!ReadDouble(*given, &number)) Fail(name, "must be a number");
  return number;
}

std::optional<Padding> CompositeCall::ReadPadding(
    std::vector<PaddingArg::Pair>* pairs) {
  const std::string& name = Next();
  const Value* const given = Must(name);
  if (given == nullptr) return Padding::kValid;
  if (given->string_value() == "same") return Padding::kSame;
  if (given->string_value() == "valid") return Padding::kValid;
  Read(name, pairs);
  return std::nullopt;
}

Given<RandomState*>::Given(CompositeCall& call) {
  value.state = call.NextOperand();
  const absl::StatusOr<Shape> shape = call.builder().shape(value.state);
  const bool philox = shape.ok() && shape->is_array() && shape->has_rank() &&
                      shape->rank() == 1 && shape->dim(0).is(3);
  value.algorithm =
      philox ? RandomAlgorithm::kPhilox : RandomAlgorithm::kThreeFry;
}

}  // namespace indim::capi
