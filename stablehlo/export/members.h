// SPDX-License-Identifier: Apache-2.0
// The properties of operations and the fields of #stablehlo<...> attributes
// that equal members of the structs of shape/ops/attributes.h, as the tables
// op_attributes.def and struct_fields.def say.

#ifndef INDIM_STABLEHLO_EXPORT_MEMBERS_H_
#define INDIM_STABLEHLO_EXPORT_MEMBERS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "indim/shape/ops/attributes.h"
#include "indim/stablehlo/export/mlir_names.h"
#include "indim/stablehlo/ops/collectives.h"

namespace indim::stablehlo_export {

using mlir::ChannelType;
using mlir::kDeviceToDevice;
using mlir::kDeviceToHost;
using mlir::kHostToDevice;

// The properties of operation `op` that equal members of `attributes`; those
// that have their default are left out where MLIR allows it. A member without a
// word of StableHLO (TRANSPOSE_INVALID has one, PACKED_NIBBLE none) is left
// out.
std::vector<NamedAttr> MemberProperties(absl::string_view op,
                                        const Attributes& attributes, Ir* ir);

// #stablehlo.gather<...> and its like: the fields that equal members of
// `value`, a struct of the type that the attribute's rows name.
template <typename T>
AttrId StructAttr(absl::string_view attribute, const T& value, Ir* ir);

// dense<[[0, 1], [2, -1]]> : tensor<2x2xi64> for groups that are lists; -1
// fills up shorter ones.
AttrId GroupsAttr(const ReplicaGroups& groups, Ir* ir);

// #stablehlo.channel_handle<handle = 1, type = 1>.
AttrId ChannelAttr(int64_t handle, ChannelType type, Ir* ir);

// #stablehlo<precision HIGH>: WordAttr("stablehlo.precision", 1). None where
// the list has no such number.
AttrId NumberedWord(absl::string_view attribute, int64_t number, Ir* ir);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_MEMBERS_H_
