// The shape pass may warn of an operation for a cause for which the structure
// pass, which sees the whole module, reports an error. Such a warning is
// dropped.

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "indim/structure/structure.h"

namespace indim {
namespace {

struct Repeat {
  Rule warning;
  Rule error;  // an error for the same cause
};
constexpr Repeat kRepeats[] = {
    {Rule::kReplicaGroupsOdd, Rule::kReplicaGroupTwice},
    {Rule::kReplicaGroupsOdd, Rule::kReplicaGroupIds},
    {Rule::kPermutePairsOdd, Rule::kPermutePairs},
    {Rule::kPermutePairsOdd, Rule::kPermuteNegative},
};

uint64_t PlaceOf(const ModuleDiagnostic& d) {
  return uint64_t{d.computation} << 32 | d.instruction;
}

}  // namespace

void AppendWithoutRepeats(const Report& shapes, Report* report) {
  // The warnings that an error replaces, and their places.
  absl::flat_hash_set<std::pair<Rule, uint64_t>> replaced;
  for (const ModuleDiagnostic& d : report->diagnostics()) {
    for (const Repeat& row : kRepeats) {
      if (d.diagnostic.rule == row.error)
        replaced.insert({row.warning, PlaceOf(d)});
    }
  }
  report->Append(shapes, [&](const ModuleDiagnostic& d) {
    return replaced.contains({d.diagnostic.rule, PlaceOf(d)});
  });
}

}  // namespace indim
