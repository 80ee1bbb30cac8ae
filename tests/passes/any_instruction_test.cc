// SPDX-License-Identifier: Apache-2.0
// Every opcode with any number of operands of any kind, with callees and
// attributes that don't belong: nothing that can be read makes a pass read what
// isn't there. Most of it is wrong; what is said of it is other tests'
// business.

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/passes/check/infer_and_verify.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/expand_broadcasts.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/tests/sample.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

// Text format of the shape field; the first is none at all.
constexpr const char* kShapes[] = {
    "",
    "shape { element_type: F32 }",
    "shape { element_type: F32 dimensions: 4 }",
    "shape { element_type: S32 dimensions: [2, 3] }",
    "shape { element_type: PRED }",
    "shape { element_type: C64 dimensions: [0, 4] }",
    "shape { element_type: F32 dimensions: [4, 2]"
    " is_dynamic_dimension: [true, false] }",
    "shape { element_type: F32 dimensions: -9223372036854775808"
    " is_dynamic_dimension: true }",
    "shape { element_type: F32 unranked: true }",
    "shape { element_type: TUPLE }",
    "shape { element_type: TUPLE tuple_shapes { element_type: F32"
    " dimensions: 4 } tuple_shapes { element_type: S32 } }",
    "shape { element_type: TUPLE tuple_shapes { element_type: TUPLE"
    " tuple_shapes { element_type: F32 } } tuple_shapes { element_type: F32 }"
    " tuple_shapes { element_type: TOKEN } }",
    "shape { element_type: TOKEN }",
    "shape { element_type: OPAQUE_TYPE }",
    "shape { element_type: BUFFER tuple_shapes { element_type: F32"
    " dimensions: 4 } }",
};
constexpr int kShapeCount = sizeof(kShapes) / sizeof(kShapes[0]);
constexpr int kMaxOperands = 3;

// Attributes, most of which belong to another opcode.
constexpr const char* kAttributes[] = {
    "",
    "dimensions: [0, 9] tuple_index: 5 parameter_number: 7 channel_id: 3"
    " custom_call_target: 'Pin' fusion_kind: 'kLoop' feature_index: -1"
    " output_operand_aliasing { operand_index: 4 output_shape_index: 2 }",
    "dimensions: -1 tuple_index: -1 is_host_transfer: true"
    " use_global_device_ids: true custom_call_target: 'Unpin'"
    " collective_device_list { replica_groups { replica_ids: [0, 0] }"
    " replica_groups { } } source_target_pairs { source: 1 target: 1 }"
    " source_target_pairs { source: 1 target: -1 }",
    "window { dimensions { size: 3 window_dilation: -1 } }"
    " convolution_dimension_numbers { input_batch_dimension: 7"
    " kernel_spatial_dimensions: 9 } feature_group_count: 5"
    " dot_dimension_numbers { lhs_contracting_dimensions: 6"
    " rhs_batch_dimensions: 2 } padding_config { dimensions {"
    " edge_padding_low: -99 interior_padding: -1 } }",
    "gather_dimension_numbers { offset_dims: 9 start_index_map: 3 }"
    " gather_slice_sizes: 8 scatter_dimension_numbers {"
    " update_window_dims: 9 inserted_window_dims: 4 index_vector_dim: 5 }"
    " slice_dimensions { start: 5 limit: 2 stride: 0 } dynamic_slice_sizes: 7"
    " fft_length: [3, 3, 3, 3] custom_call_target: 'CreateBuffer' k: 99",
    "sharding { type: OTHER tile_assignment_dimensions: [2, 3]"
    " tile_assignment_devices: 5 } control_predecessor_ids: 1"
    " async_execution_thread: 'aside' is_composite: true exponent_bits: -1"
    " dimensions: [3, 1, 2, 0] custom_call_target: 'Sharding'"
    " operand_shapes_with_layout { element_type: F32 }"
    " constrain_layout: true num_carries: 9 outfeed_shape {"
    " element_type: TOKEN }",
    "iota_collective_device_list { num_replica_groups: 3"
    " num_devices_per_group: 1 iota_reshape_dims: 5 iota_transpose_perm: 4 }"
    " ragged_dot_dimension_numbers { lhs_ragged_dimensions: 3 } dimensions: 0"
    " source_target_pairs { source: 0 target: 1 } channel_id: 1"
    " implicit_broadcast { broadcast_dimensions: [1, 1] }"
    " custom_call_target: 'control_dep' comparison_direction: 'GT'"
    " parameter_replication { replicated_at_leaf_buffers: [true, false] }",
};
constexpr int kAttributesCount = sizeof(kAttributes) / sizeof(kAttributes[0]);

