// SPDX-License-Identifier: Apache-2.0
#include "indim/text/print/module_header.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "indim/ir/module_access.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_writer.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/escaped_text.h"
#include "indim/text/base/name_uniquer.h"
#include "indim/text/base/symbol_facts.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using field::HloModuleConfigProto::kAliasPassthroughParams;
using field::HloModuleConfigProto::kAllowSpmdShardingPropagationToOutput;
using field::HloModuleConfigProto::kAllowSpmdShardingPropagationToParameters;
using field::HloModuleConfigProto::kNumPartitions;
using field::HloModuleConfigProto::kReplicaCount;
namespace of_module = field::HloModuleProto;

// If an output has several, the first; XLA keeps them by output index.
struct PrintedAlias {
  explicit PrintedAlias(absl::string_view wire) {
    namespace of = field::HloInputOutputAliasProto_AliasEntryProto;
    wire_fields::AllRecords(wire, [this](const wire_fields::Record& record) {
      switch (record.tag) {
        case wire_fields::Bytes(of::kOutputShapeIndex):
          return wire_fields::Unpack(record.value, &output);
        case wire_fields::Bytes(of::kParameterShapeIndex):
          return wire_fields::Unpack(record.value, &index);
        case wire_fields::Varint(of::kParameterNumber):
          parameter = static_cast<int64_t>(record.number);
          return true;
        case wire_fields::Varint(of::kKind):
          kind = static_cast<int64_t>(record.number);
          return true;
        default:
          return true;
      }
    });
  }

  DimIndices output;
  DimIndices index;
  int64_t parameter = 0;
  int64_t kind = 0;
};

void AppendIndex(absl::Span<const int64_t> index, std::string* out) {
  out->push_back('{');
  for (size_t i = 0; i < index.size(); ++i) {
    absl::StrAppend(out, i == 0 ? "" : ",", index[i]);
  }
  out->push_back('}');
}

// input_output_alias={ {0}: (1, {}, may-alias) }.
void AppendAliases(absl::string_view wire, std::string* out) {
  constexpr int64_t kMayAlias = 1;
  std::vector<PrintedAlias> entries;
  for (absl::string_view text :
       FieldList(WireMessage::kHloInputOutputAliasProto, wire)
           .Texts(field::HloInputOutputAliasProto::kEntries)) {
    entries.emplace_back(text);
  }
  if (entries.empty()) return;
  const auto less = [](const PrintedAlias& a, const PrintedAlias& b) {
    return a.output < b.output;
  };
  if (!std::is_sorted(entries.begin(), entries.end(), less)) {
    std::stable_sort(entries.begin(), entries.end(), less);
  }
  out->append(", input_output_alias={ ");
  const PrintedAlias* last = nullptr;
  for (const PrintedAlias& entry : entries) {
    if (last != nullptr && last->output == entry.output) continue;
    if (last != nullptr) out->append(", ");
    last = &entry;
    AppendIndex(entry.output, out);
    absl::StrAppend(out, ": (", entry.parameter, ", ");
    AppendIndex(entry.index, out);
    out->append(entry.kind == kMayAlias ? ", may-alias)" : ", must-alias)");
  }
  out->append(" }");
}

// (0, {1}), by parameter and index.
std::string DonorText(absl::string_view wire) {
  std::map<std::pair<int64_t, DimIndices>, std::string> entries;
  for (absl::string_view text :
       FieldList(WireMessage::kHloBufferDonorProto, wire)
           .Texts(field::HloBufferDonorProto::kEntries)) {
    const FieldList entry(
        WireMessage::kHloBufferDonorProto_BufferDonorEntryProto, text);
    const DimIndices index = entry.Numbers(
        field::HloBufferDonorProto_BufferDonorEntryProto::kParameterShapeIndex);
    entries.emplace(
        std::make_pair(
            entry.Number(field::HloBufferDonorProto_BufferDonorEntryProto::
                             kParameterNumber),
            index),
        absl::StrCat(
            "(",
            entry.Number(field::HloBufferDonorProto_BufferDonorEntryProto::
                             kParameterNumber),
            ", ", IndexText(index), ")"));
  }
  return absl::StrJoin(entries, ", ", [](std::string* to, const auto& entry) {
    to->append(entry.second);
  });
}

