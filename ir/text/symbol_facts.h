// What is known of a module's symbols, in the header of its text:
//
//   HloModule m, ..., frontend_attributes={indim.facts="n>=1; n%8==0; m<=n"}
//
// Shapes hold only the names (ParseOptions::symbols).

#ifndef INDIM_IR_TEXT_SYMBOL_FACTS_H_
#define INDIM_IR_TEXT_SYMBOL_FACTS_H_

#include <string>

#include "indim/ir/module.h"

namespace indim {

inline constexpr char kSymbolFacts[] = "indim.facts";

// Of the symbols of all instructions' shapes: what SymbolScope::State reads.
// Empty: there are none, or nothing is known. A text has one symbol of a name:
// where the module knows different things of two of one name, none is said.
std::string SymbolFactsText(const Module& module);

}  // namespace indim

#endif  // INDIM_IR_TEXT_SYMBOL_FACTS_H_
