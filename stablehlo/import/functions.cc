// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/functions.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace indim::stablehlo_import {

void Functions::FindAll(ReportError error) {
  for (const OpId id : ir_.block(ir_.module_block()).ops) {
    const mlir::Op& op = ir_.op(id);
    const absl::string_view name = ir_.name(op);
    // A module in a module is read by itself.
    if (name == "sdy.mesh" || name == "builtin.module") continue;
    if (name != "func.func") {
      error(op.offset, absl::StrCat("'", name, "' stands outside of functions"),
            Code::kNoHloForm);
      continue;
    }
    const AttrId symbol = ir_.Find(op, note::kSymName);
    if (!symbol.valid()) {
      error(op.offset, "the function has no name", Code::kStablehloConstraint);
      continue;
    }
    if (!by_name_.emplace(ir_.attr(symbol).text, id).second) {
      error(op.offset,
            absl::StrCat("redefinition of symbol named '",
                         ir_.attr(symbol).text, "'"),
            Code::kStablehloConstraint);
      continue;
    }
    order_.push_back(id);
  }
}

OpId Functions::Find(absl::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? OpId() : found->second;
}

OpId Functions::Entry() const {
  const OpId main = Find("main");
  if (main.valid()) return HasBody(main) ? main : OpId();
  OpId first;
  for (const OpId id : order_) {
    if (!HasBody(id)) continue;
    const AttrId visibility = ir_.Find(ir_.op(id), note::kSymVisibility);
    if (!visibility.valid() || ir_.attr(visibility).text != "private") {
      return id;
    }
    if (!first.valid()) first = id;
  }
  return first;
}

bool Functions::HasBody(OpId function) const {
  const absl::Span<const RegionId> regions = ir_.regions(ir_.op(function));
  return !regions.empty() && !ir_.region(regions[0]).blocks.empty();
}

void Functions::End(OpId function, const std::string& key, uint32_t computation,
                    std::vector<SizeValues::Exprs> sizes) {
  open_.erase(function.index);
  computations_[{function.index, key}] = computation;
  if (!sizes.empty()) result_sizes_[computation] = std::move(sizes);
}

const uint32_t* Functions::Computation(OpId function,
                                       const std::string& key) const {
  const auto found = computations_.find({function.index, key});
  return found == computations_.end() ? nullptr : &found->second;
}

absl::Span<const SizeValues::Exprs> Functions::ResultSizes(
    uint32_t computation) const {
  const auto found = result_sizes_.find(computation);
  if (found == result_sizes_.end()) return {};
  return found->second;
}

}  // namespace indim::stablehlo_import