// A single false flag is the default, as is none.
void AppendPropagation(const FieldList& config, uint32_t number,
                       absl::string_view name, std::string* out) {
  const DimIndices flags = config.Numbers(number);
  if (flags.empty() || (flags.size() == 1 && flags[0] == 0)) return;
  absl::StrAppend(out, ", ", name, "={",
                  absl::StrJoin(flags, ",",
                                [](std::string* to, int64_t flag) {
                                  to->append(flag != 0 ? "true" : "false");
                                }),
                  "}");
}

void AppendCount(const FieldList& config, uint32_t number,
                 absl::string_view name, std::string* out) {
  const int64_t count = config.Number(number);
  if (count > 1) absl::StrAppend(out, ", ", name, "=", count);
}

// "instruction" {1}: the origin of a value, as a key for sorting and as text.
using Array = std::pair<std::string, DimIndices>;
Array ReadArray(absl::string_view wire) {
  const FieldList array(WireMessage::kOriginalArrayProto, wire);
  return {std::string(array.Text(field::OriginalArrayProto::kInstructionName)),
          array.Numbers(field::OriginalArrayProto::kShapeIndex)};
}
std::string ArrayText(const Array& array) {
  return absl::StrCat("\"", array.first, "\"", array.second.empty() ? "" : " ",
                      array.second.empty() ? "" : IndexText(array.second));
}

// The module that recovers a value, as a string inside the text.
std::string RecoveryModuleText(absl::string_view wire, int indent) {
  auto bytes = std::make_shared<const std::string>(wire);
  const absl::StatusOr<Module> module = ReadHloModuleProto(*bytes, bytes);
  if (!module.ok()) return "";
  PrintOptions options;
  options.indent = indent + 1;
  const std::string tab(2 * static_cast<size_t>(indent), ' ');
  return absl::StrCat(",\n", tab, "\"\n",
                      absl::StrReplaceAll(PrintHloText(*module, options),
                                          {{"\\", "\\\\"}, {"\"", "\\\""}}),
                      "\n", tab, "\"");
}

void AppendRecoveryTable(const FieldList& fields, const PrintOptions& options,
                         std::string* out) {
  std::map<Array, std::string> entries;
  const int indent = options.indent + 1;
  for (absl::string_view text :
       FieldList(WireMessage::kOriginalValueRecoveryTableProto,
                 fields.Text(of_module::kOriginalValueRecoveryTable))
           .Texts(field::OriginalValueRecoveryTableProto::kEntries)) {
    const FieldList entry(WireMessage::kOriginalValueRecoveryTableProto_Entry,
                          text);
    const Array old_array = ReadArray(entry.Text(
        field::OriginalValueRecoveryTableProto_Entry::kOldOriginalArray));
    entries.emplace(
        old_array,
        absl::StrCat(
            std::string(2 * static_cast<size_t>(indent), ' '), "{",
            ArrayText(old_array), "} : {",
            ArrayText(ReadArray(
                entry.Text(field::OriginalValueRecoveryTableProto_Entry::
                               kNewOriginalArray))),
            "}",
            entry.has(
                field::OriginalValueRecoveryTableProto_Entry::kRecoveryModule)
                ? RecoveryModuleText(
                      entry.Text(field::OriginalValueRecoveryTableProto_Entry::
                                     kRecoveryModule),
                      indent)
                : "",
            "\n"));
  }
  if (entries.empty()) return;
  out->append(", origin_recovery_table={\n");
  for (const auto& entry : entries) out->append(entry.second);
  out->append("}\n");
}

std::string DebugText(absl::string_view wire) {
  namespace of = field::DebugAttributesProto;
  const FieldList fields(WireMessage::kDebugAttributesProto, wire);
  static constexpr absl::string_view kModes[] = {"", "default",
                                                 "fusion_debugger"};
  std::vector<std::string> parts;
  const int64_t mode = fields.Number(of::kLogMode);
  if (mode == 1 || mode == 2) {
    parts.push_back(absl::StrCat("log_mode=", kModes[mode]));
  }
  if (fields.Number(of::kCallbackId) != 0) {
    parts.push_back(
        absl::StrCat("callback_id=", fields.Number(of::kCallbackId)));
  }
  if (fields.Number(of::kPartitioned) != 0) parts.push_back("partitioned=true");
  if (fields.Number(of::kOpId) != 0) {
    parts.push_back(absl::StrCat("op_id=", fields.Number(of::kOpId)));
  }
  return absl::StrCat("{", absl::StrJoin(parts, ","), "}");
}

