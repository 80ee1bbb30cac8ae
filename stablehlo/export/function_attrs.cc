// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/function_attrs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/device_counts.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/sharding.h"
#include "indim/stablehlo/export/aliases.h"
#include "indim/stablehlo/export/discardable.h"
#include "indim/stablehlo/export/literal_attr.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::stablehlo_export {
namespace {

namespace of = field::HloInstructionProto;
namespace of_module = field::HloModuleProto;

using AttrLists = std::vector<std::vector<NamedAttr>>;

// The OpShardings of the leaves of a value; empty: it has none.
std::vector<absl::string_view> ShardingsOf(const FieldList& fields,
                                           size_t leaves) {
  if (!fields.has(of::kSharding)) return {};
  const absl::string_view wire = fields.Text(of::kSharding);
  const auto parts = TupleParts(wire);
  return parts && parts->size() == leaves
             ? *parts
             : std::vector<absl::string_view>(leaves, wire);
}

void AddShardings(const FieldList& fields, size_t first, size_t leaves,
                  AttrLists* lists, Ir* ir) {
  const std::vector<absl::string_view> shardings = ShardingsOf(fields, leaves);
  for (size_t i = 0; i < shardings.size(); ++i) {
    (*lists)[first + i].push_back(ShardingNote(shardings[i], ir));
  }
}

// The attributes that a parameter gives its leaves.
void AddParameter(const Instruction& parameter, size_t leaves, Shardy* shardy,
                  AttrLists* lists, Ir* ir) {
  const FieldList fields = internal::FieldsOf(parameter);
  const size_t first = lists->size();
  lists->resize(first + leaves);
  if (!ShardySaysIt(fields, /*is_loop=*/false, shardy)) {
    AddShardings(fields, first, leaves, lists, ir);
  }
  std::vector<NamedAttr> notes;
  AddFrontendAttrs(fields.Text(of::kFrontendAttributes), "",
                   OwnerKind::kArgument, shardy, &notes, ir);
  FieldList replication(WireMessage::kParameterReplication,
                        fields.Text(of::kParameterReplication));
  const DimIndices replicated = replication.Numbers(
      field::ParameterReplication::kReplicatedAtLeafBuffers);
  for (size_t i = 0; i < leaves; ++i) {
    (*lists)[first + i].insert((*lists)[first + i].end(), notes.begin(),
                               notes.end());
    if (i < replicated.size()) {
      (*lists)[first + i].push_back(
          {ir->Intern(note::kParameterReplication),
           ir->ArrayAttr({ir->BoolAttr(replicated[i] != 0)})});
    }
  }
}

// The shardings that Shardy's custom calls note of the results.
void AddResultShardings(const Instruction& root, Shardy* shardy,
                        AttrLists* lists, Ir* ir) {
  size_t leaf = 0;
  for (const Instruction& result : Shardy::ResultsOf(root)) {
    const AttrId sharding = shardy->OfResult(result);
    if (sharding.valid() && leaf < lists->size()) {
      (*lists)[leaf].push_back({ir->Intern(note::kShardySharding), sharding});
    }
    leaf += LeafCount(result.shape());
  }
}

// The shardings of results that Shardy's don't say. Beside those the others
// are {replicated} without a word.
void AddOtherShardings(const FieldList& fields, Shardy* shardy,
                       AttrLists* lists, Ir* ir) {
  const std::vector<absl::string_view> shardings =
      ShardingsOf(fields, lists->size());
  const StringId of_shardy = ir->Intern(note::kShardySharding);
  const auto find = [&](const std::vector<NamedAttr>& list) {
    return absl::c_find_if(list, [&](const NamedAttr& attribute) {
      return attribute.name == of_shardy;
    });
  };
  const bool any = absl::c_any_of(
      *lists, [&](const auto& list) { return find(list) != list.end(); });
  for (size_t i = 0; i < shardings.size(); ++i) {
    std::vector<NamedAttr>& list = (*lists)[i];
    const auto own = find(list);
    if (own == list.end() ? any && shardings[i].empty()
                          : shardy->Means(mlir::AttributeText(*ir, own->value),
                                          shardings[i], /*is_loop=*/false)) {
      continue;
    }
    list.push_back(ShardingNote(shardings[i], ir));
  }
}

void AddAliases(const Module& module, AttrLists* arguments, Ir* ir) {
  const Aliases aliases = AliasesOf(module);
  for (const Alias& alias : aliases.aliases) {
    if (alias.must) continue;
    (*arguments)[static_cast<size_t>(alias.argument)].push_back(
        {ir->Intern(note::kAliasingOutput),
         ir->IntegerAttr(alias.result, ElementType::kS32)});
  }
  for (const int64_t donor : aliases.donors) {
    (*arguments)[static_cast<size_t>(donor)].push_back(
        {ir->Intern(note::kBufferDonor), ir->BoolAttr(true)});
  }
}

// `kinds` are of the values with these shapes, which the lists hold as leaves.
void AddMemoryKinds(const std::map<int64_t, std::string>& kinds,
                    absl::Span<const Shape> shapes, AttrLists* lists, Ir* ir) {
  if (kinds.empty()) return;
  size_t leaf = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const size_t end = leaf + LeafCount(shapes[i]);
    const auto kind = kinds.find(static_cast<int64_t>(i));
    for (; leaf < end; ++leaf) {
      if (kind == kinds.end()) continue;
      (*lists)[leaf].push_back(
          {ir->Intern(note::kMemoryKind), ir->StringAttr(kind->second)});
    }
  }
}

