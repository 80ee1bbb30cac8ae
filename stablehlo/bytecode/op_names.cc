// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/op_names.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/bytecode/release.h"
#include "indim/stablehlo/bytecode/vhlo_slots.h"

namespace indim::mlir {

absl::StatusOr<const KnownName*> OpNames::Name(size_t number, size_t offset) {
  KnownName& known = names_[number];
  if (!known.seen) {
    const absl::StatusOr<KnownName> name =
        Learn(sections_.op_names[number], offset);
    if (!name.ok()) return name.status();
    known = *name;
  }
  return &known;
}

absl::StatusOr<KnownName> OpNames::Learn(const OpNameEntry& entry,
                                         size_t offset) {
  const auto unknown = [&](const auto&... message) {
    return BytecodeError(offset, absl::StrCat(message...),
                         Code::kArtifactUnknown);
  };
  KnownName known;
  const absl::string_view dialect = sections_.sources.dialects[entry.dialect];
  if (dialect == "vhlo") {
    known.vhlo = FindVhloOp(entry.name);
    if (known.vhlo == nullptr) {
      return unknown("vhlo.", entry.name,
                     " is no operation of StableHLO up to ",
                     ToString(kNewestRelease));
    }
    known.row = known.vhlo->row;
    known.is_return = known.row->name == "stablehlo.return";
  } else if (dialect == "builtin" || dialect == "sdy") {
    const std::string name = absl::StrCat(dialect, ".", entry.name);
    known.is_cast = name == "builtin.unrealized_conversion_cast";
    known.row = FindOp(name);
    if (known.row == nullptr && !known.is_cast) {
      return unknown(name, " is an unknown operation");
    }
  } else if (FindOp(absl::StrCat(dialect, ".", entry.name)) != nullptr) {
    return unknown(
        "this is MLIR's own bytecode of a program (of ", dialect, ".",
        entry.name,
        "), and Indim reads portable artifacts, which hold operations of the "
        "dialects vhlo, builtin and sdy; to fix: stablehlo-translate "
        "--serialize --target=1.10.0, or serialize_portable_artifact of "
        "StableHLO's Python, or MLIR text");
  } else {
    return unknown(dialect, ".", entry.name,
                   " can't be in a portable artifact, which holds operations "
                   "of the dialects vhlo, builtin and sdy");
  }
  if (known.row != nullptr) known.name = ir_.Intern(known.row->name);
  known.seen = true;
  return known;
}

absl::StatusOr<const OpAttributes*> OpNames::Attributes(size_t name,
                                                        uint64_t dictionary,
                                                        uint64_t properties,
                                                        size_t offset) {
  const Key key = {name, {dictionary, properties}};
  const auto found = attributes_.find(key);
  if (found != attributes_.end()) return &found->second;
  absl::StatusOr<OpAttributes> read =
      Read(names_[name], dictionary, properties, offset);
  if (!read.ok()) return read.status();
  return &attributes_.emplace(key, *std::move(read)).first->second;
}

absl::StatusOr<OpAttributes> OpNames::Read(const KnownName& name,
                                           uint64_t dictionary,
                                           uint64_t properties, size_t offset) {
  OpAttributes result;
  if (dictionary != kNothing) {
    const absl::StatusOr<AttrId> id =
        entries_.Attribute(static_cast<size_t>(dictionary));
    if (!id.ok()) return id.status();
    const Attribute& attribute = ir_.attr(*id);
    if (attribute.kind != AttrKind::kDictionary) {
      return BytecodeError(offset,
                           "the operation's attributes aren't a dictionary");
    }
    result.discardable = attribute.fields;
  }
  if (sections_.format < kProperties) {
    return Split(name, result.discardable, offset);
  }
  if (properties != kNothing) {
    absl::StatusOr<std::vector<NamedAttr>> own = Properties(
        name, sections_.properties[static_cast<size_t>(properties)], offset);
    if (!own.ok()) return own.status();
    result.properties = *std::move(own);
  } else if (name.vhlo != nullptr && !name.vhlo->slots.empty()) {
    return BytecodeError(offset, "the operation has no properties");
  }
  return result;
}

// The next property; optional ones tell whether they are there.
absl::StatusOr<AttrId> OpNames::Property(bool optional, Cursor* in) {
  // Older versions of a dialect lack attributes at the end.
  if (optional && in->AtEnd()) return AttrId();
  uint64_t number = in->Varint();
  if (optional && (number & 1) == 0) return AttrId();
  if (optional) number >>= 1;
  if (!in->ok()) return in->status();
  if (number >= entries_.attribute_count()) {
    return BytecodeError(in->offset(), "there is no such attribute",
                         Code::kArtifactIndex);
  }
  const absl::StatusOr<AttrId> id =
      entries_.Attribute(static_cast<size_t>(number));
  if (!id.ok()) return id;
  const std::string too_large = ir_.TooLargeAsValue(*id);
  if (too_large.empty()) return id;
  return BytecodeError(in->offset(),
                       absl::StrCat("an attribute is too large: ", too_large));
}

absl::StatusOr<std::vector<NamedAttr>> OpNames::Properties(
    const KnownName& name, Cursor in, size_t offset) {
  std::vector<NamedAttr> properties;
  if (name.vhlo != nullptr) {
    std::vector<AttrId> values;
    for (size_t i = 0; i < name.vhlo->slots.size(); ++i) {
      const absl::StatusOr<AttrId> value = Property(/*optional=*/false, &in);
      if (!value.ok()) return value.status();
      values.push_back(*value);
    }
    absl::StatusOr<std::vector<NamedAttr>> result =
        PropertiesOfVhlo(*name.vhlo, values, &ir_);
    if (!result.ok()) return BytecodeError(offset, result.status().message());
    properties = *std::move(result);
  } else if (name.row != nullptr) {
    for (const AttributeRow* const row : AttributesByName(*name.row)) {
      const absl::StatusOr<AttrId> value = Property(!row->required, &in);
      if (!value.ok()) return value.status();
      if (value->valid()) properties.push_back({ir_.Intern(row->name), *value});
    }
  }
  if (in.ok() && !in.AtEnd()) in.Fail("bytes follow an operation's properties");
  if (!in.ok()) return in.status();
  return properties;
}

absl::StatusOr<OpAttributes> OpNames::Split(
    const KnownName& name, const std::vector<NamedAttr>& attributes,
    size_t offset) {
  OpAttributes result;
  std::vector<AttrId> values(name.vhlo != nullptr ? name.vhlo->slots.size()
                                                  : 0);
  for (const NamedAttr& attribute : attributes) {
    const absl::string_view text = ir_.text(attribute.name);
    if (name.vhlo != nullptr) {
      const std::vector<VhloSlot>& slots = name.vhlo->slots;
      const VhloSlot* const slot = FindRow(slots, &VhloSlot::name, text);
      if (slot != nullptr) {
        values[static_cast<size_t>(slot - slots.data())] = attribute.value;
        continue;
      }
    } else if (name.row != nullptr &&
               FindAttribute(*name.row, text) != nullptr) {
      result.properties.push_back(attribute);
      continue;
    }
    result.discardable.push_back(attribute);
  }
  if (name.vhlo == nullptr) return result;
  absl::StatusOr<std::vector<NamedAttr>> properties =
      PropertiesOfVhlo(*name.vhlo, values, &ir_);
  if (!properties.ok()) {
    return BytecodeError(offset, properties.status().message());
  }
  result.properties = *std::move(properties);
  return result;
}

}  // namespace indim::mlir
