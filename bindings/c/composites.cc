// SPDX-License-Identifier: Apache-2.0
// Composites by name (composites.def).

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/bindings/c/composite_arguments.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/bindings/c/recording.h"
#include "indim/builder/composites/attention.h"
#include "indim/builder/composites/constants.h"
#include "indim/builder/composites/cumulative.h"
#include "indim/builder/composites/einsum.h"
#include "indim/builder/composites/losses.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/matrix.h"
#include "indim/builder/composites/normalization.h"
#include "indim/builder/composites/optimizers.h"
#include "indim/builder/composites/pooling.h"
#include "indim/builder/composites/random.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/selection.h"
#include "indim/builder/composites/shaping.h"
#include "indim/builder/composites/slicing.h"
#include "indim/builder/composites/special.h"
#include "indim/shape/types/suggest.h"
#include "indim/tools/output/json_writer.h"

namespace indim::capi {
namespace {

using google::protobuf::Struct;
using internal::Recorder;

// The one of the overloads that the table means.
Op Einsum(absl::string_view subscripts, absl::Span<const Op> operands,
          std::optional<ElementType> preferred_element_type, Caller caller) {
  return indim::Einsum(subscripts, operands, preferred_element_type, caller);
}

std::vector<Op> Results(Op op) { return {op}; }
std::vector<Op> Results(std::vector<Op> ops) { return ops; }
std::vector<Op> Results(const RandomState& random) { return {random.state}; }
std::vector<Op> Results(const SgdState& next) {
  return {next.weight, next.velocity};
}
std::vector<Op> Results(const AdamState& next) {
  return {next.weight, next.mean, next.square};
}

template <typename T>
void AddState(const Given<T>&, std::vector<Op>*) {}
void AddState(const Given<RandomState*>& random, std::vector<Op>* results) {
  results->push_back(random.value.state);
}

// How a parameter is told in the table: an operand, or an argument.
template <typename T>
constexpr bool kIsOperand =
    std::is_same_v<T, Op> || std::is_same_v<T, Operand> ||
    std::is_same_v<T, absl::Span<const Op>> || std::is_same_v<T, RandomState*>;
template <typename T>
constexpr bool kHasName =
    !std::is_same_v<T, ComputationBuilder> && !std::is_same_v<T, Caller>;

template <typename T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;

// Reads the arguments by the types of `function`, and calls it.
template <typename R, typename... Args>
absl::Status Record(R (*function)(Args...), CompositeCall& call,
                    std::vector<Op>* results) {
  // Braces: in the order of the parameters.
  std::tuple<Given<Bare<Args>>...> given{Given<Bare<Args>>(call)...};
  if (absl::Status status = call.End(); !status.ok()) return status;
  *results = std::apply(
      [&](auto&... each) { return Results(function(each.Get()...)); }, given);
  std::apply([&](auto&... each) { (AddState(each, results), ...); }, given);
  return absl::OkStatus();
}

struct CompositeRow {
  absl::string_view name;
  std::vector<CompositeParameter> parameters;
  Struct defaults;
  // Which parameters are operands.
  std::vector<bool> is_operand;
  absl::Status (*record)(CompositeCall&, std::vector<Op>*);
};

template <typename R, typename... Args>
std::vector<bool> OperandsOf(R (*)(Args...)) {
  std::vector<bool> operands;
  const auto add = [&](bool has_name, bool is_operand) {
    if (has_name) operands.push_back(is_operand);
  };
  (add(kHasName<Bare<Args>>, kIsOperand<Bare<Args>>), ...);
  // Options are several arguments.
  return operands;
}

CompositeRow MakeRow(absl::string_view name, absl::string_view parameters,
                     std::vector<bool> is_operand,
                     absl::Status (*record)(CompositeCall&, std::vector<Op>*)) {
  CompositeRow row = {name, {}, {}, std::move(is_operand), record};
  std::string defaults;
  for (absl::string_view text : absl::StrSplit(parameters, "; ")) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(text, absl::MaxSplits(" = ", 1));
    CompositeParameter& parameter = row.parameters.emplace_back();
    parameter.name = std::string(parts.first);
    if (parts.second.empty()) continue;
    parameter.otherwise = std::string(parts.second);
    absl::StrAppend(&defaults, defaults.empty() ? "{" : ",",
                    JsonString(parts.first), ":", parts.second);
  }
  row.is_operand.resize(row.parameters.size(), false);
  if (!defaults.empty()) {
    // Text of the table, which a test reads.
    (void)google::protobuf::util::JsonStringToMessage(defaults + "}",
                                                      &row.defaults);
  }
  return row;
}

const std::vector<CompositeRow>& Rows() {
  static const auto* const rows = new std::vector<CompositeRow>{
#define INDIM_COMPOSITE(name, Function, parameters)               \
  MakeRow(#name, parameters, OperandsOf(&Function),               \
          [](CompositeCall& call, std::vector<Op>* results) {     \
            return indim::capi::Record(&Function, call, results); \
          }),
#include "indim/builder/composites/composites.def"
  };
  return *rows;
}

const CompositeRow* FindRow(absl::string_view name) {
  static const auto* const by_name = [] {
    auto* map = new absl::flat_hash_map<absl::string_view, const CompositeRow*>;
    for (const CompositeRow& row : Rows()) map->emplace(row.name, &row);
    return map;
  }();
  const auto found = by_name->find(name);
  return found == by_name->end() ? nullptr : found->second;
}

indim_error* NoSuchComposite(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const CompositeRow& row : Rows()) names.push_back(row.name);
  const absl::string_view near = NearestName(name, names);
  return Misuse(absl::StrCat(
      "there is no composite \"", name, "\"",
      near.empty() ? "" : absl::StrCat("; did you mean \"", near, "\"?")));
}

