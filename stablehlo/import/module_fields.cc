#include "indim/stablehlo/import/module_fields.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/module_options.h"
#include "indim/codec/frontend_attributes.h"
#include "indim/stablehlo/import/attribute_reader.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/text/attributes/sharding_text.h"
#include "indim/text/base/lexer.h"
#include "indim/wire/canonical.h"
#include "indim/wire/field_numbers.h"

namespace indim::mlir {
namespace {

// The attributes of argument `i` of a function, or of its result.
const Attribute* AttributesOf(const Ir& ir, const Op& function,
                              absl::string_view list, size_t i) {
  const AttrId id = ir.Find(function, list);
  if (!id.valid() || i >= ir.attr(id).elements.size()) return nullptr;
  return &ir.attr(ir.attr(id).elements[i]);
}

std::optional<int64_t> NumberOf(const Ir& ir, const Attribute& dictionary,
                                absl::string_view name) {
  const AttrId id = ir.Find(dictionary, name);
  return id.valid() ? ReadNumber(ir, id) : std::nullopt;
}

// The entry of a map of frontend attributes as text.
std::string FrontendText(const Ir& ir, AttrId id) {
  const Attribute& a = ir.attr(id);
  if (a.kind == AttrKind::kString) return a.text;
  if (a.kind == AttrKind::kBool) return a.integer != 0 ? "true" : "false";
  return AttributeText(ir, id);
}

// The meshes of Shardy as XLA notes them: {mesh = #sdy.mesh<["x"=2]>}.
std::string MeshesText(const Ir& ir) {
  std::string text;
  for (const OpId id : ir.block(ir.module_block()).ops) {
    const Op& op = ir.op(id);
    if (ir.name(op) != "sdy.mesh") continue;
    const AttrId name = ir.Find(op, "sym_name"), mesh = ir.Find(op, "mesh");
    if (!name.valid() || !mesh.valid()) continue;
    absl::StrAppend(&text, text.empty() ? "{" : ", ", ir.attr(name).text, " = ",
                    AttributeText(ir, mesh));
  }
  return text.empty() ? text : text + "}";
}

}  // namespace

std::string ShardingBytes(absl::string_view text) {
  if (absl::StartsWith(text, "{")) {
    TextErrors errors;
    Lexer lexer(text, &errors);
    std::string wire;
    if (ReadSharding(&lexer, &wire) && errors.empty()) return wire;
    return "";
  }
  absl::StatusOr<std::string> bytes =
      Canonicalize(WireMessage::kOpSharding, text, 3);
  return bytes.ok() ? *std::move(bytes) : "";
}

void AddDiscardable(const Ir& ir, absl::Span<const NamedAttr> attributes,
                    FieldList* fields) {
  namespace of = field::HloInstructionProto;
  for (const NamedAttr& attribute : attributes) {
    const absl::string_view name = ir.text(attribute.name);
    const Attribute& value = ir.attr(attribute.value);
    if (name == "mhlo.sharding" && value.kind == AttrKind::kString) {
      fields->SetText(of::kSharding, ShardingBytes(value.text));
    } else if (name == "mhlo.frontend_attributes") {
      std::string frontend(fields->Text(of::kFrontendAttributes));
      for (const NamedAttr& entry : value.fields) {
        frontend = WithFrontendAttribute(frontend, ir.text(entry.name),
                                         FrontendText(ir, entry.value));
      }
      fields->SetText(of::kFrontendAttributes, frontend);
    } else if (name == "sdy.sharding") {
      fields->SetText(
          of::kFrontendAttributes,
          WithFrontendAttribute(fields->Text(of::kFrontendAttributes),
                                "xla.sdy.sharding",
                                AttributeText(ir, attribute.value)));
    }
  }
}

void AddArgumentFields(const Ir& ir, const Op& function, size_t i, Node node,
                       GraphWriter* writer) {
  const Attribute* attributes = AttributesOf(ir, function, "arg_attrs", i);
  if (attributes == nullptr || attributes->fields.empty()) return;
  FieldList fields(WireMessage::kHloInstructionProto);
  const OwnedAttributeBytes before = Owned(writer->attribute_bytes(node));
  fields.Append(before.view());
  AddDiscardable(ir, attributes->fields, &fields);
  writer->SetAttributeBytes(node, fields.ToAttributeBytes().view());
}

std::string ParameterName(const Ir& ir, const Value& argument) {
  const Attribute& location = ir.attr(argument.location);
  if (argument.location.valid() && location.kind == AttrKind::kNameLoc) {
    return location.text;
  }
  const absl::string_view name = ir.text(argument.name);
  if (name.empty() || absl::ascii_isdigit(name[0])) return "";
  return std::string(name);
}

void AddModuleFields(const Ir& ir, OpId entry, GraphWriter* writer) {
  const Op& module = ir.op(ir.module_op());
  const Op& function = ir.op(entry);
  BuildOptions options;
  const auto count = [&](absl::string_view name, int64_t* to) {
    const AttrId id = ir.Find(module, name);
    const std::optional<int64_t> number =
        id.valid() ? ReadNumber(ir, id) : std::nullopt;
    if (number.has_value() && *number > 1) *to = *number;
  };
  count("mhlo.num_replicas", &options.devices.replicas);
  count("mhlo.num_partitions", &options.devices.partitions);
  const Type& type = ir.type(ir.attr(ir.Find(function, "function_type")).type);
  const size_t results = type.parts.size() - type.input_count;
  for (size_t i = 0; i < type.input_count; ++i) {
    const Attribute* attributes = AttributesOf(ir, function, "arg_attrs", i);
    if (attributes == nullptr) continue;
    const auto number = static_cast<int64_t>(i);
    const std::optional<int64_t> output =
        NumberOf(ir, *attributes, "tf.aliasing_output");
    if (output.has_value()) {
      BuildOptions::Alias alias;
      if (results != 1) alias.output_index = {*output};
      alias.parameter = number;
      options.aliases.push_back(std::move(alias));
    }
    const AttrId donor = ir.Find(*attributes, "jax.buffer_donor");
    if (donor.valid() && ReadBool(ir, donor).value_or(false)) {
      options.donors.push_back({number, {}});
    }
  }
  const AttrId notes = ir.Find(module, "mhlo.frontend_attributes");
  if (notes.valid()) {
    for (const NamedAttr& entry_of : ir.attr(notes).fields) {
      options.frontend_attributes.emplace_back(
          std::string(ir.text(entry_of.name)),
          FrontendText(ir, entry_of.value));
    }
  }
  const std::string meshes = MeshesText(ir);
  if (!meshes.empty()) {
    options.frontend_attributes.emplace_back("xla.sdy.meshes", meshes);
  }
  indim::internal::ApplyModuleOptions(options, &writer->data());
}

}  // namespace indim::mlir
