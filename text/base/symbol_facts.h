// SPDX-License-Identifier: Apache-2.0
// Facts about a module's symbols, in the header of its text:
//
//   HloModule m, ..., frontend_attributes={indim.facts="n>=1; n%8==0; m<=n"}
//
// Shapes in text have only the names. A header with facts, or with
// indim.facts="" where nothing is known, says that sizes have names; of other
// texts ParseOptions::symbols does. If several symbols of a module share a
// name, the facts are given for each computation, indim.facts.NAME="n>=8".

#ifndef INDIM_TEXT_BASE_SYMBOL_FACTS_H_
#define INDIM_TEXT_BASE_SYMBOL_FACTS_H_

#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/shape/dims/dim_expr.h"

namespace indim {

// `frontend_attributes` (of the module, canonical bytes) with the facts about
// the symbols of all instructions' shapes added. If a computation has two
// symbols with one name and different facts, it omits these facts.
std::string WithSymbolFacts(const Module& module,
                            absl::string_view frontend_attributes);
// Whether a header, as text, has facts.
bool HasSymbolFacts(absl::string_view header);
// The attributes without these facts.
std::string WithoutSymbolFacts(absl::string_view frontend_attributes);

// The facts about symbols in a text.
struct SymbolScopes {
  SymbolScope common;
  // By the computation's name; each includes `common`.
  std::map<std::string, SymbolScope, std::less<>> own;
};

// Adds the facts in the attributes. InvalidArgument: an attribute isn't a fact,
// or contradicts earlier ones; the message begins with the attribute's name.
absl::Status AddSymbolFacts(absl::string_view frontend_attributes,
                            SymbolScopes* scopes);

}  // namespace indim

#endif  // INDIM_TEXT_BASE_SYMBOL_FACTS_H_
