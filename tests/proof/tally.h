// SPDX-License-Identifier: Apache-2.0
// What the proof counts, and what it leaves out: one table of exclusions, and
// the page that shows the numbers.

#ifndef INDIM_TESTS_PROOF_TALLY_H_
#define INDIM_TESTS_PROOF_TALLY_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace indim {
namespace proof {

// A place where Indim's answer isn't the document's, or the document has none.
// docs/proof.md says why, and where that is documented; a row that excludes
// nothing fails.
enum class Exclusion {
  kMlirSizeZero,
  kPdpdInnerOne,
  kXlaZeroWithOne,
  kXlaUnknownInDim,
  kXlaBoundBesideOther,
  kXlaBoundedOneStretch,
  kXlaLastDims,
  kXlaUnknownAsItIs,
  kXlaUnknownBesideBound,
  kXlaBoundBesideItsSize,
  kTableOfVerify,
  kMlirHigherRank,
  kMlirZeroWithUnknown,
};

// Its row in docs/proof.md.
absl::string_view RowOf(Exclusion exclusion);

class Tally {
 public:
  void Add(absl::string_view row, int64_t count = 1) {
    counts_[std::string(row)] += count;
  }
  void Add(Exclusion exclusion) { ++excluded_[exclusion]; }

  // Prints the rows, and compares them with docs/proof.md (`page`), whose rows
  // are `| row | all | sample | ...`: counts with those below the heading
  // `section`, which has no others, and exclusions with their own table. Those
  // from `first` to `last` must each have excluded something.
  void Check(const std::string& page, absl::string_view section,
             Exclusion first, Exclusion last) const;
  // The same of a section where nothing is excluded.
  void Check(const std::string& page, absl::string_view section) const;

 private:
  std::map<std::string, int64_t> counts_;
  std::map<Exclusion, int64_t> excluded_;
};

}  // namespace proof
}  // namespace indim

#endif  // INDIM_TESTS_PROOF_TALLY_H_
