// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/module_options.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/passes/structure/structure.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"

namespace indim::internal {
namespace {

// Values of AliasEntryProto.kind.
constexpr int64_t kMayAlias = 1, kMustAlias = 2;

std::string AliasBytes(std::vector<BuildOptions::Alias> aliases) {
  namespace of = field::HloInputOutputAliasProto_AliasEntryProto;
  // XLA's writer goes through the parts of the result in order.
  std::stable_sort(aliases.begin(), aliases.end(),
                   [](const auto& a, const auto& b) {
                     return a.output_index < b.output_index;
                   });
  std::vector<std::string> entries;
  for (const BuildOptions::Alias& alias : aliases) {
    FieldList entry(WireMessage::kHloInputOutputAliasProto_AliasEntryProto);
    entry.SetNumbers(of::kOutputShapeIndex, alias.output_index);
    entry.SetNumber(of::kParameterNumber, alias.parameter);
    entry.SetNumbers(of::kParameterShapeIndex, alias.parameter_index);
    entry.SetNumber(of::kKind, alias.must ? kMustAlias : kMayAlias);
    entries.push_back(entry.Serialize());
  }
  FieldList message(WireMessage::kHloInputOutputAliasProto);
  message.SetTexts(field::HloInputOutputAliasProto::kEntries, entries);
  return message.Serialize();
}

std::string DonorBytes(std::vector<BuildOptions::Donor> donors) {
  namespace of = field::HloBufferDonorProto_BufferDonorEntryProto;
  const auto key = [](const BuildOptions::Donor& donor) {
    return std::tie(donor.parameter, donor.parameter_index);
  };
  // XLA keeps them in a set.
  std::stable_sort(
      donors.begin(), donors.end(),
      [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<std::string> entries;
  for (const BuildOptions::Donor& donor : donors) {
    FieldList entry(WireMessage::kHloBufferDonorProto_BufferDonorEntryProto);
    entry.SetNumber(of::kParameterNumber, donor.parameter);
    entry.SetNumbers(of::kParameterShapeIndex, donor.parameter_index);
    entries.push_back(entry.Serialize());
  }
  FieldList message(WireMessage::kHloBufferDonorProto);
  message.SetTexts(field::HloBufferDonorProto::kEntries, entries);
  return message.Serialize();
}

// A ProgramShapeProto; its parameters have the names of the module's.
std::string LayoutBytes(const BuildOptions::EntryLayout& layout,
                        const ModuleData& module) {
  namespace of = field::ProgramShapeProto;
  const ModuleData::Positions positions = module.Parameters(module.entry);
  const auto instructions = module.Instructions(module.entry);
  std::vector<std::string> shapes, names;
  for (const Shape& shape : layout.parameters) {
    const size_t i = names.size();
    shapes.push_back(SerializeShapeProto(shape));
    names.push_back(
        i < positions.size() && positions[i] < instructions.size()
            ? std::string(module.pools->name(instructions[positions[i]].name))
            : absl::StrCat("p", i));
  }
  FieldList message(WireMessage::kProgramShapeProto);
  message.SetTexts(of::kParameters, shapes);
  message.SetText(of::kResult, SerializeShapeProto(layout.result));
  message.SetTexts(of::kParameterNames, names);
  return message.Serialize();
}

// An HloModuleConfigProto, as the header of HLO text gives it: more than one
// partition implies that XLA partitions the module.
std::string ConfigBytes(const DeviceCounts& devices) {
  namespace of = field::HloModuleConfigProto;
  FieldList message(WireMessage::kHloModuleConfigProto);
  if (devices.replicas != 1) {
    message.SetNumber(of::kReplicaCount, devices.replicas);
  }
  if (devices.partitions != 1) {
    message.SetNumber(of::kNumPartitions, devices.partitions);
    message.SetNumber(of::kUseSpmdPartitioning, 1);
  }
  return message.Serialize();
}

Diagnostic Wrong(Code code, std::vector<DiagnosticArg> args) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  for (DiagnosticArg& arg : args) diagnostic.args.push_back(std::move(arg));
  return diagnostic;
}

StructureResult Verified(ModuleData data) {
  return VerifyStructure(
      ModuleOf(std::make_shared<const ModuleData>(std::move(data))),
      /*max_per_rule=*/std::numeric_limits<int64_t>::max());
}

// What identifies a diagnostic among those of one module.
std::string KeyOf(const Module& module, const ModuleDiagnostic& d) {
  return absl::StrCat(CodeText(d.diagnostic.code), " ", d.computation, " ",
                      d.instruction, " ", MessageText(module, d));
}

}  // namespace

bool HasModuleOptions(const BuildOptions& options) {
  return !options.aliases.empty() || !options.donors.empty() ||
         !options.frontend_attributes.empty() ||
         options.entry_layout.has_value() || options.devices.replicas != 1 ||
         options.devices.partitions != 1;
}

std::vector<Diagnostic> WrongOptions(const BuildOptions& options) {
  std::vector<Diagnostic> wrong;
  const auto count = [&](const char* what, int64_t value) {
    if (value >= 1 && value <= std::numeric_limits<int32_t>::max()) return;
    wrong.push_back(
        Wrong(Code::kAttributeRange, {std::string(what), value, int64_t{1}}));
  };
  count("the number of replicas", options.devices.replicas);
  count("the number of partitions", options.devices.partitions);
  for (const auto& [key, value] : options.frontend_attributes) {
    for (const auto& [role, text] : {std::make_pair("the key", &key),
                                     std::make_pair("the value", &value)}) {
      if (IsValidUtf8(*text)) continue;
      wrong.push_back(Wrong(Code::kNotUtf8,
                            {absl::StrCat(role, " of a frontend attribute")}));
    }
  }
  return wrong;
}

std::vector<ModuleDiagnostic> ErrorsOfOptions(const ModuleData& module,
                                              const BuildOptions& options) {
  ModuleData with = module;
  ApplyModuleOptions(options, &with);
  std::vector<ModuleDiagnostic> errors;
  const StructureResult found = Verified(std::move(with));
  if (found.ok()) return errors;
  const Module without = ModuleOf(std::make_shared<const ModuleData>(module));
  absl::flat_hash_set<std::string> other;
  const StructureResult before = Verified(module);
  for (const ModuleDiagnostic& d : before.report.diagnostics()) {
    other.insert(KeyOf(without, d));
  }
  for (const ModuleDiagnostic& d : found.report.diagnostics()) {
    if (d.diagnostic.severity() == Severity::kError &&
        !other.contains(KeyOf(without, d))) {
      errors.push_back(d);
    }
  }
  return errors;
}

void ApplyModuleOptions(const BuildOptions& options, ModuleData* module) {
  if (!HasModuleOptions(options)) return;
  namespace of = field::HloModuleProto;
  FieldList fields(WireMessage::kHloModuleProto);
  // XLA's writer has all three, also empty ones; a recorded graph has what says
  // something, and so has its text.
  const auto set = [&](uint32_t field, const std::string& bytes) {
    if (!bytes.empty()) fields.SetText(field, bytes);
  };
  set(of::kInputOutputAlias, AliasBytes(options.aliases));
  set(of::kBufferDonor, DonorBytes(options.donors));
  std::string attributes;
  for (const auto& [key, value] : options.frontend_attributes) {
    attributes = WithFrontendAttribute(attributes, key, value);
  }
  set(of::kFrontendAttributes, attributes);
  module->other_fields = fields.Serialize();
  module->config = ConfigBytes(options.devices);
  if (options.entry_layout) {
    module->host_program_shape =
        module->pools->KeepBytes(LayoutBytes(*options.entry_layout, *module));
  }
}

}  // namespace indim::internal
