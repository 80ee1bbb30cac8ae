// SPDX-License-Identifier: Apache-2.0
// The C interface for C++17, in one header without a library of its own: std
// types, objects that release themselves, and errors as exceptions.
//
//   indim_api::Builder b("affine");
//   auto x = b.Parameter("f32[8,784]", "x");
//   auto w = b.Parameter("f32[784,10]", "w");
//   auto y = b.Composite("relu", b.Composite("mat_mul", {x, w}))[0];
//   indim_api::Module module = b.Build(y);
//   module.WriteFile("affine.pb", /*for_xla=*/true);
//
// Add records one operation with the attributes that HLO text has: without
// contracting dims a "dot" is an outer product, as there. Each call is the
// function of indim.h with that name, whose comment holds here too. A failure
// throws indim_api::Error. Other than the C++ library (namespace indim, which
// needs Abseil) it depends on the C ABI alone, so any compiler's program can
// use any build of libindim_c.so; programs may use both.

#ifndef INDIM_HPP_
#define INDIM_HPP_

#include <indim.h>

#include <cstdint>
#include <indim_c/values.hpp>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace indim_api {

// --- One operation -----------------------------------------------------------

// Attributes as text, and in the fast forms.
struct Attributes {
  std::string text;
  std::optional<std::vector<int64_t>> dimensions = {};
  std::optional<std::vector<int64_t>> broadcast_dimensions = {};
  indim_broadcast_rule rule = INDIM_BROADCAST_XLA;

  // Borrows from this.
  indim_attributes get() const {
    indim_attributes given = {};
    given.struct_size = sizeof(given);
    given.text = text.data();
    given.text_size = text.size();
    given.broadcast_rule = rule;
    given.broadcast_axis = -1;
    static const int64_t kNothing = 0;
    if (dimensions) {
      given.dimensions = dimensions->empty() ? &kNothing : dimensions->data();
      given.dimensions_count = dimensions->size();
    }
    if (broadcast_dimensions) {
      given.broadcast_dimensions = broadcast_dimensions->empty()
                                       ? &kNothing
                                       : broadcast_dimensions->data();
      given.broadcast_dimensions_count = broadcast_dimensions->size();
    }
    return given;
  }
};

struct Signature {
  std::vector<Shape> parameters;
  Shape result;
};

inline Shape Infer(std::string_view opcode, const std::vector<Shape>& operands,
                   const Attributes& attributes = {},
                   const std::optional<Shape>& result = {},
                   const std::vector<Signature>& callees = {},
                   Diagnostics* warnings = nullptr) {
  const auto shapes =
      internal::Pointers<std::vector<Shape>, indim_shape>(operands);
  std::vector<std::vector<const indim_shape*>> parameters;
  std::vector<indim_signature> signatures;
  for (const Signature& callee : callees) {
    parameters.push_back(
        internal::Pointers<std::vector<Shape>, indim_shape>(callee.parameters));
    signatures.push_back({parameters.back().data(), parameters.back().size(),
                          callee.result.get()});
  }
  const indim_attributes given = attributes.get();
  indim_shape* inferred = nullptr;
  indim_diagnostics* found = nullptr;
  Check(indim_infer(opcode.data(), opcode.size(), shapes.data(), shapes.size(),
                    &given, result ? result->get() : nullptr, signatures.data(),
                    signatures.size(), &inferred, &found));
  const internal::OwnedDiagnostics owned(found);
  if (warnings != nullptr) *warnings = internal::ListOf(found);
  return Shape(inferred);
}

inline std::string Query(std::string_view line) {
  return internal::MakeText(indim_query_json, line.data(), line.size());
}
inline std::string Explain(std::string_view question) {
  return internal::MakeText(indim_explain, question.data(), question.size());
}

// --- Modules -----------------------------------------------------------------

class Module {
 public:
  explicit Module(indim_module* module)
      : module_(module, indim_module_release) {}

  static Module Read(std::string_view bytes) {
    return Module(internal::Make<Raw>(indim_module_read, bytes.data(),
                                      bytes.size(), nullptr)
                      .release());
  }
  static Module ReadFile(std::string_view path) {
    return Module(internal::Make<Raw>(indim_module_read_file, path.data(),
                                      path.size(), nullptr)
                      .release());
  }

