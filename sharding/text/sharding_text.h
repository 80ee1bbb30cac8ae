// SPDX-License-Identifier: Apache-2.0
// Reads and prints devices in HLO text: shardings in all spellings (explicit
// tiles, iota tiles, subgroups, named meshes, tuples), and the four encodings
// of replica groups.
//
//   {replicated}   {devices=[2,2]<=[4] last_tile_dim_replicate}
//   {mesh['a'=2,'b'=4], [{'a'}, {?}], replicated={'b'}}
//   {{0,1},{2,3}}  [2,4]<=[4,2]T(1,0)  mesh['x'=2,'y'=4] {'x'}

#ifndef INDIM_SHARDING_TEXT_SHARDING_TEXT_H_
#define INDIM_SHARDING_TEXT_SHARDING_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "indim/proto/wire/field_list.h"
#include "indim/sharding/values/sharding_value.h"
#include "indim/text/base/lexer.h"

namespace indim {

// Reads a sharding to canonical OpSharding bytes, as XLA's HloSharding writes
// it. The current token must be the "{". False after an error, also for meshes
// and axes on which XLA aborts. Tiles as a formula take constant memory; where
// regrouping them leaves no formula, at most 2^20 are listed.
bool ReadSharding(Lexer* lexer, std::string* wire);

// XLA's spelling of canonical OpSharding bytes, with braces; an explicit list
// is printed as an iota where XLA does so. `metadata`: also prints metadata of
// shardings.
std::string ShardingText(absl::string_view wire, bool metadata);

// Reads a named sharding from the word of its mesh (mesh_text.h), the current
// token, to after the final "}". False
// after an error, also where XLA aborts (axes that overlap, factors that belong
// to one axis, axes out of order).
bool ReadNamedSharding(Lexer* lexer, Sharding::Named* named);
std::string NamedShardingText(const Sharding::Named& named, bool metadata);

// Reads replica groups into the field of HloInstructionProto for their encoding
// (replica_groups 49, 87, iota 92, mesh axes 93; see proto/hlo.proto).
bool ReadReplicaGroups(Lexer* lexer, FieldList* to);

// The instruction's replica groups in their encoding; "{}" if there are none.
// `full`: as a list of lists (XLA: print_full_replica_group_list), unless it
// would have more than 2^20 members.
std::string ReplicaGroupsText(const FieldList& from, bool full = false);

}  // namespace indim

#endif  // INDIM_SHARDING_TEXT_SHARDING_TEXT_H_
