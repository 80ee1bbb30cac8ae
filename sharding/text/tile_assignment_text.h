// SPDX-License-Identifier: Apache-2.0
// The text of a TileAssignment, as HLO text has it.

#ifndef INDIM_SHARDING_TEXT_TILE_ASSIGNMENT_TEXT_H_
#define INDIM_SHARDING_TEXT_TILE_ASSIGNMENT_TEXT_H_

#include "indim/sharding/values/tile_assignment.h"
#include "indim/text/base/lexer.h"

namespace indim {

// Reads `[4]` or `[4,2]T(1,0)`: the dims, and their permutation ({0} for one
// dim). The current token must be the "[". False after an error.
bool ReadIota(Lexer* lexer, IotaTransform* iota);

// Reads `[2,2]<=[4]`, or, if `list`, `[2,2]0,2,1,3`. False after an error, also
// for an invalid TileAssignment.
bool ReadTileAssignment(Lexer* lexer, bool list, TileAssignment* tiles);

}  // namespace indim

#endif  // INDIM_SHARDING_TEXT_TILE_ASSIGNMENT_TEXT_H_
