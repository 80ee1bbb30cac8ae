// SPDX-License-Identifier: Apache-2.0
// Exchange: a collective among the devices of one group.

#ifndef INDIM_EVAL_OPS_EXCHANGE_H_
#define INDIM_EVAL_OPS_EXCHANGE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "indim/eval/ops/eval_devices.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/values/value.h"

namespace indim {

// Devices that a collective connects.
struct ExchangeGroup {
  std::vector<size_t> devices;
  // The numbers by which the collective names them: of replicas, partitions or
  // devices.
  std::vector<int64_t> ids;
  // The one device is in no group that the collective names.
  bool left_out = false;
};

// The groups of a collective on these devices, each device in one of them.
// nullopt after an error: they name a device that isn't there, or one twice.
// Source: XLA, GetCollectiveOpGroupMode and GetParticipatingDevicesGroups.
std::optional<std::vector<ExchangeGroup>> GroupsOf(Evaluation& e,
                                                   const EvalDevices& devices);

class Exchange {
 public:
  // `e` is the evaluation on the group's first device; operands[m] are those of
  // member m.
  Exchange(Evaluation* e, const ExchangeGroup* group,
           std::vector<absl::Span<const Value>> operands)
      : e_(*e),
        group_(*group),
        operands_(std::move(operands)),
        results_(operands_.size()) {}

  Evaluation& e() const { return e_; }
  const ExchangeGroup& group() const { return group_; }
  size_t size() const { return operands_.size(); }
  // All members have as many operands.
  size_t operand_count() const { return operands_[0].size(); }
  const Value& operand(size_t member, size_t i) const {
    return operands_[member][i];
  }
  absl::Span<const Value> operands(size_t member) const {
    return operands_[member];
  }

  void Set(size_t member, Value value) { results_[member] = std::move(value); }
  // All members have this result.
  void SetAll(const Value& value) {
    results_.assign(results_.size(), value);
    is_same_ = true;
  }
  const std::vector<Value>& results() const { return results_; }
  bool is_same() const { return is_same_; }

  // Operands 0..count-1 must be arrays of one type and one shape on all
  // members, without sizes that are known only at run time. Returns false after
  // an error.
  bool ExpectAlike(size_t count) const;

 private:
  Evaluation& e_;
  const ExchangeGroup& group_;
  std::vector<absl::Span<const Value>> operands_;
  std::vector<Value> results_;
  bool is_same_ = false;
};

// The function of an operation, which sets the result of each member and
// returns false after an error; null: the operation is no exchange.
ExchangeFunction FindExchange(Opcode opcode, const Attributes& attributes);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_EXCHANGE_H_
