// SPDX-License-Identifier: Apache-2.0
// An independent judge: the four documents' pseudo-code, tables and examples,
// transcribed as they stand. It includes nothing of Indim, and has no other
// arithmetic than theirs: sizes are plain numbers, MLIR's "?" is kDynamic.
//
// The tests of this folder ask it of every shape up to rank 3 over a few dims
// (brute_force_test, trait_test); prove_plans.py, which has the same rules as
// formulas, of every size there is. docs/proof.md has the numbers. Where a
// document contradicts itself, each reading is here:
//
//   MLIR, `? -> 4`    Reading::kTable: fine, BroadcastableMode::kLenient;
//                     kPseudoCode and kExamples: an error, kStrict
//   OpenVINO, pdpd    PdpdReading::kRules: only B's trailing 1s are left out;
//                     kExamples: (1, 3) at axis 0 of (2, 3, 4, 5) stretches
//   XLA, InDim        its formal definition has "T equal to the dimension",
//                     its composition lets a 1 of either side stretch

#ifndef INDIM_TESTS_PROOF_DOCUMENTS_H_
#define INDIM_TESTS_PROOF_DOCUMENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace indim {
namespace documents {

using Sizes = std::vector<int64_t>;

// --- MLIR's Broadcastable.md ------------------------------------------------

constexpr int64_t kDynamic = -1;
// Sizes and kDynamic; nullopt: unranked.
using Type = std::optional<Sizes>;

enum class Outcome {
  kOk,
  kError,
  kNoCase,  // a size 0: the document has the categories ?, 1 and >1
};

struct InferredDim {
  Outcome outcome = Outcome::kOk;
  int64_t dim = 0;
};
// The pseudo-code, and the table above it.
InferredDim InferDim(int64_t dim0, int64_t dim1);
InferredDim InferDimByTable(int64_t dim0, int64_t dim1);

struct InferredType {
  Outcome outcome = Outcome::kOk;
  Type shape;
};
Sizes ExpandRank(Sizes shape, size_t rank);
InferredType InferShape(Sizes shape0, Sizes shape1);
InferredType InferResultShape(const std::vector<Type>& operands);

enum class Reading { kTable, kPseudoCode, kExamples };
Outcome Verify(Reading reading, const std::vector<Type>& operands,
               const Type& result);

// --- XLA's "Broadcasting semantics" -----------------------------------------

// Whether a tuple of broadcasting dimensions can lay an array of rank `lower`
// on one of rank `higher`; without one only a scalar can.
bool TupleFits(size_t lower, size_t higher,
               const std::optional<Sizes>& broadcast_dimensions);
// "Two dimensions are compatible", and "the maximum among the two inputs".
bool Compatible(int64_t a, int64_t b);
int64_t DegenerateSize(int64_t a, int64_t b);
// The array of lower rank, broadcast up to the other's rank.
Sizes InDim(const Sizes& lower, const Sizes& higher,
            const Sizes& broadcast_dimensions);
// The formal definition: every T equal to the matching dimension.
bool MatchesFormally(const Sizes& lower, const Sizes& higher,
                     const Sizes& broadcast_dimensions);
// Both composed. nullopt: it cannot be broadcast.
std::optional<Sizes> Xla(const Sizes& lhs, const Sizes& rhs,
                         const std::optional<Sizes>& broadcast_dimensions);

// --- OpenVINO's "Broadcast Rules For Elementwise Operations" ----------------

std::optional<Sizes> None(const Sizes& a, const Sizes& b);
std::optional<Sizes> Numpy(const Sizes& a, const Sizes& b);
std::optional<Sizes> Bidirectional(const Sizes& input, const Sizes& target);

enum class PdpdReading { kRules, kExamples };
std::optional<Sizes> Pdpd(PdpdReading reading, const Sizes& a, Sizes b,
                          int64_t axis);

}  // namespace documents
}  // namespace indim

#endif  // INDIM_TESTS_PROOF_DOCUMENTS_H_
