// SPDX-License-Identifier: Apache-2.0
// The shape pass may warn of an operation for a cause for which the structure
// pass, which sees the whole module, reports an error. Such a warning is
// dropped.

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "indim/passes/structure/structure.h"

namespace indim {
namespace {

struct Repeat {
  Code warning;
  Code error;  // an error for the same cause
};
constexpr Repeat kRepeats[] = {
    {Code::kReplicaGroupsOdd, Code::kReplicaGroupTwice},
    {Code::kReplicaGroupsOdd, Code::kReplicaGroupIds},
    {Code::kPermutePairsOdd, Code::kPermutePairs},
    {Code::kPermutePairsOdd, Code::kPermuteNegative},
};

uint64_t PlaceOf(const ModuleDiagnostic& d) {
  return uint64_t{d.computation} << 32 | d.instruction;
}

}  // namespace

void AppendWithoutRepeats(const Report& shapes, Report* report) {
  // The warnings that an error replaces, and their places.
  absl::flat_hash_set<std::pair<Code, uint64_t>> replaced;
  for (const ModuleDiagnostic& d : report->diagnostics()) {
    for (const Repeat& row : kRepeats) {
      if (d.diagnostic.code == row.error)
        replaced.insert({row.warning, PlaceOf(d)});
    }
  }
  report->Append(shapes, [&](const ModuleDiagnostic& d) {
    return replaced.contains({d.diagnostic.code, PlaceOf(d)});
  });
}

}  // namespace indim
