// SPDX-License-Identifier: Apache-2.0
// Calls on sizes that have names: the graph that they record, refined, computes
// what the graph of static sizes computes. The same of unknown sizes; bounded
// ones are numbers to HLO. What HLO can't say of a size that isn't known is
// refused.

#ifndef INDIM_TESTS_BUILDER_NAMED_CASES_H_
#define INDIM_TESTS_BUILDER_NAMED_CASES_H_

#include <functional>
#include <string>
#include <vector>

#include "indim/tests/builder/builder_cases.h"

namespace indim {

struct NamedCase {
  const char* name;
  // N stands for the size, M for another one.
  std::vector<std::string> shapes;
  std::function<Op(TestBuilder&, const Ops&)> call;
  // The code that refuses a size with a name, and one that isn't known; "":
  // none does.
  const char* named = "";
  const char* unknown = "";
};

void ExpectRefinedAreStatic(const std::vector<NamedCase>& cases);
void ExpectUnknownAreStatic(const std::vector<NamedCase>& cases);
void ExpectBoundedAreSaid(const std::vector<NamedCase>& cases);

// The shape that a case records with the size `n`, of which `facts` are known.
std::string ResultOf(const NamedCase& c, const std::string& n,
                     const char* facts);

}  // namespace indim

#endif  // INDIM_TESTS_BUILDER_NAMED_CASES_H_
