// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/shardy.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/shardy/shardy_faults.h"
#include "indim/sharding/shardy/shardy_meaning.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/stablehlo/export/attr_text.h"
#include "indim/stablehlo/export/loop_captures.h"
#include "indim/stablehlo/ops/shardy_values.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::stablehlo_export {
namespace {

constexpr absl::string_view kRule = "sdy.op_sharding_rule";

std::string FrontendText(const Instruction& instruction) {
  return std::string(
      internal::FieldsOf(instruction)
          .Text(field::HloInstructionProto::kFrontendAttributes));
}

// `@mesh` of `#sdy.sharding<@mesh, [...]>`; a mesh may stand there itself.
absl::string_view MeshOf(absl::string_view sharding) {
  absl::ConsumePrefix(&sharding, "#sdy.sharding<");
  int depth = 0;
  for (size_t i = 0; i < sharding.size(); ++i) {
    if (absl::StrContains("<[", sharding.substr(i, 1))) ++depth;
    if (absl::StrContains(">]", sharding.substr(i, 1))) --depth;
    if (depth == 0 && sharding[i] == ',') return sharding.substr(0, i);
  }
  return "";
}

}  // namespace

Shardy::Shardy(const Module& module, bool enabled, Ir* ir)
    : ir_(*ir), enabled_(enabled) {
  if (!enabled) return;
  const std::string text = ShardyMeshes(internal::DataOf(module).other_fields);
  if (text.empty()) return;
  const AttrId meshes = DictionaryOfText(text, ir);
  if (!meshes.valid()) return;
  for (const NamedAttr& mesh : ir_.attr(meshes).fields) {
    const mlir::Attribute& value = ir_.attr(mesh.value);
    absl::StatusOr<Mesh> read = absl::NotFoundError("");
    if (value.kind == AttrKind::kDialect && value.text == "sdy.mesh" &&
        ir_.text(mesh.name) != "main") {
      read = ReadShardyMesh(mlir::AttributeText(ir_, mesh.value));
    }
    if (!read.ok() || !read->Fault().empty()) {
      meshes_.clear();
      return;
    }
    meshes_.push_back(mesh);
    by_name_.emplace(ir_.text(mesh.name), *std::move(read));
  }
}

std::vector<std::string> Shardy::symbols() const {
  std::vector<std::string> symbols;
  for (const NamedAttr& mesh : meshes_) {
    symbols.emplace_back(ir_.text(mesh.name));
  }
  return symbols;
}

void Shardy::WriteMeshes() const {
  for (const NamedAttr& mesh : meshes_) {
    Ir::OpParts parts;
    parts.name = ir_.Intern("sdy.mesh");
    parts.properties = {
        {ir_.Intern(note::kSymName), ir_.StringAttr(ir_.text(mesh.name))},
        {ir_.Intern("mesh"), mesh.value}};
    ir_.AddOp(ir_.module_block(), std::move(parts));
  }
}

AttrId Shardy::Read(absl::string_view text, absl::string_view mnemonic) {
  if (!has_meshes() && !(enabled_ && mnemonic == kRule)) return {};
  const auto [entry, is_new] = read_.try_emplace(std::string(text));
  if (is_new && IsReadable(text)) entry->second = AttrOfText(text, &ir_);
  if (!entry->second.valid()) return {};
  const mlir::Attribute& read = ir_.attr(entry->second);
  return read.kind == AttrKind::kDialect && read.text == mnemonic
             ? entry->second
             : AttrId();
}

absl::StatusOr<Mesh> Shardy::FindMesh(absl::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return absl::NotFoundError(name);
  return found->second;
}

bool Shardy::IsReadable(absl::string_view text) const {
  const auto find = [this](absl::string_view name) { return FindMesh(name); };
  return (!absl::StartsWith(text, "#sdy.sharding<") &&
          !absl::StartsWith(text, "#sdy.sharding_per_value")) ||
         ReadShardyShardings(text, find).ok();
}

bool Shardy::Means(absl::string_view text, absl::string_view sharding,
                   bool is_loop) {
  return has_meshes() && IsMeaningOfShardy(sharding, text, is_loop,
                                           [this](absl::string_view name) {
                                             return FindMesh(name);
                                           });
}

AttrId Shardy::Sharding(absl::string_view text) {
  return Read(text, "sdy.sharding");
}

AttrId Shardy::PerValue(absl::string_view text) {
  return Read(text, "sdy.sharding_per_value");
}

