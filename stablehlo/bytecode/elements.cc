// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/elements.h"

#include <cstdint>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "indim/shape/dims/checked_math.h"
#include "indim/stablehlo/bytecode/type_text.h"

namespace indim::mlir {
namespace {

// A splat is all bits of a byte.
std::string PackBools(const Attribute& a) {
  if (a.text.size() == 1 && a.splat) {
    return std::string(1, a.text[0] != 0 ? '\xff' : '\0');
  }
  std::string packed((a.text.size() + 7) / 8, '\0');
  for (size_t i = 0; i < a.text.size(); ++i) {
    if (a.text[i] == 0) continue;
    packed[i / 8] =
        static_cast<char>(static_cast<uint8_t>(packed[i / 8]) | 1 << (i % 8));
  }
  return packed;
}

// Bits as bytes, where there are fewer bytes than bools.
std::string UnpackBools(absl::string_view blob, uint64_t count) {
  if (blob.size() == 1 && blob[0] == '\xff') return std::string(1, '\1');
  if (blob.size() != count && blob.size() == (count + 7) / 8) {
    std::string bools(count, '\0');
    for (uint64_t i = 0; i < count; ++i) {
      bools[i] =
          static_cast<char>(static_cast<uint8_t>(blob[i / 8]) >> (i % 8) & 1);
    }
    return bools;
  }
  std::string bools(blob);
  for (char& c : bools) c = c != 0 ? 1 : 0;
  return bools;
}

bool IsPartOfByte(const ElementTypeInfo& info) {
  return info.kind == ElementKind::kSigned && info.bits < 8;
}

}  // namespace

absl::string_view PackElements(const Ir& ir, const Attribute& dense,
                               std::string* buffer) {
  const ElementTypeInfo& info =
      Info(ir.type(ir.type(dense.type).element).element_type);
  if (info.kind == ElementKind::kPred) return *buffer = PackBools(dense);
  if (!IsPartOfByte(info)) return dense.text;
  *buffer = dense.text;
  for (char& c : *buffer) {
    c = static_cast<char>(static_cast<uint8_t>(c) & ((1 << info.bits) - 1));
  }
  return *buffer;
}

std::string UnpackElements(const Ir& ir, Attribute* dense) {
  const Type& tensor = ir.type(dense->type);
  const int bytes = ElementBytes(ir, tensor.element);
  bool good = tensor.kind == TypeKind::kTensor && bytes > 0;
  for (const int64_t dim : tensor.dims) good = good && dim >= 0;
  const std::optional<int64_t> count =
      good ? CheckedProduct(tensor.dims) : std::nullopt;
  if (!count.has_value()) {
    return "the type of a dense attribute must be a tensor of numbers with "
           "known sizes";
  }
  std::string& text = dense->text;
  const size_t given = text.size();
  const ElementTypeInfo& info = Info(ir.type(tensor.element).element_type);
  if (info.kind == ElementKind::kPred) {
    text = UnpackBools(text, static_cast<uint64_t>(*count));
  } else if (IsPartOfByte(info)) {
    const int sign = 1 << (info.bits - 1);
    for (char& c : text) {
      const int low = static_cast<uint8_t>(c) & (2 * sign - 1);
      c = static_cast<char>((low ^ sign) - sign);
    }
  }
  const size_t size = static_cast<size_t>(bytes);
  if (*count == 0) text.clear();
  const bool whole = text.size() / size == static_cast<uint64_t>(*count) &&
                     text.size() % size == 0;
  if (!whole && text.size() != size) {
    return absl::StrCat(given, " bytes aren't the elements of ", *count,
                        " times ", bytes, " bytes");
  }
  // Equal elements are one: their bytes equal themselves, an element later.
  dense->splat =
      *count > 0 && (!whole || std::memcmp(text.data(), text.data() + size,
                                           text.size() - size) == 0);
  if (dense->splat) text.resize(size);
  return "";
}

}  // namespace indim::mlir
