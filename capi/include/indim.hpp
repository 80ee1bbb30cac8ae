// The C interface for C++17, in one header without a library of its own: std
// types, objects that release themselves, and errors as exceptions.
//
//   indim_api::Builder b("affine");
//   auto x = b.Parameter("f32[8,784]", "x");
//   auto w = b.Parameter("f32[784,10]", "w");
//   auto y = b.Add("dot", {x, w},
//                  {"lhs_contracting_dims={1}, rhs_contracting_dims={0}"});
//   indim_api::Module module = b.Build(y);
//   module.WriteFile("affine.pb");
//
// Each call is the function of indim.h with that name, whose comment holds here
// too. A failure throws indim_api::Error. Other than the C++ library (namespace
// indim, which needs Abseil) it depends on the C ABI alone, so any compiler's
// program can use any build of libindim_c.so; programs may use both.

#ifndef INDIM_HPP_
#define INDIM_HPP_

#include <indim.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace indim_api {

struct Diagnostic {
  int code = 0;  // 7 is IND0007
  bool is_error = true;
  int64_t operand = -1;
  int64_t dim = -1;
  int64_t instruction = -1;
  std::string file;
  int64_t line = 0;
  std::string message;
  std::string fix;
  std::string text;
};
using Diagnostics = std::vector<Diagnostic>;

