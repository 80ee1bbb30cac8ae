// SPDX-License-Identifier: Apache-2.0
// Literals and buffers as DLPack has them.

#include "indim/run/dlpack.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/bindings/c/literals.h"
#include "indim/bindings/c/plugins.h"
#include "indim/run/dlpack_type.h"
#include "indim/shape/dims/checked_math.h"

namespace indim::capi {
namespace {

using pjrt::DlManagedTensor;
using pjrt::DlTensor;

// The two are the same to C.

static_assert(sizeof(indim_dlpack) == sizeof(DlManagedTensor) &&
              offsetof(indim_dlpack, context) ==
                  offsetof(DlManagedTensor, context) &&
              offsetof(indim_dlpack, deleter) ==
                  offsetof(DlManagedTensor, deleter));

// What an exported tensor keeps.
struct ExportedLiteral {
  indim_dlpack tensor = {};
  Literal literal;
  std::vector<int64_t> sizes;
};

void Delete(indim_dlpack* tensor) {
  delete static_cast<ExportedLiteral*>(tensor->context);
}

indim_error* Export(const Literal& literal, indim_dlpack** to) {
  pjrt::DlType type;
  if (!literal.shape().is_array() ||
      !pjrt::internal::ToDlType(literal.shape().element_type(), &type)) {
    return ErrorOf(absl::UnimplementedError(
        absl::StrCat("DLPack has ", literal.shape().ToString(),
                     " in another form or not at all")));
  }
  absl::StatusOr<Literal> whole = literal.Expanded();
  if (!whole.ok()) return ErrorOf(whole.status());
  auto made = std::make_unique<ExportedLiteral>();
  made->literal = *std::move(whole);
  for (const Dim dim : made->literal.shape().dims()) {
    made->sizes.push_back(dim.size());
  }
  auto& tensor = made->tensor.tensor;
  tensor.data = const_cast<char*>(made->literal.bytes().data());
  tensor.device_type = 1;
  tensor.rank = made->literal.shape().rank();
  tensor.type_code = type.code;
  tensor.type_bits = type.bits;
  tensor.type_lanes = 1;
  tensor.sizes = made->sizes.data();
  made->tensor.context = made.get();
  made->tensor.deleter = Delete;
  *to = &made.release()->tensor;
  return nullptr;
}

// The bytes of a tensor in the order of its rows. nullopt: it is larger than
// any memory.
std::optional<std::string> RowMajorBytes(const DlTensor& tensor,
                                         size_t element) {
  const auto rank = static_cast<size_t>(tensor.rank);
  int64_t count = 1;
  for (size_t d = 0; d < rank; ++d) {
    const auto product = CheckedMultiply(count, tensor.sizes[d]);
    if (!product) return std::nullopt;
    count = *product;
  }
  const auto size = CheckedMultiply(count, static_cast<int64_t>(element));
  if (!size) return std::nullopt;
  std::string bytes;
  if (count == 0) return bytes;
  const char* const data =
      static_cast<const char*>(tensor.data) + tensor.byte_offset;
  if (pjrt::internal::IsRowMajor(tensor)) {
    bytes.assign(data, static_cast<size_t>(*size));
    return bytes;
  }
  bytes.resize(static_cast<size_t>(*size));
  std::vector<int64_t> index(rank, 0);
  int64_t offset = 0;
  for (char* to = bytes.data();;) {
    std::memcpy(to, data + offset * static_cast<int64_t>(element), element);
    to += element;
    size_t d = rank;
    for (; d-- > 0;) {
      offset += tensor.strides[d];
      if (++index[d] < tensor.sizes[d]) break;
      offset -= tensor.strides[d] * tensor.sizes[d];
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return bytes;
  }
}

DlTensor TensorOf(const indim_dlpack& given) {
  DlTensor tensor;
  tensor.data = given.tensor.data;
  tensor.device = {given.tensor.device_type, given.tensor.device_id};
  tensor.rank = given.tensor.rank;
  tensor.type = {given.tensor.type_code, given.tensor.type_bits,
                 given.tensor.type_lanes};
  tensor.sizes = given.tensor.sizes;
  tensor.strides = given.tensor.strides;
  tensor.byte_offset = given.tensor.byte_offset;
  return tensor;
}

indim_error* Import(indim_dlpack* given, indim_literal** literal) {
  const DlTensor tensor = TensorOf(*given);
  if (tensor.device.type != 1) {
    return ErrorOf(absl::UnimplementedError(absl::StrCat(
        "a DLPack tensor is on a device of kind ", tensor.device.type)));
  }
  const ElementType type = pjrt::internal::FromDlType(tensor.type);
  if (type == ElementType::kInvalid || tensor.rank < 0 ||
      !IsList(tensor.sizes, static_cast<size_t>(tensor.rank))) {
    return Misuse("the DLPack tensor's type or rank isn't one that is known");
  }
  const auto sizes = List(tensor.sizes, static_cast<size_t>(tensor.rank));
  const absl::StatusOr<Shape> shape =
      StaticShape(static_cast<int32_t>(type), sizes);
  if (!shape.ok()) return ErrorOf(shape.status());
  if (tensor.data == nullptr && shape->ElementCount() != 0) {
    return NullArgument("the DLPack tensor's data");
  }
  const std::optional<std::string> bytes =
      RowMajorBytes(tensor, static_cast<size_t>(ElementBytes(type)));
  if (!bytes) return Misuse("the DLPack tensor is too large");
  indim_error* const error =
      GiveNew(Literal::FromBytes(*shape, *bytes), literal);
  if (error == nullptr && given->deleter != nullptr) given->deleter(given);
  return error;
}

// A tensor of the caller as the client takes it: whoever is done with one is
// done with the other. After an error the caller's stays.
indim_error* ToBuffer(const pjrt::Client& client, indim_dlpack* given,
                      indim_buffer** to) {
  if (given->tensor.rank < 0 ||
      !IsList(given->tensor.sizes, static_cast<size_t>(given->tensor.rank))) {
    return Misuse("the DLPack tensor's rank isn't one that is known");
  }
  auto taken = std::make_unique<DlManagedTensor>();
  taken->tensor = TensorOf(*given);
  taken->context = given;
  taken->deleter = [](DlManagedTensor* self) {
    auto* const tensor = static_cast<indim_dlpack*>(self->context);
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
    delete self;
  };
  absl::StatusOr<pjrt::Buffer> buffer = pjrt::FromDlpack(client, taken.get());
  if (!buffer.ok()) return ErrorOf(buffer.status());
  taken.release();
  return GiveNew(std::move(buffer), to);
}

indim_error* FromBuffer(const pjrt::Buffer& buffer, indim_dlpack** to) {
  auto given = std::make_unique<indim_dlpack>();
  const absl::StatusOr<DlManagedTensor*> made = pjrt::ToDlpack(buffer);
  if (!made.ok()) return ErrorOf(made.status());
  const DlTensor& tensor = (*made)->tensor;
  given->tensor.data = tensor.data;
  given->tensor.device_type = tensor.device.type;
  given->tensor.device_id = tensor.device.id;
  given->tensor.rank = tensor.rank;
  given->tensor.type_code = tensor.type.code;
  given->tensor.type_bits = tensor.type.bits;
  given->tensor.type_lanes = tensor.type.lanes;
  given->tensor.sizes = tensor.sizes;
  given->tensor.strides = tensor.strides;
  given->tensor.byte_offset = tensor.byte_offset;
  given->context = *made;
  given->deleter = [](indim_dlpack* self) {
    auto* const inner = static_cast<DlManagedTensor*>(self->context);
    inner->deleter(inner);
    delete self;
  };
  *to = given.release();
  return nullptr;
}

}  // namespace
extern "C" {

indim_error* indim_literal_to_dlpack(const indim_literal* literal,
                                     indim_dlpack** tensor) {
  return Guard({{"literal", literal}, {"tensor", tensor}},
               [&] { return Export(literal->literal, tensor); });
}

indim_error* indim_literal_from_dlpack(indim_dlpack* tensor,
                                       indim_literal** literal) {
  return Guard({{"tensor", tensor}, {"literal", literal}},
               [&] { return Import(tensor, literal); });
}

indim_error* indim_buffer_from_dlpack(const indim_client* client,
                                      indim_dlpack* tensor,
                                      indim_buffer** buffer) {
  return Guard({{"client", client}, {"tensor", tensor}, {"buffer", buffer}},
               [&] { return ToBuffer(client->client, tensor, buffer); });
}

indim_error* indim_buffer_to_dlpack(const indim_buffer* buffer,
                                    indim_dlpack** tensor) {
  return Guard({{"buffer", buffer}, {"tensor", tensor}},
               [&] { return FromBuffer(buffer->buffer, tensor); });
}

}  // extern "C"
}  // namespace indim::capi
