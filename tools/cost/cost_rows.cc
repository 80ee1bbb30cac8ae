// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/cost/cost_rows.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/tools/output/node_names.h"

namespace indim {
namespace {

struct NamedKey {
  CostKey key;
  absl::string_view name;
};
constexpr NamedKey kKeys[] = {{CostKey::kInstruction, "instruction"},
                              {CostKey::kOpcode, "opcode"},
                              {CostKey::kLine, "line"},
                              {CostKey::kScope, "scope"},
                              {CostKey::kLayer, "layer"},
                              {CostKey::kComputation, "computation"}};

std::string Or(std::string text, absl::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : text;
}

// Parts of op_names that JAX's control flow and rematerialization add.
bool IsOfJax(absl::string_view part) {
  constexpr absl::string_view kParts[] = {
      "body",  "checkpoint", "closed_call", "cond", "rematted_computation",
      "remat", "while"};
  return std::find(std::begin(kParts), std::end(kParts), part) !=
         std::end(kParts);
}

// transpose(jvp(GPT)) is GPT, and so is jit(GPT) nothing, which is the program.
absl::string_view WithoutTransforms(absl::string_view part) {
  while (absl::EndsWith(part, ")")) {
    const size_t open = part.find('(');
    if (open == absl::string_view::npos) break;
    if (part.substr(0, open) == "jit") return "";
    part = part.substr(open + 1, part.size() - open - 2);
  }
  return IsOfJax(part) ? "" : part;
}

// Block_12: Block_*.
std::string WithoutNumbers(absl::string_view part) {
  std::string text;
  for (const char c : part) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      text += c;
    } else if (text.empty() || text.back() != '*') {
      text += '*';
    }
  }
  return text;
}

std::string LayerOf(absl::string_view scope) {
  std::vector<std::string> parts;
  for (const absl::string_view part : absl::StrSplit(scope, '/')) {
    std::string name = WithoutNumbers(WithoutTransforms(part));
    if (name.empty() || (!parts.empty() && parts.back() == name)) continue;
    parts.push_back(std::move(name));
  }
  return absl::StrJoin(parts, "/");
}

std::string Cut(const std::string& path, int64_t depth) {
  size_t end = std::string::npos;
  for (int64_t i = 0; i < depth; ++i) {
    end = path.find('/', i == 0 ? 0 : end + 1);
    if (end == std::string::npos) break;
  }
  return path.substr(0, end);
}

std::string KeyOf(const Instruction& node, CostKey by, int64_t depth) {
  switch (by) {
    case CostKey::kInstruction:
      return PathOf(node);
    case CostKey::kOpcode:
      return std::string(node.opcode_name());
    case CostKey::kLine:
      return Or(SourceLineOf(node), "(no source)");
    case CostKey::kScope:
      return Or(Cut(ScopeOf(node), depth), "(no op_name)");
    case CostKey::kLayer:
      return Or(Cut(LayerOf(ScopeOf(node)), depth), "(no layer)");
    case CostKey::kComputation:
      return std::string(node.computation().name());
  }
  return "";
}

}  // namespace

absl::string_view Name(CostKey key) {
  return kKeys[static_cast<size_t>(key)].name;
}

std::optional<CostKey> CostKeyFromName(absl::string_view name) {
  for (const NamedKey& row : kKeys) {
    if (row.name == name) return row.key;
  }
  return std::nullopt;
}

std::vector<CostSum> CostSums(const CostReport& report, CostKey by,
                              int64_t depth) {
  struct Both {
    Costs all, on_device;
  };
  std::map<std::string, Both> sums;
  for (const InstructionCost& cost : report.instructions) {
    if (cost.total.operations() + cost.total.bytes == Amount(0)) continue;
    Both& both = sums[KeyOf(cost.instruction, by, depth)];
    both.all += cost.total;
    if (report.is_cut) both.on_device += cost.on_device();
  }
  // Operations, then bytes; a row itself is moved once.
  using Sum = std::pair<const std::string, Both>;
  std::vector<std::pair<std::pair<double, double>, Sum*>> order;
  order.reserve(sums.size());
  for (Sum& sum : sums) {
    order.push_back({{sum.second.all.operations().Estimate(),
                      sum.second.all.bytes.Estimate()},
                     &sum});
  }
  std::stable_sort(
      order.begin(), order.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<CostSum> rows;
  rows.reserve(order.size());
  for (const auto& [rank, sum] : order) {
    rows.push_back({sum->first, std::move(sum->second.all),
                    std::move(sum->second.on_device)});
  }
  return rows;
}

absl::StatusOr<std::map<std::string, std::vector<double>>> BranchWeightsFrom(
    absl::Span<const std::string> texts) {
  std::map<std::string, std::vector<double>> all;
  for (const std::string& item : texts) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(item, absl::MaxSplits('=', 1));
    std::vector<double>& weights = all[parts.first];
    for (const absl::string_view text : absl::StrSplit(parts.second, ':')) {
      double weight;
      if (!absl::SimpleAtod(text, &weight)) {
        return absl::InvalidArgumentError(
            absl::StrCat("'", item,
                         "' isn't a conditional's name and a weight of each "
                         "branch; expected NAME=W:W"));
      }
      weights.push_back(weight);
    }
  }
  return all;
}

}  // namespace indim
