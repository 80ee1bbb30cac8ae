// The shape pass warns of an operation alone; the structure pass, which sees
// the whole module, may refuse it for the same cause. The warning is then left
// out.

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "indim/structure/structure.h"

namespace indim {
namespace {

struct Repeat {
  Rule warning;
  Rule error;  // says the same cause
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
  // Where each row's error was told.
  absl::flat_hash_set<std::pair<Rule, uint64_t>> told;
  for (const ModuleDiagnostic& d : report->diagnostics()) {
    for (const Repeat& row : kRepeats) {
      if (d.diagnostic.rule == row.error)
        told.insert({row.warning, PlaceOf(d)});
    }
  }
  report->Append(shapes, [&](const ModuleDiagnostic& d) {
    return told.contains({d.diagnostic.rule, PlaceOf(d)});
  });
}

}  // namespace indim
