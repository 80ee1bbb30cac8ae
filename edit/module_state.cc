// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/module_state.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/sharding.h"

namespace indim::internal {
namespace {

namespace module_field = field::HloModuleProto;

// The numbers of the fields of an entry of aliases or donors; 0: no such field.
struct EntryFields {
  WireMessage message;
  uint32_t output_index, parameter;
};
constexpr EntryFields kAliasFields = {
    WireMessage::kHloInputOutputAliasProto_AliasEntryProto,
    field::HloInputOutputAliasProto_AliasEntryProto::kOutputShapeIndex,
    field::HloInputOutputAliasProto_AliasEntryProto::kParameterNumber};
constexpr EntryFields kDonorFields = {
    WireMessage::kHloBufferDonorProto_BufferDonorEntryProto, 0,
    field::HloBufferDonorProto_BufferDonorEntryProto::kParameterNumber};
constexpr EntryFields kPrefetchFields = {
    WireMessage::kCrossProgramPrefetch, 0,
    field::CrossProgramPrefetch::kParameter};

class StateRewriter {
 public:
  StateRewriter(EditSession* graph, Assembled* assembled,
                absl::FunctionRef<void(Diagnostic)> warn)
      : graph_(*graph),
        assembled_(*assembled),
        data_(*assembled->data),
        changes_(graph->entry_changes()),
        warn_(warn) {}

  void Run() {
    for (uint32_t i = 0; i < data_.computations.size(); ++i) {
      RewriteProgramShape(i);
    }
    if (data_.computations.empty()) return;
    if (changes_.entry_changed) {
      DropEntryState();
    } else {
      RewriteHostProgramShape();
      if (changes_.any()) RewriteEntryState();
    }
    RewriteFields(module_field::kSchedule);
  }

 private:
  void Warn(std::string what, absl::string_view why) {
    Diagnostic d;
    d.code = Code::kEditStateDropped;
    d.args.push_back(std::move(what));
    d.args.push_back(std::string(why));
    warn_(std::move(d));
  }
  // Where a parameter of the module is now; -1: nowhere.
  int64_t NewParameter(int64_t old) const {
    if (!changes_.parameters) return old;
    const auto found = absl::c_find(*changes_.parameters, old);
    return found == changes_.parameters->end()
               ? -1
               : found - changes_.parameters->begin();
  }
  // Sets *index to where that part of the result is now. False: nowhere.
  bool MoveOutput(DimIndices* index) const;
  std::string NameOf(uint32_t c, uint32_t i) const {
    return graph_.NameOf(assembled_.nodes[data_.computations[c].first + i]);
  }

  void RewriteProgramShape(uint32_t c);
  bool Says(uint32_t c, const ProgramShape& said) const;
  void RewriteHostProgramShape();
  void DropEntryState();
  void RewriteEntryState();
  void RewriteFields(uint32_t field);
  std::vector<std::string> RewriteEntries(
      const std::vector<absl::string_view>& entries, EntryFields fields,
      absl::string_view what);
  void RewriteList(FieldList* fields, uint32_t number, WireMessage message,
                   EntryFields entry, absl::string_view what);
  void RewriteShardings(FieldList* fields);
  void RewriteConfig();
  void RewriteMemoryKinds();

  EditSession& graph_;
  Assembled& assembled_;
  ModuleData& data_;
  const EntryChanges& changes_;
  absl::FunctionRef<void(Diagnostic)> warn_;
};

// Whether a program shape fits the computation, but for layouts.
bool StateRewriter::Says(uint32_t c, const ProgramShape& said) const {
  const ModuleData::Positions parameters = data_.Parameters(c);
  const Computation computation = ComputationOf(&data_, c);
  if (said.parameters.size() != parameters.size() ||
      said.names.size() != parameters.size() ||
      !SameStructure(said.result, computation.root().shape())) {
    return false;
  }
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k] >= data_.computations[c].count) return false;
    const uint32_t node =
        assembled_.nodes[data_.computations[c].first + parameters[k]];
    if (graph_.is_renamed(node) ||
        !SameStructure(
            said.parameters[k],
            computation.instruction(static_cast<int>(parameters[k])).shape())) {
      return false;
    }
  }
  return true;
}

