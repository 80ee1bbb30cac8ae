// SPDX-License-Identifier: Apache-2.0
// Fingerprints of changed modules: cosmetic changes keep them, and no two
// changes of meaning have the same. A sample; with INDIM_ALL_CASES a hundred
// cosmetic changes of each module, and a million changes of meaning.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
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

// Calls f with `count` changes of meaning, no two of the same bytes, that can
// be read.
void ForEachChange(size_t count,
                   const std::function<void(const Module&, uint64_t)>& f) {
  constexpr int64_t kMostBytes = 40000;
  std::vector<proto::HloModuleProto> modules;
  for (const std::string& path : JaxModules()) {
    proto::HloModuleProto module = ParsedModule(path);
    if (static_cast<int64_t>(module.ByteSizeLong()) <= kMostBytes) {
      modules.push_back(std::move(module));
    }
  }
  ASSERT_GT(modules.size(), 10u);
  absl::flat_hash_set<uint64_t> seen;
  size_t made = 0;
  for (uint64_t seed = kBreakageSeed; made < count; ++seed) {
    const size_t before = made;
    for (const proto::HloModuleProto& module : modules) {
      ForEachBreakage(
          module,
          [&](const Breakage& b, const proto::HloModuleProto& broken) {
            if (made == count || !IsOfMeaning(b)) return;
            const std::string bytes = DeterministicBytes(broken);
            const uint64_t sum = SumOf(bytes);
            if (!seen.insert(sum).second) return;
            const absl::StatusOr<Module> read = ReadHloModuleProto(bytes);
            if (!read.ok()) return;
            ++made;
            f(*read, sum);
          },
          seed);
    }
    ASSERT_GT(made, before) << "all changes that there are: " << made;
  }
}

TEST(FingerprintChangesTest, ChangesOfMeaningHaveDifferentOnes) {
  const size_t count = 1000000 / static_cast<size_t>(SampleStep(250));
  absl::flat_hash_set<std::string> values, twice;
  ForEachChange(count, [&](const Module& module, uint64_t) {
    std::string value = Fingerprint(module);
    if (values.contains(value)) {
      twice.insert(std::move(value));
    } else {
      values.insert(std::move(value));
    }
  });
  // Other bytes may be the same graph all the same: an operand in the place of
  // an equal one. Then the texts with made-up names are equal, too.
  std::map<std::string, std::set<std::string>> texts;
  ForEachChange(twice.empty() ? 0 : count, [&](const Module& module, uint64_t) {
    const std::string value = Fingerprint(module);
    if (!twice.contains(value)) return;
    texts[value].insert(PrintHloText(module, PrintOptions::Canonical()));
  });
  size_t collisions = 0;
  for (const auto& [value, different] : texts) {
    if (different.size() == 1) continue;
    if (++collisions > 5) continue;
    ADD_FAILURE() << value << " is the fingerprint of\n"
                  << *different.begin() << "\nand of\n"
                  << *different.rbegin();
  }
  EXPECT_EQ(collisions, 0u);
  std::cout << count << " changes of meaning, " << values.size()
            << " fingerprints; of " << twice.size()
            << " that several have, each stands for one graph but "
            << collisions << "\n";
  EXPECT_GT(values.size(), count * 9 / 10);
}

}  // namespace
}  // namespace indim
