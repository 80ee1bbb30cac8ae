// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/places.h"

#include <algorithm>

#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_table.h"

namespace indim::stablehlo_import {

Places::Places(const Ir& ir, absl::string_view text, bool numbered)
    : ir_(ir), text_(text), numbered_(numbered) {
  if (text.empty()) return;
  lines_.push_back(0);
  for (size_t at = text.find('\n'); at != absl::string_view::npos;
       at = text.find('\n', at + 1)) {
    lines_.push_back(at + 1);
  }
}

TextPlace Places::At(Offset offset) const {
  if (offset == kNowhere) return {};
  if (numbered_) return {static_cast<uint32_t>(offset), 1};
  if (offset > text_.size() || lines_.empty()) return {};
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), offset);
  const size_t line = static_cast<size_t>(after - lines_.begin());
  return {static_cast<uint32_t>(line),
          static_cast<uint32_t>(offset - lines_[line - 1] + 1)};
}

namespace {

// What OpMetadata takes from a location.
struct Found {
  absl::string_view name;
  const Attribute* file = nullptr;
};

// The first name and the first file, from the outside: fused locations and
// call sites go from the callee to the caller.
Found Find(const Ir& ir, AttrId location) {
  Found found;
  std::vector<AttrId> stack = {location};
  for (int steps = 0; !stack.empty() && steps < 1000; ++steps) {
    const Attribute& a = ir.attr(stack.back());
    stack.pop_back();
    if (a.kind == AttrKind::kNameLoc && found.name.empty()) found.name = a.text;
    if (a.kind == AttrKind::kFileLoc && found.file == nullptr) found.file = &a;
    if (!found.name.empty() && found.file != nullptr) break;
    stack.insert(stack.end(), a.elements.rbegin(), a.elements.rend());
  }
  return found;
}

}  // namespace

MetadataId Places::Metadata(AttrId location, Pools* pools) {
  if (!location.valid()) return MetadataId();
  const auto [entry, is_new] = metadata_.try_emplace(location.index);
  if (!is_new) return entry->second;
  const Found found = Find(ir_, location);
  if (found.name.empty() && found.file == nullptr) return MetadataId();
  namespace of = field::OpMetadata;
  FieldList fields(WireMessage::kOpMetadata);
  fields.SetText(of::kOpName, found.name);
  if (found.file != nullptr) {
    fields.SetText(of::kSourceFile, found.file->text);
    fields.SetNumber(of::kSourceLine, found.file->integer);
    fields.SetNumber(of::kSourceColumn, found.file->column);
  }
  return entry->second = pools->AddMetadata(fields.Serialize());
}

}  // namespace indim::stablehlo_import
