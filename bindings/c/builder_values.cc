// SPDX-License-Identifier: Apache-2.0
// Builders: properties of values, and looking at them.

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/bindings/c/recording.h"
#include "indim/builder/op_queries.h"
#include "indim/builder/op_settings.h"
#include "indim/builder/recorder.h"

namespace indim::capi {
namespace {

// Calls `change` with the builder's settings and the ops of `values`.
template <typename Change, typename... Values>
indim_error* ChangeWith(std::initializer_list<Argument> pointers,
                        indim_builder* builder, Change change,
                        Values... values) {
  return Guard(pointers, [&] {
    for (const indim_value value : std::vector<indim_value>{values...}) {
      if (FindOp(*builder, value) == nullptr) {
        return NoSuchValue(*builder, value);
      }
    }
    return ChangeBuilder(builder, [&](internal::Recorder& recorder) {
      change(internal::OpSettings(&recorder), *FindOp(*builder, values)...);
    });
  });
}

// Calls `look` with an op that must be there, and questions about it.
template <typename Look>
indim_error* LookAt(std::initializer_list<Argument> pointers,
                    const indim_builder* builder, indim_value value,
                    Look look) {
  return Guard(pointers, [&] {
    const Op* const op = FindOp(*builder, value);
    return op == nullptr ? NoSuchValue(*builder, value)
                         : look(*op, internal::OpQueries(*builder->recorder()));
  });
}

}  // namespace
extern "C" {

// --- Properties --------------------------------------------------------------

indim_error* indim_set_name(indim_builder* builder, indim_value value,
                            const char* name, size_t name_size) {
  return ChangeWith(
      {{"builder", builder}, {"name", name, name_size}}, builder,
      [&](internal::OpSettings settings, Op op) {
        settings.SetName(op, Text(name, name_size), Caller{});
      },
      value);
}

indim_error* indim_set_frontend_attribute(indim_builder* builder,
                                          indim_value value, const char* key,
                                          size_t key_size, const char* text,
                                          size_t text_size) {
  return ChangeWith(
      {{"builder", builder}, {"key", key, key_size}, {"text", text, text_size}},
      builder,
      [&](internal::OpSettings settings, Op op) {
        settings.SetFrontendAttribute(op, Text(key, key_size),
                                      Text(text, text_size), Caller{});
      },
      value);
}

indim_error* indim_set_backend_config(indim_builder* builder, indim_value value,
                                      const char* config, size_t config_size) {
  return ChangeWith(
      {{"builder", builder}, {"config", config, config_size}}, builder,
      [&](internal::OpSettings settings, Op op) {
        settings.SetBackendConfig(op, Text(config, config_size), Caller{});
      },
      value);
}

indim_error* indim_add_control_dependency(indim_builder* builder,
                                          indim_value from, indim_value to) {
  return ChangeWith(
      {{"builder", builder}}, builder,
      [&](internal::OpSettings settings, Op first, Op second) {
        settings.AddControlDependency(first, second, Caller{});
      },
      from, to);
}

indim_error* indim_set_op_name(indim_builder* builder, const char* name,
                               size_t name_size) {
  return ChangeWith({{"builder", builder}, {"name", name, name_size}}, builder,
                    [&](internal::OpSettings settings) {
                      settings.SetOpName(Text(name, name_size), Caller{});
                    });
}

indim_error* indim_set_op_type(indim_builder* builder, const char* type,
                               size_t type_size) {
  return ChangeWith({{"builder", builder}, {"type", type, type_size}}, builder,
                    [&](internal::OpSettings settings) {
                      settings.SetOpType(Text(type, type_size), Caller{});
                    });
}

indim_error* indim_set_sharding(indim_builder* builder, const void* sharding,
                                size_t size) {
  return ChangeWith({{"builder", builder}, {"sharding", sharding, size}},
                    builder, [&](internal::OpSettings settings) {
                      std::optional<std::string> bytes;
                      if (size > 0)
                        bytes.emplace(static_cast<const char*>(sharding), size);
                      settings.SetSharding(std::move(bytes), Caller{});
                    });
}

// --- Looking -----------------------------------------------------------------

indim_error* indim_value_shape(const indim_builder* builder, indim_value value,
                               indim_shape** shape) {
  return LookAt({{"builder", builder}, {"shape", shape}}, builder, value,
                [&](Op op, const internal::OpQueries& queries) {
                  return GiveNew(queries.shape(op), shape);
                });
}

int32_t indim_value_opcode(const indim_builder* builder, indim_value value) {
  return GuardValue(0, [&] {
    const Op* const op = builder == nullptr ? nullptr : FindOp(*builder, value);
    if (op == nullptr) return 0;
    const auto opcode = internal::OpQueries(*builder->recorder()).opcode(*op);
    return opcode.ok() ? static_cast<int>(*opcode) : 0;
  });
}

int64_t indim_value_dims(const indim_builder* builder, indim_value value,
                         int32_t* element_type, int64_t* sizes, int32_t* kinds,
                         size_t capacity) {
  const Op* const op = builder == nullptr ? nullptr : FindOp(*builder, value);
  const Shape* const shape =
      op == nullptr ? nullptr : builder->recorder()->ShapeOf(*op);
  if (shape == nullptr || !shape->has_rank()) return -1;
  if (element_type != nullptr) {
    *element_type = static_cast<int32_t>(shape->element_type());
  }
  WriteDims(shape->dims(), sizes, kinds, capacity);
  return shape->rank();
}

indim_error* indim_value_literal(const indim_builder* builder,
                                 indim_value value, indim_literal** literal) {
  return LookAt({{"builder", builder}, {"literal", literal}}, builder, value,
                [&](Op op, const internal::OpQueries& queries) {
                  return GiveNew(queries.literal(op), literal);
                });
}

indim_error* indim_builder_diagnostics(const indim_builder* builder,
                                       indim_diagnostics** diagnostics) {
  return Guard({{"builder", builder}, {"diagnostics", diagnostics}}, [&] {
    return GiveNew(FromCalls(builder->recorder()->Diagnostics()), diagnostics);
  });
}

}  // extern "C"
}  // namespace indim::capi
