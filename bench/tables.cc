// SPDX-License-Identifier: Apache-2.0
#include "indim/bench/tables.h"

#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "indim/bench/steps.h"

namespace indim::bench {
namespace {

using Times = std::map<std::string, double>;

// Splits "step/graph".
std::pair<std::string, std::string> Split(const std::string& row) {
  const size_t slash = row.find('/');
  if (slash == std::string::npos) return {row, ""};
  return {row.substr(0, slash), row.substr(slash + 1)};
}

// The row of kManyOps beside a row of kOps; "" beside others.
std::string Grown(absl::string_view row) {
  return absl::ConsumeSuffix(&row, absl::StrCat("/", kOps))
             ? absl::StrCat(row, "/", kManyOps)
             : "";
}

void PrintRow(const std::string& name, double ns, const std::string& other,
              const Times& times) {
  auto it = times.find(other);
  if (it == times.end()) {
    std::printf("| %-44s | %9.1f | %-34s | %9s | %7s |\n", name.c_str(), ns,
                other.c_str(), "not here", "");
  } else {
    std::printf("| %-44s | %9.1f | %-34s | %9.1f | %6.1fx |\n", name.c_str(),
                ns, other.c_str(), it->second, it->second / ns);
  }
}

// The peers of a row: XLA if it has the step, MLIR for recording, protobuf
// alone for reading, reading as text for edits, jaxlib for StableHLO.
std::vector<std::string> PeersOf(absl::string_view name) {
  std::vector<std::string> peers;
  if (absl::StartsWith(name, "mlir-") || absl::StartsWith(name, "artifact-")) {
    return {absl::StrCat("jaxlib/", name)};
  }
  if (absl::StartsWith(name, "edit-")) {
    return {absl::StrCat("parse-text", name.substr(name.find('/')))};
  }
  if (absl::StartsWith(name, "import") || absl::StartsWith(name, "infer") ||
      absl::StartsWith(name, "verify")) {
    absl::string_view graph = name;
    graph.remove_prefix(graph.find('/') + 1);
    peers.push_back(absl::StrCat("protobuf-parse/", graph));
  }
  if (name == "record/same/100000" || name == "record/indim/100000") {
    peers.push_back("mlir/record/same-given/100000");
    peers.push_back("mlir/record/same-inferred/100000");
  }
  // XLA infers while it creates a graph, and doesn't verify its builder's
  // result.
  if (!absl::StartsWith(name, "protobuf-parse") &&
      !absl::StartsWith(name, "infer")) {
    std::string step(name);
    absl::StrReplaceAll({{"build+verify+write", "build+write"},
                         // The depths that XLA survives (peers/xla_peer.cc).
                         {absl::StrCat("deep-calls/", kOps),
                          absl::StrCat("deep-calls/", kOps / 100)}},
                        &step);
    peers.push_back(absl::StrCat("xla/", step));
  }
  return peers;
}

// The row to compare with if the peer lacks one: without verification if it
// refuses the module.
std::string OrElse(const std::string& peer, const Times& times) {
  absl::string_view graph = peer;
  if (times.count(peer) == 0 &&
      absl::ConsumePrefix(&graph, "xla/import+infer+verify/")) {
    const std::string import = absl::StrCat("xla/import/", graph);
    if (times.count(import) != 0) return import;
  }
  return peer;
}

}  // namespace

Tables::Tables(const Rows& ours, const Times& peers)
    : ours_(ours), all_(peers) {
  for (const auto& [name, row] : ours) all_.emplace(name, row.ns);
}

void Tables::PrintAll() const {
  std::printf("\n| %-44s | %9s | %-34s | %9s | %7s |\n", "step", "ns",
              "compared with", "ns", "ratio");
  std::printf("|---|---|---|---|---|\n");
  for (const auto& [name, row] : ours_) {
    // Rows of --scale have their own table.
    if (absl::EndsWith(name, absl::StrCat("/", kManyOps))) continue;
    const bool grows = ours_.count(Grown(name)) != 0;
    for (const std::string& peer : PeersOf(name)) {
      const std::string other = OrElse(peer, all_);
      if (!grows || all_.count(other) != 0) PrintRow(name, row.ns, other, all_);
    }
  }
}

void Tables::Sum::Add(const std::string& module, double count, double ns,
                      double peer) {
  const double ratio = peer / ns;
  if (modules == 0 || ratio < least) {
    least = ratio;
    least_name = module;
  }
  if (modules == 0 || ratio > most) {
    most = ratio;
    most_name = module;
  }
  ++modules;
  items += count;
  ours += count * ns;
  peers += count * peer;
}

void Tables::PrintTogether(const std::set<std::string>& modules) const {
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const auto& [name, row] : ours_) {
    const auto [step, graph] = Split(name);
    if (modules.count(graph) == 0) continue;
    for (const std::string& peer : PeersOf(name)) {
      const auto found = all_.find(peer);
      if (found == all_.end()) continue;
      const std::string peer_step = peer.substr(0, peer.size() - graph.size());
      sums[{step, peer_step}].Add(graph, row.items, row.ns, found->second);
    }
  }
  std::printf("\n| %-20s | %-25s | %7s | %9s | %9s | %8s | %s | %s |\n",
              "modules together", "compared with", "modules", "ns", "ns",
              "ratio", "least", "most");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const auto& [steps, sum] : sums) {
    std::printf(
        "| %-20s | %-25s | %7d | %9.1f | %9.1f | %7.1fx | %.1fx %s | %.1fx %s "
        "|\n",
        steps.first.c_str(), steps.second.c_str(), sum.modules,
        sum.ours / sum.items, sum.peers / sum.items, sum.peers / sum.ours,
        sum.least, sum.least_name.c_str(), sum.most, sum.most_name.c_str());
  }
}

void Tables::PrintScale() const {
  std::printf("\n| %-44s | %9s | %9s | %7s |\n|---|---|---|---|\n",
              "ns per op, by number of ops", absl::StrCat(kOps).c_str(),
              absl::StrCat(kManyOps).c_str(), "ratio");
  for (const auto& [name, row] : ours_) {
    const auto grown = ours_.find(Grown(name));
    if (grown == ours_.end()) continue;
    std::printf("| %-44s | %9.1f | %9.1f | %6.2fx |\n",
                name.substr(0, name.rfind('/')).c_str(), row.ns,
                grown->second.ns, grown->second.ns / row.ns);
  }
}

}  // namespace indim::bench
