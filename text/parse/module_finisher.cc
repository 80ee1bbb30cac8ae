// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/module_finisher.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/text/base/name_uniquer.h"

namespace indim {
namespace {

using field::HloComputationProto::kExecutionThread;
using field::HloComputationProto::kIsFusionComputation;
using field::HloModuleConfigProto::kFramesInOrder;
namespace of_module = field::HloModuleProto;
using field::OpMetadata::kStackFrameId;
using wire_fields::AppendBytes;
using wire_fields::AppendNumber;

template <typename Numbers>
std::string Packed(const Numbers& numbers) {
  std::string packed;
  for (int64_t n : numbers) AppendVarint(static_cast<uint64_t>(n), &packed);
  return packed;
}

bool HasIndex(const Shape& shape, const ShapeIndex& index) {
  const Shape* at = &shape;
  for (int64_t i : index) {
    if (!at->is_tuple() || i < 0 || i >= at->tuple_size()) return false;
    at = &at->elements()[static_cast<size_t>(i)];
  }
  return true;
}

}  // namespace

absl::StatusOr<Module> ModuleFinisher::Finish() {
  module_.data->entry = module_.entry;
  module_.data->names_as_read = true;
  if (!CheckAsyncCallers())
    return in_.errors.ToStatus(in_.options.file, in_.text);
  NameEverything();
  SetIds();
  SetThreads();
  SetComputationFields();
  SetModuleFields();
  if (!in_.errors.empty())
    return in_.errors.ToStatus(in_.options.file, in_.text);
  module_.data->places = std::move(module_.places);
  return internal::ModuleOf(std::move(module_.data));
}

bool ModuleFinisher::CheckAsyncCallers() {
  if (in_.recorded) return true;  // the verifier reports it
  for (const ComputationFacts& facts : module_.facts) {
    if (!facts.is_async || facts.other_caller == absl::string_view::npos) {
      continue;
    }
    in_.lexer.ErrorAt(
        facts.other_caller, 1,
        absl::StrCat(
            facts.name,
            " is called by an async-start, so nothing else may call it"));
  }
  return in_.errors.empty();
}

// In the order in which XLA adds computations to the module: the text's, but
// the entry of a bare instruction first.
void ModuleFinisher::NameEverything() {
  const uint32_t count =
      static_cast<uint32_t>(module_.data->computations.size());
  NameUniquer computations;
  NameUniquer instructions;
  module_.pools.ReserveNames(module_.data->instructions.size() + count);
  if (!module_.names_unique)
    instructions.Reserve(module_.data->instructions.size());
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t c = !in_.bare ? i
                       : i == 0  ? module_.entry
                                 : i - (i <= module_.entry ? 1 : 0);
    ComputationRecord& record = module_.data->computations[c];
    const bool nameless = in_.recorded && IsNumberName(module_.facts[c].name);
    record.name = module_.pools.AddName(
        nameless ? "" : computations.Unique(module_.facts[c].name));
    for (uint32_t j = record.first; j < record.first + record.count; ++j) {
      const absl::string_view name = module_.instruction_names[j];
      if (in_.recorded && IsNumberName(name)) {
        module_.data->instructions[j].name = module_.pools.AddName("");
        continue;
      }
      const absl::string_view unique =
          module_.names_unique ? name : instructions.Unique(name);
      module_.data->instructions[j].name = module_.pools.AddName(unique);
      if (unique != name) module_.places->SetName(j, name);
    }
  }
  if (!header_.name.empty()) {
    module_.data->name = std::string(header_.name);
  } else if (in_.bare) {
    module_.data->name = "_";
  } else {
    module_.data->name = absl::StrCat(
        "module_",
        module_.pools.name(module_.data->computations[module_.entry].name));
  }
}

void ModuleFinisher::SetIds() {
  if (in_.recorded) return;  // positions
  module_.data->ids.reserve(module_.data->instructions.size());
  for (const ComputationRecord& record : module_.data->computations) {
    for (int64_t i = 0; i < record.count; ++i) {
      module_.data->ids.push_back(record.id << 32 | i);
    }
  }
}