void StateRewriter::RewriteProgramShape(uint32_t c) {
  ComputationRecord& record = data_.computations[c];
  const EditGraph::EditComputation& edited =
      graph_.at(assembled_.computations[c]);
  if (!edited.touched && !edited.signature_changed) return;
  if (record.program_shape.empty() || record.count == 0) return;
  if (!edited.signature_changed) {
    const absl::StatusOr<ProgramShape> said =
        ParseProgramShapeProto(record.program_shape);
    if (!said.ok() || Says(c, *said)) return;
  }
  record.program_shape = {};
  record.program_shape_when_empty = WhenEmpty::kMake;
}

// Shapes that still fit keep their layouts, and so the bytes stay.
void StateRewriter::RewriteHostProgramShape() {
  const uint32_t c = data_.entry;
  const EditGraph::EditComputation& edited =
      graph_.at(assembled_.computations[c]);
  if (data_.host_program_shape.empty() || data_.computations[c].count == 0 ||
      (!edited.touched && !edited.signature_changed)) {
    return;
  }
  const absl::StatusOr<ProgramShape> old =
      ParseProgramShapeProto(data_.host_program_shape);
  if (!old.ok()) return;  // the verifier reports it, as before
  if (!edited.signature_changed && !changes_.any() && Says(c, *old)) return;
  namespace of = field::ProgramShapeProto;
  const Computation entry = ComputationOf(&data_, c);
  const ModuleData::Positions parameters = data_.Parameters(c);
  FieldList fields(WireMessage::kProgramShapeProto);
  std::vector<std::string> shapes, names;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k] >= data_.computations[c].count) continue;
    const Shape& real =
        entry.instruction(static_cast<int>(parameters[k])).shape();
    const int64_t from = !changes_.parameters ? static_cast<int64_t>(k)
                         : k < changes_.parameters->size()
                             ? (*changes_.parameters)[k]
                             : EntryChanges::kNew;
    const size_t number = static_cast<size_t>(from);
    const bool was = from >= 0 && number < old->parameters.size();
    shapes.push_back(
        SerializeShapeProto(was && SameStructure(old->parameters[number], real)
                                ? old->parameters[number]
                                : real.WithDefaultLayout()));
    names.push_back(was && number < old->names.size()
                        ? old->names[number]
                        : NameOf(c, parameters[k]));
  }
  const Shape& result = entry.root().shape();
  Shape said = result.WithDefaultLayout();
  if (!changes_.result_replaced && SameStructure(old->result, result)) {
    said = old->result;
  } else if (changes_.results && result.is_tuple()) {
    std::vector<Shape> elements(said.elements().begin(), said.elements().end());
    for (size_t k = 0; k < elements.size(); ++k) {
      const int64_t from = k < changes_.results->size() ? (*changes_.results)[k]
                                                        : EntryChanges::kNew;
      if (from < 0) continue;
      const Shape* const was =
          changes_.wrapped ? &old->result
          : from < old->result.tuple_size()
              ? &old->result.elements()[static_cast<size_t>(from)]
              : nullptr;
      if (was != nullptr && SameStructure(*was, elements[k]))
        elements[k] = *was;
    }
    said = Shape::Tuple(std::move(elements));
  }
  fields.SetTexts(of::kParameters, shapes);
  fields.SetText(of::kResult, SerializeShapeProto(said));
  fields.SetTexts(of::kParameterNames, names);
  data_.host_program_shape =
      graph_.MutablePools().KeepBytes(fields.Serialize());
  data_.pools = graph_.SharePools();
}

bool StateRewriter::MoveOutput(DimIndices* index) const {
  if (changes_.result_replaced) return false;
  if (!changes_.results) return true;
  const auto place_of = [&](int64_t old) {
    const auto found = absl::c_find(*changes_.results, old);
    return found == changes_.results->end() ? -1
                                            : found - changes_.results->begin();
  };
  if (changes_.wrapped) {
    const int64_t place = place_of(0);
    if (place >= 0) index->insert(index->begin(), place);
    return place >= 0;
  }
  if (index->empty()) return true;
  return ((*index)[0] = place_of((*index)[0])) >= 0;
}

