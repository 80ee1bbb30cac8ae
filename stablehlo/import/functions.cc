// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/functions.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace indim::stablehlo_import {

// Attributes that a dialect says have its name before a dot.
void Functions::CheckNames(const mlir::Op& owner, absl::string_view what,
                           absl::Span<const NamedAttr> attributes,
                           ReportError error) const {
  for (const NamedAttr& attribute : attributes) {
    const absl::string_view name = ir_.text(attribute.name);
    if (absl::StrContains(name, '.')) continue;
    error(owner.offset,
          absl::StrCat("'", ir_.name(owner), "' op ", what,
                       " may only have attributes of dialects, such as "
                       "mhlo.sharding, but has '",
                       name, "'"),
          Code::kStablehloConstraint);
  }
}

void Functions::FindAll(ReportError error) {
  const mlir::Op& module = ir_.op(ir_.module_op());
  CheckNames(module, "a module", ir_.discardable(module), error);
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
    for (const auto& [list, what] : {std::pair(note::kArgAttrs, "arguments"),
                                     std::pair(note::kResAttrs, "results")}) {
      for (const AttrId attributes : ir_.attr(ir_.Find(op, list)).elements) {
        CheckNames(op, what, ir_.attr(attributes).fields, error);
      }
    }
    const AttrId symbol = ir_.Find(op, note::kSymName);
    if (!symbol.valid()) {
      error(op.offset, "the function has no name", Code::kStablehloConstraint);
      continue;
    }
    const AttrId visible = ir_.Find(op, note::kSymVisibility);
    const absl::string_view visibility =
        visible.valid() ? absl::string_view(ir_.attr(visible).text) : "public";
    if (visibility != "public" && visibility != "private" &&
        visibility != "nested") {
      error(op.offset,
            absl::StrCat("'func.func' op visibility expected to be public, "
                         "private or nested, but got '",
                         visibility, "'"),
            Code::kStablehloConstraint);
    } else if (visibility == "public" && !HasBody(id)) {
      error(op.offset,
            "'func.func' op has no body, so it can't be public: it must be "
            "private",
            Code::kStablehloConstraint);
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
