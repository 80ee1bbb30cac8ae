// Builders: properties of values, and looking at them.

#include <optional>
#include <string>
#include <utility>

#include "indim/builder/op_queries.h"
#include "indim/builder/op_settings.h"
#include "indim/capi/guard.h"
#include "indim/capi/handles.h"
#include "indim/capi/recording.h"

using indim::Caller;
using indim::Op;
using indim::capi::ChangeBuilder;
using indim::capi::ErrorOf;
using indim::capi::FindOp;
using indim::capi::Guard;
using indim::capi::NoSuchValue;
using indim::capi::Text;
using indim::internal::Recorder;

// --- Properties --------------------------------------------------------------

indim_error* indim_set_name(indim_builder* builder, indim_value value,
                            const char* name, size_t name_size) {
  return Guard({{"builder", builder}, {"name", name, name_size}},
               [&]() -> indim_error* {
                 const Op* const op = FindOp(*builder, value);
                 if (op == nullptr) return NoSuchValue(*builder, value);
                 return ChangeBuilder(builder, [&](Recorder& recorder) {
                   indim::internal::OpSettings(&recorder).SetName(
                       *op, Text(name, name_size), Caller{});
                 });
               });
}

indim_error* indim_set_frontend_attribute(indim_builder* builder,
                                          indim_value value, const char* key,
                                          size_t key_size, const char* text,
                                          size_t text_size) {
  return Guard(
      {{"builder", builder}, {"key", key, key_size}, {"text", text, text_size}},
      [&]() -> indim_error* {
        const Op* const op = FindOp(*builder, value);
        if (op == nullptr) return NoSuchValue(*builder, value);
        return ChangeBuilder(builder, [&](Recorder& recorder) {
          indim::internal::OpSettings(&recorder).SetFrontendAttribute(
              *op, Text(key, key_size), Text(text, text_size), Caller{});
        });
      });
}

indim_error* indim_set_backend_config(indim_builder* builder, indim_value value,
                                      const char* config, size_t config_size) {
  return Guard({{"builder", builder}, {"config", config, config_size}},
               [&]() -> indim_error* {
                 const Op* const op = FindOp(*builder, value);
                 if (op == nullptr) return NoSuchValue(*builder, value);
                 return ChangeBuilder(builder, [&](Recorder& recorder) {
                   indim::internal::OpSettings(&recorder).SetBackendConfig(
                       *op, Text(config, config_size), Caller{});
                 });
               });
}

indim_error* indim_add_control_dependency(indim_builder* builder,
                                          indim_value from, indim_value to) {
  return Guard({{"builder", builder}}, [&]() -> indim_error* {
    const Op* const first = FindOp(*builder, from);
    if (first == nullptr) return NoSuchValue(*builder, from);
    const Op* const second = FindOp(*builder, to);
    if (second == nullptr) return NoSuchValue(*builder, to);
    return ChangeBuilder(builder, [&](Recorder& recorder) {
      indim::internal::OpSettings(&recorder).AddControlDependency(
          *first, *second, Caller{});
    });
  });
}

indim_error* indim_set_op_name(indim_builder* builder, const char* name,
                               size_t name_size) {
  return Guard({{"builder", builder}, {"name", name, name_size}},
               [&]() -> indim_error* {
                 return ChangeBuilder(builder, [&](Recorder& recorder) {
                   indim::internal::OpSettings(&recorder).SetOpName(
                       Text(name, name_size), Caller{});
                 });
               });
}

indim_error* indim_set_op_type(indim_builder* builder, const char* type,
                               size_t type_size) {
  return Guard({{"builder", builder}, {"type", type, type_size}},
               [&]() -> indim_error* {
                 return ChangeBuilder(builder, [&](Recorder& recorder) {
                   indim::internal::OpSettings(&recorder).SetOpType(
                       Text(type, type_size), Caller{});
                 });
               });
}

indim_error* indim_set_sharding(indim_builder* builder, const void* sharding,
                                size_t size) {
  return Guard({{"builder", builder}, {"sharding", sharding, size}},
               [&]() -> indim_error* {
                 return ChangeBuilder(builder, [&](Recorder& recorder) {
                   std::optional<std::string> bytes;
                   if (size > 0)
                     bytes.emplace(static_cast<const char*>(sharding), size);
                   indim::internal::OpSettings(&recorder).SetSharding(
                       std::move(bytes), Caller{});
                 });
               });
}

// --- Looking -----------------------------------------------------------------

indim_error* indim_value_shape(const indim_builder* builder, indim_value value,
                               indim_shape** shape) {
  return Guard({{"builder", builder}, {"shape", shape}}, [&]() -> indim_error* {
    const Op* const op = FindOp(*builder, value);
    if (op == nullptr) return NoSuchValue(*builder, value);
    const indim::Shape* const known = builder->recorder()->ShapeOf(*op);
    if (known == nullptr) {
      return ErrorOf(
          indim::internal::OpQueries(*builder->recorder()).shape(*op).status());
    }
    *shape = new indim_shape(*known);
    return nullptr;
  });
}

int32_t indim_value_opcode(const indim_builder* builder, indim_value value) {
  return indim::capi::GuardValue(0, [&] {
    const Op* const op = builder == nullptr ? nullptr : FindOp(*builder, value);
    if (op == nullptr) return 0;
    const auto opcode =
        indim::internal::OpQueries(*builder->recorder()).opcode(*op);
    return opcode.ok() ? static_cast<int>(*opcode) : 0;
  });
}

int64_t indim_value_dims(const indim_builder* builder, indim_value value,
                         int32_t* element_type, int64_t* sizes, int32_t* kinds,
                         size_t capacity) {
  const Op* const op = builder == nullptr ? nullptr : FindOp(*builder, value);
  const indim::Shape* const shape =
      op == nullptr ? nullptr : builder->recorder()->ShapeOf(*op);
  if (shape == nullptr || !shape->has_rank()) return -1;
  if (element_type != nullptr) {
    *element_type = static_cast<int32_t>(shape->element_type());
  }
  indim::capi::WriteDims(shape->dims(), sizes, kinds, capacity);
  return shape->rank();
}

indim_error* indim_value_literal(const indim_builder* builder,
                                 indim_value value, indim_literal** literal) {
  return Guard(
      {{"builder", builder}, {"literal", literal}}, [&]() -> indim_error* {
        const Op* const op = FindOp(*builder, value);
        if (op == nullptr) return NoSuchValue(*builder, value);
        absl::StatusOr<indim::Literal> found =
            indim::internal::OpQueries(*builder->recorder()).literal(*op);
        if (!found.ok()) return ErrorOf(found.status());
        *literal = new indim_literal(*std::move(found));
        return nullptr;
      });
}

indim_error* indim_builder_diagnostics(const indim_builder* builder,
                                       indim_diagnostics** diagnostics) {
  return Guard({{"builder", builder}, {"diagnostics", diagnostics}},
               [&]() -> indim_error* {
                 *diagnostics = new indim_diagnostics{indim::capi::FromCalls(
                     builder->recorder()->Diagnostics())};
                 return nullptr;
               });
}
