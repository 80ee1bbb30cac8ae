// SPDX-License-Identifier: Apache-2.0
// The faults of what Shardy says of a program, as Shardy's verifier finds them.
// Each is the predicate of a sentence about an attribute; "": none.
//
// Source: Shardy, verifiers.cc.

#ifndef INDIM_SHARDING_SHARDY_SHARDY_FAULTS_H_
#define INDIM_SHARDING_SHARDY_SHARDY_FAULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/sharding/values/sharding_value.h"

namespace indim {

// What Shardy's verifier asks of the type of a value.
struct ShardyValue {
  enum class Kind {
    kRanked,
    kUnranked,  // a tensor without a rank
    kNoTensor,  // a token, or something else that has no dims
    kTuple,     // of other than one element
  };
  static constexpr int64_t kUnknownSize = -1;

  Kind kind = Kind::kNoTensor;
  std::vector<int64_t> sizes;

  bool has_static_sizes() const;
  std::string ToString() const;  // "[8,?]"
};

// Of the sharding of a value. `bound`: the axes that the manual computations
// around it have for themselves.
std::string ShardyFault(const Sharding::Named& sharding,
                        const ShardyValue& value,
                        absl::Span<const std::string> bound);

// Whether an operation without results may have it.
bool ShardsNothing(const Sharding::Named& sharding);

// Of the sharding of an operand or a result of a manual computation: whether
// `local` is the part of `whole` that a device has, where the axes named
// `manual` cut. The sharding must have no fault.
std::string ManualFault(const Sharding::Named& sharding,
                        const ShardyValue& whole, const ShardyValue& local,
                        absl::Span<const std::string> manual);

// Of the meshes of a manual computation's shardings: they must be one, which
// has the manual axes.
std::string ManualAxesFault(absl::Span<const Sharding::Named* const> shardings,
                            absl::Span<const std::string> manual);

// Of the rule of an operation.
std::string ShardyRuleFault(const ShardyRule& rule,
                            absl::Span<const ShardyValue> operands,
                            absl::Span<const ShardyValue> results);

// Of edges between `operands` operands and `results` results of an operation.
// `sharding_of`: null where a value has none.
std::string ShardyEdgesFault(
    absl::Span<const ShardyEdge> edges, size_t operands, size_t results,
    absl::FunctionRef<const Sharding::Named*(const ShardyEdge::Value&)>
        sharding_of);

}  // namespace indim

#endif  // INDIM_SHARDING_SHARDY_SHARDY_FAULTS_H_