std::vector<std::string> StateRewriter::RewriteEntries(
    const std::vector<absl::string_view>& entries, EntryFields fields,
    absl::string_view what) {
  std::vector<std::string> kept;
  for (const absl::string_view wire : entries) {
    FieldList entry(fields.message, wire);
    const int64_t old = entry.Number(fields.parameter);
    const int64_t parameter = NewParameter(old);
    if (parameter < 0) {
      Warn(absl::StrCat(what, " of parameter ", old),
           "the parameter was removed");
      continue;
    }
    if (parameter != old) entry.SetNumber(fields.parameter, parameter);
    if (fields.output_index != 0) {
      DimIndices index = entry.Numbers(fields.output_index);
      const DimIndices before = index;
      if (!MoveOutput(&index)) {
        Warn(absl::StrCat(what, " of parameter ", old),
             "the result was removed");
        continue;
      }
      if (index != before) entry.SetNumbers(fields.output_index, index);
    }
    kept.push_back(entry.Serialize());
  }
  return kept;
}

void StateRewriter::RewriteList(FieldList* fields, uint32_t number,
                                WireMessage message, EntryFields entry,
                                absl::string_view what) {
  constexpr uint32_t kEntries = 1;  // of both messages
  if (!fields->has(number)) return;
  const std::string wire(fields->Text(number));
  FieldList list(message, wire);
  list.SetTexts(kEntries, RewriteEntries(list.Texts(kEntries), entry, what));
  const std::string rewritten = list.Serialize();
  if (rewritten.empty()) {
    fields->Remove(number);
  } else {
    fields->SetText(number, rewritten);
  }
}

void StateRewriter::RewriteShardings(FieldList* fields) {
  const std::vector<absl::string_view> old =
      fields->Texts(module_field::kSpmdParametersShardings);
  if (!old.empty() && changes_.parameters) {
    std::vector<std::string> shardings;
    for (const int64_t from : *changes_.parameters) {
      const bool was = from >= 0 && from < static_cast<int64_t>(old.size());
      shardings.emplace_back(was ? old[static_cast<size_t>(from)]
                                 : absl::string_view());  // replicated
    }
    fields->SetTexts(module_field::kSpmdParametersShardings, shardings);
  }
  if (!fields->has(module_field::kSpmdOutputSharding) || !changes_.results) {
    return;
  }
  const ModuleData& before = graph_.old();
  const std::optional<std::string> sharding =
      ShardingOfElements(fields->Text(module_field::kSpmdOutputSharding),
                         ComputationOf(&before, before.entry).root().shape(),
                         ComputationOf(&data_, data_.entry).root().shape(),
                         *changes_.results, changes_.wrapped);
  if (sharding) {
    fields->SetText(module_field::kSpmdOutputSharding, *sharding);
  } else {
    Warn("the sharding of the result", "it doesn't fit the result");
    fields->Remove(module_field::kSpmdOutputSharding);
  }
}

// Lists with an entry for each parameter and each result.
void StateRewriter::RewriteConfig() {
  namespace of = field::HloModuleConfigProto;
  if (data_.config.empty()) return;
  FieldList config(WireMessage::kHloModuleConfigProto, data_.config);
  const auto rewrite = [&](uint32_t number,
                           const std::optional<std::vector<int64_t>>& from) {
    const DimIndices old = config.Numbers(number);
    if (old.size() < 2 || !from) return;  // one value holds for all
    DimIndices values;
    for (const int64_t k : *from) {
      const bool was = k >= 0 && k < static_cast<int64_t>(old.size());
      values.push_back(was ? old[static_cast<size_t>(k)] : 0);
    }
    config.SetNumbers(number, values);
  };
  rewrite(of::kAllowSpmdShardingPropagationToParameters, changes_.parameters);
  rewrite(of::kAllowSpmdShardingPropagationToOutput, changes_.results);
  if (changes_.result_replaced &&
      config.Numbers(of::kAllowSpmdShardingPropagationToOutput).size() > 1) {
    Warn("allow_spmd_sharding_propagation_to_output", "the result was removed");
    config.Remove(of::kAllowSpmdShardingPropagationToOutput);
  }
  data_.config = config.Serialize();
}

