// SPDX-License-Identifier: Apache-2.0
// TypeWriter: the types of MLIR for the shapes of a graph.
//
// StableHLO's functions and regions have no tuples: a value of a tuple shape
// becomes one value for each of its leaves, the shapes in it that are no
// tuples, in order. TypeWriter gives the leaves of a shape and their types, and
// tuple types for the few operations that keep tuples.

#ifndef INDIM_STABLEHLO_EXPORT_TYPE_WRITER_H_
#define INDIM_STABLEHLO_EXPORT_TYPE_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/shape_table.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"
#include "indim/stablehlo/export/mlir_names.h"

namespace indim::stablehlo_export {

// The dims of an array as they lie in memory, the most minor first.
DimIndices MinorToMajor(const Shape& shape);

class TypeWriter {
 public:
  // Both must outlive this.
  TypeWriter(const ShapeTable* shapes, Ir* ir) : shapes_(*shapes), ir_(*ir) {}

  // The types of the leaves of a shape of the table. The span is valid as
  // long as this. Where a leaf has no type, fault() says why, and its type is
  // `none`.
  absl::Span<const TypeId> Leaves(ShapeId id);
  // The types of the leaves of any shape.
  std::vector<TypeId> Leaves(const Shape& shape);

  // The type of the whole shape; tuples stay tuples.
  TypeId Whole(const Shape& shape);

  // Why a leaf of the shape has no type, as the predicate of a sentence about
  // the shape; "": each has one.
  static std::string Fault(const Shape& shape);
  const std::string& fault(ShapeId id);

 private:
  struct Entry {
    std::vector<TypeId> leaves;
    std::string fault;
  };
  const Entry& Find(ShapeId id);
  TypeId ArrayType(const Shape& shape);

  const ShapeTable& shapes_;
  Ir& ir_;
  absl::flat_hash_map<uint32_t, Entry> entries_;  // by ShapeId
};

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_TYPE_WRITER_H_