// The thread of an async-start becomes that of everything it calls; a later
// start wins. Going backwards from the last, each computation is visited once.
void ModuleFinisher::SetThreads() {
  std::vector<bool> seen(module_.data->computations.size());
  std::vector<uint32_t> to_do;
  for (auto it = module_.async_starts.rbegin();
       it != module_.async_starts.rend(); ++it) {
    to_do.push_back(it->first);
    while (!to_do.empty()) {
      const uint32_t c = to_do.back();
      to_do.pop_back();
      if (seen[c]) continue;
      seen[c] = true;
      module_.facts[c].thread = it->second;
      for (const InstructionRecord& r : module_.data->Instructions(c)) {
        const absl::Span<const uint32_t> callees = module_.data->Callees(r);
        to_do.insert(to_do.end(), callees.begin(), callees.end());
      }
    }
  }
}

void ModuleFinisher::SetComputationFields() {
  for (size_t c = 0; c < module_.facts.size(); ++c) {
    std::string fields;
    if (module_.facts[c].is_fusion && !in_.recorded)
      AppendNumber(kIsFusionComputation, 1, &fields);
    if (!module_.facts[c].thread.empty() &&
        module_.facts[c].thread != kMainThread) {
      AppendBytes(kExecutionThread, module_.facts[c].thread, &fields);
    }
    const std::string& config = module_.facts[c].backend_config;
    if (!config.empty()) {
      AppendBytes(field::HloComputationProto::kBackendConfig, config, &fields);
    }
    if (fields.empty()) continue;
    module_.data->computations[c].other_fields =
        module_.pools.KeepBytes(std::move(fields));
  }
}

void ModuleFinisher::SetModuleFields() {
  ShapeTable& shapes = module_.pools.shapes();
  const bool is_layout_given = header_.entry_layout.has_value();
  if (!is_layout_given) {
    header_.entry_layout.emplace();
    const Signature signature =
        internal::ComputationOf(module_.data.get(), module_.entry).signature();
    // Those of the instructions; but XLA's parser forgets them where the header
    // sets anything else of the configuration.
    const bool is_forgotten = !in_.recorded && !header_.config.empty();
    const auto intern = [&](const Shape& shape) {
      return shapes.Intern(
          is_forgotten ? shape.WithoutLayout().WithDefaultLayout() : shape);
    };
    for (const Shape& parameter : signature.parameters) {
      header_.entry_layout->parameters.push_back(intern(parameter));
    }
    header_.entry_layout->result = intern(signature.result);
  }
  if (is_layout_given || !in_.recorded) SetProgramShape();
  module_.data->config = header_.config;

  std::string& fields = module_.data->other_fields;
  if (header_.is_scheduled || in_.bare) SetSchedule(&fields);
  SetAliases();
  NumberFrames(&fields);
  AppendModuleField(of_module::kBufferDonor, header_.buffer_donor);
  AppendModuleField(of_module::kFrontendAttributes,
                    header_.frontend_attributes);
  if (!header_.recovery_table.empty()) {
    AppendBytes(of_module::kOriginalValueRecoveryTable, header_.recovery_table,
                &fields);
  }
  for (const std::string& entry : header_.debug_attributes) {
    AppendBytes(of_module::kDebugAttributes, entry, &fields);
  }
  if (!header_.backend_config.empty()) {
    AppendModuleField(of_module::kBackendConfig, header_.backend_config);
  }
}

// ProgramShapeProto, with shapes as the table spells them.
void ModuleFinisher::SetProgramShape() {
  const ShapeTable& shapes = module_.pools.shapes();
  const ModuleHeader::Layout& layout = *header_.entry_layout;
  std::string program;
  for (const ShapeId parameter : layout.parameters) {
    AppendBytes(field::ProgramShapeProto::kParameters, shapes.wire(parameter),
                &program);
  }
  if (layout.result) {
    AppendBytes(field::ProgramShapeProto::kResult, shapes.wire(layout.result),
                &program);
  }
  for (size_t i = 0; i < layout.parameters.size(); ++i) {
    AppendBytes(field::ProgramShapeProto::kParameterNames, absl::StrCat("p", i),
                &program);
  }
  module_.data->host_program_shape =
      module_.pools.KeepBytes(std::move(program));
}

