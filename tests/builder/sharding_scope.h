// SPDX-License-Identifier: Apache-2.0
// A call under a sharding: what of the graph has it afterwards.

#ifndef INDIM_TESTS_BUILDER_SHARDING_SCOPE_H_
#define INDIM_TESTS_BUILDER_SHARDING_SCOPE_H_

#include <functional>
#include <string>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {

// A sharding that a value of `shape` can carry, which cuts every array that has
// dims along the first one.
std::string ShardingOf(const Shape& shape);

using CallOfSeveral =
    std::function<std::vector<Op>(TestBuilder& b, const Ops& operands)>;

// "none", or where the graph has shardings after a call under `sharding`: for
// each instruction with one its opcode and shape, "add f32[2,3]", those of
// other computations than the entry behind the computation's name. `errors`
// are those of the call.
struct UnderScope {
  std::vector<std::string> sharded;
  // The same of the results that can carry it.
  std::vector<std::string> results;
  std::string errors;
};
UnderScope CallUnder(const std::function<std::string(const Shape& first)>& of,
                     const std::vector<std::string>& shapes,
                     const CallOfSeveral& call);

}  // namespace indim

#endif  // INDIM_TESTS_BUILDER_SHARDING_SCOPE_H_