  std::string Write(indim_format format = INDIM_FORMAT_AUTO,
                    bool for_xla = false) const {
    const indim_write_options options = Options(format, for_xla);
    return internal::MakeText(indim_module_write, get(), &options);
  }
  // The name tells the format. `for_xla`: the form that XLA compiles, with
  // broadcasts as instructions and layouts; else the module as it is.
  void WriteFile(std::string_view path, bool for_xla = false) const {
    const indim_write_options options = Options(INDIM_FORMAT_AUTO, for_xla);
    Check(indim_module_write_file(get(), path.data(), path.size(), &options));
  }

  Diagnostics Check() const {
    const auto found = internal::Make<internal::OwnedDiagnostics>(
        indim_module_check, get(), nullptr);
    return internal::ListOf(found.get());
  }
  Module Infer() const {
    return Module(
        internal::Make<Raw>(indim_module_infer, get(), nullptr).release());
  }
  Module Refine(const std::vector<std::string>& settings) const {
    std::vector<indim_text> texts;
    for (const std::string& s : settings) texts.push_back({s.data(), s.size()});
    return Module(internal::Make<Raw>(indim_module_refine, get(), texts.data(),
                                      texts.size())
                      .release());
  }
  // With the sizes that it leaves open as they are in the values.
  Module RefineFor(const std::vector<Literal>& arguments) const {
    const auto pointers =
        internal::Pointers<std::vector<Literal>, indim_literal>(arguments);
    return Module(internal::Make<Raw>(indim_module_refine_for, get(),
                                      pointers.data(), pointers.size())
                      .release());
  }
  Module Expand() const {
    return Module(internal::Make<Raw>(indim_module_expand, get()).release());
  }
  // The module of the gradients by the parameters of these numbers, or with
  // `options.forward` of the tangents; none: by all that have some.
  Module Derivative(const std::vector<int64_t>& wrt,
                    indim_derivative_options options = {},
                    Diagnostics* warnings = nullptr) const {
    options.struct_size = sizeof(options);
    indim_module* derivative = nullptr;
    indim_diagnostics* found = nullptr;
    Check(indim_module_derivative(get(), wrt.data(), wrt.size(), &options,
                                  &derivative, &found));
    const internal::OwnedDiagnostics owned(found);
    if (warnings != nullptr) *warnings = internal::ListOf(found);
    return Module(derivative);
  }
  // JSON of docs/cost.md; `by` is what its rows put together.
  std::string Cost(std::string_view by = "instruction") const {
    indim_cost_options options = {};
    options.struct_size = sizeof(options);
    options.by = by.data();
    options.by_size = by.size();
    return internal::MakeText(indim_module_cost_json, get(), "", 0, &options);
  }
  std::string Statistics() const {
    return internal::MakeText(indim_module_statistics_json, get(), "", 0);
  }
  std::string Diff(const Module& other) const {
    return internal::MakeText(indim_module_diff, get(), other.get());
  }
  Literal Evaluate(const std::vector<Literal>& arguments) const {
    const auto pointers =
        internal::Pointers<std::vector<Literal>, indim_literal>(arguments);
    indim_literal* result = nullptr;
    indim_api::Check(indim_evaluate(get(), pointers.data(), pointers.size(),
                                    nullptr, &result));
    return Literal(result);
  }

  std::string name() const { return indim_module_name(get(), nullptr); }
  int64_t instruction_count() const {
    return indim_module_instruction_count(get());
  }
  std::string InstructionText(int64_t position) const {
    return internal::MakeText(indim_instruction_text, get(), position);
  }
  const indim_module* get() const { return module_.get(); }

 private:
  using Raw = internal::Owned<indim_module, indim_module_release>;
  static indim_write_options Options(indim_format format, bool for_xla) {
    indim_write_options options = {};
    options.struct_size = sizeof(options);
    options.format = format;
    options.for_xla = for_xla ? 1 : 0;
    return options;
  }
  static void Check(indim_error* error) { indim_api::Check(error); }
  std::shared_ptr<const indim_module> module_;
};

// --- Builders ----------------------------------------------------------------

using Value = indim_value;

class Callee {
 public:
  explicit Callee(indim_callee* callee)
      : callee_(callee, indim_callee_release) {}
  const indim_callee* get() const { return callee_.get(); }

 private:
  std::shared_ptr<const indim_callee> callee_;
};

class Region {
 public:
  Region(indim_region* region, std::vector<Value> arguments)
      : region_(region), arguments_(std::move(arguments)) {}
  const std::vector<Value>& arguments() const { return arguments_; }
  indim_region* get() const { return region_.get(); }