AttrId Shardy::OnlyOf(absl::string_view per_value) {
  absl::string_view text = per_value;
  if (!absl::ConsumePrefix(&text, "#sdy.sharding_per_value<[") ||
      !absl::ConsumeSuffix(&text, "]>")) {
    return {};
  }
  // Several can't be read as one.
  return Sharding(absl::StrCat("#sdy.sharding", text));
}

AttrId Shardy::PerValues(absl::string_view text, int count) {
  return ShardyShardings(text).size() == static_cast<size_t>(count)
             ? PerValue(text)
             : AttrId();
}

AttrId Shardy::ForValues(AttrId per_value, absl::Span<const TypeId> types,
                         bool is_loop) {
  const auto [count, is_new] = counts_.try_emplace(per_value.index, 0);
  if (is_new) {
    count->second = ShardyShardings(mlir::AttributeText(ir_, per_value)).size();
  }
  // What has no result may be of one device.
  if (count->second == types.size() || (types.empty() && count->second == 1)) {
    return per_value;
  }
  std::string text = mlir::AttributeText(ir_, per_value);
  const std::vector<std::string> parts = ShardyShardings(text);
  if (!is_loop || parts.empty() || parts.size() > types.size()) return {};
  text.resize(text.size() - 2);  // ]>
  for (const TypeId type : types.subspan(parts.size())) {
    const std::vector<std::string> open(ir_.type(type).dims.size(), "{?}");
    absl::StrAppend(&text, ", <", MeshOf(parts[0]), ", [",
                    absl::StrJoin(open, ", "), "]>");
  }
  return PerValue(absl::StrCat(text, "]>"));
}

AttrId Shardy::Without(AttrId per_value, const std::vector<bool>& captures) {
  if (!per_value.valid()) return {};
  return PerValue(ShardyPerValue(WithoutCaptures(
      ShardyShardings(mlir::AttributeText(ir_, per_value)), captures)));
}

AttrId Shardy::ManualAxes(absl::string_view text) {
  return Read(text, "sdy.manual_axes");
}

AttrId Shardy::Rule(absl::string_view text) { return Read(text, kRule); }

bool Shardy::Fits(AttrId rule, absl::Span<const TypeId> operands,
                  absl::Span<const TypeId> results) const {
  const absl::StatusOr<ShardyRule> read =
      ReadShardyRule(mlir::AttributeText(ir_, rule));
  return read.ok() && ShardyRuleFault(*read, mlir::ShardyValues(ir_, operands),
                                      mlir::ShardyValues(ir_, results))
                          .empty();
}

AttrId Shardy::OfCall(const Instruction& instruction,
                      absl::string_view target) {
  if (!has_meshes() || instruction.opcode() != Opcode::kCustomCall ||
      instruction.operand_count() != 1 ||
      As<CustomCallAttributes>(instruction.attributes()).target != target ||
      !(instruction.shape().is_array() || instruction.shape().is_token()) ||
      !Compatible(instruction.shape(), instruction.operand(0).shape())) {
    return {};
  }
  const auto text = FrontendAttribute(FrontendText(instruction), kSdySharding);
  return text.has_value() ? OnlyOf(*text) : AttrId();
}

AttrId Shardy::OfResult(const Instruction& instruction) {
  return OfCall(instruction, "xla.sdy.FuncResultSharding");
}

std::vector<Instruction> Shardy::ResultsOf(const Instruction& root) {
  std::vector<Instruction> results;
  if (root.opcode() == Opcode::kTuple) {
    for (const Instruction& element : root.operands()) {
      results.push_back(element);
    }
  } else if (root.opcode() == Opcode::kGetTupleElement &&
             root.operand(0).opcode() == Opcode::kTuple &&
             root.operand(0).operand_count() == 1) {
    results.push_back(root.operand(0).operand(0));
  } else {
    results.push_back(root);
  }
  return results;
}

bool Shardy::IsResultCall(const Instruction& instruction) {
  if (!OfResult(instruction).valid()) return false;
  const Computation computation = instruction.computation();
  const auto [entry, is_new] = results_.try_emplace(computation.index());
  if (is_new) {
    for (const Instruction& result : ResultsOf(computation.root())) {
      entry->second.insert(result.position());
    }
  }
  return entry->second.contains(instruction.position());
}

}  // namespace indim::stablehlo_export
