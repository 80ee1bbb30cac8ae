// SPDX-License-Identifier: Apache-2.0
// Fingerprints of changed modules: cosmetic changes keep them, and no two
// changes of meaning have the same. A sample; with INDIM_ALL_CASES a hundred
// cosmetic changes of each module, and 100,000 changes of meaning, or as many
// as INDIM_CHANGES says.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/ir/storage/checksum.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/structure/fingerprint.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/tests/data_files.h"
#include "indim/tests/passes/breakages.h"
#include "indim/tests/passes/cosmetic_changes.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/tests/sample.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

proto::HloModuleProto ParsedModule(const std::string& path) {
  proto::HloModuleProto module;
  const absl::StatusOr<std::string> bytes = ReadFile(path);
  EXPECT_TRUE(bytes.ok() && module.ParseFromString(*bytes)) << path;
  return module;
}

uint64_t SumOf(absl::string_view bytes) {
  Checksum sum;
  sum.Add(bytes);
  return sum.value();
}

TEST(FingerprintChangesTest, CosmeticChangesKeepIt) {
  Random random(53);
  int changed = 0;
  for (const std::string& path : JaxModules()) {
    const proto::HloModuleProto module = ParsedModule(path);
    const std::string value =
        Fingerprint(ReadHloModuleProto(DeterministicBytes(module)).value());
    for (int i = 0; i < 100; i += SampleStep(34)) {
      proto::HloModuleProto other = module;
      ChangeLooks(&random, &other);
      const absl::StatusOr<Module> read =
          ReadHloModuleProto(DeterministicBytes(other));
      ASSERT_TRUE(read.ok()) << path << ": " << read.status();
      ASSERT_EQ(Fingerprint(*read), value) << path << ", change " << i;
      ++changed;
    }
  }
  std::cout << changed << " cosmetic changes\n";
  EXPECT_GT(changed, 50);
}

// What fingerprint.h doesn't count, or counts otherwise.
bool IsOfMeaning(const Breakage& b) {
  for (const char* field :
       {"channel_id", "metadata", "original_value", "statistics_viz"}) {
    if (absl::StartsWith(b.field, field)) return false;
  }
  return true;
}

// A text's pieces between `separator`s, in order.
std::string Sorted(absl::string_view text, absl::string_view separator) {
  std::vector<std::string> pieces = absl::StrSplit(text, separator);
  std::sort(pieces.begin(), pieces.end());
  return absl::StrJoin(pieces, separator);
}

// What a module computes, told without its fingerprint: the text with made-up
// names of what the roots need, whose order follows from that, and all lines
// without names. Computations come in order and have one name, as modules do:
// which of two equal ones is called says nothing.
std::string GraphText(proto::HloModuleProto module) {
  module.set_name("m");
  for (auto& computation : *module.mutable_computations()) {
    computation.set_name("c");
  }
  const auto text_of = [](const proto::HloModuleProto& of) {
    const absl::StatusOr<Module> read =
        ReadHloModuleProto(DeterministicBytes(of));
    const std::string text =
        read.ok() ? PrintHloText(*read, PrintOptions::Canonical())
                  : std::string(read.status().message());
    return Sorted(text, "\n\n");
  };
  std::string nameless;
  bool in_name = false;
  for (const char c : text_of(module)) {
    if (c == '_') in_name = true;
    if (in_name && c != '_' && !absl::ascii_isdigit(c)) in_name = false;
    if (!in_name) nameless.push_back(c);
  }
  for (auto& computation : *module.mutable_computations()) {
    std::set<int64_t> needed = {computation.root_id()};
    for (int i = computation.instructions_size(); i > 0; --i) {
      const auto& node = computation.instructions(i - 1);
      if (needed.count(node.id()) == 0 && node.opcode() != "parameter") {
        computation.mutable_instructions()->DeleteSubrange(i - 1, 1);
        continue;
      }
      needed.insert(node.operand_ids().begin(), node.operand_ids().end());
      needed.insert(node.control_predecessor_ids().begin(),
                    node.control_predecessor_ids().end());
    }
  }
  return absl::StrCat(text_of(module), Sorted(nameless, "\n"));
}

// Calls f with `count` changes of meaning, no two of the same bytes, that can
// be read: small modules, each broken in one place and then in another. Returns
// how many there were.
size_t ForEachChange(
    size_t count,
    const std::function<void(const Module&, const proto::HloModuleProto&)>& f) {
  constexpr size_t kMostBytes = 8000;
  std::vector<proto::HloModuleProto> modules;
  for (const std::string& path : JaxModules()) {
    proto::HloModuleProto module = ParsedModule(path);
    module.clear_schedule();
    if (module.ByteSizeLong() <= kMostBytes) {
      modules.push_back(std::move(module));
    }
  }
  absl::flat_hash_set<uint64_t> seen;
  size_t made = 0;
  // The modules in turn, each once for each breakage of its first place.
  bool any = true;
  for (uint64_t round = 0; made < count && any; ++round) {
    any = false;
    for (const proto::HloModuleProto& module : modules) {
      uint64_t number = 0;
      proto::HloModuleProto first;
      ForEachBreakage(
          module, [&](const Breakage& b, const proto::HloModuleProto& broken) {
            if (number++ == round && IsOfMeaning(b)) first = broken;
          });
      any = any || number > round;
      if (first.computations_size() == 0 || made == count) continue;
      ForEachBreakage(
          first, [&](const Breakage& b, const proto::HloModuleProto& broken) {
            if (made == count || !IsOfMeaning(b)) return;
            const std::string bytes = DeterministicBytes(broken);
            if (!seen.insert(SumOf(bytes)).second) return;
            const absl::StatusOr<Module> read = ReadHloModuleProto(bytes);
            if (!read.ok()) return;
            ++made;
            f(*read, broken);
          });
    }
  }
  return made;
}

TEST(FingerprintChangesTest, ChangesOfMeaningHaveDifferentOnes) {
  const char* const given = std::getenv("INDIM_CHANGES");
  size_t count = 100000 / static_cast<size_t>(SampleStep(50));
  ASSERT_TRUE(given == nullptr || absl::SimpleAtoi(given, &count)) << given;
  // The graph of each value: other bytes may be the same graph all the same, as
  // where an operand takes the place of an equal one.
  absl::flat_hash_map<std::string, uint64_t> graphs;
  size_t collisions = 0;
  const auto check = [&](const Module& module,
                         const proto::HloModuleProto& broken) {
    const std::string text = GraphText(broken);
    const auto [graph, is_new] =
        graphs.emplace(Fingerprint(module), SumOf(text));
    if (is_new || graph->second == SumOf(text)) return;
    if (++collisions <= 5) {
      ADD_FAILURE() << "another graph has the fingerprint of\n" << text;
    }
  };
  const size_t made = ForEachChange(count, check);
  std::cout << made << " changes of meaning, " << graphs.size()
            << " fingerprints, " << collisions << " collisions\n";
  EXPECT_EQ(made, count);
  EXPECT_GT(graphs.size(), made * 9 / 10);
}

}  // namespace
}  // namespace indim