 private:
  internal::Owned<indim_region, indim_region_release> region_;
  std::vector<Value> arguments_;
};

// File and line of a call, taken by a default argument.
struct Caller {
  const char* file = "";
  int line = 0;

  static constexpr Caller Here(const char* file = __builtin_FILE(),
                               int line = __builtin_LINE()) {
    return Caller{file, line};
  }
};

// Instructions have the line of the caller.
class Builder {
 public:
  explicit Builder(std::string_view name,
                   const indim_builder_options* options = nullptr)
      : builder_(internal::Make<Raw>(indim_builder_create, name.data(),
                                     name.size(), options)) {}

  Builder Sub(std::string_view name) {
    return Builder(internal::Make<Raw>(indim_builder_sub, get(), name.data(),
                                       name.size()));
  }

  // The line of all calls from now on, for front ends of another language.
  void SetLine(std::string_view file, int32_t line) {
    location_ = LocationOf(file, line);
  }

  Value Parameter(const Shape& shape, std::string_view name = "",
                  int64_t number = -1, Caller caller = Caller::Here()) {
    Value value = INDIM_NO_VALUE;
    Check(indim_parameter(get(), number, shape.get(), name.data(), name.size(),
                          At(caller), &value));
    return value;
  }
  Value Constant(const Literal& literal, Caller caller = Caller::Here()) {
    Value value = INDIM_NO_VALUE;
    Check(indim_constant(get(), literal.get(), At(caller), &value));
    return value;
  }
  Value Constant(std::string_view type, double number,
                 Caller caller = Caller::Here()) {
    Value value = INDIM_NO_VALUE;
    Check(indim_constant_double(get(), internal::ElementTypeNamed(type), number,
                                At(caller), &value));
    return value;
  }
  Value Add(std::string_view opcode, const std::vector<Value>& operands,
            const Attributes& attributes = {},
            const std::optional<Shape>& result = {},
            const std::vector<Callee>& callees = {},
            Caller caller = Caller::Here()) {
    const indim_attributes given = attributes.get();
    const auto pointers =
        internal::Pointers<std::vector<Callee>, indim_callee>(callees);
    const indim_op op =
        OpOf(opcode, operands, &given, result, pointers, caller);
    Value value = INDIM_NO_VALUE;
    Check(indim_add(get(), &op, &value));
    return value;
  }
  // A function made of several operations: "relu", "mat_mul", "softmax", ...
  // Its arguments that are no values are a JSON object: {"dims":[-1]}.
  std::vector<Value> Composite(std::string_view name,
                               const std::vector<Value>& operands,
                               std::string_view arguments = "",
                               Caller caller = Caller::Here()) {
    Value first = INDIM_NO_VALUE;
    size_t count = 0;
    Check(indim_composite(get(), name.data(), name.size(), operands.data(),
                          operands.size(), arguments.data(), arguments.size(),
                          At(caller), &first, 1, &count));
    return NumbersFrom(first, count);
  }
  Callee BuildCallee(Value root = INDIM_NO_VALUE) {
    indim_callee* callee = nullptr;
    Check(indim_build_callee(get(), root, &callee));
    return Callee(callee);
  }

  Region BeginRegion(std::string_view name, const std::vector<Shape>& shapes,
                     indim_capture capture, Caller caller = Caller::Here()) {
    const auto pointers =
        internal::Pointers<std::vector<Shape>, indim_shape>(shapes);
    std::vector<Value> arguments(shapes.size());
    indim_region* region = nullptr;
    Check(indim_begin_region(get(), name.data(), name.size(), pointers.data(),
                             pointers.size(), capture, At(caller), &region,
                             arguments.data()));
    return Region(region, std::move(arguments));
  }
  void EndRegion(const Region& region, const std::vector<Value>& results,
                 Caller caller = Caller::Here()) {
    Check(indim_end_region(get(), region.get(), results.data(), results.size(),
                           At(caller)));
  }
  std::vector<Value> AddRegions(std::string_view opcode,
                                const std::vector<Value>& operands,
                                std::initializer_list<const Region*> regions,
                                const Attributes& attributes = {},
                                Caller caller = Caller::Here()) {
    const indim_attributes given = attributes.get();
    const indim_op op = OpOf(opcode, operands, &given, {}, {}, caller);
    std::vector<indim_region*> handles;
    for (const Region* region : regions) handles.push_back(region->get());
    Value first = INDIM_NO_VALUE;
    size_t count = 0;
    Check(indim_add_regions(get(), &op, handles.data(), handles.size(), &first,
                            1, &count));
    return NumbersFrom(first, count);
  }