void StateRewriter::RewriteEntryState() {
  const std::string old = data_.other_fields;
  FieldList fields(WireMessage::kHloModuleProto, old);
  RewriteList(&fields, module_field::kInputOutputAlias,
              WireMessage::kHloInputOutputAliasProto, kAliasFields,
              "input_output_alias");
  RewriteList(&fields, module_field::kBufferDonor,
              WireMessage::kHloBufferDonorProto, kDonorFields, "buffer_donor");
  if (fields.has(module_field::kCrossProgramPrefetches)) {
    fields.SetTexts(
        module_field::kCrossProgramPrefetches,
        RewriteEntries(fields.Texts(module_field::kCrossProgramPrefetches),
                       kPrefetchFields, "cross_program_prefetch"));
  }
  RewriteShardings(&fields);
  data_.other_fields = fields.Serialize();
  RewriteConfig();
  RewriteMemoryKinds();
}

void StateRewriter::RewriteMemoryKinds() {
  const auto rewrite = [](const std::optional<std::vector<int64_t>>& from,
                          std::map<int64_t, std::string>* kinds) {
    if (!from || kinds->empty()) return;
    std::map<int64_t, std::string> moved;
    for (size_t k = 0; k < from->size(); ++k) {
      const auto kind = kinds->find((*from)[k]);
      if (kind != kinds->end()) moved[static_cast<int64_t>(k)] = kind->second;
    }
    *kinds = std::move(moved);
  };
  rewrite(changes_.parameters, &data_.argument_memory_kinds);
  const ModuleData& before = graph_.old();
  if (changes_.result_replaced && !data_.result_memory_kinds.empty()) {
    Warn("mhlo.memory_kind of results", "the result was removed");
    data_.result_memory_kinds.clear();
  }
  if (changes_.wrapped && !data_.result_memory_kinds.empty() &&
      ComputationOf(&before, before.entry).root().shape().is_tuple()) {
    Warn("mhlo.memory_kind of results", "they became a tuple in the result");
    data_.result_memory_kinds.clear();
  }
  rewrite(changes_.results, &data_.result_memory_kinds);
}

void StateRewriter::DropEntryState() {
  constexpr absl::string_view kWhy = "another computation is the entry";
  data_.host_program_shape = {};
  data_.host_program_shape_when_empty = WhenEmpty::kMake;
  const std::string old = data_.other_fields;
  FieldList fields(WireMessage::kHloModuleProto, old);
  const auto drop = [&](FieldList* list, uint32_t number,
                        absl::string_view what) {
    if (!list->has(number)) return;
    // A reader may leave an empty message.
    if (!list->Text(number).empty() || !list->Numbers(number).empty()) {
      Warn(std::string(what), kWhy);
    }
    list->Remove(number);
  };
  drop(&fields, module_field::kInputOutputAlias, "input_output_alias");
  drop(&fields, module_field::kBufferDonor, "buffer_donor");
  drop(&fields, module_field::kCrossProgramPrefetches,
       "cross_program_prefetch");
  drop(&fields, module_field::kSpmdParametersShardings,
       "spmd_parameters_shardings");
  drop(&fields, module_field::kSpmdOutputSharding, "spmd_output_sharding");
  data_.other_fields = fields.Serialize();
  namespace of = field::HloModuleConfigProto;
  FieldList config(WireMessage::kHloModuleConfigProto);
  const std::string old_config = data_.config;
  config.Append(old_config);
  drop(&config, of::kAllowSpmdShardingPropagationToParameters,
       "allow_spmd_sharding_propagation_to_parameters");
  drop(&config, of::kAllowSpmdShardingPropagationToOutput,
       "allow_spmd_sharding_propagation_to_output");
  data_.config = config.Serialize();
  if (!data_.argument_memory_kinds.empty() ||
      !data_.result_memory_kinds.empty()) {
    Warn("mhlo.memory_kind", kWhy);
  }
  data_.argument_memory_kinds.clear();
  data_.result_memory_kinds.clear();
}

void StateRewriter::RewriteFields(uint32_t field) {
  const std::string old = data_.other_fields;
  FieldList fields(WireMessage::kHloModuleProto, old);
  if (!fields.has(field)) return;
  fields.SetText(field,
                 RewriteSchedule(&graph_, assembled_, fields.Text(field)));
  data_.other_fields = fields.Serialize();
}

}  // namespace

void RewriteModuleState(EditSession* graph, Assembled* assembled,
                        absl::FunctionRef<void(Diagnostic)> warn) {
  StateRewriter(graph, assembled, warn).Run();
}

}  // namespace indim::internal
