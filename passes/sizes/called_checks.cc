// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/sizes/called_checks.h"

#include "absl/types/span.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/opcode.h"

namespace indim {
namespace {

using field::HloInstructionProto::kSharding;

constexpr size_t kBody = 0, kCondition = 1;

// An instruction with callees.
struct Site {
  uint32_t caller;
  Opcode opcode;
  bool can_carry;  // whether its result may get a pred
  absl::Span<const uint32_t> callees;
};

class Planner {
 public:
  Planner(const ModuleData& data, const std::vector<int64_t>& counts)
      : data_(data),
        body_(data.computations.size(), true),
        branch_(data.computations.size(), true),
        condition_(data.computations.size(), true),
        needed_(data.computations.size(), false) {
    FindSites();
    RuleOut();
    for (size_t c = 0; c < needed_.size(); ++c) {
      needed_[c] = Returns(static_cast<uint32_t>(c)) && counts[c] > 0;
    }
    PassOn();
  }

  CalledChecks Plan() const {
    CalledChecks plan;
    plan.returns = needed_;
    plan.body.resize(needed_.size(), false);
    plan.condition.resize(needed_.size(), false);
    for (const Site& site : sites_) {
      if (site.opcode == Opcode::kWhile && AnyNeeded(site)) {
        plan.body[site.callees[kBody]] = true;
        plan.condition[site.callees[kCondition]] = true;
      }
    }
    return plan;
  }

 private:
  void FindSites();
  // Rules computations out until nothing changes.
  void RuleOut();
  // Marks callers of needed computations as needed, and all branches if one is.
  void PassOn();

  bool Returns(uint32_t c) const {
    return c != data_.entry && called_[c] && (body_[c] || branch_[c]);
  }
  bool AnyNeeded(const Site& site) const {
    for (const uint32_t callee : site.callees) {
      if (needed_[callee]) return true;
    }
    return false;
  }
  bool CarriesAll(const Site& site) const {
    if (!site.can_carry) return false;
    if (site.caller != data_.entry && !Returns(site.caller)) return false;
    if (site.opcode == Opcode::kWhile) {
      return body_[site.callees[kBody]] && condition_[site.callees[kCondition]];
    }
    for (const uint32_t callee : site.callees) {
      if (!branch_[callee]) return false;
    }
    return true;
  }

  const ModuleData& data_;
  std::vector<Site> sites_;
  std::vector<bool> called_;
  // Whether every caller allows this form.
  std::vector<bool> body_, branch_, condition_;
  std::vector<bool> needed_;
};

void Planner::FindSites() {
  called_.assign(data_.computations.size(), false);
  for (uint32_t c = 0; c < data_.computations.size(); ++c) {
    for (const InstructionRecord& r : data_.Instructions(c)) {
      const absl::Span<const uint32_t> callees = data_.Callees(r);
      if (callees.empty()) continue;
      const bool is_loop = r.opcode == Opcode::kWhile && callees.size() == 2 &&
                           r.operand_count == 1;
      const bool is_call =
          r.opcode == Opcode::kCall || r.opcode == Opcode::kConditional;
      const bool is_sharded =
          !AttributeBytesField(data_.pools->attribute_bytes(r.attribute_bytes),
                               kSharding)
               .empty();
      sites_.push_back(
          {c, r.opcode, (is_loop || is_call) && !is_sharded, callees});
      for (size_t k = 0; k < callees.size(); ++k) {
        called_[callees[k]] = true;
        body_[callees[k]] = body_[callees[k]] && is_loop && k == kBody;
        condition_[callees[k]] =
            condition_[callees[k]] && is_loop && k == kCondition;
        branch_[callees[k]] = branch_[callees[k]] && is_call;
      }
    }
  }
}

void Planner::RuleOut() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Site& site : sites_) {
      if (CarriesAll(site)) continue;
      for (const uint32_t callee : site.callees) {
        changed =
            changed || body_[callee] || branch_[callee] || condition_[callee];
        body_[callee] = branch_[callee] = condition_[callee] = false;
      }
    }
  }
}

void Planner::PassOn() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Site& site : sites_) {
      if (!AnyNeeded(site)) continue;
      if (site.caller != data_.entry && !needed_[site.caller]) {
        changed = needed_[site.caller] = true;
      }
      if (site.opcode == Opcode::kWhile) continue;
      for (const uint32_t callee : site.callees) {
        changed = changed || !needed_[callee];
        needed_[callee] = true;
      }
    }
  }
}

}  // namespace

CalledChecks PlanCalledChecks(const ModuleData& data,
                              const std::vector<int64_t>& counts) {
  return Planner(data, counts).Plan();
}

}  // namespace indim