MetadataId ModuleFinisher::NumberFrame(MetadataId id, FrameTable* frames) {
  const absl::string_view wire = module_.pools.metadata(id);
  uint64_t frame = 0;
  wire_fields::AllRecords(wire, [&frame](const wire_fields::Record& record) {
    if (record.tag == wire_fields::Varint(kStackFrameId)) {
      frame = record.number;
    }
    return frame == 0;
  });
  if (frame == 0) return id;
  const int64_t number = frames->Add(static_cast<int64_t>(frame));
  if (number == static_cast<int64_t>(frame)) return id;
  FieldList fields(WireMessage::kOpMetadata, wire);
  fields.SetNumber(kStackFrameId, number);
  return module_.pools.AddMetadata(fields.Serialize());
}

// Keeps the tables of frames as in the text, each frame once, with a mark that
// they are to be printed so. (XLA renumbers frames in the order in which
// instructions refer to them, so a text that it printed gets other numbers when
// it reads and prints it again.) A frame that the tables lack becomes none.
void ModuleFinisher::NumberFrames(std::string* other_fields) {
  ModuleData tables;
  if (!frame_tables_.empty()) {
    AppendBytes(of_module::kStackFrameIndex, frame_tables_,
                &tables.other_fields);
  }
  FrameTable frames(tables);
  frames.AddAll();
  // The new metadata, by the id of the old.
  std::vector<MetadataId> numbered;
  for (InstructionRecord& record : module_.data->instructions) {
    const uint32_t id = record.metadata.value;
    if (id >= numbered.size()) numbered.resize(id + 1);
    if (!numbered[id]) numbered[id] = NumberFrame(record.metadata, &frames);
    record.metadata = numbered[id];
  }
  const std::string wire = frames.ToWire();
  if (wire.empty()) return;
  AppendBytes(of_module::kStackFrameIndex, wire, other_fields);
  AppendNumber(kFramesInOrder, 1, &module_.data->config);
}

// All computations except those of fusions run in the order of the text. Ids of
// computations ascend, as a map's entries require.
void ModuleFinisher::SetSchedule(std::string* other_fields) {
  std::vector<uint32_t> order;
  for (uint32_t c = 0; c < module_.data->computations.size(); ++c) {
    if (!module_.facts[c].is_fusion) order.push_back(c);
  }
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return module_.data->computations[a].id < module_.data->computations[b].id;
  });
  std::string schedule;
  for (uint32_t c : order) {
    const ComputationRecord& record = module_.data->computations[c];
    std::vector<int64_t> ids(record.count);
    for (uint32_t i = 0; i < record.count; ++i) {
      ids[i] = module_.data->InstructionId(record.first + i);
    }
    std::string sequence, entry;
    AppendBytes(field::HloScheduleProto_InstructionSequence::kInstructionIds,
                Packed(ids), &sequence);
    AppendNumber(field::HloScheduleProto_SequencesEntry::kKey, record.id,
                 &entry);
    AppendBytes(field::HloScheduleProto_SequencesEntry::kValue, sequence,
                &entry);
    AppendBytes(field::HloScheduleProto::kSequences, entry, &schedule);
  }
  AppendBytes(of_module::kSchedule, schedule, other_fields);
}

void ModuleFinisher::SetAliases() {
  namespace of = field::HloInputOutputAliasProto_AliasEntryProto;
  std::string aliases;
  for (const AliasText& alias : header_.aliases) {
    const Shape& result =
        module_.pools.shapes().shape(header_.entry_layout->result);
    if (!HasIndex(result, alias.output)) {
      in_.lexer.ErrorAt(alias.offset, 1,
                        absl::StrCat("the result, ", result.ToString(),
                                     ", has no such part"));
      return;
    }
    std::string entry;
    if (!alias.output.empty()) {
      AppendBytes(of::kOutputShapeIndex, Packed(alias.output), &entry);
    }
    if (alias.parameter != 0) {
      AppendNumber(of::kParameterNumber, alias.parameter, &entry);
    }
    if (!alias.parameter_index.empty()) {
      AppendBytes(of::kParameterShapeIndex, Packed(alias.parameter_index),
                  &entry);
    }
    AppendNumber(of::kKind, alias.must ? 2 : 1, &entry);
    AppendBytes(field::HloInputOutputAliasProto::kEntries, entry, &aliases);
  }
  AppendModuleField(of_module::kInputOutputAlias, aliases);
}

// XLA writes these even when empty; a builder doesn't.
void ModuleFinisher::AppendModuleField(uint32_t number,
                                       absl::string_view bytes) {
  if (in_.recorded && bytes.empty()) return;
  AppendBytes(number, bytes, &module_.data->other_fields);
}

}  // namespace indim