  // Gradients of y, or of <seed, y>, by each value of `wrt`.
  std::vector<Value> Gradient(Value y, const std::vector<Value>& wrt,
                              std::optional<Value> seed = {},
                              Caller caller = Caller::Here()) {
    return Derivative(INDIM_DERIVATIVE_GRADIENT, y, wrt, ListOfOne(seed),
                      caller);
  }
  // y, then its gradients; a loop of both runs once.
  std::vector<Value> ValueAndGradient(Value y, const std::vector<Value>& wrt,
                                      std::optional<Value> seed = {},
                                      Caller caller = Caller::Here()) {
    return Derivative(INDIM_DERIVATIVE_VALUE_AND_GRADIENT, y, wrt,
                      ListOfOne(seed), caller);
  }
  Value Tangent(Value y, const std::vector<Value>& wrt,
                const std::vector<Value>& tangents,
                Caller caller = Caller::Here()) {
    return Derivative(INDIM_DERIVATIVE_TANGENT, y, wrt, tangents, caller)[0];
  }
  Value Jacobian(Value y, Value x, Caller caller = Caller::Here()) {
    return Derivative(INDIM_DERIVATIVE_JACOBIAN, y, {x}, {}, caller)[0];
  }
  Value Hessian(Value y, Value x, Caller caller = Caller::Here()) {
    return Derivative(INDIM_DERIVATIVE_HESSIAN, y, {x}, {}, caller)[0];
  }
  Value HessianVectorProduct(Value y, Value x, Value v,
                             Caller caller = Caller::Here()) {
    return Derivative(INDIM_DERIVATIVE_HESSIAN_VECTOR_PRODUCT, y, {x}, {v},
                      caller)[0];
  }

  Shape ShapeOf(Value value) const {
    indim_shape* shape = nullptr;
    Check(indim_value_shape(get(), value, &shape));
    return Shape(shape);
  }
  void SetName(Value value, std::string_view name) {
    Check(indim_set_name(get(), value, name.data(), name.size()));
  }
  Diagnostics diagnostics() const {
    const auto found = internal::Make<internal::OwnedDiagnostics>(
        indim_builder_diagnostics, static_cast<const indim_builder*>(get()));
    return internal::ListOf(found.get());
  }
  Module Build(Value root = INDIM_NO_VALUE, Diagnostics* warnings = nullptr) {
    indim_module* module = nullptr;
    indim_diagnostics* found = nullptr;
    Check(indim_build(get(), root, nullptr, &module, &found));
    const internal::OwnedDiagnostics owned(found);
    if (warnings != nullptr) *warnings = internal::ListOf(found);
    return Module(module);
  }
  indim_builder* get() const { return builder_.get(); }

 private:
  friend class Editor;
  using Raw = internal::Owned<indim_builder, indim_builder_release>;
  explicit Builder(Raw builder) : builder_(std::move(builder)) {}

  // The results of a call, which get the next numbers.
  static std::vector<Value> NumbersFrom(Value first, size_t count) {
    std::vector<Value> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
  }
  static std::vector<Value> ListOfOne(std::optional<Value> value) {
    return value ? std::vector<Value>{*value} : std::vector<Value>();
  }
  std::vector<Value> Derivative(indim_derivative_kind kind, Value y,
                                const std::vector<Value>& wrt,
                                const std::vector<Value>& others,
                                Caller caller) {
    std::vector<Value> operands = {y};
    operands.insert(operands.end(), wrt.begin(), wrt.end());
    operands.insert(operands.end(), others.begin(), others.end());
    std::vector<Value> values(1 + wrt.size());
    size_t count = 0;
    Check(indim_derivative(get(), kind, operands.data(), operands.size(),
                           wrt.size(), At(caller), values.data(), values.size(),
                           &count));
    values.resize(count);
    return values;
  }

  indim_op OpOf(std::string_view opcode, const std::vector<Value>& operands,
                const indim_attributes* attributes,
                const std::optional<Shape>& result,
                const std::vector<const indim_callee*>& callees,
                Caller caller) {
    indim_op op = {};
    op.struct_size = sizeof(op);
    op.name = opcode.data();
    op.name_size = opcode.size();
    op.operands = operands.data();
    op.operand_count = operands.size();
    op.attributes = attributes;
    op.result = result ? result->get() : nullptr;
    op.callees = callees.data();
    op.callee_count = callees.size();
    op.location = At(caller);
    return op;
  }

