// SPDX-License-Identifier: Apache-2.0
// AsyncShorthand: which asynchronous ops the text shows as one op, `add-start`,
// instead of an async-start that calls a computation with an add.

#ifndef INDIM_TEXT_PRINT_ASYNC_SHORTHAND_H_
#define INDIM_TEXT_PRINT_ASYNC_SHORTHAND_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "indim/ir/module_data.h"

namespace indim {

class AsyncShorthand {
 public:
  // `data` must outlive this. Unless `allowed`, there is no shorthand; `exact`
  // as PrintOptions::exact_sugar.
  AsyncShorthand(const ModuleData& data, bool allowed, bool exact);

  // Whether the computation is shown as one op.
  bool IsHidden(uint32_t computation) const {
    return allowed_ && is_async_[computation] && is_single_[computation];
  }
  // The computation that an async op wraps, if its single op is shown instead.
  std::optional<uint32_t> Of(uint32_t computation, uint32_t i) const;

 private:
  const InstructionRecord& Record(uint32_t computation, uint32_t i) const {
    return data_.instructions[data_.computations[computation].first + i];
  }
  bool HasOneOp(uint32_t computation) const;  // beside parameters
  bool HasShapesOf(const InstructionRecord& start, uint32_t computation) const;
  // Whether a reader makes the start and its computation of the sugar again.
  bool IsReadBack(const InstructionRecord& start, uint32_t computation) const;
  // The computation that an async op wraps; nullopt: none.
  std::optional<uint32_t> Wrapped(uint32_t computation, uint32_t i) const;

  const ModuleData& data_;
  const bool allowed_;
  std::vector<bool> is_async_;   // called by an async op
  std::vector<bool> is_single_;  // of these, with parameters and one op only
  // By position in the module: the computations that updates and dones without
  // callees wrap.
  mutable absl::flat_hash_map<uint32_t, std::optional<uint32_t>> wrapped_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_ASYNC_SHORTHAND_H_