// [{...}, {}]; none: all are empty.
AttrId ListAttr(const AttrLists& lists, Ir* ir) {
  std::vector<AttrId> dictionaries;
  bool any = false;
  for (const std::vector<NamedAttr>& list : lists) {
    any = any || !list.empty();
    dictionaries.push_back(ir->DictionaryAttr(list));
  }
  return any ? ir->ArrayAttr(dictionaries) : AttrId();
}

class ModuleAttrs {
 public:
  ModuleAttrs(const Module& module, Shardy* shardy, Ir* ir)
      : module_(module),
        data_(internal::DataOf(module)),
        shardy_(*shardy),
        ir_(*ir) {}

  void Write() {
    const DeviceCounts counts = ReadDeviceCounts(data_.config);
    Count(note::kNumPartitions, counts.partitions);
    Count(note::kNumReplicas, counts.replicas);
    FieldList fields(WireMessage::kHloModuleProto, data_.other_fields);
    AddFrontendAttrs(fields.Text(of_module::kFrontendAttributes),
                     shardy_.has_meshes() ? kSdyMeshes : "", OwnerKind::kModule,
                     &shardy_, &attrs_, &ir_);
#define INDIM_MODULE_FIELD(name, kind, field) \
  if (fields.has(of_module::field)) Add##kind(name, fields, of_module::field);
#include "indim/stablehlo/ops/module_attributes.def"
    AddLayouts();
    AddMustAliases();
    std::vector<NamedAttr> properties;
    if (!data_.name.empty()) {
      properties.push_back(
          {ir_.Intern(note::kSymName), ir_.StringAttr(data_.name)});
    }
    ir_.SetAttrs(ir_.module_op(), std::move(properties), std::move(attrs_));
  }

 private:
  void Add(absl::string_view name, AttrId value) {
    attrs_.push_back({ir_.Intern(name), value});
  }
  void Count(absl::string_view name, int64_t count) {
    if (count != 1) Add(name, ir_.IntegerAttr(count, ElementType::kS32));
  }

  // The kinds of INDIM_MODULE_FIELD.
  void AddFlag(absl::string_view name, const FieldList& fields,
               uint32_t field) {
    if (fields.Number(field) != 0) Add(name, ir_.BoolAttr(true));
  }
  void AddSharding(absl::string_view name, const FieldList& fields,
                   uint32_t field) {
    Add(name, ShardingAttr(fields.Text(field), &ir_));
  }
  void AddShardings(absl::string_view name, const FieldList& fields,
                    uint32_t field) {
    std::vector<AttrId> shardings;
    for (const absl::string_view wire : fields.Texts(field)) {
      shardings.push_back(ShardingAttr(wire, &ir_));
    }
    Add(name, ir_.ArrayAttr(shardings));
  }

  void AddLayouts() {
    ProgramShape shape;
    const Signature signature = module_.entry().signature();
    shape.parameters = signature.parameters;
    shape.result = signature.result;
    if (!data_.host_program_shape.empty()) {
      auto read = ParseProgramShapeProto(data_.host_program_shape);
      if (read.ok()) shape = *std::move(read);
    }
    AddLayouts(note::kParameterLayouts, note::kParameterTiles,
               shape.parameters);
    AddLayouts(note::kResultLayout, note::kResultTiles, {shape.result});
  }
  void AddLayouts(absl::string_view layouts_name, absl::string_view tiles_name,
                  const std::vector<Shape>& shapes) {
    std::vector<AttrId> layouts, tiles;
    bool any = false;
    for (const Shape& shape : shapes) {
      ForEachLeaf(shape, [&](const Shape& leaf) {
        const DimIndices order = MinorToMajor(leaf);
        std::vector<AttrId> of_leaf;
        if (leaf.layout() != nullptr) {
          for (const Layout::Tile& tile : leaf.layout()->tiles) {
            of_leaf.push_back(IndexVector(tile, &ir_));
          }
        }
        any |=
            !of_leaf.empty() || !std::is_sorted(order.rbegin(), order.rend());
        layouts.push_back(IndexVector(order, &ir_));
        tiles.push_back(ir_.ArrayAttr(of_leaf));
      });
    }
    if (!any) return;
    Add(layouts_name, ir_.ArrayAttr(layouts));
    Add(tiles_name, ir_.ArrayAttr(tiles));
  }

