// SPDX-License-Identifier: Apache-2.0
// Reads attributes of MLIR: single values, and structs of HLO's attributes
// (shape/ops/attributes.h) by the tables of stablehlo/ops.

#ifndef INDIM_STABLEHLO_IMPORT_ATTRIBUTE_READER_H_
#define INDIM_STABLEHLO_IMPORT_ATTRIBUTE_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/shape/ops/attributes.h"
#include "indim/stablehlo/import/mlir_names.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_import {

// --- Single values: nullopt, or false, for none, or one of another kind ------

std::optional<int64_t> ReadNumber(const Ir& ir, AttrId id);
// A unit attribute is true.
std::optional<bool> ReadBool(const Ir& ir, AttrId id);
// A list, or one number.
std::optional<DimIndices> ReadNumbers(const Ir& ir, AttrId id);
// A matrix: dense<[[0, 1]]> : tensor<1x2xi64>.
std::optional<std::vector<std::vector<int64_t>>> ReadRows(const Ir& ir,
                                                          AttrId id);
// #stablehlo<precision HIGH>: "HIGH".
std::optional<absl::string_view> ReadWord(const Ir& ir, AttrId id);
// A text or a symbol.
std::optional<absl::string_view> ReadText(const Ir& ir, AttrId id);
std::optional<double> ReadFloat(const Ir& ir, AttrId id);

// --- Structs -----------------------------------------------------------------

// The struct that *attributes holds, a new one if it holds another.
template <typename Struct>
Struct* Get(Attributes* attributes) {
  if (!std::holds_alternative<Struct>(*attributes)) *attributes = Struct();
  return std::get_if<Struct>(attributes);
}

// Sets the members of the struct for row.opcode that equal attributes of `op`
// (the rows INDIM_MLIR_MEMBER and INDIM_MLIR_FIELDS of op_attributes.def);
// others stay. False: an attribute is wrong, and *wrong is its name; it is of
// another kind unless *why says more.
bool ReadMembers(const Ir& ir, const mlir::Op& op, const OpRow& row,
                 Attributes* attributes, absl::string_view* wrong,
                 std::string* why);

// dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, where -1 fills up shorter groups,
// or #stablehlo.replica_group_mesh_axes<...> (structs.cc). False: *why.
bool ReadGroups(const Ir& ir, AttrId id, ReplicaGroups* groups,
                std::string* why);

// Sets the members of *to that equal fields of a #stablehlo.gather<...> and its
// like (the rows INDIM_MLIR_FIELD_MEMBER of struct_fields.def). False: it is
// another attribute, or a field is of another kind.
template <typename Struct>
bool ReadFields(const Ir& ir, AttrId id, Struct* to);

// [#stablehlo<precision HIGH>, ...]
std::optional<std::vector<Precision>> ReadPrecisions(const Ir& ir, AttrId id);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_ATTRIBUTE_READER_H_
