// SPDX-License-Identifier: Apache-2.0
// Builders: recording, called computations and results.

#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/bindings/c/literals.h"
#include "indim/bindings/c/recording.h"
#include "indim/builder/build.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/inline.h"

namespace indim::capi {
namespace {

using internal::Recorder;

// The one text with these bytes, which lives as long as the process.
const char* Intern(absl::string_view text) {
  static auto* const mutex = new std::mutex;
  static auto* const texts = new std::deque<std::string>;
  static auto* const known =
      new absl::flat_hash_map<absl::string_view, const char*>;
  const std::lock_guard<std::mutex> lock(*mutex);
  const auto found = known->find(text);
  if (found != known->end()) return found->second;
  const std::string& kept = texts->emplace_back(text);
  known->emplace(kept, kept.c_str());
  return kept.c_str();
}

indim_error* Create(absl::string_view name, const indim_builder_options& given,
                    indim_builder** builder) {
  auto made = std::make_unique<indim_builder>();
  made->own.emplace(name);
  made->own->set_strict_types(given.strict_types != 0);
  made->record_locations = given.omit_locations == 0;
  made->own->set_record_locations(made->record_locations);
  made->collect = given.collect_errors != 0;
  made->files = std::make_shared<FileTable>();
  *builder = made.release();
  return nullptr;
}

indim_error* NotOfInsertion(absl::string_view what) {
  return Misuse(absl::StrCat(what, ": the builder adds to an editor's module"));
}

// The root that a caller names; nullopt: the last value.
indim_error* RootOf(const indim_builder& builder, indim_value root,
                    std::optional<Op>* op) {
  if (root == INDIM_NO_VALUE) return nullptr;
  const Op* const found = FindOp(builder, root);
  if (found == nullptr) return NoSuchValue(builder, root);
  *op = *found;
  return nullptr;
}

indim_error* ReadBuildOptions(const indim_build_options& given,
                              bool result_is_tuple, BuildOptions* options) {
  if (given.post_order != 0) options->order = BuildOptions::Order::kPostOrder;
  if (given.replicas != 0) options->devices.replicas = given.replicas;
  if (given.partitions != 0) options->devices.partitions = given.partitions;
  if (!IsList(given.aliases, given.alias_count)) return NullArgument("aliases");
  for (size_t i = 0; i < given.alias_count; ++i) {
    BuildOptions::Alias alias;
    const int64_t result = given.aliases[2 * i];
    if (result_is_tuple) {
      alias.output_index = {result};
    } else if (result != 0) {
      return Misuse(absl::StrCat(
          "the result is one array, and none has number ", result));
    }
    alias.parameter = given.aliases[2 * i + 1];
    options->aliases.push_back(std::move(alias));
  }
  return nullptr;
}

// The error of a build: what it found now, or all that the builder keeps.
indim_error* BuildError(indim_builder* builder, const Recorder::Mark& mark,
                        const absl::Status& status) {
  if (builder->collect) {
    return ErrorOf(status, FromCalls(builder->recorder()->Diagnostics()));
  }
  const std::vector<CallDiagnostic> found =
      builder->recorder()->TakeErrors(mark);
  return found.empty() ? ErrorOf(status) : ErrorOf(FromCalls(found));
}

indim_error* Build(indim_builder* builder, indim_value root,
                   const indim_build_options& given, indim_module** module,
                   indim_diagnostics** warnings) {
  if (!builder->own) return NotOfInsertion("indim_build");
  std::optional<Op> op;
  if (indim_error* error = RootOf(*builder, root, &op)) return error;
  Recorder& recorder = *builder->recorder();
  const Op last = builder->values.empty() ? Op() : builder->values.back();
  const Shape* const shape = recorder.ShapeOf(op ? *op : last);
  BuildOptions options;
  if (indim_error* error = ReadBuildOptions(
          given, shape != nullptr && shape->is_tuple(), &options)) {
    return error;
  }
  if (!op && !builder->values.empty()) op = last;
  const Recorder::Mark mark = recorder.Here();
  BuildResult built =
      indim::internal::BuildModule(&recorder, op, options, Caller{});
  if (!built.ok()) return BuildError(builder, mark, built.status());
  auto made = std::make_unique<indim_module>(*std::move(built));
  if (warnings != nullptr) {
    *warnings = new indim_diagnostics{FromCalls(built.warnings())};
  }
  *module = made.release();
  return nullptr;
}

indim_error* RecordConstant(indim_builder* builder,
                            const absl::StatusOr<Literal>& literal,
                            indim_location location, indim_value* value) {
  if (!literal.ok()) return ErrorOf(literal.status());
  return RecordValue(builder, location, value,
                     [&](Recorder& recorder, Caller caller) {
                       return recorder.Constant(*literal, caller);
                     });
}

}  // namespace
extern "C" {

indim_error* indim_builder_create(const char* name, size_t name_size,
                                  const indim_builder_options* options,
                                  indim_builder** builder) {
  return GuardOptions({{"name", name, name_size}, {"builder", builder}},
                      "indim_builder_options", options,
                      [&](const indim_builder_options& given) {
                        return Create(Text(name, name_size), given, builder);
                      });
}

indim_error* indim_builder_sub(indim_builder* builder, const char* name,
                               size_t name_size, indim_builder** sub) {
  return Guard(
      {{"builder", builder}, {"name", name, name_size}, {"sub", sub}}, [&] {
        if (builder->recorder()->family() == nullptr) {
          return Misuse("the builder was built");
        }
        auto made = std::make_unique<indim_builder>();
        made->own.emplace(builder->builder().SubBuilder(Text(name, name_size)));
        made->record_locations = builder->record_locations;
        made->collect = builder->collect;
        made->files = builder->files;
        *sub = made.release();
        return kOk;
      });
}

void indim_builder_release(indim_builder* builder) { delete builder; }

indim_error* indim_builder_file(indim_builder* builder, const char* file,
                                size_t file_size, int64_t* number) {
  return Guard(
      {{"builder", builder}, {"file", file, file_size}, {"number", number}},
      [&] {
        const absl::string_view name = Text(file, file_size);
        if (name.find('\0') != absl::string_view::npos) {
          return Misuse("the name of a file has a zero byte");
        }
        const char* const kept = Intern(name);
        auto& table = *builder->files;
        const auto found = table.numbers.find(kept);
        if (found != table.numbers.end()) {
          *number = found->second;
          return kOk;
        }
        if (table.names.size() > std::numeric_limits<int32_t>::max()) {
          return ErrorOf(absl::ResourceExhaustedError("too many files"));
        }
        const auto next = static_cast<int64_t>(table.names.size());
        table.names.push_back(kept);
        table.numbers.emplace(kept, next);
        *number = next;
        return kOk;
      });
}

indim_value indim_next_value(const indim_builder* builder) {
  return builder == nullptr ? INDIM_NO_VALUE
                            : static_cast<indim_value>(builder->values.size());
}

indim_error* indim_parameter(indim_builder* builder, int64_t number,
                             const indim_shape* shape, const char* name,
                             size_t name_size, indim_location location,
                             indim_value* value) {
  return Guard(
      {{"builder", builder},
       {"shape", shape},
       {"name", name, name_size},
       {"value", value}},
      [&] {
        if (!builder->own) return NotOfInsertion("indim_parameter");
        return RecordValue(
            builder, location, value, [&](Recorder& recorder, Caller caller) {
              return recorder.Parameter(
                  number == -1 ? recorder.open().current().NextParameter()
                               : number,
                  shape->shape, Text(name, name_size), caller);
            });
      });
}

indim_error* indim_constant(indim_builder* builder,
                            const indim_literal* literal,
                            indim_location location, indim_value* value) {
  return Guard(
      {{"builder", builder}, {"literal", literal}, {"value", value}}, [&] {
        return RecordConstant(builder, literal->literal, location, value);
      });
}

indim_error* indim_constant_array(indim_builder* builder, int32_t element_type,
                                  const int64_t* sizes, size_t rank,
                                  const void* data, size_t size,
                                  indim_location location, indim_value* value) {
  return Guard({{"builder", builder},
                {"sizes", sizes, rank},
                {"data", data, size},
                {"value", value}},
               [&] {
                 return RecordConstant(
                     builder,
                     LiteralOf(element_type, List(sizes, rank),
                               Text(static_cast<const char*>(data), size)),
                     location, value);
               });
}

indim_error* indim_constant_double(indim_builder* builder, int32_t element_type,
                                   double number, indim_location location,
                                   indim_value* value) {
  return Guard({{"builder", builder}, {"value", value}}, [&] {
    return RecordConstant(builder, ScalarOf(element_type, number), location,
                          value);
  });
}

indim_error* indim_constant_int64(indim_builder* builder, int32_t element_type,
                                  int64_t number, indim_location location,
                                  indim_value* value) {
  return Guard({{"builder", builder}, {"value", value}}, [&] {
    return RecordConstant(builder, ScalarOf(element_type, number), location,
                          value);
  });
}

indim_error* indim_inline(indim_builder* builder, const indim_module* module,
                          const indim_value* arguments, size_t count,
                          indim_location location, indim_value* value) {
  return Guard({{"builder", builder},
                {"module", module},
                {"arguments", arguments, count},
                {"value", value}},
               [&] {
                 OpList ops;
                 if (indim_error* error =
                         FindOps(*builder, List(arguments, count), &ops)) {
                   return error;
                 }
                 return RecordValue(builder, location, value,
                                    [&](Recorder& recorder, Caller caller) {
                                      return internal::InlineEntry(
                                          &recorder, module->module, ops,
                                          caller);
                                    });
               });
}

// --- Called computations -----------------------------------------------------

indim_error* indim_build_callee(indim_builder* builder, indim_value root,
                                indim_callee** callee) {
  return Guard({{"builder", builder}, {"callee", callee}}, [&] {
    if (!builder->own) return NotOfInsertion("indim_build_callee");
    std::optional<Op> op;
    if (indim_error* error = RootOf(*builder, root, &op)) return error;
    if (!op && !builder->values.empty()) op = builder->values.back();
    Recorder& recorder = *builder->recorder();
    const Recorder::Mark mark = recorder.Here();
    Callee built = internal::BuildCallee(&recorder, op, Caller{});
    if (!built.status().ok() && !builder->collect) {
      return BuildError(builder, mark, built.status());
    }
    return GiveNew(std::move(built), callee);
  });
}

indim_error* indim_module_callee(const indim_module* module,
                                 indim_callee** callee) {
  return Guard({{"module", module}, {"callee", callee}},
               [&] { return GiveNew(Callee(module->module), callee); });
}

void indim_callee_release(indim_callee* callee) { delete callee; }

// --- Results -----------------------------------------------------------------

indim_error* indim_build(indim_builder* builder, indim_value root,
                         const indim_build_options* options,
                         indim_module** module, indim_diagnostics** warnings) {
  return GuardOptions({{"builder", builder}, {"module", module}},
                      "indim_build_options", options,
                      [&](const indim_build_options& given) {
                        return Build(builder, root, given, module, warnings);
                      });
}

}  // extern "C"
}  // namespace indim::capi
