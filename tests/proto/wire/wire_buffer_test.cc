// SPDX-License-Identifier: Apache-2.0
// Messages in messages, whose lengths are guessed well or badly.

#include "indim/proto/wire/wire_buffer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "indim/proto/wire/wire.h"

namespace indim {
namespace {

std::string Message(uint32_t number, const std::string& bytes) {
  std::string result;
  AppendTag(number, WireType::kLengthDelimited, &result);
  AppendLengthDelimited(bytes, &result);
  return result;
}

// Writes a random message and returns what it must be.
class RandomMessage {
 public:
  RandomMessage(uint32_t seed, WireBuffer* out) : random_(seed), out_(*out) {}

  std::string Write(int depth) {
    std::string expected;
    const int fields = static_cast<int>(random_() % 5);
    for (int i = 0; i < fields; ++i) {
      if (depth > 0 && random_() % 2 == 0) {
        const uint64_t guesses[] = {0, 100, 1000, 100000, uint64_t{1} << 40};
        const WireBuffer::Message message =
            out_.Begin(3, guesses[random_() % 5]);
        const std::string inner = Write(depth - 1);
        out_.End(message);
        expected += Message(3, inner);
      } else {
        const size_t sizes[] = {0, 1, 126, 127, 128, 5000, 16384, 70000};
        const std::string text(sizes[random_() % 8], 'x');
        wire_field::Message(2, text, &out_);
        expected += Message(2, text);
      }
    }
    return expected;
  }

 private:
  std::mt19937 random_;
  WireBuffer& out_;
};

TEST(WireBufferTest, LengthsAreRightWhateverWasGuessed) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::string bytes;
    WireBuffer buffer(&bytes);
    buffer.Expect(seed % 7);
    const std::string expected = RandomMessage(seed, &buffer).Write(4);
    EXPECT_EQ(buffer.size(), expected.size());
    buffer.Finish();
    EXPECT_TRUE(bytes == expected);
    EXPECT_FALSE(buffer.over_limit());

    WireBuffer counter(nullptr);
    RandomMessage(seed, &counter).Write(4);
    counter.Finish();
    EXPECT_EQ(counter.size(), expected.size());

    // In two passes: the bytes are right at once.
    std::string pieces;
    WireBuffer sink(
        [&pieces](absl::string_view piece) {
          pieces.append(piece.data(), piece.size());
          return absl::OkStatus();
        },
        counter.TakeLengths());
    RandomMessage(seed, &sink).Write(4);
    sink.Finish();
    EXPECT_EQ(sink.size(), expected.size());
    EXPECT_TRUE(pieces == expected);
    EXPECT_TRUE(sink.status().ok()) << sink.status();
  }
}

TEST(WireBufferTest, AfterAnErrorTheSinkGetsNothing) {
  for (const size_t piece : {100, 100000}) {
    int calls = 0;
    WireBuffer sink(
        [&calls](absl::string_view) {
          ++calls;
          return absl::ResourceExhaustedError("full");
        },
        {});
    for (int i = 0; i < 10000; ++i) sink.Raw(std::string(piece, 'x'));
    sink.Finish();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(sink.status().message(), "full");
  }
}

TEST(WireBufferTest, OtherMessagesThanWereCounted) {
  for (const int messages : {1, 2}) {
    for (const absl::string_view text : {"", "x"}) {
      WireBuffer sink([](absl::string_view) { return absl::OkStatus(); }, {0});
      for (int i = 0; i < messages; ++i) {
        const WireBuffer::Message message = sink.Begin(1, 0);
        sink.Raw(text);
        sink.End(message);
      }
      sink.Finish();
      EXPECT_EQ(sink.status().ok(), messages == 1 && text.empty());
    }
  }
}

TEST(WireBufferTest, KeepsNothingOverItsLimit) {
  for (const size_t piece : {1000, 100000}) {
    std::string bytes;
    WireBuffer buffer(&bytes);
    buffer.set_limit(1000000);
    const WireBuffer::Message message = buffer.Begin(1, 0);
    const std::string text(piece, 'x');
    for (size_t size = 0; size < 2000000; size += piece) buffer.Raw(text);
    buffer.End(message);
    buffer.Finish();
    EXPECT_TRUE(buffer.over_limit());
    EXPECT_EQ(buffer.size(), 2000000 + 1 + VarintSize(2000000));
    EXPECT_TRUE(bytes.empty());
  }
}

}  // namespace
}  // namespace indim
