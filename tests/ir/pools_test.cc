// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/pools.h"

#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/xla_data.pb.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {
namespace {

TEST(PoolsTest, Names) {
  Pools pools;
  EXPECT_EQ(pools.name(NameId()), "");
  EXPECT_EQ(pools.AddName(""), Pools::kNameless);
  EXPECT_EQ(pools.name(Pools::kNameless), "");
  std::string text = "x";
  const NameId x = pools.AddName(text);
  text = "y";
  EXPECT_EQ(pools.name(x), "x");
  EXPECT_NE(pools.AddName("x"), x);
  EXPECT_EQ(pools.KeepBytes("short"), "short");
  const std::string large(5000, 'l');
  EXPECT_EQ(pools.KeepBytes(large), large);
}

// Names are found whether they stand in the source as a field does, or not.
TEST(PoolsTest, NamesInTheSource) {
  for (const size_t size : {1, 2, 126, 127, 128, 300, 16383, 16384, 20000}) {
    SCOPED_TRACE(size);
    const std::string name(size, 'n');
    std::string file = "head";
    AppendVarint(name.size(), &file);
    const size_t at = file.size();
    file += name + "tail";
    auto owner = std::make_shared<const std::string>(std::move(file));
    std::unique_ptr<Pools> copy;
    NameId whole, part, start, elsewhere;
    {
      Pools pools;
      pools.KeepAlive(owner);
      pools.SetSource(*owner);
      const absl::string_view source = *owner;
      whole = pools.AddNameView(source.substr(at, size));
      // Other bytes than its length are before it.
      part = pools.AddNameView(source.substr(at + size, 4));
      start = pools.AddNameView(source.substr(0, 4));
      elsewhere = pools.AddName(name);
      EXPECT_EQ(pools.name(whole).data(), source.data() + at);
      EXPECT_EQ(pools.AddNameView(source.substr(at, 0)), Pools::kNameless);
      copy = std::make_unique<Pools>(pools);
    }
    EXPECT_EQ(copy->name(whole), name);
    EXPECT_EQ(copy->name(part), "tail");
    EXPECT_EQ(copy->name(start), "head");
    EXPECT_EQ(copy->name(elsewhere), name);
  }
}

TEST(PoolsTest, EqualAttributeBytesHaveOneId) {
  Pools pools;
  EXPECT_EQ(pools.AddAttributeBytes({}), AttributeBytesId());
  EXPECT_TRUE(pools.attribute_bytes(AttributeBytesId()).empty());
  const AttributeBytesId a = pools.AddAttributeBytes({"a", "", ""});
  EXPECT_EQ(pools.AddAttributeBytes({"a", "", ""}), a);
  const auto never = [] { return false; };
  EXPECT_EQ(pools.AddAttributeBytesView({"a", "", ""}, never), a);
  // The runs count, not only the bytes.
  EXPECT_NE(pools.AddAttributeBytes({"", "a", ""}), a);
  EXPECT_NE(pools.AddAttributeBytes({"", "", "a"}), a);
  EXPECT_EQ(pools.AddAttributeBytesView({"b", "", ""}, never),
            AttributeBytesId());
  EXPECT_NE(pools.AddAttributeBytesView({"b", "", ""}), AttributeBytesId());
  EXPECT_EQ(pools.attribute_bytes(a).before_id, "a");
}

TEST(PoolsTest, LongAttributesAreNotCompared) {
  Pools pools;
  const std::string large(Pools::kManyAttributeBytes + 1, 'x');
  const AttributeBytesId a = pools.AddAttributeBytesView({large, "", ""});
  EXPECT_NE(pools.AddAttributeBytesView({large, "", ""}), a);
  EXPECT_EQ(pools.AddAttributeBytesView({large, "", ""}, [] { return false; }),
            AttributeBytesId());
  EXPECT_EQ(pools.attribute_bytes(a).before_id.data(), large.data());
  const AttributeBytesId copied = pools.AddAttributeBytes({large, "", ""});
  EXPECT_NE(pools.attribute_bytes(copied).before_id.data(), large.data());
  EXPECT_EQ(pools.attribute_bytes(copied).before_id, large);
}

TEST(PoolsTest, DecodesAttributesByOpcode) {
  Pools pools;
  const AttributeBytesId attribute_bytes = pools.AddAttributeBytes(
      EncodeAttributes(Opcode::kTranspose, DimensionsAttributes{{1, 0}})
          .view());
  const Attributes& transpose =
      pools.attributes(Opcode::kTranspose, attribute_bytes);
  EXPECT_EQ(As<DimensionsAttributes>(transpose).dimensions, DimIndices({1, 0}));
  EXPECT_EQ(&pools.attributes(Opcode::kTranspose, attribute_bytes), &transpose);
  // The same bytes are something else to a sort.
  EXPECT_EQ(As<SortAttributes>(pools.attributes(Opcode::kSort, attribute_bytes))
                .dimensions,
            DimIndices({1, 0}));
  EXPECT_EQ(&pools.attributes(Opcode::kTranspose, attribute_bytes), &transpose);
  const Attributes& empty =
      pools.attributes(Opcode::kTranspose, AttributeBytesId());
  EXPECT_TRUE(As<DimensionsAttributes>(empty).dimensions.empty());
}

// What two opcodes read in one way is kept once; an error names its opcode.
TEST(PoolsTest, DecodedByForm) {
  Pools pools;
  const AttributeBytesId attribute_bytes = pools.AddAttributeBytes(
      EncodeAttributes(Opcode::kTranspose, DimensionsAttributes{{1, 0}})
          .view());
  EXPECT_EQ(&pools.attributes(Opcode::kTranspose, attribute_bytes),
            &pools.attributes(Opcode::kReverse, attribute_bytes));
  EXPECT_NE(&pools.attributes(Opcode::kDot, attribute_bytes),
            &pools.attributes(Opcode::kRaggedDot, attribute_bytes));
  EXPECT_TRUE(std::holds_alternative<NoAttributes>(
      pools.attributes(Opcode::kTuple, attribute_bytes)));
  // Fields 20 and 14: in the wrong order.
  const AttributeBytesId wrong =
      pools.AddAttributeBytes({"\xa2\x01\x01\x01\x72\x01\x01", "", ""});
  for (const Opcode opcode : {Opcode::kTranspose, Opcode::kReverse,
                              Opcode::kAdd, Opcode::kTranspose}) {
    const absl::Status& status = pools.attributes_status(opcode, wrong);
    EXPECT_EQ(status,
              DecodeAttributes(opcode, pools.attribute_bytes(wrong)).status());
    EXPECT_EQ(status.message().substr(0, Name(opcode).size()), Name(opcode));
  }
  EXPECT_TRUE(pools.attributes_status(Opcode::kTuple, wrong).ok());
}

TEST(PoolsTest, DecodingIsSafeFromManyThreads) {
  Pools pools;
  std::vector<AttributeBytesId> ids;
  for (int i = 0; i < 100; ++i) {
    ids.push_back(pools.AddAttributeBytes(
        EncodeAttributes(Opcode::kReverse, DimensionsAttributes{{i, i + 1}})
            .view()));
  }
  const Pools& shared = pools;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const DimIndices want = {i, i + 1};
        const AttributeBytesId attribute_bytes = ids[static_cast<size_t>(i)];
        wrong[t] += As<DimensionsAttributes>(
                        shared.attributes(Opcode::kReverse, attribute_bytes))
                        .dimensions != want;
        wrong[t] += As<SortAttributes>(
                        shared.attributes(Opcode::kSort, attribute_bytes))
                        .dimensions != want;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(PoolsTest, Metadata) {
  Pools pools;
  EXPECT_EQ(pools.metadata(MetadataId()), "");
  const MetadataId empty = pools.AddMetadata("");
  EXPECT_NE(empty, MetadataId());
  EXPECT_EQ(pools.AddMetadata(""), empty);
  const MetadataId a = pools.AddMetadata("\x0a\x01x");
  EXPECT_EQ(pools.AddMetadata("\x0a\x01x"), a);
  const auto never = [] { return false; };
  EXPECT_EQ(pools.AddMetadataView("\x0a\x01x", never), a);
  EXPECT_EQ(pools.AddMetadataView("\x0a\x01y", never), MetadataId());
  const MetadataId y = pools.AddMetadataView("\x0a\x01y", [] { return true; });
  EXPECT_EQ(pools.AddMetadataView("\x0a\x01y", never), y);
  EXPECT_EQ(pools.AddMetadata("\x0a\x01y"), y);
}

TEST(PoolsTest, CopiesKeepIdsAndGrowApart) {
  auto pools = std::make_unique<Pools>();
  const NameId x = pools->AddName("x");
  const AttributeBytesId attribute_bytes = pools->AddAttributeBytes(
      EncodeAttributes(Opcode::kReverse, DimensionsAttributes{{3}}).view());
  pools->attributes(Opcode::kReverse, attribute_bytes);
  const MetadataId metadata = pools->AddMetadata("\x0a\x01x");
  const ShapeId shape = pools->shapes().Intern(*ParseShape("f32[7]"));
  Pools copy(*pools);
  const NameId y = pools->AddName("y");
  const NameId z = copy.AddName("z");
  EXPECT_EQ(y, z);
  EXPECT_EQ(pools->name(y), "y");
  EXPECT_EQ(copy.name(z), "z");
  pools.reset();
  EXPECT_EQ(copy.name(x), "x");
  EXPECT_EQ(copy.AddMetadata("\x0a\x01x"), metadata);
  EXPECT_EQ(copy.shapes().shape(shape), *ParseShape("f32[7]"));
  EXPECT_EQ(copy.AddAttributeBytes(copy.attribute_bytes(attribute_bytes)),
            attribute_bytes);
  EXPECT_EQ(As<DimensionsAttributes>(
                copy.attributes(Opcode::kReverse, attribute_bytes))
                .dimensions,
            DimIndices({3}));
}

}  // namespace
}  // namespace indim
