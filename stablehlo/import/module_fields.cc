// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/module_fields.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/builder/module_options.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/sharding/values/tile_assignment.h"
#include "indim/stablehlo/import/attribute_reader.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::stablehlo_import {
namespace {

// The entry of a map of frontend attributes as text.
std::string FrontendText(const Ir& ir, AttrId id) {
  const Attribute& a = ir.attr(id);
  if (a.kind == AttrKind::kString) return a.text;
  if (a.kind == AttrKind::kBool) return a.integer != 0 ? "true" : "false";
  return AttributeText(ir, id);
}

// A mesh as MLIR's parser keeps it: without the device ids 0, 1, ...
std::string MeshText(const Ir& ir, AttrId mesh) {
  std::string text = AttributeText(ir, mesh);
  const absl::StatusOr<Mesh> read = ReadShardyMesh(text);
  if (!read.ok() || !read->device_ids.empty()) return text;
  text = "#sdy.mesh<[";
  for (const Mesh::Axis& axis : read->axes) {
    if (&axis != &read->axes.front()) text += ", ";
    absl::StrAppend(&text, "\"", axis.name, "\"=", axis.size);
  }
  return text + "]>";
}

// The meshes of Shardy as XLA notes them, by name:
// {mesh = #sdy.mesh<["x"=2]>}.
std::string MeshesText(const Ir& ir) {
  std::map<absl::string_view, std::string> meshes;
  for (const OpId id : ir.block(ir.module_block()).ops) {
    const mlir::Op& op = ir.op(id);
    if (ir.name(op) != "sdy.mesh") continue;
    const AttrId name = ir.Find(op, note::kSymName), mesh = ir.Find(op, "mesh");
    if (name.valid() && mesh.valid()) {
      meshes[ir.attr(name).text] = MeshText(ir, mesh);
    }
  }
  if (meshes.empty()) return "";
  return absl::StrCat(
      "{", absl::StrJoin(meshes, ", ", absl::PairFormatter(" = ")), "}");
}

// `shape` with the layout that entry `i` of the lists says; the default one if
// that doesn't fit it.
Shape LaidOut(const Ir& ir, const Shape& shape, AttrId orders, AttrId tilings,
              size_t i) {
  const std::vector<AttrId>& of_orders = ir.attr(orders).elements;
  const std::vector<AttrId>& of_tilings = ir.attr(tilings).elements;
  const Shape usual = shape.WithDefaultLayout();
  const std::optional<DimIndices> dims =
      i < of_orders.size() ? ReadNumbers(ir, of_orders[i]) : std::nullopt;
  if (!dims.has_value() || !shape.has_rank() ||
      static_cast<int>(dims->size()) != shape.rank() || !IsPermutation(*dims)) {
    return usual;
  }
  Layout layout;
  layout.minor_to_major.assign(dims->begin(), dims->end());
  const AttrId tiles = i < of_tilings.size() ? of_tilings[i] : AttrId();
  for (const AttrId tile : ir.attr(tiles).elements) {
    const std::optional<DimIndices> sizes = ReadNumbers(ir, tile);
    if (!sizes.has_value()) return usual;
    layout.tiles.emplace_back(sizes->begin(), sizes->end());
  }
  Shape laid_out = shape;
  laid_out.set_layout(std::move(layout));
  return laid_out;
}

// The layouts of the entry, which the module has as lists with an entry for
// each argument and each result.
std::optional<BuildOptions::EntryLayout> EntryLayoutOf(const Ir& ir,
                                                       const mlir::Op& module,
                                                       const Signature& entry) {
  const AttrId parameters = ir.Find(module, note::kParameterLayouts);
  const AttrId results = ir.Find(module, note::kResultLayout);
  if (!parameters.valid() && !results.valid()) return std::nullopt;
  const auto lay_out = [&](absl::Span<const Shape> shapes, AttrId orders,
                           AttrId tilings) {
    std::vector<Shape> laid_out;
    for (const Shape& shape : shapes) {
      laid_out.push_back(LaidOut(ir, shape, orders, tilings, laid_out.size()));
    }
    return laid_out;
  };
  BuildOptions::EntryLayout layout;
  layout.parameters = lay_out(entry.parameters, parameters,
                              ir.Find(module, note::kParameterTiles));
  const bool is_tuple = entry.result.is_tuple();
  std::vector<Shape> elements =
      lay_out(is_tuple ? entry.result.elements()
                       : absl::MakeConstSpan(&entry.result, 1),
              results, ir.Find(module, note::kResultTiles));
  layout.result =
      is_tuple ? Shape::Tuple(std::move(elements)) : std::move(elements[0]);
  return layout;
}

// Aliases of the module that must be: {alias = {kind, parameter_index,
// parameter_number}, output_index}.
void AddModuleAliases(const Ir& ir, const mlir::Op& module,
                      BuildOptions* options) {
  for (const AttrId id :
       ir.attr(ir.Find(module, note::kInputOutputAlias)).elements) {
    const Attribute& entry = ir.attr(id);
    const AttrId output = ir.Find(entry, "output_index");
    const AttrId alias_id = ir.Find(entry, "alias");
    if (!output.valid() || !alias_id.valid()) continue;
    const Attribute& of = ir.attr(alias_id);
    BuildOptions::Alias alias;
    alias.output_index = ReadNumbers(ir, output).value_or(DimIndices());
    alias.parameter =
        ReadNumber(ir, ir.Find(of, "parameter_number")).value_or(0);
    alias.parameter_index =
        ReadNumbers(ir, ir.Find(of, "parameter_index")).value_or(DimIndices());
    alias.must = ir.attr(ir.Find(of, "kind")).text == "must_alias";
    options->aliases.push_back(std::move(alias));
  }
}

void AddMemoryKind(const Ir& ir, const Attribute& attributes, int64_t number,
                   std::map<int64_t, std::string>* kinds) {
  const Attribute& kind = ir.attr(ir.Find(attributes, note::kMemoryKind));
  if (kind.kind == AttrKind::kString) (*kinds)[number] = kind.text;
}

// The kinds of INDIM_MODULE_FIELD.
void ReadFlag(const Ir& ir, AttrId id, uint32_t field, FieldList* fields) {
  if (ReadBool(ir, id).value_or(false)) fields->SetNumber(field, 1);
}
void ReadSharding(const Ir& ir, AttrId id, uint32_t field, FieldList* fields) {
  fields->SetText(field, ShardingOfText(ir.attr(id).text).value_or(""));
}
void ReadShardings(const Ir& ir, AttrId id, uint32_t field, FieldList* fields) {
  std::vector<std::string> shardings;
  for (const AttrId element : ir.attr(id).elements) {
    shardings.push_back(
        ShardingOfText(ir.attr(element).text).value_or(ReplicateSharding()));
  }
  fields->SetTexts(field, shardings);
}

// Adds what HloModuleProto has fields for.
void AddProtoFields(const Ir& ir, const mlir::Op& module, ModuleData* data) {
  FieldList fields(WireMessage::kHloModuleProto);
  const std::string before = data->other_fields;
  fields.Append(before);
#define INDIM_MODULE_FIELD(name, kind, number)                  \
  if (const AttrId id = ir.Find(module, name); id.valid()) {    \
    Read##kind(ir, id, field::HloModuleProto::number, &fields); \
  }
#include "indim/stablehlo/ops/module_attributes.def"
  data->other_fields = fields.Serialize();
}

}  // namespace

