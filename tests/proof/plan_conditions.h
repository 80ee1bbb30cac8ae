// SPDX-License-Identifier: Apache-2.0
// A plan's conditions, asked of run-time sizes.

#ifndef INDIM_TESTS_PROOF_PLAN_CONDITIONS_H_
#define INDIM_TESTS_PROOF_PLAN_CONDITIONS_H_

#include "absl/types/span.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/tests/proof/documents.h"

namespace indim {
namespace proof {

// The operands' sizes.
using Assignment = absl::Span<const documents::Sizes* const>;

bool Holds(const Condition& condition, const BroadcastPlan& plan,
           Assignment sizes);
// The first that doesn't hold; null: all do.
const Condition* FirstBroken(const BroadcastPlan& plan, Assignment sizes);

}  // namespace proof
}  // namespace indim

#endif  // INDIM_TESTS_PROOF_PLAN_CONDITIONS_H_