  indim_location LocationOf(std::string_view file, int32_t line) {
    int64_t number = 0;
    Check(indim_builder_file(get(), file.data(), file.size(), &number));
    return number << 32 | line;
  }
  indim_location At(Caller caller) {
    return location_ != 0 ? location_ : LocationOf(caller.file, caller.line);
  }

  Raw builder_;
  indim_location location_ = 0;  // 0: each caller's
};

// --- Editors -----------------------------------------------------------------

using Ref = indim_ref;

class Editor {
 public:
  explicit Editor(const Module& module)
      : editor_(internal::Make<Raw>(indim_editor_create, module.get())) {}

  Ref Find(std::string_view name) const {
    Ref ref = INDIM_NO_REF;
    Check(indim_editor_find(get(), name.data(), name.size(), &ref));
    return ref;
  }
  std::vector<Ref> Users(Ref instruction) {
    size_t count = 0;
    Check(indim_editor_users(get(), instruction, nullptr, 0, &count));
    std::vector<Ref> users(count);
    Check(indim_editor_users(get(), instruction, users.data(), count, &count));
    return users;
  }
  // A builder of new instructions behind one; Insert ends it.
  Builder After(Ref instruction) {
    return Builder(internal::Make<Builder::Raw>(indim_editor_insert_after,
                                                get(), instruction));
  }
  Builder Before(Ref instruction) {
    return Builder(internal::Make<Builder::Raw>(indim_editor_insert_before,
                                                get(), instruction));
  }
  Value Use(Builder& builder, Ref instruction) {
    Value value = INDIM_NO_VALUE;
    Check(indim_editor_use(get(), builder.get(), instruction, &value));
    return value;
  }
  Ref Insert(Builder& builder, Value value) {
    Ref made = INDIM_NO_REF;
    Check(indim_editor_insert(get(), builder.get(), value, &made));
    return made;
  }
  void SetName(Ref instruction, std::string_view name) {
    Check(indim_editor_set_name(get(), instruction, name.data(), name.size()));
  }
  void ReplaceAllUses(Ref instruction, Ref replacement) {
    Check(indim_editor_replace_all_uses(get(), instruction, replacement));
  }
  void Erase(Ref instruction) { Check(indim_editor_erase(get(), instruction)); }
  // "dead-code", "common-subexpressions", "fold-constants", "inline-calls".
  int64_t Run(std::string_view pass) {
    int64_t changes = 0;
    Check(indim_editor_pass(get(), pass.data(), pass.size(), &changes));
    return changes;
  }
  Module Finish(Diagnostics* warnings = nullptr) {
    indim_module* module = nullptr;
    indim_diagnostics* found = nullptr;
    Check(indim_editor_finish(get(), &module, &found));
    const internal::OwnedDiagnostics owned(found);
    if (warnings != nullptr) *warnings = internal::ListOf(found);
    return Module(module);
  }
  // For the calls of indim.h that have no method here.
  indim_editor* get() const { return editor_.get(); }

 private:
  using Raw = internal::Owned<indim_editor, indim_editor_release>;
  Raw editor_;
};

// --- Plugins -----------------------------------------------------------------

class Executable {
 public:
  explicit Executable(indim_executable* executable)
      : executable_(executable, indim_executable_release) {}
  Literal Run(const std::vector<Literal>& arguments) const {
    const auto pointers =
        internal::Pointers<std::vector<Literal>, indim_literal>(arguments);
    indim_literal* result = nullptr;
    Check(indim_run(executable_.get(), pointers.data(), pointers.size(),
                    &result));
    return Literal(result);
  }
  const indim_executable* get() const { return executable_.get(); }

 private:
  std::shared_ptr<const indim_executable> executable_;
};

class Client {
 public:
  explicit Client(std::string_view plugin) {
    indim_client* client = nullptr;
    Check(
        indim_client_create(plugin.data(), plugin.size(), nullptr, 0, &client));
    client_ = {client, indim_client_release};
  }
  std::string platform() const {
    return indim_client_platform(client_.get(), nullptr);
  }
  Executable Compile(const Module& module) const {
    indim_executable* executable = nullptr;
    Check(indim_compile(client_.get(), module.get(), nullptr, &executable));
    return Executable(executable);
  }
  const indim_client* get() const { return client_.get(); }

 private:
  std::shared_ptr<const indim_client> client_;
};

}  // namespace indim_api

#endif  // INDIM_HPP_
