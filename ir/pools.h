// SPDX-License-Identifier: Apache-2.0
// Pools: the data that the computations of a module (or of a family of
// builders) share: shapes, attribute bytes, metadata and names, each behind a
// 32-bit id.

#ifndef INDIM_IR_POOLS_H_
#define INDIM_IR_POOLS_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/ids.h"
#include "indim/ir/shape_table.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/ir/storage/byte_pool.h"
#include "indim/ir/storage/external_files.h"
#include "indim/ir/storage/intern_index.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

class Pools {
 public:
  Pools();
  ~Pools();
  // A copy keeps every id and shares the bytes.
  Pools(const Pools& other);
  Pools& operator=(const Pools&) = delete;

  ShapeTable& shapes() { return shapes_; }
  const ShapeTable& shapes() const { return shapes_; }

  // The name of an instruction that a file leaves nameless: empty, but given,
  // so that writers don't make one.
  static constexpr NameId kNameless{1};

  // Names are not unique here; the module's checks ensure that. The empty name
  // is kNameless.
  NameId AddName(absl::string_view name);  // copied
  // `name` must live in memory given to KeepAlive. In the source, with its
  // length right before it, it takes no further memory.
  NameId AddNameView(absl::string_view name) {
    const size_t place = PlaceInSource(name);
    if (ABSL_PREDICT_TRUE(
            place != 0 && place <= kInSource && name.size() - 1 < 0x7f &&
            static_cast<uint8_t>(name.data()[-1]) == name.size())) {
      return NameId{kInSource + static_cast<uint32_t>(place - 1)};
    }
    return AddOtherNameView(name);
  }
  absl::string_view name(NameId id) const {
    if (id.value < kInSource) return names_[id.value];
    return InSource(id.value);
  }
  // Sets the file that most names will be in. It must live in memory given to
  // KeepAlive. Call this at most once.
  void SetSource(absl::string_view bytes) { source_ = bytes; }
  // The file given to SetSource; empty: none.
  absl::string_view source() const { return source_; }

  // Interns attribute bytes (canonical fields). Bytes above kManyAttributeBytes
  // (literals) aren't compared with others. Empty attribute bytes have id 0.
  AttributeBytesId AddAttributeBytes(AttributeBytesView attribute_bytes);
  // AddAttributeBytes without copying: the parts must live in memory given to
  // KeepAlive. For bytes that are new it calls valid(), and returns 0 if that
  // is false.
  template <typename Valid>
  AttributeBytesId AddAttributeBytesView(
      const AttributeBytesView& attribute_bytes, const Valid& valid) {
    if (attribute_bytes.empty()) return AttributeBytesId();
    uint64_t hash;
    const AttributeBytesId known = FindAttributeBytes(attribute_bytes, &hash);
    if (known) return known;
    return valid() ? InsertAttributeBytes(attribute_bytes, hash)
                   : AttributeBytesId();
  }
  AttributeBytesId AddAttributeBytesView(
      const AttributeBytesView& attribute_bytes) {
    return AddAttributeBytesView(attribute_bytes, [] { return true; });
  }
  const AttributeBytesView& attribute_bytes(AttributeBytesId id) const {
    return attribute_bytes_[id.value].view;
  }
  // The number of ids of attribute bytes, including 0.
  size_t attribute_bytes_count() const { return attribute_bytes_.size(); }

  // The attributes of `opcode` in the bytes, decoded at the first call and
  // kept. Invalid bytes give default values. Thread-safe.
  const Attributes& attributes(Opcode opcode, AttributeBytesId id) const {
    return Decode(opcode, id).attributes;
  }
  // The error of DecodeAttributes for the bytes: InvalidArgument, which the
  // verifier reports.
  const absl::Status& attributes_status(Opcode opcode,
                                        AttributeBytesId id) const {
    return Decode(opcode, id).status;
  }

  // Interns OpMetadata bytes (canonical). Empty bytes, metadata without fields,
  // get an id too.
  MetadataId AddMetadata(absl::string_view wire);
  // AddMetadata without copying: `wire` must live in memory given to KeepAlive.
  // For bytes that are new it calls valid(), and returns 0 if that is false.
  template <typename Valid>
  MetadataId AddMetadataView(absl::string_view wire, const Valid& valid) {
    uint64_t hash;
    const MetadataId known = FindMetadata(wire, &hash);
    if (known) return known;
    return valid() ? InsertMetadata(wire, hash) : MetadataId();
  }
  absl::string_view metadata(MetadataId id) const {
    const uint32_t place = metadata_[id.value];
    if (place < kInSource) return other_metadata_[place];
    return InSource(place);
  }
  // The number of ids of metadata, including 0.
  size_t metadata_count() const { return metadata_.size(); }

