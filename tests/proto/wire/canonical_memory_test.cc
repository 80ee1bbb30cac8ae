// SPDX-License-Identifier: Apache-2.0
// How much memory Canonicalize takes at most: a hostile file may ask for much
// with few bytes, and gets a small multiple of its size. Counts every
// allocation of the process, so it is a test of its own.

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/wire.h"
#include "indim/tests/allocation_counter.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

std::string Repeat(absl::string_view hex, int times) {
  const std::string bytes = absl::HexStringToBytes(hex);
  std::string out;
  for (int i = 0; i < times; i += SampleStep(8)) out += bytes;
  return out;
}

// `bytes` `levels` deep in field `number`.
std::string Nest(uint32_t number, int levels, std::string bytes) {
  for (int i = 0; i < levels; ++i) {
    std::string outer;
    AppendTag(number, WireType::kLengthDelimited, &outer);
    AppendLengthDelimited(bytes, &outer);
    bytes = outer;
  }
  return bytes;
}

TEST(CanonicalMemoryTest, IsInProportionToTheBytes) {
  struct Case {
    const char* what;
    WireMessage message;
    std::string bytes;
  };
  const Case kCases[] = {
      {"empty instructions", WireMessage::kHloComputationProto,
       Repeat("1200", 1000000)},
      {"empty instructions, then a name", WireMessage::kHloComputationProto,
       absl::StrCat(Repeat("1200", 1000000), Repeat("0a0161", 1))},
      {"two fields in turn", WireMessage::kHloComputationProto,
       Repeat("12002801", 500000)},
      {"one submessage in many pieces", WireMessage::kHloComputationProto,
       Repeat("22021200", 500000)},
      {"pieces in pieces", WireMessage::kHloComputationProto,
       Repeat("220612042a022a00", 250000)},
      {"entries of a map", WireMessage::kFrontendAttributes,
       Repeat("0a00", 1000000)},
      {"pieces of a map's value", WireMessage::kHloScheduleProto,
       Nest(1, 1, Repeat("12020801", 500000))},
      {"unpacked numbers", WireMessage::kShapeProto, Repeat("1801", 1000000)},
      {"five bytes for ten", WireMessage::kLiteralProto,
       Nest(4, 1, Repeat("ffffffff0f", 400000))},
      {"unknown fields", WireMessage::kShapeProto, Repeat("0b0c0801", 500000)},
      {"fields in turn, deep down", WireMessage::kShapeProto,
       Nest(4, 90, Repeat("10012200", 500000))},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    absl::StatusOr<std::string> result;
    const size_t used =
        PeakBytesOf([&] { result = Canonicalize(c.message, c.bytes); });
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_LE(used, 18 * c.bytes.size());
  }
}

}  // namespace
}  // namespace indim
