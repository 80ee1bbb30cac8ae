// SPDX-License-Identifier: Apache-2.0
// The shapes that the proof goes through: every one up to a rank over eight
// dims, with the concrete shapes that each stands for.

#ifndef INDIM_TESTS_PROOF_SMALL_SHAPES_H_
#define INDIM_TESTS_PROOF_SMALL_SHAPES_H_

#include <cstdint>
#include <vector>

#include "indim/shape/types/shape.h"
#include "indim/tests/proof/documents.h"

namespace indim {
namespace proof {

// A dim of the proof's own: the sizes lower..upper.
struct SmallDim {
  const char* text;
  int64_t lower;
  int64_t upper;  // kCap: any size

  bool is_static() const { return lower == upper; }
  bool is_unknown() const;
  bool is_bounded() const;
  bool is_interval() const { return lower > 0 && lower < upper; }
};

// Run-time sizes go from 0 to kCap. Finite ends of the dims go to 3, and the
// rules compare sizes with each other and with 1 only: kCap stands for all that
// is larger.
constexpr int64_t kCap = 4;

// ?, 0, 1, 2, 3, <=1, <=2, 2..3
const std::vector<SmallDim>& SmallDims();

// Every concrete shape up to rank 3 of sizes 0..kCap.
class ConcreteShapes {
 public:
  ConcreteShapes();
  int count() const { return static_cast<int>(sizes_.size()); }
  const documents::Sizes& sizes(int id) const { return sizes_[id]; }
  // -1: it isn't one of them.
  int IdOf(const documents::Sizes& sizes) const;

 private:
  std::vector<documents::Sizes> sizes_;
};

struct SmallShape {
  Shape shape;
  bool unranked = false;
  std::vector<SmallDim> dims;
  std::vector<int> concrete;  // ids of the concrete shapes that it stands for

  int rank() const { return static_cast<int>(dims.size()); }
  // Dims are static or unknown: MLIR's document knows it.
  bool is_mlir() const;
  documents::Type mlir() const;
  bool is_static() const;
};

// Every shape of ranks 0..rank over `dims`, then the unranked one.
std::vector<SmallShape> AllShapes(const std::vector<SmallDim>& dims, int rank,
                                  const ConcreteShapes& concrete);

}  // namespace proof
}  // namespace indim

#endif  // INDIM_TESTS_PROOF_SMALL_SHAPES_H_
