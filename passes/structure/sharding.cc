// SPDX-License-Identifier: Apache-2.0
// Checks shardings of instructions (sharding/sharding_faults.cc), and of
// domains and of the module (XLA: only HloSharding::FromProto).

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/sharding_faults.h"

namespace indim::structure {
namespace {

using field::HloInstructionProto::kSharding;

constexpr std::pair<int, const char*> kDomainShardings[] = {{54, "on entry"},
                                                            {55, "on exit"}};
// Field numbers in HloModuleProto.
constexpr std::pair<uint32_t, const char*> kModuleShardings[] = {
    {12, "spmd_output_sharding"}, {14, "spmd_parameters_shardings"}};

}  // namespace

void CheckShardings(Context* context) {
  const int64_t devices = context->devices.sharded();
  // Pairs of attribute bytes and structure that passed: many instructions share
  // them.
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> seen;
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (!context->occurs.Has(r.attribute_bytes, Occurrences::kSharding))
          return;
        const AttributeBytesView attribute_bytes =
            context->data.pools->attribute_bytes(r.attribute_bytes);
        const absl::string_view sharding =
            AttributeBytesField(attribute_bytes, kSharding);
        if (sharding.empty()) return;
        const auto structure = context->data.pools->shapes().structure(r.shape);
        if (seen.contains({r.attribute_bytes.value, structure.value})) return;
        std::vector<Diagnostic> errors =
            ShardingErrors(sharding, context->At(c, i).shape(), devices);
        if (errors.empty())
          seen.emplace(r.attribute_bytes.value, structure.value);
        for (Diagnostic& error : errors) context->Add(std::move(error), c, i);
      });
}

void CheckDomains(Context* context) {
  context->ForEachInstruction([&](uint32_t c, uint32_t i,
                                  const InstructionRecord& r) {
    if (r.opcode != Opcode::kDomain) return;
    const AttributeBytesView attribute_bytes =
        context->data.pools->attribute_bytes(r.attribute_bytes);
    for (const auto& [number, when] : kDomainShardings) {
      const std::string fault =
          ShardingFault(AttributeBytesField(attribute_bytes, number));
      if (fault.empty()) continue;
      context->Add(Code::kShardingForm, c, i, absl::StrCat(when, " ", fault));
    }
  });
}

void CheckModuleShardings(Context* context) {
  FieldList fields(WireMessage::kHloModuleProto, context->data.other_fields);
  for (const auto& [number, name] : kModuleShardings) {
    for (absl::string_view sharding : fields.Texts(number)) {
      const std::string fault = ShardingFault(sharding);
      if (fault.empty()) continue;
      context->Add(Code::kModuleSharding, kNowhere, kNowhere, name, fault);
    }
  }
}

}  // namespace indim::structure
