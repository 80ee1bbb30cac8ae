// SPDX-License-Identifier: Apache-2.0
#include "indim/run/custom_call.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/run/abi/ffi.h"
#include "indim/run/abi/plugin_api.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/types/element_type.h"
#include "indim/stablehlo/mlir/spelling.h"

namespace indim::pjrt {
namespace {

absl::Status CallError(absl::string_view message) {
  return ErrorWithCode(absl::StatusCode::kUnimplemented, Code::kPjrtBorder,
                       message);
}

// Answers XLA's question which version of the ABI the handler is for. False: it
// asks nothing.
bool TellMetadata(const abi::FfiCallFrame& frame) {
  for (abi::Extension* e = frame.head.extensions; e != nullptr; e = e->next) {
    if (e->type != abi::kMetadataExtension) continue;
    abi::FfiMetadata& metadata =
        *reinterpret_cast<abi::FfiMetadataExtension*>(e)->metadata;
    metadata.version.major = abi::kFfiMajor;
    metadata.version.minor = abi::kFfiMinor;
    metadata.traits = 0;
    return true;
  }
  return false;
}

absl::Status AddArrays(int64_t count, const int* kinds, void* const* values,
                       std::vector<CallArray>* arrays) {
  for (int64_t i = 0; i < count; ++i) {
    if (kinds[i] != abi::kBufferArgument) {
      return CallError("a custom call takes and gives arrays only");
    }
    const auto& buffer = *static_cast<const abi::FfiBuffer*>(values[i]);
    const std::optional<ElementType> type = ElementTypeFromNumber(buffer.type);
    if (!type) {
      return CallError(absl::StrCat("an array of a custom call is of type ",
                                    buffer.type, ", which isn't known"));
    }
    CallArray array;
    array.shape = Shape::Of(
        *type,
        absl::MakeConstSpan(buffer.dims, static_cast<size_t>(buffer.rank)));
    array.data = buffer.data;
    arrays->push_back(std::move(array));
  }
  return absl::OkStatus();
}

// A scalar or a list as a literal.
absl::StatusOr<Literal> LiteralOf(int number, const void* data, size_t count,
                                  bool is_scalar) {
  const std::optional<ElementType> type = ElementTypeFromNumber(number);
  if (!type) {
    return CallError(absl::StrCat("an attribute of a custom call is of type ",
                                  number, ", which isn't known"));
  }
  const Shape shape = is_scalar
                          ? Shape::Scalar(*type)
                          : Shape::Of(*type, {static_cast<int64_t>(count)});
  const size_t size = count * static_cast<size_t>(ElementBytes(*type));
  return Literal::FromBytes(
      shape, absl::string_view(static_cast<const char*>(data), size));
}

absl::Status AddAttributes(const abi::FfiAttributes& attributes,
                           const std::string& prefix,
                           std::vector<CallAttribute>* result) {
  for (int64_t i = 0; i < attributes.count; ++i) {
    const abi::FfiText& name = *attributes.names[i];
    const void* const value = attributes.values[i];
    CallAttribute attribute;
    attribute.name =
        absl::StrCat(prefix, absl::string_view(name.data, name.size));
    absl::StatusOr<Literal> literal;
    switch (attributes.kinds[i]) {
      case abi::kDictionaryAttribute: {
        const absl::Status added =
            AddAttributes(*static_cast<const abi::FfiAttributes*>(value),
                          absl::StrCat(attribute.name, "."), result);
        if (!added.ok()) return added;
        continue;
      }
      case abi::kTextAttribute: {
        const auto& text = *static_cast<const abi::FfiText*>(value);
        attribute.value = std::string(text.data, text.size);
        result->push_back(std::move(attribute));
        continue;
      }
      case abi::kScalarAttribute: {
        const auto& scalar = *static_cast<const abi::FfiScalar*>(value);
        literal = LiteralOf(scalar.type, scalar.data, 1, true);
        break;
      }
      case abi::kArrayAttribute: {
        const auto& array = *static_cast<const abi::FfiArray*>(value);
        literal = LiteralOf(array.type, array.data, array.count, false);
        break;
      }
      default:
        return CallError(absl::StrCat("attribute ", attribute.name,
                                      " of a custom call is of a kind that "
                                      "isn't known"));
    }
    if (!literal.ok()) return literal.status();
    attribute.value = *std::move(literal);
    result->push_back(std::move(attribute));
  }
  return absl::OkStatus();
}

absl::Status Run(const abi::FfiCallFrame& frame, CustomCallFunction function) {
  CustomCall call;
  absl::Status status = AddArrays(frame.arguments.count, frame.arguments.kinds,
                                  frame.arguments.values, &call.arguments);
  if (!status.ok()) return status;
  status = AddArrays(frame.results.count, frame.results.kinds,
                     frame.results.values, &call.results);
  if (!status.ok()) return status;
  status = AddAttributes(frame.attributes, "", &call.attributes);
  if (!status.ok()) return status;
  return function(call);
}

}  // namespace

CustomCallAttributes TypedCall(
    const std::vector<std::pair<std::string, std::string>>& texts) {
  CustomCallAttributes attributes;
  attributes.api_version = kApiTypedFfi;
  // A dictionary of MLIR, whose names may be texts too.
  for (const auto& [name, text] : texts) {
    attributes.opaque.append(attributes.opaque.empty() ? "{" : ", ");
    mlir::AppendQuoted(name, &attributes.opaque);
    attributes.opaque.append(" = ");
    mlir::AppendQuoted(text, &attributes.opaque);
  }
  if (!texts.empty()) attributes.opaque.push_back('}');
  return attributes;
}

namespace internal {

void* HandleCall(void* frame, CustomCallFunction function) noexcept {
  const auto& call = *static_cast<const abi::FfiCallFrame*>(frame);
  if (TellMetadata(call)) return nullptr;
  if (call.stage != abi::kExecuteStage) return nullptr;
  const absl::Status status = Run(call, function);
  if (status.ok()) return nullptr;
  const std::string message = ErrorText(status);
  abi::FfiErrorCreateArgs args;
  args.message = message.c_str();
  args.code = static_cast<int>(status.code());
  return call.api->create_error(&args);
}

absl::Status RegisterHandler(const Plugin& plugin, absl::string_view target,
                             absl::string_view platform,
                             void* (*handler)(void*)) {
  const auto* const extension = reinterpret_cast<const abi::FfiExtension*>(
      plugin.api().FindExtension(abi::kFfiExtension));
  if (extension == nullptr ||
      extension->base.size < abi::FfiExtension::Size() ||
      extension->register_handler == nullptr) {
    return ErrorWithCode(absl::StatusCode::kUnimplemented, Code::kPjrtApi,
                         absl::StrCat("the plugin ", plugin.path(),
                                      " registers no custom calls"));
  }
  abi::RegisterHandlerArgs args;
  args.size = abi::RegisterHandlerArgs::Size();
  args.target = target.data();
  args.target_size = target.size();
  args.handler = reinterpret_cast<void*>(handler);
  args.platform = platform.data();
  args.platform_size = platform.size();
  return plugin.api().TakeError(extension->register_handler(&args),
                                "PJRT_FFI_Register_Handler");
}

}  // namespace internal
}  // namespace indim::pjrt