// The arguments of a call with the defaults of the others.
absl::Status ReadObject(absl::string_view arguments, const CompositeRow& row,
                        Struct* object) {
  if (!arguments.empty()) {
    const auto parsed = google::protobuf::util::JsonStringToMessage(
        std::string(arguments), object);
    if (!parsed.ok()) {
      const std::string why(parsed.message());
      return absl::InvalidArgumentError(absl::StrCat(
          "the arguments are no JSON object: ", absl::StripPrefix(why, ": ")));
    }
  }
  for (const auto& [name, value] : row.defaults.fields()) {
    object->mutable_fields()->insert({name, value});
  }
  return absl::OkStatus();
}

indim_error* RecordComposite(indim_builder* builder, absl::string_view name,
                             absl::Span<const indim_value> operands,
                             absl::string_view arguments,
                             indim_location location, indim_value* values,
                             size_t capacity, size_t* count) {
  const CompositeRow* const row = FindRow(name);
  if (row == nullptr) return NoSuchComposite(name);
  OpList ops;
  if (indim_error* error = FindOps(*builder, operands, &ops)) return error;
  const std::optional<Caller> caller = CallerOf(*builder, location);
  if (!caller) return NoSuchFile(location);
  Struct object;
  if (const absl::Status status = ReadObject(arguments, *row, &object);
      !status.ok()) {
    return Misuse(absl::StrCat(name, ": ", status.message()));
  }
  CompositeCall call(builder->builder(), *caller, ops, row->parameters, object);
  const Recorder::Mark mark = builder->recorder()->Here();
  std::vector<Op> results;
  if (const absl::Status status = row->record(call, &results); !status.ok()) {
    return Misuse(absl::StrCat(name, ": ", status.message()));
  }
  return GiveResults(builder, mark, results, values, capacity, count);
}

std::string ParameterJson(const CompositeParameter& parameter,
                          bool is_operand) {
  JsonWriter json;
  json.Add("name", parameter.name).Add("operand", is_operand);
  if (parameter.otherwise) json.AddRaw("default", *parameter.otherwise);
  return json.text();
}

std::string RowJson(const CompositeRow& row) {
  std::vector<std::string> parameters;
  for (size_t i = 0; i < row.parameters.size(); ++i) {
    parameters.push_back(ParameterJson(row.parameters[i], row.is_operand[i]));
  }
  return JsonWriter()
      .Add("name", row.name)
      .AddList("parameters", parameters)
      .text();
}

}  // namespace
extern "C" {

indim_error* indim_composite(indim_builder* builder, const char* name,
                             size_t name_size, const indim_value* operands,
                             size_t operand_count, const char* arguments,
                             size_t arguments_size, indim_location location,
                             indim_value* values, size_t capacity,
                             size_t* count) {
  return Guard({{"builder", builder},
                {"name", name, name_size},
                {"operands", operands, operand_count},
                {"arguments", arguments, arguments_size},
                {"values", values, capacity}},
               [&] {
                 return RecordComposite(builder, Text(name, name_size),
                                        List(operands, operand_count),
                                        Text(arguments, arguments_size),
                                        location, values, capacity, count);
               });
}

indim_error* indim_composite_table_json(indim_bytes** json) {
  return Guard({{"json", json}}, [&] {
    std::vector<std::string> rows;
    for (const CompositeRow& row : Rows()) {
      rows.push_back(RowJson(row));
    }
    return GiveNew(JsonWriter()
                       .Add("version", int64_t{1})
                       .AddList("composites", rows)
                       .text(),
                   json);
  });
}

}  // extern "C"
}  // namespace indim::capi