// Computations 1 to 3 take 0 to 2 parameters.
constexpr char kCallees[] = R"(
computations { name: 'c0' id: 1 root_id: 1 program_shape {
    result { element_type: F32 } }
  instructions { name: 'i' opcode: 'iota' id: 1
    shape { element_type: F32 } } }
computations { name: 'c1' id: 2 root_id: 1 program_shape {
    parameters { element_type: F32 } result { element_type: F32 } }
  instructions { name: 'p' opcode: 'parameter' id: 1
    shape { element_type: F32 } } }
computations { name: 'c2' id: 3 root_id: 3 program_shape {
    parameters { element_type: F32 } parameters { element_type: F32 }
    result { element_type: F32 } }
  instructions { name: 'a' opcode: 'parameter' id: 1
    shape { element_type: F32 } }
  instructions { name: 'b' opcode: 'parameter' parameter_number: 1 id: 2
    shape { element_type: F32 } }
  instructions { name: 's' opcode: 'add' operand_ids: [1, 2] id: 3
    shape { element_type: F32 } } }
)";

struct Draw {
  int operands;  // how many
  int shape;     // of the first; of each later one `step` more
  int step;
  int variant;  // of what else there is
};

// An instruction 'it' with a user, in an entry with a program_shape:
// nothing is filled in by the reader of text.
std::string ModuleText(absl::string_view opcode, const Draw& draw) {
  std::string entry;
  std::string ids;
  for (int k = 0; k < draw.operands; ++k) {
    const char* shape = kShapes[(draw.shape + k * draw.step) % kShapeCount];
    absl::StrAppend(&entry, " instructions { name: 'o", k,
                    "' opcode: 'parameter' parameter_number: ", k,
                    " id: ", k + 1, " ", shape, " }\n");
    absl::StrAppend(&ids, " operand_ids: ", k + 1);
  }
  std::string callees;
  for (int k = 0; k < draw.variant % 4; ++k) {
    absl::StrAppend(
        &callees, " called_computation_ids: ", 1 + (draw.variant / 4 + k) % 3);
  }
  absl::StrAppend(&entry, " instructions { name: 'it' opcode: '", opcode,
                  "' id: 10", ids, callees, " ",
                  kShapes[(draw.shape + draw.variant) % kShapeCount], " ",
                  kAttributes[draw.variant % kAttributesCount], " }\n");
  absl::StrAppend(&entry,
                  " instructions { name: 'user' opcode: 'tuple' id: 11"
                  " operand_ids: [10, 10] shape { element_type: TUPLE"
                  " tuple_shapes { element_type: F32 } tuple_shapes {"
                  " element_type: F32 } } }\n");
  return absl::StrCat(
      "name: 'm' entry_computation_name: 'e'"
      " entry_computation_id: 9\n",
      kCallees, "computations { name: 'e' id: 9 root_id: ",
      draw.variant % 2 == 0 ? 10 : 11,
      " program_shape { result { element_type: F32 } }\n", entry, "}\n");
}

// All that is done with a module that was read. Returns its HLO text.
std::string Play(const Module& module) {
  const VerifyResult verified = VerifyModule(module);
  const InferAndVerifyResult result = InferAndVerify(module);
  // All that is said can be said.
  RenderReport(module, verified.report);
  RenderReport(result.inferred.module, result.inferred.report);
  RenderReport(result.inferred.module, result.verified.report);
  ExpandBroadcasts(module);
  PrintHloText(result.inferred.module, PrintOptions::Canonical());
  WriteHloModuleText(module).IgnoreError();
  SerializeModule(result.inferred.module).IgnoreError();
  return PrintHloText(module, PrintOptions::LargeConstants());
}

