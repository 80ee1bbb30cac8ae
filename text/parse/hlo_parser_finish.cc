// Makes the Module: names, ids, and other fields that XLA's HloModuleProto of
// the same text has.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/text/base/frame_table.h"
#include "indim/text/parse/hlo_parser.h"
#include "indim/wire/append_number.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"
#include "indim/wire/wire_fields.h"

namespace indim {
namespace {

using field::HloComputationProto::kExecutionThread;
using field::HloComputationProto::kIsFusionComputation;
using field::HloModuleConfigProto::kFramesInOrder;
namespace of_module = field::HloModuleProto;
using field::OpMetadata::kStackFrameId;
using wire_fields::AppendBytes;

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

absl::StatusOr<Module> HloParser::Finish() {
  data_->entry = entry_;
  data_->names_as_read = true;
  if (!CheckAsyncCallers()) return errors_.ToStatus(options_.file, text_);
  NameEverything();
  SetIds();
  SetThreads();
  SetComputationFields();
  SetModuleFields();
  if (!errors_.empty()) return errors_.ToStatus(options_.file, text_);
  data_->places = std::move(places_);
  return internal::ModuleOf(std::move(data_));
}

bool HloParser::CheckAsyncCallers() {
  if (recorded_) return true;  // the verifier reports it
  for (const ComputationFacts& facts : facts_) {
    if (!facts.is_async || facts.other_caller == absl::string_view::npos) {
      continue;
    }
    lexer_.ErrorAt(
        facts.other_caller, 1,
        absl::StrCat(
            facts.name,
            " is called by an async-start, so nothing else may call it"));
  }
  return errors_.empty();
}

// In the order in which XLA adds computations to the module: the text's, but
// the entry of a bare instruction first.
void HloParser::NameEverything() {
  const uint32_t count = static_cast<uint32_t>(data_->computations.size());
  NameUniquer computations;
  NameUniquer instructions;
  pools_->ReserveNames(data_->instructions.size() + count);
  if (!names_unique_) instructions.Reserve(data_->instructions.size());
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t c = !bare_ ? i : i == 0 ? entry_ : i - (i <= entry_ ? 1 : 0);
    ComputationRecord& record = data_->computations[c];
    const bool nameless = recorded_ && IsNumberName(facts_[c].name);
    record.name =
        pools_->AddName(nameless ? "" : computations.Unique(facts_[c].name));
    for (uint32_t j = record.first; j < record.first + record.count; ++j) {
      const absl::string_view name = instruction_names_[j];
      if (recorded_ && IsNumberName(name)) {
        data_->instructions[j].name = pools_->AddName("");
        continue;
      }
      const absl::string_view unique =
          names_unique_ ? name : instructions.Unique(name);
      data_->instructions[j].name = pools_->AddName(unique);
      if (unique != name) places_->SetName(j, name);
    }
  }
  if (!header_.name.empty()) {
    data_->name = std::string(header_.name);
  } else if (bare_) {
    data_->name = "_";
  } else {
    data_->name =
        absl::StrCat("module_", pools_->name(data_->computations[entry_].name));
  }
}

void HloParser::SetIds() {
  if (recorded_) return;  // positions
  data_->ids.reserve(data_->instructions.size());
  for (const ComputationRecord& record : data_->computations) {
    for (int64_t i = 0; i < record.count; ++i) {
      data_->ids.push_back(record.id << 32 | i);
    }
  }
}

// The thread of an async-start becomes that of everything it calls; a later
// start wins. Going backwards from the last, each computation is visited once.
void HloParser::SetThreads() {
  std::vector<bool> seen(data_->computations.size());
  std::vector<uint32_t> to_do;
  for (auto it = async_starts_.rbegin(); it != async_starts_.rend(); ++it) {
    to_do.push_back(it->first);
    while (!to_do.empty()) {
      const uint32_t c = to_do.back();
      to_do.pop_back();
      if (seen[c]) continue;
      seen[c] = true;
      facts_[c].thread = it->second;
      for (const InstructionRecord& r : data_->Instructions(c)) {
        const absl::Span<const uint32_t> callees = data_->Callees(r);
        to_do.insert(to_do.end(), callees.begin(), callees.end());
      }
    }
  }
}

void HloParser::SetComputationFields() {
  for (size_t c = 0; c < facts_.size(); ++c) {
    std::string fields;
    if (facts_[c].is_fusion && !recorded_)
      AppendNumber(kIsFusionComputation, 1, &fields);
    if (!facts_[c].thread.empty() && facts_[c].thread != kMainThread) {
      AppendBytes(kExecutionThread, facts_[c].thread, &fields);
    }
    if (fields.empty()) continue;
    data_->computations[c].other_fields = pools_->KeepBytes(std::move(fields));
  }
}

void HloParser::SetModuleFields() {
  ShapeTable& shapes = pools_->shapes();
  const bool is_layout_given = header_.entry_layout.has_value();
  if (!is_layout_given) {
    header_.entry_layout.emplace();
    const Signature signature =
        internal::ComputationOf(data_.get(), entry_).signature();
    for (const Shape& parameter : signature.parameters) {
      header_.entry_layout->parameters.push_back(shapes.Intern(parameter));
    }
    header_.entry_layout->result = shapes.Intern(signature.result);
  }
  if (is_layout_given || !recorded_) SetProgramShape();
  data_->config = header_.config;

  std::string& fields = data_->other_fields;
  if (header_.is_scheduled || bare_) SetSchedule(&fields);
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
}

// ProgramShapeProto, with shapes as the table spells them.
void HloParser::SetProgramShape() {
  const ShapeTable& shapes = pools_->shapes();
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
  data_->host_program_shape = pools_->KeepBytes(std::move(program));
}

MetadataId HloParser::NumberFrame(MetadataId id, FrameTable* frames) {
  const absl::string_view wire = pools_->metadata(id);
  WireReader reader(wire);
  uint32_t tag;
  uint64_t frame = 0;
  while (frame == 0 && !reader.done() && reader.ReadTag(&tag)) {
    if (tag == MakeTag(kStackFrameId, WireType::kVarint)) {
      if (!reader.ReadVarint(&frame)) break;
    } else if (!reader.SkipValue(tag, kMaxWireDepth)) {
      break;
    }
  }
  if (frame == 0) return id;
  const int64_t number = frames->Add(static_cast<int64_t>(frame));
  if (number == static_cast<int64_t>(frame)) return id;
  FieldList fields(WireMessage::kOpMetadata);
  fields.Append(wire);
  fields.SetNumber(kStackFrameId, number);
  return pools_->AddMetadata(fields.Serialize());
}

// Keeps the tables of frames as in the text, each frame once, with a mark that
// they are to be printed so. (XLA renumbers frames in the order in which
// instructions refer to them, so a text that it printed gets other numbers when
// it reads and prints it again.) A frame that the tables lack becomes none.
void HloParser::NumberFrames(std::string* other_fields) {
  ModuleData tables;
  if (!frame_tables_.empty()) {
    AppendBytes(of_module::kStackFrameIndex, frame_tables_,
                &tables.other_fields);
  }
  FrameTable frames(tables);
  frames.AddAll();
  // The new metadata, by the id of the old.
  std::vector<MetadataId> numbered;
  for (InstructionRecord& record : data_->instructions) {
    const uint32_t id = record.metadata.value;
    if (id >= numbered.size()) numbered.resize(id + 1);
    if (!numbered[id]) numbered[id] = NumberFrame(record.metadata, &frames);
    record.metadata = numbered[id];
  }
  const std::string wire = frames.ToWire();
  if (wire.empty()) return;
  AppendBytes(of_module::kStackFrameIndex, wire, other_fields);
  AppendNumber(kFramesInOrder, 1, &data_->config);
}

// All computations except those of fusions run in the order of the text. Ids of
// computations ascend, as a map's entries require.
void HloParser::SetSchedule(std::string* other_fields) {
  std::vector<uint32_t> order;
  for (uint32_t c = 0; c < data_->computations.size(); ++c) {
    if (!facts_[c].is_fusion) order.push_back(c);
  }
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return data_->computations[a].id < data_->computations[b].id;
  });
  std::string schedule;
  for (uint32_t c : order) {
    const ComputationRecord& record = data_->computations[c];
    std::vector<int64_t> ids(record.count);
    for (uint32_t i = 0; i < record.count; ++i) {
      ids[i] = data_->InstructionId(record.first + i);
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

void HloParser::SetAliases() {
  namespace of = field::HloInputOutputAliasProto_AliasEntryProto;
  std::string aliases;
  for (const AliasText& alias : header_.aliases) {
    const Shape& result = pools_->shapes().shape(header_.entry_layout->result);
    if (!HasIndex(result, alias.output)) {
      lexer_.ErrorAt(alias.offset, 1,
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
void HloParser::AppendModuleField(uint32_t number, absl::string_view bytes) {
  if (recorded_ && bytes.empty()) return;
  AppendBytes(number, bytes, &data_->other_fields);
}

absl::StatusOr<Module> ParseHloText(absl::string_view text,
                                    const ParseOptions& options) {
  absl::ConsumePrefix(&text, "\xef\xbb\xbf");  // a byte order mark
  return HloParser(text, options).Parse();
}

}  // namespace indim
