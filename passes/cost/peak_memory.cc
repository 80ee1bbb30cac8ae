// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/peak_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/passes/cost/device_shares.h"
#include "indim/passes/cost/donations.h"
#include "indim/passes/cost/leaf_bytes.h"
#include "indim/passes/cost/liveness.h"
#include "indim/passes/cost/memory_order.h"
#include "indim/passes/cost/sizes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/text/print/print_order.h"

namespace indim {
namespace {

using internal::CalledMemory;
using internal::kNever;
using internal::LeafBytes;
using internal::Liveness;

// The memory of all computations, callees first.
class MemoryOf {
 public:
  MemoryOf(const Module& module, const LeafBytes& bytes)
      : module_(module),
        bytes_(bytes),
        orders_(internal::DataOf(module)),
        shares_(module),
        donations_(internal::DonationsOf(module)),
        inner_(static_cast<size_t>(module.computation_count())) {}

  MemoryUse Run() {
    use_.is_scheduled = orders_.is_scheduled();
    use_.devices = shares_.devices();
    use_.is_cut = shares_.any_cut();
    for (const Computation computation : module_.computations()) {
      Add(computation);
      AddOuter(computation);
    }
    const Instruction root = module_.entry().root();
    use_.results = BytesOn(root);
    if (root.shape().is_tuple()) {
      use_.results += internal::BytesOf(root.shape()).number();
    }
    use_.reused = std::min(use_.reused, use_.results);
    std::stable_sort(
        use_.values.begin(), use_.values.end(),
        [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    use_.peak = use_.arguments + use_.results - use_.reused + use_.temporaries;
    return std::move(use_);
  }

 private:
  // Calls f(array, bytes on a device) for the arrays of the value.
  template <typename F>
  void ForEachArray(const Instruction& node, const F& f) const {
    const std::vector<double>& bytes = bytes_.Of(node).leaves;
    size_t leaf = 0;
    ForEachLeaf(node.shape(), [&](const Shape& array) {
      f(array, bytes[leaf] * shares_.Of(node, leaf));
      ++leaf;
    });
  }
  double BytesOn(const Instruction& node) const {
    double sum = 0;
    ForEachArray(node, [&](const Shape&, double bytes) { sum += bytes; });
    return sum;
  }

  Liveness Live(const Computation& computation, std::vector<uint32_t> order) {
    Liveness liveness(computation, std::move(order), inner_, bytes_, shares_,
                      computation.is_entry()
                          ? donations_
                          : absl::Span<const internal::Donation>());
    liveness.Run();
    return liveness;
  }

  void Add(const Computation& computation) {
    const auto c = static_cast<uint32_t>(computation.index());
    if (use_.is_scheduled) {
      Keep(computation, Live(computation, orders_.Of(c, /*scheduled=*/true)));
      return;
    }
    std::vector<uint32_t> order(
        static_cast<size_t>(computation.instruction_count()));
    std::iota(order.begin(), order.end(), 0);
    Keep(computation, Live(computation, order));
    if (inner_[c].temporaries == 0 || orders_.has_control()) return;
    std::vector<uint32_t> found = internal::MemoryOrder(computation, bytes_);
    if (found == order) return;
    const CalledMemory before = inner_[c];
    const MemoryUse use = use_;
    Keep(computation, Live(computation, std::move(found)));
    if (inner_[c].temporaries < before.temporaries) {
      use_.is_own_order = true;
    } else {
      inner_[c] = before;
      use_ = use;
    }
  }

  void Keep(const Computation& computation, const Liveness& liveness) {
    CalledMemory& memory = inner_[static_cast<size_t>(computation.index())];
    int at = kNever;
    memory.temporaries = liveness.Temporaries(&at);
    memory.handed_on = liveness.HandedOn();
    memory.values =
        at == kNever ? std::vector<MemoryUse::Value>() : liveness.ValuesAt(at);
    if (!computation.is_entry()) return;
    use_.temporaries = memory.temporaries;
    use_.reused = liveness.reused();
    use_.values = memory.values;
    use_.at = at == kNever ? Instruction::Nothing() : liveness.At(at);
  }

  // Constants, and arguments of the entry.
  void AddOuter(const Computation& computation) {
    for (const Instruction node : computation.instructions()) {
      if (node.opcode() == Opcode::kConstant) use_.constants += BytesOn(node);
      if (node.opcode() != Opcode::kParameter || !computation.is_entry()) {
        continue;
      }
      ForEachArray(node, [&](const Shape& array, double bytes) {
        use_.arguments += bytes;
        use_.values.push_back(
            {node, array, bytes, MemoryUse::Value::Kind::kArgument});
      });
    }
  }

  const Module& module_;
  const LeafBytes& bytes_;
  InstructionOrder orders_;
  const internal::DeviceShares shares_;
  const std::vector<internal::Donation> donations_;
  std::vector<CalledMemory> inner_;
  MemoryUse use_;
};

}  // namespace

absl::StatusOr<MemoryUse> PeakMemory(const Module& module) {
  if (module.computation_count() == 0) {
    return absl::InvalidArgumentError("the module has no entry computation");
  }
  const LeafBytes bytes(module);
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (bytes.Of(node).is_known) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the size of '", node.text_name(),
                       "' isn't known, which is ", node.shape().ToString()));
    }
  }
  return MemoryOf(module, bytes).Run();
}

}  // namespace indim
