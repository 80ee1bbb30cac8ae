// SPDX-License-Identifier: Apache-2.0
// VHLO's table against the table of operations.

#include "indim/stablehlo/bytecode/vhlo_table.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/stablehlo/bytecode/codes.h"
#include "indim/stablehlo/bytecode/release.h"
#include "indim/stablehlo/bytecode/structs.h"

namespace indim::mlir {
namespace {

bool IsPortable(const OpRow& row) { return row.since != kNotPortable; }

// Every operation that its row calls portable has a version at each release
// from the first on.
TEST(VhloTableTest, HasEachPortableOperationAtEachRelease) {
  int portable = 0;
  for (const OpRow& row : Ops()) {
    const absl::Span<const VhloOp* const> versions = VhloVersionsOf(row.name);
    EXPECT_EQ(versions.empty(), !IsPortable(row)) << row.name;
    if (versions.empty()) continue;
    ++portable;
    EXPECT_EQ(versions.front()->first, row.since) << row.name;
    EXPECT_FALSE(kNewestRelease < versions.back()->first) << row.name;
    for (size_t i = 0; i < versions.size(); ++i) {
      EXPECT_EQ(versions[i]->version, static_cast<int>(i) + 1) << row.name;
      if (i > 0) {
        EXPECT_TRUE(versions[i - 1]->first < versions[i]->first) << row.name;
      }
    }
  }
  EXPECT_GT(portable, 110);
}

TEST(VhloTableTest, FindsWhatItNames) {
  for (const OpRow& row : Ops()) {
    for (const VhloOp* const op : VhloVersionsOf(row.name)) {
      EXPECT_EQ(FindVhloOp(op->vhlo_name), op);
    }
  }
  EXPECT_EQ(FindVhloOp("add_v2"), nullptr);
  EXPECT_EQ(FindVhloOp("add"), nullptr);
  EXPECT_TRUE(VhloVersionsOf("chlo.erf").empty());
}

TEST(VhloTableTest, NamesWhatThereIs) {
  for (const char* const name :
       {"all_gather", "cbrt", "custom_call", "dynamic_conv", "tanh"}) {
    EXPECT_EQ(VhloVersionsOf(absl::StrCat("stablehlo.", name)).size(), 2);
  }
  size_t versions = 0;
  for (const OpRow& row : Ops()) {
    if (row.name != "func.return") versions += VhloVersionsOf(row.name).size();
  }
  EXPECT_EQ(versions, 145);  // as VhloOps.td has
  for (uint64_t code = 0; code < 64; ++code) {
    const AttributeCode* const row = FindAttributeCode(Dialect::kVhlo, code);
    if (row == nullptr || row->kind != AttrKind::kDialect) continue;
    EXPECT_TRUE(FindWords(row->name) != nullptr ||
                FindStruct(row->name) != nullptr ||
                row->name == kApiVersionAttr || row->name == kBoundsAttr)
        << row->name;
  }
}

// An element type is written in the code that it is read from, unless older
// releases don't know the code.
TEST(CodesTest, SayOneThing) {
  EXPECT_EQ(FindTypeCode(Dialect::kVhlo, 4)->element, ElementType::kF32);
  EXPECT_EQ(FindTypeCode(Dialect::kVhlo, 26)->text, "!shape.witness");
  EXPECT_EQ(FindTypeCode(Dialect::kBuiltin, 7), nullptr);
  Type type;
  type.kind = TypeKind::kElement;
  for (const Dialect dialect : {Dialect::kBuiltin, Dialect::kVhlo}) {
    for (uint64_t code = 0; code < 64; ++code) {
      const TypeCode* const row = FindTypeCode(dialect, code);
      if (row == nullptr || row->element == ElementType::kInvalid) continue;
      type.element_type = row->element;
      EXPECT_EQ(CodeOf(dialect, type),
                row->extra == Extra::kNew ? nullptr : row)
          << code;
    }
  }
}

TEST(CodesTest, ChoosesTheCodeThatSaysAll) {
  const auto code = [](const Attribute& a, Version target) {
    return CodeOf(Dialect::kBuiltin, a, target)->code;
  };
  Attribute text;
  text.kind = AttrKind::kString;
  EXPECT_EQ(code(text, kNewestRelease), 2);
  text.type = {0};
  EXPECT_EQ(code(text, kNewestRelease), 3);
  EXPECT_EQ(CodeOf(Dialect::kVhlo, text, kNewestRelease), nullptr);
  Attribute place;
  place.kind = AttrKind::kFileLoc;
  EXPECT_EQ(code(place, kNewestRelease), 11);
  place.elements.resize(2);
  EXPECT_EQ(code(place, kNewestRelease), 22);
  EXPECT_EQ(code(place, {1, 8, 0}), 11);
}

// "name, name, ..." of an operation's attributes in VHLO.
std::string Slots(absl::string_view vhlo_name) {
  std::string text;
  for (const VhloSlot& slot : FindVhloOp(vhlo_name)->slots) {
    absl::StrAppend(&text, text.empty() ? "" : " ", slot.name);
  }
  return text;
}

// As VhloOps.td declares them.
TEST(VhloTableTest, ListsAttributesOfEachVersion) {
  EXPECT_EQ(Slots("add_v1"), "");
  EXPECT_EQ(Slots("exponential_v1"), "");
  EXPECT_EQ(Slots("exponential_v2"), "result_accuracy");
  EXPECT_EQ(Slots("gather_v1"),
            "collapsed_slice_dims index_vector_dim indices_are_sorted "
            "offset_dims slice_sizes start_index_map");
  EXPECT_EQ(Slots("gather_v2"),
            "collapsed_slice_dims index_vector_dim indices_are_sorted "
            "offset_dims operand_batching_dims slice_sizes start_index_map "
            "start_indices_batching_dims");
  EXPECT_EQ(Slots("dot_general_v1"),
            "lhs_batching_dimensions lhs_contracting_dimensions "
            "precision_config rhs_batching_dimensions "
            "rhs_contracting_dimensions");
  EXPECT_EQ(Slots("dot_general_v2"),
            "accumulation_type allow_imprecise_accumulation "
            "lhs_batching_dimensions lhs_component_count "
            "lhs_contracting_dimensions lhs_precision_type "
            "num_primitive_operations precision_config "
            "rhs_batching_dimensions rhs_component_count "
            "rhs_contracting_dimensions rhs_precision_type");
  EXPECT_EQ(Slots("send_v2"),
            "channel_id channel_type is_host_transfer source_target_pairs");
  EXPECT_EQ(Slots("recv_v1"), "channel_id channel_type is_host_transfer");
  EXPECT_EQ(Slots("all_reduce_v2"),
            "channel_id replica_groups use_global_device_ids");
  EXPECT_EQ(Slots("collective_broadcast_v1"), "channel_id replica_groups");
  EXPECT_EQ(Slots("func_v1"),
            "arg_attrs function_type res_attrs sym_name sym_visibility");
  EXPECT_EQ(Slots("call_v1"), "callee");
  EXPECT_TRUE(absl::StrContains(Slots("dynamic_conv_v1"), " padding "));
  EXPECT_FALSE(absl::StrContains(Slots("dynamic_conv_v2"), " padding "));
}

TEST(ReleaseTest, ReadsVersions) {
  EXPECT_EQ(*ParseRelease("1.16.2"), (Version{1, 16, 2}));
  for (const char* text : {"", "1", "1.2", "1.2.3.4", "1..2", "a.b.c", "1.2.-3",
                           "1.2.3 ", "9999999.0.0"}) {
    EXPECT_FALSE(ParseRelease(text).ok()) << text;
  }
  EXPECT_EQ(BytecodeFormatOf({0, 9, 0}), 0);
  EXPECT_EQ(BytecodeFormatOf({0, 11, 9}), 1);
  EXPECT_EQ(BytecodeFormatOf({0, 13, 0}), 3);
  EXPECT_EQ(BytecodeFormatOf({0, 14, 0}), 4);
  EXPECT_EQ(BytecodeFormatOf({1, 0, 0}), 6);
}

}  // namespace
}  // namespace indim::mlir
