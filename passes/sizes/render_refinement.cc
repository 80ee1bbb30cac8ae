// SPDX-License-Identifier: Apache-2.0
// The text of a refinement's errors, with the chain of instructions to each.

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/module_access.h"
#include "indim/passes/sizes/refine.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/types/shape_parts.h"

namespace indim {
namespace {

void AddFacts(Dim dim, std::set<std::string>* texts) {
  if (!dim.is_symbolic()) return;
  for (const auto& [name, facts] : DimExpr(dim).Symbols()) {
    for (std::string& text : FactTexts(name, facts)) {
      texts->insert(std::move(text));
    }
  }
}

bool Changed(const Module& before, const Module& after, uint32_t c,
             uint32_t i) {
  const Instruction old =
      internal::InstructionOf(&internal::DataOf(before), c, i);
  const Instruction now =
      internal::InstructionOf(&internal::DataOf(after), c, i);
  return !SameStructure(old.shape(), now.shape());
}

// Facts about the symbols of `now` that those of `old` didn't have: "n<=3".
std::string NewFacts(const Shape& old, const Shape& now) {
  std::set<std::string> before, texts;
  ForEachDim(old, [&](Dim dim) { AddFacts(dim, &before); });
  ForEachDim(now, [&](Dim dim) { AddFacts(dim, &texts); });
  for (const std::string& text : before) texts.erase(text);
  return absl::StrJoin(texts, ", ");
}

// "  %y = f32[8,4] transpose(%x), was f32[n,4]"; "  %y = f32[n,4] ..., n<=3
// now".
std::string ChainLine(const Module& before, const Module& after, uint32_t c,
                      uint32_t i) {
  const Instruction old =
      internal::InstructionOf(&internal::DataOf(before), c, i);
  const Instruction now =
      internal::InstructionOf(&internal::DataOf(after), c, i);
  const std::string place = PlaceText(now);
  const std::string was = old.shape().WithoutLayout().ToString();
  std::string change = absl::StrCat("was ", was);
  if (was == now.shape().WithoutLayout().ToString()) {
    change = absl::StrCat(NewFacts(old.shape(), now.shape()), " now");
  }
  return absl::StrCat("    ", InstructionText(now), ", ", change,
                      place.empty() ? "" : "        ", place, "\n");
}

// The chain from the parameter (or the first change) to instruction `i`.
std::string Chain(const Module& before, const Module& after, uint32_t c,
                  uint32_t i) {
  constexpr size_t kLongest = 12;
  std::vector<std::string> lines;
  for (bool more = true; more;) {
    lines.push_back(ChainLine(before, after, c, i));
    more = false;
    for (const Instruction operand :
         internal::InstructionOf(&internal::DataOf(after), c, i).operands()) {
      const uint32_t k = static_cast<uint32_t>(operand.index());
      if (!Changed(before, after, c, k)) continue;
      i = k;
      more = true;
      break;
    }
  }
  std::reverse(lines.begin(), lines.end());
  std::string text;
  for (size_t k = 0; k < lines.size(); ++k) {
    if (lines.size() > kLongest && k == kLongest / 2) {
      absl::StrAppend(&text, "    ... ", lines.size() - kLongest, " more\n");
      k = lines.size() - kLongest / 2;
    }
    absl::StrAppend(&text, lines[k]);
  }
  return text;
}

}  // namespace

std::string RenderRefinement(const Module& before, const RefineResult& result,
                             absl::string_view file) {
  std::string text;
  const Module& after = result.module;
  for (const ModuleDiagnostic& d : result.report.diagnostics()) {
    absl::StrAppend(&text, RenderDiagnostic(after, d, "", file));
    if (before.instruction_count() != after.instruction_count() ||
        d.computation >= internal::DataOf(after).computations.size() ||
        d.instruction >=
            internal::DataOf(after).computations[d.computation].count) {
      continue;
    }
    const Instruction at = internal::InstructionOf(
        &internal::DataOf(after), d.computation, d.instruction);
    std::string named, others;
    for (int k = 0; k < at.operand_count(); ++k) {
      const uint32_t i = static_cast<uint32_t>(at.operand(k).index());
      if (!Changed(before, after, d.computation, i)) continue;
      const bool is_named =
          k == d.diagnostic.operand || k == d.diagnostic.other_operand;
      absl::StrAppend(is_named ? &named : &others, "  operand ", k,
                      " came to be ",
                      at.operand(k).shape().WithoutLayout().ToString(), ":\n",
                      Chain(before, after, d.computation, i));
    }
    // If no named operand changed, another changed operand is the cause.
    absl::StrAppend(&text, named.empty() ? others : named);
  }
  return text;
}

}  // namespace indim