const Attribute& AttributesOf(const Ir& ir, const mlir::Op& function,
                              absl::string_view list, size_t i) {
  const std::vector<AttrId>& all = ir.attr(ir.Find(function, list)).elements;
  return ir.attr(i < all.size() ? all[i] : AttrId());
}

void AddDiscardable(const Ir& ir, absl::Span<const NamedAttr> attributes,
                    ShardyMeanings* shardy, FieldList* fields) {
  namespace of = field::HloInstructionProto;
  for (const NamedAttr& attribute : attributes) {
    const absl::string_view name = ir.text(attribute.name);
    const Attribute& value = ir.attr(attribute.value);
    if (name == note::kHloSharding && value.kind == AttrKind::kString) {
      const ValueSharding sharding = ShardingOfText(value.text);
      if (sharding.has_value()) fields->SetText(of::kSharding, *sharding);
    } else if (name == note::kFrontendAttributes) {
      std::string frontend(fields->Text(of::kFrontendAttributes));
      for (const NamedAttr& entry : value.fields) {
        frontend = WithFrontendAttribute(frontend, ir.text(entry.name),
                                         FrontendText(ir, entry.value));
      }
      fields->SetText(of::kFrontendAttributes, frontend);
    } else if (name == note::kErrorMessage && value.kind == AttrKind::kString) {
      // Of the custom call shape_assertion.
      fields->SetText(
          of::kFrontendAttributes,
          WithFrontendAttribute(fields->Text(of::kFrontendAttributes), name,
                                value.text));
    } else if (name == note::kParameterReplication) {
      FieldList replication(WireMessage::kParameterReplication);
      DimIndices replicated;
      for (const AttrId element : value.elements) {
        replicated.push_back(ReadBool(ir, element).value_or(false) ? 1 : 0);
      }
      replication.SetNumbers(
          field::ParameterReplication::kReplicatedAtLeafBuffers, replicated);
      fields->SetText(of::kParameterReplication, replication.Serialize());
    } else if (name == note::kShardySharding) {
      fields->SetText(of::kFrontendAttributes,
                      WithFrontendAttribute(
                          fields->Text(of::kFrontendAttributes), kSdySharding,
                          AttributeText(ir, attribute.value)));
      const ValueSharding& meaning = shardy->Of(attribute.value);
      if (meaning.has_value() && !fields->has(of::kSharding)) {
        fields->SetText(of::kSharding, *meaning);
      }
    } else if (name == note::kShardyRule) {
      fields->SetText(
          of::kFrontendAttributes,
          WithFrontendAttribute(fields->Text(of::kFrontendAttributes), kSdyRule,
                                AttributeText(ir, attribute.value)));
    }
  }
}