void AppendDebugAttributes(const FieldList& fields, const PrintOptions& options,
                           std::string* out) {
  std::map<Array, std::vector<std::string>> entries;
  for (absl::string_view text : fields.Texts(of_module::kDebugAttributes)) {
    const FieldList entry(WireMessage::kDebugAttributeTableEntryProto, text);
    for (absl::string_view attributes :
         entry.Texts(field::DebugAttributeTableEntryProto::kDebugAttributes)) {
      entries[ReadArray(entry.Text(
                  field::DebugAttributeTableEntryProto::kOriginalArray))]
          .push_back(DebugText(attributes));
    }
  }
  if (entries.empty()) return;
  const std::string tab(2 * (static_cast<size_t>(options.indent) + 1), ' ');
  const auto one = [&](std::string* to, const auto& entry) {
    absl::StrAppend(to, tab, "{", ArrayText(entry.first), "}:(",
                    absl::StrJoin(entry.second, ","), ")");
  };
  absl::StrAppend(out, ",\ndebug_attributes={\n",
                  absl::StrJoin(entries, ",\n", one), "\n}");
}

// The mark of a recorded module: true if it is this library's own.
void AppendRecordedMark(const ModuleData& data, std::string* out) {
  namespace of = field::RecordedModule;
  if (!data.recorded) return;
  if (!data.recorded_mark || *data.recorded_mark == kRecordedMark) {
    out->append(", recorded=true");
    return;
  }
  const FieldList mark(WireMessage::kRecordedModule, *data.recorded_mark);
  absl::StrAppend(out, ", recorded={version=", mark.Number(of::kVersion));
  if (mark.has(of::kProducer)) {
    absl::StrAppend(out, " producer=\"", EscapeText(mark.Text(of::kProducer)),
                    "\"");
  }
  out->push_back('}');
}

}  // namespace

void AppendModuleHeader(const Module& module, absl::string_view name,
                        const PrintOptions& options,
                        absl::FunctionRef<void()> append_entry_layout,
                        std::string* out) {
  const ModuleData& data = internal::DataOf(module);
  const FieldList fields(WireMessage::kHloModuleProto, data.other_fields);
  const FieldList config(WireMessage::kHloModuleConfigProto, data.config);
  absl::StrAppend(out,
                  std::string(2 * static_cast<size_t>(options.indent), ' '),
                  "HloModule ", options.ids ? name : "",
                  options.ids && IsReservedWord(name) ? "_" : "");
  AppendRecordedMark(data, out);
  if (fields.has(of_module::kSchedule)) out->append(", is_scheduled=true");
  AppendAliases(fields.Text(of_module::kInputOutputAlias), out);
  const std::string donor = DonorText(fields.Text(of_module::kBufferDonor));
  if (!donor.empty()) absl::StrAppend(out, ", buffer_donor={ ", donor, " }");
  if (config.Number(kAliasPassthroughParams) != 0) {
    out->append(", alias_passthrough_params=true");
  }
  if (module.computation_count() > 0) append_entry_layout();
  AppendPropagation(config, kAllowSpmdShardingPropagationToParameters,
                    "allow_spmd_sharding_propagation_to_parameters", out);
  AppendPropagation(config, kAllowSpmdShardingPropagationToOutput,
                    "allow_spmd_sharding_propagation_to_output", out);
  AppendCount(config, kReplicaCount, "replica_count", out);
  AppendCount(config, kNumPartitions, "num_partitions", out);
  const std::string frontend = FrontendAttributesText(
      WithSymbolFacts(module, fields.Text(of_module::kFrontendAttributes)));
  if (frontend != "{}") {
    absl::StrAppend(out, ", frontend_attributes=", frontend);
  }
  AppendRecoveryTable(fields, options, out);
  AppendDebugAttributes(fields, options, out);
  const absl::string_view backend = fields.Text(of_module::kBackendConfig);
  if (options.backend_config && !backend.empty()) {
    out->append(", backend_config=");
    AppendJsonOrText(backend, out);
  }
}

}  // namespace indim
