// SPDX-License-Identifier: Apache-2.0
// Attributes, devices and buffers; see cases.h.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/tests/passes/structure/cases.h"

namespace indim {
namespace {

// f32[4]{0}, f32[4] and its buffer, as fields.
constexpr char kLaidOut[] =
    "shape { element_type: F32 dimensions: 4 layout { minor_to_major: 0 } } ";
constexpr char kBuffer[] =
    "shape { element_type: BUFFER tuple_shapes { element_type: F32"
    " dimensions: 4 } } ";
constexpr char kAliased[] = " output_operand_aliasing { } ";

std::string Call(const char* target, const char* shape, const char* more) {
  return absl::StrCat("name: 'new' opcode: 'custom-call' custom_call_target: '",
                      target, "' ", shape, " ", more);
}

// A custom-call of x with these operand_shapes_with_layout.
void AddConstrained(Victim& v, const char* shape, const char* layouts) {
  v.Add(Call(
      "f", shape,
      absl::StrCat("operand_ids: 1 constrain_layout: true ", layouts).c_str()));
}
constexpr char kOperand[] =
    "operand_shapes_with_layout { element_type: F32 dimensions: 4"
    " layout { minor_to_major: 0 } }";

void AddConstant(Victim& v, const char* literal_layout) {
  v.Add(
      absl::StrCat("name: 'new' opcode: 'constant' shape { element_type: F32"
                   " dimensions: [2, 2] layout { minor_to_major: [1, 0] } }"
                   " literal { shape { element_type: F32 dimensions: [2, 2] ",
                   literal_layout, "} f32s: [1, 2, 3, 4] }"));
}

void AddOrigin(Victim& v, const char* value) {
  v.Add(absl::StrCat("name: 'new' opcode: 'negate' operand_ids: 1 ", kArray,
                     " original_value { ", value, "}"));
}

void AddAllToAll(Victim& v, const char* fields) {
  v.Add(absl::StrCat("name: 'new' opcode: 'all-to-all' operand_ids: 1 ", kArray,
                     fields));
}

}  // namespace

std::vector<StructureCase> AttributeCases() {
  return {
      {"layouts for all operands",
       {},
       "",
       "",
       [](Victim& v) { AddConstrained(v, kLaidOut, kOperand); }},
      {"layouts for no operand",
       {Code::kOperandLayouts},
       "new",
       "for 1 operand, but has 0",
       [](Victim& v) { AddConstrained(v, kLaidOut, ""); }},
      {"a layout of another operand",
       {Code::kOperandLayoutShape},
       "new",
       "f32[5] of operand 0, which is f32[4]",
       [](Victim& v) {
         AddConstrained(v, kLaidOut,
                        "operand_shapes_with_layout { element_type: F32"
                        " dimensions: 5 layout { minor_to_major: 0 } }");
       }},
      {"an operand's shape without its layout",
       {Code::kLayoutMissing},
       "new",
       "operand 0 has no layout",
       [](Victim& v) {
         AddConstrained(v, kLaidOut,
                        "operand_shapes_with_layout { element_type: F32"
                        " dimensions: 4 }");
       }},
      {"an operand that pads by less than nothing",
       {Code::kLayoutNumbers},
       "new",
       "operand 0, f32[4]{0:L(-7)}, pads to a multiple of -7",
       [](Victim& v) {
         AddConstrained(v, kLaidOut,
                        "operand_shapes_with_layout { element_type: F32"
                        " dimensions: 4 layout { minor_to_major: 0"
                        " tail_padding_alignment_in_elements: -7 } }");
       }},
      {"a result without its layout",
       {Code::kLayoutMissing},
       "new",
       "its result has no layout",
       [](Victim& v) { AddConstrained(v, kArray, kOperand); }},
      {"XLA's own seed",
       {},
       "",
       "",
       [](Victim& v) {
         v.Add(Call("GetRngSeed", "shape { element_type: U64 }", ""));
       }},
      {"a seed of another type",
       {Code::kRngSeed},
       "new",
       "has 0 and gives u32[]",
       [](Victim& v) {
         v.Add(Call("GetRngSeed", "shape { element_type: U32 }", ""));
       }},
      {"a fusion of no kind",
       {Code::kFusionKind},
       "fused",
       "'kTriangle'",
       [](Victim& v) { v["fused"].set_fusion_kind("kTriangle"); }},
      {"a value laid out as its constant",
       {},
       "",
       "",
       [](Victim& v) { AddConstant(v, "layout { minor_to_major: [1, 0] }"); }},
      {"a value laid out otherwise",
       {Code::kLiteralLayout},
       "new",
       "{0,1}, but the constant as {1,0}",
       [](Victim& v) { AddConstant(v, "layout { minor_to_major: [0, 1] }"); }},
      {"a value that pads",
       {},
       "",
       "",
       [](Victim& v) {
         AddConstant(v,
                     "layout { minor_to_major: [1, 0] "
                     "tail_padding_alignment_in_elements: 2 }");
       }},
      {"a scalar value that pads",
       {Code::kLayoutNumbers},
       "new",
       "pads to a multiple of 2",
       [](Victim& v) {
         v.Add(
             "name: 'new' opcode: 'constant' shape { element_type: F32 layout {"
             " } } literal { shape { element_type: F32 layout {"
             " tail_padding_alignment_in_elements: 2 } } f32s: 1 }");
       }},
      {"a value that pads by less than nothing",
       {Code::kLayoutNumbers},
       "new",
       "pads to a multiple of -7",
       [](Victim& v) {
         AddConstant(v,
                     "layout { minor_to_major: [1, 0] "
                     "tail_padding_alignment_in_elements: -7 }");
       }},
      {"a value of elements of 1 bit",
       {Code::kLayoutNumbers},
       "new",
       "has elements of 1 bits",
       [](Victim& v) {
         AddConstant(v,
                     "layout { minor_to_major: [1, 0] "
                     "element_size_in_bits: 1 }");
       }},
      {"a value without layout",
       {Code::kLiteralLayout},
       "new",
       "laid out as nothing",
       [](Victim& v) { AddConstant(v, ""); }},
      {"an outfeed that says no shape",
       {Code::kOutfeedShapeMissing},
       "new",
       "feeds out",
       [](Victim& v) {
         v.Add(
             "name: 'new' opcode: 'outfeed' operand_ids: [1, 5]"
             " shape { element_type: TOKEN }");
       }},
      {"a kernel twice",
       {Code::kSparseOperands},
       "new",
       "3 operands",
       [](Victim& v) {
         v.Add(absl::StrCat(
             "name: 'new' opcode: 'convolution' operand_ids: [1, 1, 1] ",
             kArray));
       }},
      {"an origin for all",
       {},
       "",
       "",
       [](Victim& v) { AddOrigin(v, "elements { }"); }},
      {"an origin for nothing",
       {Code::kOriginalValue},
       "new",
       "lacks part {} of f32[4]",
       [](Victim& v) { AddOrigin(v, ""); }},
      {"no origin, as the compiler made it",
       {},
       "",
       "",
       [](Victim& v) { AddOrigin(v, "is_synthetic_call: true"); }},
      {"an origin for what isn't there",
       {Code::kOriginalValue},
       "new",
       "names a part that the shape lacks: part {1}",
       [](Victim& v) {
         AddOrigin(v, "elements { } elements { shape_index: 1 }");
       }},
      {"a conditional of one sharding",
       {},
       "",
       "",
       [](Victim& v) {
         v.Sharding("callee.n").set_type(proto::OpSharding::REPLICATED);
         v.Add(absl::StrCat(
             "name: 'new' opcode: 'conditional' operand_ids: [1, 1, 1]"
             " called_computation_ids: [4, 4] sharding { } ",
             kArray));
       }},
      {"a conditional of two",
       {Code::kShardingsOfCall},
       "new",
       "'new' and 'callee.n' hold the same value",
       [](Victim& v) {
         v.Sharding("callee.n").set_type(proto::OpSharding::MAXIMAL);
         v.Sharding("callee.n").add_tile_assignment_devices(0);
         v.Add(absl::StrCat(
             "name: 'new' opcode: 'conditional' operand_ids: [1, 1]"
             " called_computation_ids: 4 sharding { } ",
             kArray));
       }},
      {"a program on the main thread",
       {Code::kAsyncBody},
       "started",
       "also holds 'more'",
       [](Victim& v) {
         v.module.clear_schedule();
         v.Computation("aside").clear_execution_thread();
         for (const char* name : {"started", "updated", "finished"}) {
           v[name].clear_async_execution_thread();
         }
         auto& more = *v.Computation("aside").add_instructions();
         more = v["aside.n"];
         more.set_name("more");
         more.set_id(7);
       }},
      {"along two dims at once",
       {Code::kSplitForm},
       "new",
       "2 dimensions and 1 operand;",
       [](Victim& v) { AddAllToAll(v, " dimensions: [0, 0]"); }},
      {"a formula of all devices",
       {},
       "",
       "",
       [](Victim& v) {
         AddAllToAll(v,
                     " dimensions: 0 iota_collective_device_list {"
                     " num_replica_groups: 2 num_devices_per_group: 4"
                     " iota_reshape_dims: [2, 4]"
                     " iota_transpose_perm: [1, 0] }");
       }},
      {"a formula of other devices",
       {Code::kGroupFormula},
       "new",
       "reshapes 8 devices to 9",
       [](Victim& v) {
         AddAllToAll(v,
                     " dimensions: 0 iota_collective_device_list {"
                     " num_replica_groups: 2 num_devices_per_group: 4"
                     " iota_reshape_dims: 9 iota_transpose_perm: 0 }");
       }},
      {"a formula that names a dim twice",
       {Code::kGroupFormula},
       "new",
       "each of its dims once",
       [](Victim& v) {
         AddAllToAll(v,
                     " dimensions: 0 iota_collective_device_list {"
                     " num_replica_groups: 2 num_devices_per_group: 4"
                     " iota_reshape_dims: [2, 4]"
                     " iota_transpose_perm: [1, 1] }");
       }},
      {"an axis twice",
       {Code::kGroupFormula},
       "new",
       "takes axis 0 twice",
       [](Victim& v) {
         AddAllToAll(v,
                     " dimensions: 0 mesh_axes_replica_group_list {"
                     " mesh { axes { name: 'a' size: 2 }"
                     " axes { name: 'b' size: 4 } }"
                     " axes { mesh_axis_index: 0 }"
                     " axes { mesh_axis_index: 0 } }");
       }},
      {"an axis that the mesh hasn't: VerifyShapes says so",
       {},
       "",
       "",
       [](Victim& v) {
         AddAllToAll(v,
                     " dimensions: 0 mesh_axes_replica_group_list {"
                     " mesh { axes { name: 'a' size: 2 } }"
                     " axes { mesh_axis_index: 1 } }");
       }},
      {"two axes of one name",
       {Code::kGroupFormula},
       "new",
       "two axes 'a'",
       [](Victim& v) {
         AddAllToAll(v,
                     " dimensions: 0 mesh_axes_replica_group_list {"
                     " mesh { axes { name: 'a' size: 2 }"
                     " axes { name: 'a' size: 4 } }"
                     " axes { mesh_axis_index: 0 } }");
       }},
      {"as many devices as there are",
       {},
       "",
       "",
       [](Victim& v) { v["reduced.2"].set_name("last"); },
       {1, 4}},
      {"fewer devices than there are",
       {Code::kDeviceCount},
       "reduced",
       "groups of 4 in all, but the module is compiled for 8 devices in all",
       [](Victim&) {},
       {1, 8}},
      {"a pair that isn't there",
       {Code::kDeviceCount, Code::kPermuteNegative},
       "permuted",
       "names 5, but the module is compiled for 4 partitions",
       [](Victim& v) {
         v["permuted"].set_channel_id(9);
         v["permuted"].mutable_source_target_pairs(0)->set_target(5);
         v["permuted"].mutable_source_target_pairs(1)->set_target(-2);
       },
       {1, 4}},
  };
}

std::vector<StructureCase> BufferCases() {
  const std::string pinned =
      Call("Pin", kBuffer, absl::StrCat("operand_ids: 1", kAliased).c_str());
  const auto add = [pinned](Victim& v, const std::string& text) {
    v.Add(pinned);
    auto& next = v.Add(text);
    next.set_name("next");
    next.set_id(101);
  };
  const std::string taken = absl::StrCat("operand_ids: 100", kAliased);
  const std::string changed = Call("f", kBuffer, taken.c_str());
  return {
      {"a buffer changed once",
       {},
       "",
       "",
       [=](Victim& v) { add(v, changed); }},
      {"a buffer given up",
       {},
       "",
       "",
       [=](Victim& v) { add(v, Call("Unpin", kArray, taken.c_str())); }},
      {"a buffer made",
       {},
       "",
       "",
       [](Victim& v) { v.Add(Call("CreateBuffer", kBuffer, "")); }},
      {"a buffer in a sum",
       {Code::kBufferPlace},
       "next",
       "operand 0 has one at {}",
       [=](Victim& v) {
         add(v, absl::StrCat("opcode: 'negate' operand_ids: 100 ", kArray));
       }},
      {"a buffer made of something",
       {Code::kBufferForm},
       "new",
       "must have no operands",
       [](Victim& v) {
         v.Add(Call("CreateBuffer", kBuffer, "operand_ids: 1"));
       }},
      {"a buffer of another shape",
       {Code::kBufferForm},
       "new",
       "one shape for both sides",
       [](Victim& v) {
         v.Add(Call("Pin",
                    "shape { element_type: BUFFER tuple_shapes {"
                    " element_type: F32 dimensions: 5 } }",
                    "operand_ids: 1"));
       }},
      {"a buffer that comes from nowhere",
       {Code::kBufferPairs},
       "new",
       "the buffer at {} of its result is in 0 pairs",
       [](Victim& v) { v.Add(Call("f", kBuffer, "operand_ids: 1")); }},
      {"two writers",
       {Code::kBufferWriters},
       "new",
       "2 instructions write into its buffer at {}",
       [=](Victim& v) {
         add(v, changed);
         auto& third = v.Add(changed);
         third.set_name("third");
         third.set_id(102);
       }},
  };
}

}  // namespace indim
