// Named shardings in HLO text: in terms of the axes of a mesh.
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

// Reads to canonical NamedShardingProto bytes, from the word `mesh` or
// `maximal_mesh` to the "}" at the end. False after an error: also where XLA
// aborts (axes that overlap, factors that are one, axes out of order).
bool ReadNamedSharding(Lexer* lexer, std::string* wire);

// XLA's spelling, with the braces.
std::string NamedShardingText(absl::string_view wire, bool metadata);

// Reads one message or a list of them, {...} or {{...},{...}}, each to
// canonical OpMetadata bytes; appends.
bool ReadMetadataList(Lexer* lexer, std::vector<std::string>* wires);

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_NAMED_SHARDING_TEXT_H_
