// SPDX-License-Identifier: Apache-2.0
// The arguments of a composite's call: operands by number, and a JSON object,
// read by the types of the function's parameters.

#ifndef INDIM_BINDINGS_C_COMPOSITE_ARGUMENTS_H_
#define INDIM_BINDINGS_C_COMPOSITE_ARGUMENTS_H_

#include <google/protobuf/struct.pb.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/composites/attention.h"
#include "indim/builder/composites/random.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/proto/codec/number.h"
#include "indim/tools/query/case_fields.h"

namespace indim::capi {

// A parameter of a row of composites.def.
struct CompositeParameter {
  std::string name;
  std::optional<std::string> otherwise;  // JSON
};

// What a call gives. Parameters are read in their order; the first mistake
// stays in status().
class CompositeCall {
 public:
  // All of it must outlive this; `object` has the defaults too.
  CompositeCall(ComputationBuilder& builder, Caller caller,
                absl::Span<const Op> operands,
                absl::Span<const CompositeParameter> parameters,
                const google::protobuf::Struct& object)
      : builder_(builder),
        caller_(caller),
        operands_(operands),
        parameters_(parameters),
        fields_(object) {}

  ComputationBuilder& builder() { return builder_; }
  Caller caller() const { return caller_; }
  absl::Status status() const;
  // After the last parameter: operands and names that no parameter takes.
  absl::Status End();

  // The name of the next parameter.
  const std::string& Next();
  Op NextOperand();
  // All that aren't for a later parameter, `behind` of them.
  absl::Span<const Op> OtherOperands();
  // An operand by the position that the argument names; nullopt: null.
  std::optional<Op> NamedOperand();
  // What a parameter of type T takes.
  template <typename T>
  T Read() {
    T value{};
    Read(Next(), &value);
    return value;
  }

  void Read(const std::string& name, bool* value);
  void Read(const std::string& name, int64_t* value);
  void Read(const std::string& name, uint64_t* value);
  void Read(const std::string& name, double* value);
  void Read(const std::string& name, std::string* value);
  void Read(const std::string& name, ElementType* value);
  void Read(const std::string& name, std::vector<int64_t>* value);
  void Read(const std::string& name, std::vector<PaddingArg::Pair>* value);
  template <typename T>
  void Read(const std::string& name, std::optional<T>* value) {
    if (!fields_.Has(name)) return;
    Read(name, &value->emplace());
  }
  // A number, or its text: "-9223372036854775808", "inf", "nan".
  Number ReadNumber();
  // "same", "valid"; nullopt: pairs.
  std::optional<Padding> ReadPadding(std::vector<PaddingArg::Pair>* pairs);

 private:
  const google::protobuf::Value* Must(const std::string& name);
  void Fail(const std::string& name, absl::string_view what);

  ComputationBuilder& builder_;
  const Caller caller_;
  const absl::Span<const Op> operands_;
  const absl::Span<const CompositeParameter> parameters_;
  CaseFields fields_;
  size_t next_ = 0;
  size_t operand_ = 0;
  // Behind these are those that arguments name.
  size_t named_ = 0;
  absl::Status status_;
};

// --- What a parameter of each type keeps while the function runs -------------

template <typename T>
struct Given {
  explicit Given(CompositeCall& call) : value(call.Read<T>()) {}
  const T& Get() const { return value; }
  T value;
};
template <>
struct Given<ComputationBuilder> {
  explicit Given(CompositeCall& call) : call(call) {}
  ComputationBuilder& Get() const { return call.builder(); }
  CompositeCall& call;
};
template <>
struct Given<Caller> {
  explicit Given(CompositeCall& call) : value(call.caller()) {}
  Caller Get() const { return value; }
  Caller value;
};
template <>
struct Given<Op> {
  explicit Given(CompositeCall& call) : value(call.NextOperand()) {}
  Op Get() const { return value; }
  Op value;
};
template <>
struct Given<Operand> : Given<Op> {
  using Given<Op>::Given;
};
template <>
struct Given<absl::Span<const Op>> {
  explicit Given(CompositeCall& call) : value(call.OtherOperands()) {}
  absl::Span<const Op> Get() const { return value; }
  absl::Span<const Op> value;
};
template <>
struct Given<RandomState*> {
  explicit Given(CompositeCall& call);
  RandomState* Get() { return &value; }
  RandomState value;
};
template <>
struct Given<absl::string_view> : Given<std::string> {
  using Given<std::string>::Given;
};
template <>
struct Given<ShapeArg> : Given<std::string> {
  using Given<std::string>::Given;
};
template <>
struct Given<SizeArg> : Given<int64_t> {
  using Given<int64_t>::Given;
};
template <>
struct Given<absl::Span<const int64_t>> : Given<std::vector<int64_t>> {
  using Given<std::vector<int64_t>>::Given;
};
template <>
struct Given<DimsArg> : Given<std::optional<std::vector<int64_t>>> {
  using Given<std::optional<std::vector<int64_t>>>::Given;
  DimsArg Get() const { return value ? DimsArg(*value) : DimsArg(); }
};
template <>
struct Given<PaddingArg> {
  explicit Given(CompositeCall& call) : padding(call.ReadPadding(&pairs)) {}
  PaddingArg Get() const {
    return padding ? PaddingArg(*padding) : PaddingArg(pairs);
  }
  std::vector<PaddingArg::Pair> pairs;
  std::optional<Padding> padding;
};
template <>
struct Given<Number> {
  explicit Given(CompositeCall& call) : value(call.ReadNumber()) {}
  Number Get() const { return value; }
  Number value;
};
template <>
struct Given<AttentionOptions> {
  explicit Given(CompositeCall& call) {
    value.mask = call.NamedOperand();
    value.bias = call.NamedOperand();
    value.causal = call.Read<bool>();
    value.scale = call.Read<std::optional<double>>();
  }
  const AttentionOptions& Get() const { return value; }
  AttentionOptions value;
};

}  // namespace indim::capi

#endif  // INDIM_BINDINGS_C_COMPOSITE_ARGUMENTS_H_
