// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/mlir/spelling.h"

#include <array>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace indim::mlir {
namespace {

struct ElementNames {
  std::array<std::string, 256> by_type;
  absl::flat_hash_map<absl::string_view, ElementType> types;

  ElementNames() {
    for (const ElementTypeInfo& info : AllElementTypes()) {
      std::string& name = by_type[static_cast<uint8_t>(info.type)];
      // i1 is pred.
      if (info.type != ElementType::kS1) name = MlirName(info.type);
      if (!name.empty()) types.emplace(name, info.type);
    }
  }
};

const ElementNames& Names() {
  static const auto* const names = new ElementNames();
  return *names;
}

}  // namespace

ElementType ElementTypeOf(absl::string_view name) {
  const auto found = Names().types.find(name);
  return found == Names().types.end() ? ElementType::kInvalid : found->second;
}

absl::string_view NameOf(ElementType type) {
  return Names().by_type[static_cast<uint8_t>(type)];
}

int ElementBytes(ElementType type) { return (Info(type).bits + 7) / 8; }

void AppendQuoted(absl::string_view value, std::string* out) {
  constexpr char kHex[] = "0123456789ABCDEF";
  out->push_back('"');
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out->append("\\\\");
    } else if (c != '"' && absl::ascii_isprint(byte)) {
      out->push_back(c);
    } else {
      out->append({'\\', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  out->push_back('"');
}

}  // namespace indim::mlir