  // The files with values of literals; null: none.
  const ExternalFiles* external_files() const { return external_files_.get(); }
  void SetExternalFiles(std::shared_ptr<const ExternalFiles> files) {
    external_files_ = std::move(files);
  }

  void KeepAlive(std::shared_ptr<const void> owner) {
    bytes_.Keep(std::move(owner));
  }
  // Moves `bytes` to memory that lives as long as these pools.
  absl::string_view KeepBytes(std::string bytes);
  // Reserves room for `count` names outside the source.
  void ReserveNames(size_t count) { names_.reserve(names_.size() + count); }

  static constexpr size_t kManyAttributeBytes = 1024;

 private:
  // Attribute bytes decoded for all opcodes of one form, or, if they are
  // invalid, for one opcode, which the error names.
  struct Decoded {
    explicit Decoded(Opcode for_opcode)
        : form(for_opcode), opcode(for_opcode) {}
    Decoded(Opcode for_opcode, const AttributeBytesView& attribute_bytes)
        : Decoded(for_opcode) {
      status = DecodeAttributes(for_opcode, attribute_bytes, &attributes);
      if (!status.ok()) attributes = Attributes();
    }
    AttributesForm form;
    Opcode opcode;
    Attributes attributes;
    absl::Status status;
    const Decoded* next = nullptr;
  };
  struct AttributeBytesEntry {
    explicit AttributeBytesEntry(AttributeBytesView v) : view(v) {}
    AttributeBytesView view;
    mutable std::atomic<const Decoded*> decoded{nullptr};
  };
  static uint64_t HashOf(const AttributeBytesView& attribute_bytes) {
    if (attribute_bytes.size() > kManyAttributeBytes)
      return 0;  // never looked up
    // Most bytes have one or two of the three parts.
    uint64_t hash = HashBytes(attribute_bytes.after_callees);
    if (!attribute_bytes.before_id.empty())
      hash = HashBytes(attribute_bytes.before_id, hash);
    if (!attribute_bytes.control.empty())
      hash = HashBytes(attribute_bytes.control, ~hash);
    return hash;
  }
  // Both also set *hash.
  AttributeBytesId FindAttributeBytes(const AttributeBytesView& attribute_bytes,
                                      uint64_t* hash) const;
  MetadataId FindMetadata(absl::string_view wire, uint64_t* hash) const {
    *hash = HashBytes(wire);
    const auto same = [&](uint32_t id) {
      return SameBytes(metadata({id}), wire);
    };
    return MetadataId{metadata_index_.Find(*hash, same).value_or(0)};
  }
  // The position of `name` in the source; 0: it is outside, or at its start.
  size_t PlaceInSource(absl::string_view name) const {
    const size_t place = reinterpret_cast<uintptr_t>(name.data()) -
                         reinterpret_cast<uintptr_t>(source_.data());
    return place < source_.size() ? place : 0;
  }
  // The bytes at a position that FindInSource returned.
  absl::string_view InSource(uint32_t place) const {
    const char* at = source_.data() + (place - kInSource);
    const uint8_t size = static_cast<uint8_t>(*at);
    return size < 0x80 ? absl::string_view(at + 1, size) : LongInSource(at);
  }
  absl::string_view LongInSource(const char* at) const;
  // The position of bytes, not empty, that are in the source after their
  // length; 0: they aren't, or the position is too large.
  uint32_t FindInSource(absl::string_view bytes) const;
  // For a long name, or one outside the source.
  NameId AddOtherNameView(absl::string_view name);
  MetadataId InsertMetadata(absl::string_view wire, uint64_t hash);
  AttributeBytesId InsertAttributeBytes(
      const AttributeBytesView& attribute_bytes, uint64_t hash);
  const Decoded& Decode(Opcode opcode, AttributeBytesId id) const;

  BytePool bytes_;
  ShapeTable shapes_;
  // A number from here on is a position in the source: of the length before a
  // name or metadata.
  static constexpr uint32_t kInSource = uint32_t{1} << 31;
  absl::string_view source_;
  std::vector<absl::string_view> names_;
  std::deque<AttributeBytesEntry> attribute_bytes_;
  InternIndex attribute_bytes_index_;
  // By id: positions in the source, or indices of other_metadata_.
  std::vector<uint32_t> metadata_;
  std::vector<absl::string_view> other_metadata_;
  InternIndex metadata_index_;
  std::shared_ptr<const ExternalFiles> external_files_;
};

}  // namespace indim

#endif  // INDIM_IR_POOLS_H_
