// SPDX-License-Identifier: Apache-2.0
// Types of MLIR, as far as StableHLO programs use them.

#ifndef INDIM_STABLEHLO_MLIR_TYPE_H_
#define INDIM_STABLEHLO_MLIR_TYPE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "indim/shape/types/element_type.h"
#include "indim/stablehlo/mlir/ids.h"

namespace indim::mlir {

enum class TypeKind : uint8_t {
  kNone,            // none
  kIndex,           // index
  kElement,         // f32, i8, ui4, i1 (kPred), complex<f32> (kC64), ...
  kTensor,          // tensor<2x?xf32, #stablehlo.bounds<...>>
  kUnrankedTensor,  // tensor<*xf32>
  kMemRef,          // memref<2xf32>: a buffer
  kTuple,           // tuple<...>
  kToken,           // !stablehlo.token
  kFuture,          // !stablehlo.future<...>
  kFunction,        // (inputs) -> (results)
  kQuantized,       // !quant.uniform<...>
  kOther            // any other type, kept as its text: i3, !shape.shape, ...
};

// The size of a dimension that isn't known: `?`.
inline constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

struct Type {
  Type() = default;
  explicit Type(TypeKind of_kind) : kind(of_kind) {}

  TypeKind kind = TypeKind::kNone;
  // kElement. MLIR's i1 is kPred; a signless integer iN is sN here, uiN is uN.
  ElementType element_type = ElementType::kInvalid;
  // kTensor, kUnrankedTensor, kMemRef: the type of an element (kElement,
  // kIndex, kQuantized or kOther).
  TypeId element;
  // kTensor, kMemRef: each >= 0 or kDynamic.
  std::vector<int64_t> dims;
  // kTensor: as many as dims, each >= 0 or kDynamic (no bound); empty: the type
  // has no bounds.
  std::vector<int64_t> bounds;
  // kTensor: the encoding, unless it is #stablehlo.bounds; else invalid.
  AttrId encoding;
  // kTuple, kFuture: the parts. kFunction: the inputs, then the results.
  std::vector<TypeId> parts;
  uint32_t input_count = 0;  // kFunction
  // kQuantized, kOther: the type as text, `!quant.uniform<i8:f32, 2.0:15>`.
  std::string text;

  friend bool operator==(const Type& a, const Type& b) {
    return a.kind == b.kind && a.element_type == b.element_type &&
           a.element == b.element && a.dims == b.dims && a.bounds == b.bounds &&
           a.encoding == b.encoding && a.parts == b.parts &&
           a.input_count == b.input_count && a.text == b.text;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Type& t) {
    return H::combine(std::move(h), t.kind, t.element_type, t.element, t.dims,
                      t.bounds, t.encoding, t.parts, t.input_count, t.text);
  }
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_MLIR_TYPE_H_
