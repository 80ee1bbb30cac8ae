// SPDX-License-Identifier: Apache-2.0
// In post-order the bytes of a graph are the same whatever compiler built the
// program: .ci/run asks this with clang and with g++.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/checksum.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/example_graphs.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

std::string ChecksumOf(const absl::StatusOr<std::string>& bytes) {
  if (!bytes.ok()) return std::string(bytes.status().message());
  Checksum sum;
  sum.Add(*bytes);
  return absl::StrCat(absl::Hex(sum.value(), absl::kZeroPad16));
}

// Of the recorded bytes and of those for XLA.
struct Sums {
  const char* recorded;
  const char* exported;
};

TEST(ExampleBytesTest, AreTheSameForEveryCompiler) {
  const std::map<std::string, Sums> expected = {
      {"affine", {"dc02018391643db4", "4d73002b352abcf8"}},
      {"softmax", {"9080bc0dcb7acb6d", "388a7c53a2c5135f"}},
      {"train_step", {"a1e517f8ad4022d1", "756bc1597d083168"}},
  };
  BuildOptions options;
  options.order = BuildOptions::Order::kPostOrder;
  size_t compared = 0;
  for (const ExampleGraph& graph : ExampleGraphs(options)) {
    SCOPED_TRACE(graph.name);
    ASSERT_TRUE(graph.module.ok()) << graph.module.status();
    const auto sums = expected.find(graph.name);
    ASSERT_NE(sums, expected.end());
    // Where a change was meant, the new sums are those of both compilers.
    EXPECT_EQ(ChecksumOf(SerializeModule(*graph.module)), sums->second.recorded)
        << PrintHloText(*graph.module);
    EXPECT_EQ(ChecksumOf(ExportHloModuleProto(*graph.module)),
              sums->second.exported);
    ++compared;
  }
  EXPECT_EQ(compared, expected.size());
}

}  // namespace
}  // namespace indim
