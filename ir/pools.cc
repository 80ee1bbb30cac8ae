// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/pools.h"

#include <memory>
#include <utility>

#include "indim/proto/wire/wire.h"

namespace indim {

Pools::Pools() {
  names_.resize(2);  // none, kNameless
  attribute_bytes_.emplace_back(AttributeBytesView());
  metadata_.emplace_back();
  other_metadata_.emplace_back();
}

Pools::Pools(const Pools& other)
    : bytes_(other.bytes_),
      shapes_(other.shapes_),
      source_(other.source_),
      names_(other.names_),
      attribute_bytes_index_(other.attribute_bytes_index_),
      metadata_(other.metadata_),
      other_metadata_(other.other_metadata_),
      metadata_index_(other.metadata_index_),
      external_files_(other.external_files_) {
  for (const AttributeBytesEntry& attribute_bytes : other.attribute_bytes_)
    attribute_bytes_.emplace_back(attribute_bytes.view);
}

Pools::~Pools() {
  for (AttributeBytesEntry& attribute_bytes : attribute_bytes_) {
    const Decoded* decoded =
        attribute_bytes.decoded.load(std::memory_order_acquire);
    while (decoded != nullptr) {
      const Decoded* next = decoded->next;
      delete decoded;
      decoded = next;
    }
  }
}

NameId Pools::AddName(absl::string_view name) {
  if (name.empty()) return kNameless;
  names_.push_back(bytes_.Copy(name));  // a copy is never in the source
  return NameId{static_cast<uint32_t>(names_.size() - 1)};
}

NameId Pools::AddOtherNameView(absl::string_view name) {
  if (name.empty()) return kNameless;
  const uint32_t place = FindInSource(name);
  if (place != 0) return NameId{place};
  names_.push_back(name);
  return NameId{static_cast<uint32_t>(names_.size() - 1)};
}

uint32_t Pools::FindInSource(absl::string_view bytes) const {
  const size_t width = VarintSize(bytes.size());
  const size_t place = PlaceInSource(bytes);
  if (place < width || place - width >= kInSource ||
      bytes.size() > source_.size() - place) {
    return 0;
  }
  const size_t at = place - width;
  WireReader length(source_.substr(at, width));
  uint64_t size;
  const bool is_length =
      length.ReadVarint(&size) && length.done() && size == bytes.size();
  return is_length ? kInSource + static_cast<uint32_t>(at) : 0;
}

absl::string_view Pools::LongInSource(const char* at) const {
  WireReader reader(source_.substr(static_cast<size_t>(at - source_.data())));
  absl::string_view bytes;
  return reader.ReadLengthDelimited(&bytes) ? bytes : absl::string_view();
}

absl::string_view Pools::KeepBytes(std::string bytes) {
  if (bytes.size() <= kManyAttributeBytes) return bytes_.Copy(bytes);
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  const absl::string_view view = *owner;
  KeepAlive(std::move(owner));
  return view;
}

AttributeBytesId Pools::FindAttributeBytes(
    const AttributeBytesView& attribute_bytes, uint64_t* hash) const {
  *hash = HashOf(attribute_bytes);
  if (attribute_bytes.size() > kManyAttributeBytes) return AttributeBytesId();
  const auto same = [&](uint32_t id) {
    const AttributeBytesView& known = attribute_bytes_[id].view;
    return SameBytes(known.after_callees, attribute_bytes.after_callees) &&
           SameBytes(known.before_id, attribute_bytes.before_id) &&
           SameBytes(known.control, attribute_bytes.control);
  };
  return AttributeBytesId{attribute_bytes_index_.Find(*hash, same).value_or(0)};
}

AttributeBytesId Pools::InsertAttributeBytes(
    const AttributeBytesView& attribute_bytes, uint64_t hash) {
  const AttributeBytesId id{static_cast<uint32_t>(attribute_bytes_.size())};
  attribute_bytes_.emplace_back(attribute_bytes);
  if (attribute_bytes.size() <= kManyAttributeBytes)
    attribute_bytes_index_.Insert(hash, id.value);
  return id;
}

AttributeBytesId Pools::AddAttributeBytes(AttributeBytesView attribute_bytes) {
  if (attribute_bytes.empty()) return AttributeBytesId();
  uint64_t hash;
  const AttributeBytesId known = FindAttributeBytes(attribute_bytes, &hash);
  if (known) return known;
  return InsertAttributeBytes({bytes_.Copy(attribute_bytes.before_id),
                               bytes_.Copy(attribute_bytes.control),
                               bytes_.Copy(attribute_bytes.after_callees)},
                              hash);
}

const Pools::Decoded& Pools::Decode(Opcode opcode, AttributeBytesId id) const {
  const AttributesForm form(opcode);
  if (form.kind == AttributesKind::kNo) {
    static const Decoded* const kNothing = new Decoded(Opcode::kInvalid);
    return *kNothing;
  }
  const AttributeBytesEntry& attribute_bytes = attribute_bytes_[id.value];
  const Decoded* first =
      attribute_bytes.decoded.load(std::memory_order_acquire);
  for (const Decoded* d = first; d != nullptr; d = d->next) {
    if (d->form == form && (d->status.ok() || d->opcode == opcode)) return *d;
  }
  auto* decoded = new Decoded(opcode, attribute_bytes.view);
  // Two threads may decode the same bytes; both results stay, later calls find
  // one of them.
  decoded->next = first;
  while (!attribute_bytes.decoded.compare_exchange_weak(
      decoded->next, decoded, std::memory_order_acq_rel)) {
  }
  return *decoded;
}

MetadataId Pools::InsertMetadata(absl::string_view wire, uint64_t hash) {
  const MetadataId id{static_cast<uint32_t>(metadata_.size())};
  uint32_t place = wire.empty() ? 0 : FindInSource(wire);
  if (place == 0) {
    place = static_cast<uint32_t>(other_metadata_.size());
    other_metadata_.push_back(wire);
  }
  metadata_.push_back(place);
  metadata_index_.Insert(hash, id.value);
  return id;
}

MetadataId Pools::AddMetadata(absl::string_view wire) {
  uint64_t hash;
  const MetadataId known = FindMetadata(wire, &hash);
  return known ? known : InsertMetadata(bytes_.Copy(wire), hash);
}

}  // namespace indim
