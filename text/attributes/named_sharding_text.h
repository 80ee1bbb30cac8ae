// Reads and prints named shardings in HLO text, which refer to the axes of a
// mesh.
//
//   {mesh['a'=2,'b'=4], [{'a'}, {'b':(1)2, ?}], manual={'b':(2)2}}
//   {mesh['a'=2], replicated}   {maximal_mesh[device_id=3]}

#ifndef INDIM_TEXT_ATTRIBUTES_NAMED_SHARDING_TEXT_H_
#define INDIM_TEXT_ATTRIBUTES_NAMED_SHARDING_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/text/base/lexer.h"

namespace indim {

// Reads from the word `mesh` or `maximal_mesh` to the final "}", to canonical
// NamedShardingProto bytes. False after an error, also where XLA aborts (axes
// that overlap, factors that belong to one axis, axes out of order).
bool ReadNamedSharding(Lexer* lexer, std::string* wire);

// XLA's spelling, with braces.
std::string NamedShardingText(absl::string_view wire, bool metadata);

// Reads one message or a list of them, {...} or {{...},{...}}, to canonical
// OpMetadata bytes, which it appends.
bool ReadMetadataList(Lexer* lexer, std::vector<std::string>* wires);

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_NAMED_SHARDING_TEXT_H_
