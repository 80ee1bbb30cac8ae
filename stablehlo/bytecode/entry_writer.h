// SPDX-License-Identifier: Apache-2.0
// EntryWriter: the attributes and types of an artifact that is being written.
// Each entry is written twice: first for what it refers to, so that all can be
// numbered by how often they are used; then for its bytes.

#ifndef INDIM_STABLEHLO_BYTECODE_ENTRY_WRITER_H_
#define INDIM_STABLEHLO_BYTECODE_ENTRY_WRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/stablehlo/bytecode/codes.h"
#include "indim/stablehlo/bytecode/emitter.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// Texts, numbered in the order in which they come.
class NumberedTexts {
 public:
  uint32_t NumberOf(absl::string_view text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
};

// The attributes and types of an artifact, and how often each is used, from
// which their numbers follow.
class UsedEntries {
 public:
  enum Kind : uint8_t { kAttribute, kType };
  struct Entry {
    Kind kind;
    Dialect dialect;
    bool custom = true;
    uint32_t id;
    uint32_t dialect_number = 0;
    uint32_t uses = 0;
    uint32_t number = 0;
  };

  // Counts a use; a new entry is to be encoded, so that what it refers to is
  // counted too.
  void Use(Kind kind, Dialect dialect, uint32_t id);
  // The place of an entry that is to be encoded; nullopt: none is left.
  std::optional<uint32_t> TakeNew();
  Entry& at(uint32_t place) { return entries_[place]; }
  // Numbers the entries of each kind, once all are there.
  void NumberAll();
  // 0 for what isn't used.
  uint32_t NumberOf(Kind kind, Dialect dialect, uint32_t id) const;
  // The places of a kind's entries, by number.
  const std::vector<uint32_t>& order(Kind kind) const { return order_[kind]; }

 private:
  using Key = std::pair<uint32_t, uint32_t>;  // kind and dialect; id

  std::vector<Entry> entries_;
  absl::flat_hash_map<Key, uint32_t> by_key_;
  std::vector<uint32_t> order_[2];
  std::vector<uint32_t> new_;  // entries that aren't encoded yet
};

class EntryWriter {
 public:
  static constexpr bool kReads = false;

  // mixed: ArtifactOptions.
  EntryWriter(Ir* ir, Version target, bool mixed)
      : ir_(*ir), target_(target), mixed_(mixed) {}

  Ir& ir() { return ir_; }
  Version target() const { return target_; }
  bool mixed() const { return mixed_; }
  // The error of an attribute or a type.
  const absl::Status& status() const { return status_; }

  // --- For users of entries -------------------------------------------------
  // Collects an attribute or type that is used, and the entries that it refers
  // to.
  absl::Status UseAttr(AttrId id, Dialect dialect);
  absl::Status UseType(TypeId id, Dialect dialect);
  // Numbers all that is used. Then NumberOf... and Write...
  void NumberAll() { table_.NumberAll(); }
  uint64_t NumberOfAttr(AttrId id, Dialect dialect) const;
  uint64_t NumberOfType(TypeId id, Dialect dialect) const;
  uint64_t NumberOfString(absl::string_view text) {
    return strings_.NumberOf(text);
  }
  // The dialect's number; it is used from now on.
  uint32_t NumberOfDialect(absl::string_view dialect) {
    return dialects_.NumberOf(dialect);
  }
  const std::vector<std::string>& dialects() const { return dialects_.texts(); }
  // The sections of entries and of their sizes.
  void WriteEntries(std::string* entries, std::string* sizes);
  void WriteStrings(std::string* out) const;

  // --- For the entry that is being written (visit_entry.h) ------------------
  bool ready() const { return true; }
  // References stand for attributes and types of this dialect.
  void SetDialect(Dialect dialect) { dialect_ = dialect; }
  void Varint(const int64_t* value) { Number(static_cast<uint64_t>(*value)); }
  void SignedVarint(const int64_t* value) {
    if (out_ != nullptr) AppendSignedVarint(*value, out_);
  }
  void SignedVarints(const std::vector<int64_t>* values);
  void Flag(const int64_t* value) { Number(*value != 0 ? 1 : 0); }
  // An integer or a float of `bits` bits.
  void Bits(const int64_t* value, int bits);
  void Blob(absl::string_view bytes);
  void Blob(const std::string* bytes) { Blob(*bytes); }
  void String(const std::string* text);
  // An attribute that is a string.
  void Name(const std::string* text) { NameOf(*text); }
  void Name(const StringId* name) { NameOf(ir_.text(*name)); }
  template <typename T>
  void Count(const std::vector<T>* things) {
    Number(things->size());
  }
  void Attr(const AttrId* id) { Attr(*id, ValuesDialect()); }
  void OptionalAttr(const AttrId* id);
  void Attrs(const std::vector<AttrId>* ids);
  void Type(const TypeId* id);
  void Types(absl::Span<const TypeId> ids);
  void Types(const std::vector<TypeId>* ids) { Types(absl::MakeSpan(*ids)); }
  void Location(const AttrId* id);
  void CheckLocations(const std::vector<AttrId>&) {}
  void Signature(const std::vector<TypeId>* parts, const uint32_t* input_count);
  // A number of the encoding itself.
  void Number(uint64_t number) {
    if (out_ != nullptr) AppendVarint(number, out_);
  }
  // An entry in text.
  void Text(absl::string_view text);

  void Fail(absl::string_view message);
  // `what` needs the release `since`.
  void Need(Version since, absl::string_view what);
  // `what` is of another dialect than VHLO.
  void NeedMixed(absl::string_view what);

 private:
  Dialect ValuesDialect() const {
    return dialect_ == Dialect::kBuiltin ? Dialect::kBuiltin : Dialect::kVhlo;
  }
  void Attr(AttrId id, Dialect dialect);
  void NameOf(absl::string_view text);
  absl::Status CollectNew();
  // Encodes the entry; sets its dialect and whether it is custom.
  void Encode(UsedEntries::Entry* entry);

  Ir& ir_;
  Version target_;
  bool mixed_;
  UsedEntries table_;
  NumberedTexts dialects_;
  NumberedTexts strings_;
  std::string* out_ = nullptr;           // null: it collects
  Dialect dialect_ = Dialect::kBuiltin;  // of the entry
  absl::Status status_;
};

// The order in which things are numbered: often used ones first; those that
// take as many bytes, by dialect.
std::vector<uint32_t> NumberingOrder(const std::vector<uint32_t>& uses,
                                     const std::vector<uint32_t>& dialects);

// Where an attribute or type is encoded.
struct Encoding {
  absl::string_view dialect;
  bool custom = true;  // else it is text
};

// Write an entry to `out`. They refuse what the dialect can't say.
Encoding WriteAttribute(const Attribute& attribute, Dialect dialect,
                        EntryWriter* out);
Encoding WriteType(const Type& type, Dialect dialect, EntryWriter* out);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_ENTRY_WRITER_H_