namespace internal {

template <typename T, void (*kRelease)(T*)>
struct Releaser {
  void operator()(T* object) const { kRelease(object); }
};
template <typename T, void (*kRelease)(T*)>
using Owned = std::unique_ptr<T, Releaser<T, kRelease>>;

using OwnedError = Owned<indim_error, indim_error_release>;
using OwnedDiagnostics = Owned<indim_diagnostics, indim_diagnostics_release>;
using OwnedBytes = Owned<indim_bytes, indim_bytes_release>;

inline std::string Text(indim_text text) {
  return std::string(text.data, text.size);
}

inline Diagnostics ListOf(const indim_diagnostics* from) {
  Diagnostics list;
  for (size_t i = 0; i < indim_diagnostics_count(from); ++i) {
    indim_diagnostic d = {};
    d.struct_size = sizeof(d);
    if (const OwnedError error{indim_diagnostics_get(from, i, &d)}) break;
    Diagnostic entry;
    entry.code = d.code;
    entry.is_error = d.severity == INDIM_SEVERITY_ERROR;
    entry.operand = d.operand;
    entry.dim = d.dim;
    entry.instruction = d.instruction;
    entry.file = Text(d.file);
    entry.line = d.line;
    entry.message = Text(d.message);
    entry.fix = Text(d.fix);
    entry.text = Text(d.text);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace internal

class Error : public std::runtime_error {
 public:
  explicit Error(const indim_error* error)
      : std::runtime_error(indim_error_message(error, nullptr)),
        status_(static_cast<indim_status>(indim_error_status(error))),
        diagnostics_(internal::ListOf(indim_error_diagnostics(error))) {}

  indim_status status() const { return status_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  indim_status status_;
  Diagnostics diagnostics_;
};

// Throws what a call returned, if that is an error.
inline void Check(indim_error* error) {
  if (error == nullptr) return;
  const internal::OwnedError owned(error);
  throw Error(error);
}

namespace internal {

// What a function gives through its last pointer, as an owned object.
template <typename Holder, typename Function, typename... Arguments>
Holder Make(Function function, Arguments... arguments) {
  typename Holder::pointer made = nullptr;
  Check(function(arguments..., &made));
  return Holder(made);
}

template <typename Function, typename... Arguments>
std::string MakeText(Function function, Arguments... arguments) {
  const auto bytes = Make<OwnedBytes>(function, arguments...);
  size_t size = 0;
  const char* const data = indim_bytes_data(bytes.get(), &size);
  return std::string(data, size);
}

template <typename Objects, typename T>
std::vector<const T*> Pointers(const Objects& objects) {
  std::vector<const T*> pointers;
  for (const auto& object : objects) pointers.push_back(object.get());
  return pointers;
}

}  // namespace internal

// --- Shapes ------------------------------------------------------------------

class Shape {
 public:
  explicit Shape(indim_shape* shape) : shape_(shape, indim_shape_release) {}
  Shape(std::string_view text)  // NOLINT: where a shape is wanted
      : Shape(internal::Make<Raw>(indim_shape_parse, text.data(), text.size())
                  .release()) {}
  Shape(const char* text) : Shape(std::string_view(text)) {}         // NOLINT
  Shape(const std::string& text) : Shape(std::string_view(text)) {}  // NOLINT
  // Of an element type's name; -1 is an unknown size.
  static Shape Array(std::string_view type, const std::vector<int64_t>& sizes) {
    return Shape(internal::Make<Raw>(
                     indim_shape_array,
                     indim_element_type_from_name(type.data(), type.size()),
                     sizes.data(), nullptr, sizes.size())
                     .release());
  }

  std::string text() const { return indim_shape_text(get(), nullptr); }
  int64_t rank() const { return indim_shape_rank(get()); }
  std::string element_type() const {
    return indim_element_type_name(indim_shape_element_type(get()), nullptr);
  }
  std::vector<int64_t> dims() const {
    std::vector<int64_t> sizes(static_cast<size_t>(rank() < 0 ? 0 : rank()));
    indim_shape_dims(get(), sizes.data(), nullptr, sizes.size());
    return sizes;
  }
  friend bool operator==(const Shape& a, const Shape& b) {
    return indim_shape_equal(a.get(), b.get()) != 0;
  }
  const indim_shape* get() const { return shape_.get(); }

 private:
  using Raw = internal::Owned<indim_shape, indim_shape_release>;
  std::shared_ptr<const indim_shape> shape_;
};

// --- Literals ----------------------------------------------------------------

class Literal {
 public:
  explicit Literal(indim_literal* literal)
      : literal_(literal, indim_literal_release) {}
  // Numbers that are converted to the element type.
  Literal(std::string_view type, const std::vector<int64_t>& sizes,
          const std::vector<double>& numbers)
      : Literal(internal::Make<Raw>(
                    indim_literal_doubles,
                    indim_element_type_from_name(type.data(), type.size()),
                    sizes.data(), sizes.size(), numbers.data(), numbers.size())
                    .release()) {}
  // Elements as they lie in memory.
  static Literal Array(std::string_view type, const std::vector<int64_t>& sizes,
                       const void* data, size_t size) {
    return Literal(internal::Make<Raw>(
                       indim_literal_array,
                       indim_element_type_from_name(type.data(), type.size()),
                       sizes.data(), sizes.size(), data, size)
                       .release());
  }
  static Literal Tuple(const std::vector<Literal>& elements) {
    const auto pointers =
        internal::Pointers<std::vector<Literal>, indim_literal>(elements);
    return Literal(internal::Make<Raw>(indim_literal_tuple, pointers.data(),
                                       pointers.size())
                       .release());
  }

  Shape shape() const {
    indim_shape* shape = nullptr;
    Check(indim_literal_shape(get(), &shape));
    return Shape(shape);
  }
  // The elements, of the C++ type that the element type has.
  template <typename T>
  std::vector<T> Values() const {
    const void* data = nullptr;
    size_t size = 0;
    Check(indim_literal_data(get(), &data, &size));
    const T* const first = static_cast<const T*>(data);
    return std::vector<T>(first, first + size / sizeof(T));
  }
  size_t element_count() const { return indim_literal_element_count(get()); }
  Literal element(size_t index) const {
    return Literal(
        internal::Make<Raw>(indim_literal_element, get(), index).release());
  }
  std::string text() const {
    return internal::MakeText(indim_literal_text, get(), int64_t{0});
  }
  friend bool operator==(const Literal& a, const Literal& b) {
    return indim_literal_equal(a.get(), b.get()) != 0;
  }
  const indim_literal* get() const { return literal_.get(); }

 private:
  using Raw = internal::Owned<indim_literal, indim_literal_release>;
  std::shared_ptr<const indim_literal> literal_;
};

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
  Module Expand() const {
    return Module(internal::Make<Raw>(indim_module_expand, get()).release());
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

  // The line of calls from now on.
  void SetLine(std::string_view file, int32_t line) {
    int64_t number = 0;
    Check(indim_builder_file(get(), file.data(), file.size(), &number));
    location_ = number << 32 | line;
  }

  Value Parameter(const Shape& shape, std::string_view name = "",
                  int64_t number = -1) {
    Value value = INDIM_NO_VALUE;
    Check(indim_parameter(get(), number, shape.get(), name.data(), name.size(),
                          location_, &value));
    return value;
  }
  Value Constant(const Literal& literal) {
    Value value = INDIM_NO_VALUE;
    Check(indim_constant(get(), literal.get(), location_, &value));
    return value;
  }
  Value Constant(std::string_view type, double number) {
    Value value = INDIM_NO_VALUE;
    Check(indim_constant_double(
        get(), indim_element_type_from_name(type.data(), type.size()), number,
        location_, &value));
    return value;
  }
  Value Add(std::string_view opcode, const std::vector<Value>& operands,
            const Attributes& attributes = {},
            const std::optional<Shape>& result = {},
            const std::vector<Callee>& callees = {}) {
    const indim_attributes given = attributes.get();
    const auto pointers =
        internal::Pointers<std::vector<Callee>, indim_callee>(callees);
    const indim_op op = OpOf(opcode, operands, &given, result, pointers);
    Value value = INDIM_NO_VALUE;
    Check(indim_add(get(), &op, &value));
    return value;
  }
  Callee BuildCallee(Value root = INDIM_NO_VALUE) {
    indim_callee* callee = nullptr;
    Check(indim_build_callee(get(), root, &callee));
    return Callee(callee);
  }

  Region BeginRegion(std::string_view name, const std::vector<Shape>& shapes,
                     indim_capture capture) {
    const auto pointers =
        internal::Pointers<std::vector<Shape>, indim_shape>(shapes);
    std::vector<Value> arguments(shapes.size());
    indim_region* region = nullptr;
    Check(indim_begin_region(get(), name.data(), name.size(), pointers.data(),
                             pointers.size(), capture, location_, &region,
                             arguments.data()));
    return Region(region, std::move(arguments));
  }
  void EndRegion(const Region& region, const std::vector<Value>& results) {
    Check(indim_end_region(get(), region.get(), results.data(), results.size(),
                           location_));
  }
  std::vector<Value> AddRegions(std::string_view opcode,
                                const std::vector<Value>& operands,
                                std::initializer_list<const Region*> regions,
                                const Attributes& attributes = {}) {
    const indim_attributes given = attributes.get();
    const indim_op op = OpOf(opcode, operands, &given, {}, {});
    std::vector<indim_region*> handles;
    for (const Region* region : regions) handles.push_back(region->get());
    std::vector<Value> values(kMostResults);
    size_t count = 0;
    Check(indim_add_regions(get(), &op, handles.data(), handles.size(),
                            values.data(), values.size(), &count));
    values.resize(count);
    return values;
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
  using Raw = internal::Owned<indim_builder, indim_builder_release>;
  static constexpr size_t kMostResults = 4096;
  explicit Builder(Raw builder) : builder_(std::move(builder)) {}

  indim_op OpOf(std::string_view opcode, const std::vector<Value>& operands,
                const indim_attributes* attributes,
                const std::optional<Shape>& result,
                const std::vector<const indim_callee*>& callees) const {
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
    op.location = location_;
    return op;
  }

  Raw builder_;
  indim_location location_ = 0;
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
