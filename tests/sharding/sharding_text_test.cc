// SPDX-License-Identifier: Apache-2.0
// Shardings and replica groups. What they should be was asked of XLA (jaxlib
// 0.10.2); where XLA aborts or takes what it can't mean, of its rules.

#include "indim/sharding/text/sharding_text.h"

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"
#include "indim/sharding/sharding.h"

namespace indim {
namespace {

struct DeviceAnswer {
  bool ok = false;
  std::string wire;
  std::string error;
};

DeviceAnswer ReadShardingText(absl::string_view text) {
  TextErrors errors;
  Lexer lexer(text, &errors);
  DeviceAnswer answer;
  answer.ok =
      ReadSharding(&lexer, &answer.wire) && lexer.token() == Token::kEnd;
  if (!errors.empty()) answer.error = errors.errors()[0].message;
  return answer;
}

DeviceAnswer ReadGroups(absl::string_view text, std::string* printed) {
  TextErrors errors;
  Lexer lexer(text, &errors);
  FieldList fields(WireMessage::kHloInstructionProto);
  DeviceAnswer answer;
  answer.ok =
      ReadReplicaGroups(&lexer, &fields) && lexer.token() == Token::kEnd;
  answer.wire = fields.Serialize();
  *printed = ReplicaGroupsText(fields);
  if (!errors.empty()) answer.error = errors.errors()[0].message;
  return answer;
}

// A value has all that its bytes say.
void ExpectSameBytes(absl::string_view wire) {
  std::vector<absl::string_view> parts = {wire};
  if (const auto of_tuple = TupleParts(wire)) parts = *of_tuple;
  for (const absl::string_view part : parts) {
    EXPECT_EQ(SerializeSharding(ParseSharding(part)), part)
        << absl::BytesToHexString(part);
  }
}

TEST(DeviceText, ShardingsAreReadAndPrintedAsXlaDoes) {
  struct Case {
    const char* text;
    const char* printed;  // null: as it stands
    const char* wire;
  };
  const Case kCases[] = {
      {"{replicated}", nullptr, ""},
      {"{manual}", nullptr, "0804"},
      {"{unknown}", nullptr, "0805"},
      {"{unreduced}", nullptr, "0806"},
      {"{}", nullptr, "0802"},
      {"{maximal device=2}", nullptr, "0801220102"},
      {"{maximal device=-1}", nullptr, "0801220affffffffffffffffff01"},
      {"{maximal devices=[1]5}", "{maximal device=5}", "0801220105"},
      {"{devices=[2,2]0,1,2,3}", nullptr, "08031a020202220400010203"},
      {"{devices=[2,2]<=[4]}", nullptr, "08031a0202024a0104520100"},
      // Neighbours are joined: the formula has one form.
      {"{devices=[4,2]<=[2,2,2]T(2,0,1)}", "{devices=[4,2]<=[4,2]T(1,0)}",
       "08031a0204024a02040252020100"},
      {"{devices=[1099511627776,1024]<=[1099511627776,1024]T(1,0)}", nullptr,
       "08031a0880808080802080084a08808080808020800852020100"},
      {"{devices=[2,1,2]<=[4] last_tile_dim_replicate}", nullptr,
       "08031a0302010230014a0104520100"},
      // Copies are in the order of their devices.
      {"{devices=[2,2]2,0,3,1 last_tile_dim_replicate}",
       "{devices=[2,2]0,2,1,3 last_tile_dim_replicate}",
       "08031a0202022204000201033001"},
      {"{devices=[4,6]<=[8,3]T(1,0) last_tile_dim_replicate}",
       "{devices=[4,6]0,3,6,9,12,15,1,4,7,10,18,21,2,5,13,16,19,22,8,11,14,17,"
       "20,23 last_tile_dim_replicate}",
       "08031a0204062218000306090c0f0104070a121502050d101316080b0e1114173001"},
      // Subgroups have an order, and no sizes of 1.
      {"{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}", nullptr,
       "08031a03020202420204004a0108520100"},
      {"{devices=[2,2,2]<=[8] last_tile_dims={replicated, manual}}",
       "{devices=[2,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual, replicated}}",
       "08031a03020202420204004a030202025203000201"},
      {"{devices=[3,2,4]<=[4,6]T(1,0) last_tile_dims={replicated, manual}}",
       "{devices=[3,4,2]<=[4,3,2]T(1,0,2) last_tile_dims={manual, replicated}}",
       "08031a03030402420204004a030403025203010002"},
      {"{devices=[2,2,2]0,1,2,3,4,5,6,7 last_tile_dims={replicated, manual}}",
       "{devices=[2,2,2]0,2,1,3,4,6,5,7 last_tile_dims={manual, replicated}}",
       "08031a030202022208000201030406050742020400"},
      {"{devices=[2,2,1]<=[4] last_tile_dims={unreduced}}",
       "{devices=[2,2]<=[4]}", "08031a0202024a0104520100"},
      {"{devices=[1,2,2]<=[4] last_tile_dims={replicated, replicated}}",
       "{replicated}", ""},
      {"{devices=[8]<=[8] last_tile_dims={manual}}", "{manual}", "0804"},
      // Nothing moves but a dim of size 1: a formula stays one.
      {"{devices=[1,6,5,2,1]<=[6,5,2]T(1,2,0) last_tile_dim_replicate}",
       "{devices=[1,6,5,2]<=[6,10]T(1,0)}", "08031a04010605024a02060a52020100"},
      {"{devices=[2,2]<=[4] shard_as 7}", nullptr,
       "08031a0202024a010452010058016007"},
      {"{shard_like 3 replicated}", "{replicated shard_like 3}",
       "580160036801"},
      {"{replicated manual}", "{replicated}", ""},
      {"{devices=[2,2]<=[4] metadata={op_name=\"x\"}}", nullptr,
       "08031a0202023a031201784a0104520100"},
      {"{devices=[2,2]<=[4] metadata={{op_name=\"x\"}, {op_type=\"y\"}}}",
       nullptr, "08031a0202023a031201783a030a01794a0104520100"},
      {"{{replicated}, {devices=[2]<=[2]}}", nullptr,
       "08022a002a0b08031a01024a0102520100"},
      {"{{manual}, {manual}, {manual}, {manual}, {manual}, "
       "/*index=5*/{manual}}",
       nullptr, "08022a0208042a0208042a0208042a0208042a0208042a020804"},
      // What XLA prints of its proto, though not of its text.
      {"{devices=[1,1]<=[1]}", "{replicated}", "08031a0201014a0101520100"},
  };
  for (const Case& c : kCases) {
    const DeviceAnswer answer = ReadShardingText(c.text);
    EXPECT_TRUE(answer.ok) << c.text << ": " << answer.error;
    EXPECT_EQ(absl::BytesToHexString(answer.wire), c.wire) << c.text;
    EXPECT_EQ(ShardingText(answer.wire, true), c.printed ? c.printed : c.text);
    ExpectSameBytes(answer.wire);
  }
}

TEST(DeviceText, NamedShardingsAreReadAndPrintedAsXlaDoes) {
  struct Case {
    const char* text;
    const char* printed;  // null: as it stands
    const char* wire;
  };
  const Case kCases[] = {
      {"{mesh['a'=2,'b'=4], [{'a'}, {'b':(1)2, ?}], manual={'b':(2)2}}",
       nullptr,
       "722c120e0a050a016110020a050a016210041a040a0010011a0a0a0808011204080110"
       "023a080801120408021002"},
      {"{mesh['a'=2,'b'=4], device_ids=(7,6,5,4,3,2,1,0), [{'a'}, {?}], "
       "replicated={'b'}}",
       nullptr,
       "722612180a050a016110020a050a01621004120807060504030201001a040a0010011a"
       "0022020801"},
      {"{mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)), [{'a'}, {?}], "
       "unreduced={'b'}}",
       nullptr,
       "722612180a050a016110020a050a016210041a080a020402120201001a040a0010011a"
       "002a020801"},
      {"{mesh['a'=2], device_ids=([2]), [{'0'}]}", "{mesh['a'=2], [{'a'}]}",
       "720f12070a050a016110021a040a001001"},
      {"{maximal_mesh[device_id=3]}", nullptr, "72051203120103"},
      {"{single_device[device_id=3]}", "{maximal_mesh[device_id=3]}",
       "72051203120103"},
      {"{mesh['a'=2], []}", "{mesh['a'=2], replicated}",
       "720912070a050a01611002"},
      {"{mesh['a'=2], replicated}", nullptr, "720912070a050a01611002"},
      {"{mesh['a'=2], manual}", nullptr, "720b12070a050a016110023a00"},
      {"{mesh['a'=2], unreduced}", nullptr, "720b12070a050a016110022a00"},
      {"{mesh[], []}", "{mesh[], replicated}", "72021200"},
      {"{mesh['a'=1,'b'=2], [], manual={'b'}}", "{mesh['a'=1,'b'=2], manual}",
       "7214120e0a050a016110010a050a016210023a020801"},
      {"{mesh['a'=1,'b'=2], [], manual={'a'}}", nullptr,
       "7212120e0a050a016110010a050a016210023a00"},
      {"{mesh['a'=2], [{}], replicated={'a'}, "
       "metadata={{op_name=\"x\"}, {op_name=\"y\"}}}",
       nullptr, "721912070a050a016110021a021001220032031201783203120179"},
      {"{{mesh['a'=2], [{'a'}]}, {replicated}}", nullptr,
       "08022a11720f12070a050a016110021a040a0010012a00"},
      // Newer than 0.10.2.
      {"{mesh['a'=2], unreduced=max}", nullptr,
       "720d12070a050a016110022a004001"},
      {"{mesh['a'=2,'b'=2], [{'a'}], unreduced=min{'b'}}", nullptr,
       "721c12"
       "0e0a050a016110020a050a016210021a040a0010012a0208014002"},
      // XLA doesn't escape, and can't read what it prints then.
      {"{mesh['a\\'b'=2], [{\"a'b\"}]}", "{mesh['a\\'b'=2], [{'a\\'b'}]}",
       "721112090a070a0361276210021a040a001001"},
  };
  for (const Case& c : kCases) {
    const DeviceAnswer answer = ReadShardingText(c.text);
    EXPECT_TRUE(answer.ok) << c.text << ": " << answer.error;
    EXPECT_EQ(absl::BytesToHexString(answer.wire), c.wire) << c.text;
    EXPECT_EQ(ShardingText(answer.wire, true), c.printed ? c.printed : c.text);
    ExpectSameBytes(answer.wire);
    // Not the same bytes: "manual" says axes of size 1 too.
    const std::string text = ShardingText(answer.wire, true);
    EXPECT_EQ(ShardingText(ReadShardingText(text).wire, true), text);
  }
}

TEST(DeviceText, ErrorsSayWhatIsWrong) {
  struct Case {
    const char* text;
    const char* error;  // a part of it
  };
  const Case kCases[] = {
      {"replicated", "expected \"{\""},
      {"{maximal}", "needs device="},
      {"{replicated device=1}", "replicated has no devices"},
      {"{devices=[2]0,1 manual}", "manual has no devices"},
      {"{device=1}", "needs devices="},
      {"{shard_as 1}", "needs devices="},
      {"{foo=1}", "expected replicated, maximal"},
      {"{replicatd}", "expected replicated, maximal"},
      {"{devices=[2,2]<=[5]}", "4 tiles, but not as many devices"},
      {"{devices=[2,2]<=[2,2]}", "expected \"T\""},
      {"{devices=[2,2]<=[2,2]T(0)}", "not as many devices"},
      {"{devices=[2,2]<=[2,2]T(0,0)}", "not as many devices"},
      {"{devices=[0]<=[0]}", "positive sizes"},
      {"{devices=[4294967296,4294967296]<=[1]}", "positive sizes"},
      {"{devices=[1]0}", "more than one device"},
      {"{devices=[2]}", "expected an integer"},
      {"{devices=[2]<=[2] last_tile_dims={manual,manual}}", "fewer dims"},
      {"{devices=[2]<=[2] last_tile_dims={unknown}}", "expected replicated"},
      {"{devices=[2]<=[2] last_tile_dims={manual} last_tile_dim_replicate}",
       "exclude each other"},
      // 2^30 devices in groups of 3 * 2^28, which no formula sorts.
      {"{devices=[2,4,402653184]<=[1073741824,3]T(1,0) "
       "last_tile_dim_replicate}",
       "a list of more than"},
      {"{{}}", "needs devices="},
      {"{{replicated},}", "expected \"{\""},
      {"{{replicated}{manual}}", "expected \",\" or \"}\""},
      {"{{{replicated}}}", "expected replicated, maximal"},
      {"{mesh['a'=2], [{'b'}]}", "no such axis"},
      {"{mesh['a'=2], [{'7'}]}", "no such axis"},
      {"{mesh['a'=2], [{'a'},{'a'}]}", "used twice"},
      {"{mesh['a'=12], [{'a':(1)2}, {'a':(3)2}]}", "used twice"},
      {"{mesh['a'=4], [{'a':(1)2,'a':(2)2}]}", "one factor"},
      {"{mesh['a'=4], [{'a':(1)4}]}", "not a factor"},
      {"{mesh['a'=4], [{'a':(0)2}]}", "not a factor"},
      {"{mesh['a'=4], [{'a':(9223372036854775807)2}]}", "not a factor"},
      {"{mesh['a'=2,'a'=2], [{'a'}]}", "of this name already"},
      {"{mesh['a'=0], [{'a'}]}", "sizes of a mesh are positive"},
      {"{mesh['a'=2], device_ids=(0,1), [{'a'}]}", "must be left out"},
      {"{mesh['a'=2], device_ids=(1,2), [{'a'}]}", "0 to 1 in some order"},
      {"{mesh['a'=2], device_ids=(1), [{'a'}]}", "0 to 1 in some order"},
      {"{mesh['a'=2], device_ids=([3]), [{'a'}]}", "not an order of the mesh"},
      {"{mesh['a'=2]}", "expected \"[\""},
      {"{mesh[], manual}", "no axes"},
      {"{mesh['a'=2,'b'=2], [{}], manual={'b','a'}}", "order of the mesh"},
      {"{mesh['a'=2], [{}], manual={'a'}, manual={'a'}}", "given twice"},
      {"{mesh['a'=2], [{?, 'a'}]}", "expected \"}\""},
      {"{mesh['a'=2], [{'a'}], foo={'b'}}", "expected replicated="},
      {"{mesh['a'=2], unreduced={'a'}}", "sum, max or min"},
  };
  for (const Case& c : kCases) {
    const DeviceAnswer answer = ReadShardingText(c.text);
    EXPECT_FALSE(answer.ok) << c.text;
    EXPECT_NE(answer.error.find(c.error), std::string::npos)
        << c.text << ": " << answer.error;
  }
}

// Bytes that XLA would refuse are shown as they stand.
TEST(DeviceText, PrintingIsTotal) {
  const struct {
    const char* wire;
    const char* text;
  } kCases[] = {
      {"0803", "{devices=[]}"},
      {"08031a020202220100", "{replicated}"},
      {"08031a02020222020001", "{devices=[2,2]0,1}"},
      {"08031a0202024a02020252020000", "{devices=[2,2]<=[2,2]T(0,0)}"},
      {"0801", "{maximal device=0}"},
      {"0809", "{unknown}"},
      {"7200", "{mesh[], replicated}"},
      {"72061a040a020805", "{mesh[], [{'5', ?}]}"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ShardingText(absl::HexStringToBytes(c.wire), true), c.text);
  }
}

TEST(DeviceText, ReplicaGroups) {
  struct Case {
    const char* text;
    const char* printed;  // null: as it stands
    const char* wire;
  };
  const Case kCases[] = {
      {"{}", nullptr, "ba0500"},
      {"{{}}", nullptr, "ba05020a00"},
      {"{{0,1},{2,3}}", nullptr, "ba050c0a040a0200010a040a020203"},
      {"{{0},{1,2}}", nullptr, "ba050b0a030a01000a040a020102"},
      {"[2,4]<=[8]", nullptr, "e2050a080210041a0108220100"},
      {"[2,4]<=[4,2]T(1,0)", nullptr, "e2050c080210041a02040222020100"},
      {"[2,4]<=[2,2,2]T(0,1,2)", "[2,4]<=[8]", "e2050a080210041a0108220100"},
      {"mesh['x'=2,'y'=4] {'x'}", nullptr,
       "ea05120a0e0a050a017810020a050a017910041200"},
      {"mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'x'}", nullptr,
       "ea051c0a180a050a017810020a050a017910041a080a020402120201001200"},
      {"mesh['x'=2,'y'=4] {'y':(2)2, 'x'}", "mesh['x'=2,'y'=4] {'y':(2)2,'x'}",
       "ea051c0a0e0a050a017810020a050a01791004120808011204080210021200"},
  };
  std::string printed;
  for (const Case& c : kCases) {
    const DeviceAnswer answer = ReadGroups(c.text, &printed);
    EXPECT_TRUE(answer.ok) << c.text << ": " << answer.error;
    EXPECT_EQ(absl::BytesToHexString(answer.wire), c.wire) << c.text;
    EXPECT_EQ(printed, c.printed ? c.printed : c.text);
  }
  for (const char* text :
       {"{0,1}", "{{0,1},}", "[8]<=[8]", "[2,4]0,1,2,3,4,5,6,7", "[2,4]<=[9]",
        "mesh['x'=2] {'x','x'}", "mesh['x'=2]", "x"}) {
    EXPECT_FALSE(ReadGroups(text, &printed).ok) << text;
  }
}

TEST(DeviceText, ReplicaGroupsInFull) {
  const struct {
    const char* text;
    const char* full;
  } kCases[] = {
      {"{{0,1},{2,3}}", "{{0,1},{2,3}}"},
      {"[2,2]<=[4]", "{{0,1},{2,3}}"},
      {"[2,4]<=[4,2]T(1,0)", "{{0,2,4,6},{1,3,5,7}}"},
      {"mesh['x'=2,'y'=4] {'x'}", "{{0,4},{1,5},{2,6},{3,7}}"},
      {"mesh['x'=2,'y'=4] {'y'}", "{{0,1,2,3},{4,5,6,7}}"},
      {"mesh['x'=2,'y'=4] {'y','x'}", "{{0,4,1,5,2,6,3,7}}"},
      {"mesh['x'=2,'y'=4] {'y':(2)2,'x'}", "{{0,4,1,5},{2,6,3,7}}"},
      {"mesh['x'=2,'y'=2], device_ids=(3,2,1,0) {'x'}", "{{3,1},{2,0}}"},
      // Too many to list.
      {"[1048576,1048576]<=[1099511627776]",
       "[1048576,1048576]<=[1099511627776]"},
  };
  for (const auto& c : kCases) {
    TextErrors errors;
    Lexer lexer(c.text, &errors);
    FieldList fields(WireMessage::kHloInstructionProto);
    EXPECT_TRUE(ReadReplicaGroups(&lexer, &fields)) << c.text;
    EXPECT_EQ(ReplicaGroupsText(fields, /*full=*/true), c.full) << c.text;
  }
}

// The field that was used before is still printed.
TEST(DeviceText, OldReplicaGroups) {
  FieldList fields(WireMessage::kHloInstructionProto);
  EXPECT_EQ(ReplicaGroupsText(fields), "{}");
  fields.SetTexts(49, {absl::HexStringToBytes("0a020001")});
  EXPECT_EQ(ReplicaGroupsText(fields), "{{0,1}}");
}

}  // namespace
}  // namespace indim