// How many of a kind were read.
struct TimesRead {
  int all = 0;
  int text = 0;
  int hlo = 0;
};

void PlayInAllFormats(const std::string& text, TimesRead* counts) {
  SCOPED_TRACE(text);
  ++counts->all;
  proto::HloModuleProto proto;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto));
  const absl::StatusOr<Module> bytes =
      ReadHloModuleProto(DeterministicBytes(proto));
  if (bytes.ok()) Play(*bytes);
  const absl::StatusOr<Module> module = ReadHloModuleText(text);
  EXPECT_EQ(bytes.ok(), module.ok()) << bytes.status() << module.status();
  if (!module.ok()) return;
  ++counts->text;
  const absl::StatusOr<Module> hlo = ParseHloText(Play(*module));
  if (!hlo.ok()) return;
  ++counts->hlo;
  Play(*hlo);
}

class AnyInstructionTest : public ::testing::TestWithParam<int> {};

// The opcodes whose number leaves the parameter when divided by kShards.
constexpr int kShards = 4;

// From a case to the next that is played. There are 6 cases of a shape, so that
// each 13th has any number of operands.
size_t Step() { return static_cast<size_t>(SampleStep(13)); }

// Every third has neither callees nor attributes: HLO text refuses those that
// the op doesn't have.
std::vector<Draw> AllDraws() {
  std::vector<Draw> draws;
  for (int shape = 0; shape < kShapeCount; ++shape) {
    for (int operands = 0; operands <= kMaxOperands; ++operands) {
      for (const int step : {0, 4}) {
        if (operands < 2 && step != 0) continue;
        const int i = static_cast<int>(draws.size());
        draws.push_back({operands, shape, step, i % 3 == 0 ? 0 : i});
      }
    }
  }
  return draws;
}

TEST_P(AnyInstructionTest, IsPlayed) {
  const std::vector<Draw> draws = AllDraws();
  const size_t step = Step();
  TimesRead all;
  size_t i = 0;
  for (const OpInfo& op : AllOps()) {
    if (static_cast<int>(i++ % kShards) != GetParam()) continue;
    TimesRead counts;
    for (size_t k = i % step; k < draws.size(); k += step) {
      PlayInAllFormats(ModuleText(Name(op.opcode), draws[k]), &counts);
    }
    // Most of it is read and none of this is for nothing.
    EXPECT_GT(counts.text, counts.all / 4) << Name(op.opcode);
    all.all += counts.all;
    all.hlo += counts.hlo;
  }
  // HLO text says less that is wrong than a proto can.
  EXPECT_GT(all.hlo, all.all / 15) << all.all;
}

INSTANTIATE_TEST_SUITE_P(All, AnyInstructionTest, ::testing::Range(0, kShards));

// What isn't there is nothing, and that nothing has nothing.
TEST(NothingTest, OutsideOfTheirRange) {
  const absl::StatusOr<Module> module =
      ReadHloModuleText(ModuleText("add", {2, 1, 0, 5}));
  ASSERT_TRUE(module.ok()) << module.status();
  for (const Computation c : module->computations()) {
    for (const Instruction instruction : c.instructions()) {
      for (const int i : {-1, instruction.operand_count(), 1 << 30}) {
        const Instruction none = instruction.operand(i);
        EXPECT_EQ(none, Instruction::Nothing());
        EXPECT_TRUE(none.shape().is_none());
        EXPECT_EQ(none.opcode(), Opcode::kInvalid);
        EXPECT_EQ(none.operand_count(), 0);
        EXPECT_EQ(none.operand(0), none);
        EXPECT_EQ(none.computation().root(), none);
        EXPECT_TRUE(internal::AttributeBytesOf(none).empty());
      }
      for (const int i : {-1, instruction.callee_count(), 1 << 30}) {
        EXPECT_EQ(instruction.callee(i), Instruction::Nothing().computation());
        EXPECT_EQ(instruction.callee(i).instruction_count(), 1);
      }
    }
  }
}

}  // namespace
}  // namespace indim
