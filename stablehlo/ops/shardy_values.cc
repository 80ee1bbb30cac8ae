// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/ops/shardy_values.h"

#include <cstdint>

namespace indim::mlir {

ShardyValue ShardyValueOf(const Ir& ir, TypeId id) {
  const Type& type = ir.type(id);
  ShardyValue value;
  switch (type.kind) {
    case TypeKind::kTensor:
    case TypeKind::kMemRef:
      value.kind = ShardyValue::Kind::kRanked;
      for (const int64_t size : type.dims) {
        value.sizes.push_back(size == kDynamic ? ShardyValue::kUnknownSize
                                               : size);
      }
      return value;
    case TypeKind::kUnrankedTensor:
      value.kind = ShardyValue::Kind::kUnranked;
      return value;
    case TypeKind::kTuple:
      if (type.parts.size() != 1) {
        value.kind = ShardyValue::Kind::kTuple;
      } else if (ir.type(type.parts[0]).kind != TypeKind::kTuple) {
        return ShardyValueOf(ir, type.parts[0]);
      }
      return value;
    default:
      return value;
  }
}

std::vector<ShardyValue> ShardyValues(const Ir& ir,
                                      absl::Span<const TypeId> types) {
  std::vector<ShardyValue> values;
  for (const TypeId type : types) values.push_back(ShardyValueOf(ir, type));
  return values;
}

}  // namespace indim::mlir
