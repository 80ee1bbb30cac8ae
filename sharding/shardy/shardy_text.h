// SPDX-License-Identifier: Apache-2.0
// The attributes of Shardy as text: HLO keeps them in frontend attributes, and
// programs of MLIR have them.
//
//   #sdy.mesh<["x"=2, "y"=4], device_ids=[1, 0, ...]>
//   #sdy.sharding<@mesh, [{"x"}, {"y":(1)2, ?}p1], unreduced=max{"z"}>
//   #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>
//   #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=4} reduction={j}>
//
// Errors are InvalidArgument, and their message says what is wrong with the
// attribute. Source: Shardy, attrs.td and parsers.cc.

#ifndef INDIM_SHARDING_SHARDY_SHARDY_TEXT_H_
#define INDIM_SHARDING_SHARDY_SHARDY_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/sharding/values/sharding_value.h"

namespace indim {

// How the keys of frontend attributes begin in which XLA keeps what Shardy
// says, and these keys: of a module, of values and operations, of the borders
// of a manual computation.
inline constexpr absl::string_view kSdyPrefix = "xla.sdy.";
inline constexpr absl::string_view kSdyMeshes = "xla.sdy.meshes";
inline constexpr absl::string_view kSdySharding = "xla.sdy.sharding";
inline constexpr absl::string_view kSdyRule = "xla.sdy.sharding_rule";
inline constexpr absl::string_view kSdyInShardings = "xla.sdy.in_shardings";
inline constexpr absl::string_view kSdyOutShardings = "xla.sdy.out_shardings";
inline constexpr absl::string_view kSdyManualAxes = "xla.sdy.manual_axes";

// The meshes of a module whose HloModuleProto has these canonical fields: the
// text `{name = #sdy.mesh<...>, other = ...}`; "": it has none.
std::string ShardyMeshes(absl::string_view module);

absl::StatusOr<Mesh> ReadShardyMesh(absl::string_view text);

// The mesh `name` of such a text. NotFound: there is none of that name.
absl::StatusOr<Mesh> FindShardyMesh(absl::string_view meshes,
                                    absl::string_view name);

// Finds the mesh behind a symbol; its errors are passed on.
using FindMesh = absl::FunctionRef<absl::StatusOr<Mesh>(absl::string_view)>;

// Those of #sdy.sharding_per_value<[...]>, or the one of #sdy.sharding<...>.
absl::StatusOr<std::vector<Sharding::Named>> ReadShardyShardings(
    absl::string_view text, FindMesh find);

// The parts of #sdy.sharding_per_value<[...]>, each as a text of its own; of a
// single #sdy.sharding itself.
std::vector<std::string> ShardyShardings(absl::string_view text);

// #sdy.sharding_per_value<[...]> of such parts.
std::string ShardyPerValue(absl::Span<const std::string> shardings);

// The axes of `#sdy<manual_axes{"x", "y"}>`; none where it isn't one.
std::vector<std::string> ShardyManualAxes(absl::string_view text);

// How the dims of an operation's operands and results go together: each is a
// product of factors.
struct ShardyRule {
  using Dims = std::vector<std::vector<int64_t>>;  // factors of each dim
  std::vector<Dims> operands;
  std::vector<Dims> results;
  std::vector<int64_t> factors;  // sizes
  std::vector<int64_t> reduction;
  std::vector<int64_t> need_replication;
  std::vector<int64_t> permutation;
  std::vector<int64_t> blocked_propagation;
};
absl::StatusOr<ShardyRule> ReadShardyRule(absl::string_view text);

// Where shardings flow: along an axis from an operand or a result to others.
struct ShardyEdge {
  struct Value {
    bool is_result = false;
    int64_t index = 0;
    friend bool operator==(const Value& a, const Value& b) {
      return a.is_result == b.is_result && a.index == b.index;
    }
  };
  int64_t step = 0;
  std::string axis;
  Value source;
  std::vector<Value> targets;
};
// A step without edges has one without an axis.
absl::StatusOr<std::vector<ShardyEdge>> ReadShardyEdges(absl::string_view text);

}  // namespace indim

#endif  // INDIM_SHARDING_SHARDY_SHARDY_TEXT_H_