  void AddMustAliases() {
    std::vector<AttrId> list;
    const Shape result = module_.entry().root().shape();
    for (const Alias& alias : AliasesOf(module_).aliases) {
      if (!alias.must) continue;
      std::vector<int64_t> index;
      if (result.is_tuple()) index.push_back(alias.result);
      const AttrId of = ir_.DictionaryAttr(
          {{ir_.Intern("kind"), ir_.StringAttr("must_alias")},
           {ir_.Intern("parameter_index"), ir_.I64ArrayAttr({})},
           {ir_.Intern("parameter_number"), ir_.IntegerAttr(alias.argument)}});
      list.push_back(ir_.DictionaryAttr(
          {{ir_.Intern("alias"), of},
           {ir_.Intern("output_index"), ir_.I64ArrayAttr(index)}}));
    }
    if (!list.empty()) Add(note::kInputOutputAlias, ir_.ArrayAttr(list));
  }

  const Module& module_;
  const ModuleData& data_;
  Shardy& shardy_;
  Ir& ir_;
  std::vector<NamedAttr> attrs_;
};

}  // namespace

Ir::OpParts FunctionParts(const Module& module, const Computation& computation,
                          absl::string_view symbol, bool is_entry,
                          TypeWriter* types, Shardy* shardy, Ir* ir) {
  const ModuleData& data = internal::DataOf(module);
  const uint32_t c = static_cast<uint32_t>(computation.index());
  std::vector<TypeId> inputs;
  AttrLists arguments;
  for (const uint32_t p : data.Parameters(c)) {
    if (p >= data.computations[c].count) continue;
    const auto leaves = types->Leaves(data.Record(c, p).shape);
    inputs.insert(inputs.end(), leaves.begin(), leaves.end());
    AddParameter(internal::InstructionOf(&data, c, p), leaves.size(), shardy,
                 &arguments, ir);
  }
  const Instruction root = computation.root();
  const std::vector<TypeId> outputs = types->Leaves(root.shape());
  AttrLists results(outputs.size());
  AddResultShardings(root, shardy, &results, ir);
  if (is_entry) {
    AddAliases(module, &arguments, ir);
    const Signature entry = computation.signature();
    AddMemoryKinds(data.argument_memory_kinds, entry.parameters, &arguments,
                   ir);
    AddMemoryKinds(data.result_memory_kinds,
                   entry.result.is_tuple() ? entry.result.elements()
                                           : absl::MakeSpan(&entry.result, 1),
                   &results, ir);
  }
  // No operation stands for these; any other has its sharding itself. An
  // outfeed's is that of what it sends.
  if ((is_entry && root.opcode() != Opcode::kOutfeed) ||
      root.opcode() == Opcode::kTuple ||
      root.opcode() == Opcode::kGetTupleElement) {
    const FieldList fields = internal::FieldsOf(root);
    // What Shardy says of an operation stands with it.
    if (!ShardySaysIt(fields, /*is_loop=*/false, shardy)) {
      AddOtherShardings(fields, shardy, &results, ir);
    }
  }
  Ir::OpParts parts;
  parts.name = ir->Intern("func.func");
  parts.properties = {{ir->Intern(note::kSymName), ir->StringAttr(symbol)},
                      {ir->Intern(note::kFunctionType),
                       ir->TypeAttr(ir->FunctionType(inputs, outputs))}};
  if (!is_entry) {
    parts.properties.push_back(
        {ir->Intern(note::kSymVisibility), ir->StringAttr("private")});
  }
  const AttrId of_arguments = ListAttr(arguments, ir);
  const AttrId of_results = ListAttr(results, ir);
  if (of_arguments.valid()) {
    parts.properties.push_back({ir->Intern(note::kArgAttrs), of_arguments});
  }
  if (of_results.valid()) {
    parts.properties.push_back({ir->Intern(note::kResAttrs), of_results});
  }
  return parts;
}

void SetModuleAttrs(const Module& module, Shardy* shardy, Ir* ir) {
  ModuleAttrs(module, shardy, ir).Write();
}

}  // namespace indim::stablehlo_export
