#include "indim/ir/recent.h"

#include <deque>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/ir/ids.h"
#include "indim/shape/opcode.h"
#include "indim/tests/ir/wire_oracle.h"

namespace indim {
namespace {

// Whatever is found is what was put last for the same bytes; what was put just
// now is found.
TEST(RecentTest, StringsOfAllSizes) {
  Random random(3);
  std::deque<std::string> kept;
  std::map<std::string, uint32_t> ids;
  Recent<absl::string_view, ShapeId> recent;
  int found = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 24, 'a');
    for (char& c : bytes) c = static_cast<char>('a' + random() % 2);
    const ShapeId id = recent.Find(bytes);
    if (id) {
      ++found;
      EXPECT_EQ(id.value, ids[bytes]) << bytes;
    }
    if (i % 2 == 0) continue;
    kept.push_back(bytes);
    ids[bytes] = static_cast<uint32_t>(i);
    recent.Put(kept.back(), ShapeId{static_cast<uint32_t>(i)});
    EXPECT_EQ(recent.Find(bytes).value, static_cast<uint32_t>(i));
  }
  EXPECT_GT(found, 1000);
}

TEST(RecentTest, NothingIsFoundAtFirst) {
  const Recent<absl::string_view, MetadataId> metadata;
  EXPECT_EQ(metadata.Find(""), MetadataId());
  EXPECT_EQ(metadata.Find("x"), MetadataId());
  const Recent<absl::string_view, Opcode> opcodes;
  EXPECT_EQ(opcodes.Find(""), Opcode::kInvalid);
  EXPECT_EQ(opcodes.Find("add"), Opcode::kInvalid);
  const Recent<BlobView, BlobId> blobs;
  EXPECT_EQ(blobs.Find(BlobView()), BlobId());
}

// Runs count, not only bytes.
TEST(RecentTest, Blobs) {
  const BlobView all[] = {{"a", "", ""},   {"", "a", ""},   {"", "", "a"},
                          {"a", "b", ""},  {"a", "", "b"},  {"ab", "", ""},
                          {"a", "b", "c"}, {"c", "b", "a"}, {"", "", ""}};
  for (const BlobView& put : all) {
    Recent<BlobView, BlobId> recent;
    recent.Put(put, BlobId{7});
    for (const BlobView& other : all) {
      EXPECT_EQ(recent.Find(other), &put == &other ? BlobId{7} : BlobId());
    }
  }
}

}  // namespace
}  // namespace indim
