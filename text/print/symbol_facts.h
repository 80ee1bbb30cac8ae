// What is known of a module's symbols, in the header of its text:
//
//   HloModule m, ..., frontend_attributes={indim.facts="n>=1; n%8==0; m<=n"}
//
// Shapes hold only the names (ParseOptions::symbols). A symbol is known by its
// name and facts: of a name that stands for several in a module, what is known
// is said for each computation, indim.facts.NAME="n>=8".

#ifndef INDIM_TEXT_PRINT_SYMBOL_FACTS_H_
#define INDIM_TEXT_PRINT_SYMBOL_FACTS_H_

#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/shape/dims/dim_expr.h"

namespace indim {

// `frontend_attributes` (of the module, canonical bytes) and what is known of
// the symbols of all instructions' shapes. Where one computation knows
// different things of two of one name, none is said of it there.
std::string WithSymbolFacts(const Module& module,
                            absl::string_view frontend_attributes);
// The reverse.
std::string WithoutSymbolFacts(absl::string_view frontend_attributes);

// Of a text: what computations know of their symbols.
struct SymbolScopes {
  SymbolScope common;
  // By the computation's name; it has all of `common`, too.
  std::map<std::string, SymbolScope, std::less<>> own;
};

// Adds what the attributes say. InvalidArgument: it is no fact, or contradicts
// what was known before; the message begins with the attribute's name.
absl::Status AddSymbolFacts(absl::string_view frontend_attributes,
                            SymbolScopes* scopes);

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_SYMBOL_FACTS_H_
