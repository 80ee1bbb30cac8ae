// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/aliases.h"

#include <optional>

#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/types/leaf_range.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::stablehlo_export {
namespace {

namespace of_alias = field::HloInputOutputAliasProto_AliasEntryProto;
namespace of_donor = field::HloBufferDonorProto_BufferDonorEntryProto;

constexpr int64_t kMustAlias = 2;  // xla.Kind MUST_ALIAS

// The number of the leaf at a path into a shape; nullopt: no leaf is there.
std::optional<int64_t> LeafAt(const Shape& shape, const DimIndices& path) {
  const LeafRange leaves = LeavesAt(shape, path);
  if (!leaves.is_leaf) return std::nullopt;
  return static_cast<int64_t>(leaves.first);
}

class Arguments {
 public:
  explicit Arguments(const Signature& signature) : signature_(signature) {
    for (const Shape& shape : signature.parameters) {
      first_.push_back(count_);
      count_ += LeafCount(shape);
    }
  }
  std::optional<int64_t> LeafAt(int64_t number, const DimIndices& path) const {
    if (number < 0 || number >= static_cast<int64_t>(first_.size())) {
      return std::nullopt;
    }
    const size_t i = static_cast<size_t>(number);
    const std::optional<int64_t> leaf =
        stablehlo_export::LeafAt(signature_.parameters[i], path);
    if (!leaf.has_value()) return std::nullopt;
    return first_[i] + *leaf;
  }

 private:
  const Signature& signature_;
  std::vector<int64_t> first_;
  int64_t count_ = 0;
};

}  // namespace

Aliases AliasesOf(const Module& module) {
  Aliases found;
  const std::string& wire = internal::DataOf(module).other_fields;
  if (wire.empty()) return found;
  FieldList fields(WireMessage::kHloModuleProto, wire);
  const Signature signature = module.entry().signature();
  const Arguments arguments(signature);
  FieldList aliases(WireMessage::kHloInputOutputAliasProto,
                    fields.Text(field::HloModuleProto::kInputOutputAlias));
  for (const absl::string_view entry :
       aliases.Texts(field::HloInputOutputAliasProto::kEntries)) {
    FieldList alias(WireMessage::kHloInputOutputAliasProto_AliasEntryProto,
                    entry);
    const auto argument =
        arguments.LeafAt(alias.Number(of_alias::kParameterNumber),
                         alias.Numbers(of_alias::kParameterShapeIndex));
    const auto result =
        LeafAt(signature.result, alias.Numbers(of_alias::kOutputShapeIndex));
    if (!argument.has_value() || !result.has_value()) continue;
    found.aliases.push_back(
        {*argument, *result, alias.Number(of_alias::kKind) == kMustAlias});
  }
  FieldList donors(WireMessage::kHloBufferDonorProto,
                   fields.Text(field::HloModuleProto::kBufferDonor));
  for (const absl::string_view entry :
       donors.Texts(field::HloBufferDonorProto::kEntries)) {
    FieldList donor(WireMessage::kHloBufferDonorProto_BufferDonorEntryProto,
                    entry);
    const auto argument =
        arguments.LeafAt(donor.Number(of_donor::kParameterNumber),
                         donor.Numbers(of_donor::kParameterShapeIndex));
    if (argument.has_value()) found.donors.push_back(*argument);
  }
  return found;
}

}  // namespace indim::stablehlo_export
