// SPDX-License-Identifier: Apache-2.0
// Random values that are equal in each run and on each machine.

#ifndef INDIM_EVAL_VALUES_RANDOM_LITERAL_H_
#define INDIM_EVAL_VALUES_RANDOM_LITERAL_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/types/shape.h"

namespace indim {

// A stream of random numbers (SplitMix64).
class RandomStream {
 public:
  explicit RandomStream(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  // A number in low..high, both included; high >= low.
  int64_t Between(int64_t low, int64_t high);

 private:
  uint64_t state_;
};

// A value of `shape`: floats in -2..2, integers in -6..6 as far as their type
// has them, preds. A bounded dim gets any size up to its bound, an unknown one
// or an interval one of its 5 smallest sizes. InvalidArgument: opaque shapes,
// arrays without rank or of more than 2^28 elements.
absl::StatusOr<Literal> RandomLiteral(const Shape& shape, RandomStream* random);

// An instance of `shape`, with sizes chosen as above.
Shape RandomConcrete(const Shape& shape, RandomStream* random);

}  // namespace indim

#endif  // INDIM_EVAL_VALUES_RANDOM_LITERAL_H_