void AddArgumentFields(const Ir& ir, const mlir::Op& function, size_t i,
                       Node node, ShardyMeanings* shardy, HloWriter* writer) {
  const Attribute& attributes = AttributesOf(ir, function, note::kArgAttrs, i);
  if (attributes.fields.empty()) return;
  writer->Edit(node, [&](FieldList* fields) {
    AddDiscardable(ir, attributes.fields, shardy, fields);
  });
}

std::string ParameterName(const Ir& ir, const Value& argument) {
  const Attribute& location = ir.attr(argument.location);
  if (argument.location.valid() && location.kind == AttrKind::kNameLoc) {
    return location.text;
  }
  // Only what a statement uses has a number for a name here, so that messages
  // name it as the statement does.
  return std::string(ir.text(argument.name));
}

// --- Results -----------------------------------------------------------------

void AddResultCalls(const Ir& ir, const mlir::Op& function,
                    std::vector<Node>* results, HloWriter* writer) {
  for (size_t i = 0; i < results->size(); ++i) {
    const AttrId sharding = ir.Find(
        AttributesOf(ir, function, note::kResAttrs, i), note::kShardySharding);
    if (!sharding.valid()) continue;
    CustomCallAttributes call;
    call.target = "xla.sdy.FuncResultSharding";
    call.has_side_effect = true;
    call.api_version = kApiOriginal;
    Node& result = (*results)[i];
    result =
        writer->Add(Opcode::kCustomCall, writer->shape(result), call, {result});
    AddNotes(writer, result,
             {{kSdySharding, ShardyPerValue({AttributeText(ir, sharding)})}});
  }
}

// --- The module --------------------------------------------------------------

void AddModuleFields(const Ir& ir, OpId entry, HloWriter* writer) {
  const mlir::Op& module = ir.op(ir.module_op());
  const mlir::Op& function = ir.op(entry);
  BuildOptions options;
  const auto count = [&](absl::string_view name, int64_t* to) {
    const auto number = ReadNumber(ir, ir.Find(module, name));
    if (number.has_value() && *number > 1) *to = *number;
  };
  count(note::kNumReplicas, &options.devices.replicas);
  count(note::kNumPartitions, &options.devices.partitions);
  ModuleData& data = writer->data();
  const Type& type =
      ir.type(ir.attr(ir.Find(function, note::kFunctionType)).type);
  const size_t results = type.parts.size() - type.input_count;
  for (size_t i = 0; i < type.input_count; ++i) {
    const Attribute& attributes =
        AttributesOf(ir, function, note::kArgAttrs, i);
    const auto number = static_cast<int64_t>(i);
    AddMemoryKind(ir, attributes, number, &data.argument_memory_kinds);
    const auto output =
        ReadNumber(ir, ir.Find(attributes, note::kAliasingOutput));
    if (output.has_value()) {
      BuildOptions::Alias alias;
      if (results != 1) alias.output_index = {*output};
      alias.parameter = number;
      options.aliases.push_back(std::move(alias));
    }
    if (ReadBool(ir, ir.Find(attributes, note::kBufferDonor)).value_or(false)) {
      options.donors.push_back({number, {}});
    }
  }
  for (size_t i = 0; i < results; ++i) {
    const Attribute& attributes =
        AttributesOf(ir, function, note::kResAttrs, i);
    // The elements of a single tuple are the results in HLO.
    const Type& declared = ir.type(type.parts[type.input_count + i]);
    const size_t elements = results == 1 && declared.kind == TypeKind::kTuple
                                ? declared.parts.size()
                                : 1;
    for (size_t k = 0; k < elements; ++k) {
      AddMemoryKind(ir, attributes, static_cast<int64_t>(i + k),
                    &data.result_memory_kinds);
    }
  }
  for (const NamedAttr& note :
       ir.attr(ir.Find(module, note::kFrontendAttributes)).fields) {
    options.frontend_attributes.emplace_back(std::string(ir.text(note.name)),
                                             FrontendText(ir, note.value));
  }
  const std::string meshes = MeshesText(ir);
  if (!meshes.empty()) {
    options.frontend_attributes.emplace_back(kSdyMeshes, meshes);
  }
  AddModuleAliases(ir, module, &options);
  options.entry_layout =
      EntryLayoutOf(ir, module, writer->SignatureOf(data.entry));
  indim::internal::ApplyModuleOptions(options, &data);
  AddProtoFields(ir, module, &data);
}

}  // namespace indim::stablehlo_import
