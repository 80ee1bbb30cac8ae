// EntrySink: encoders of attributes and types write to it, twice. First it
// collects what each entry refers to, so that it can number all by how often
// they are used; then it writes the bytes.

#ifndef INDIM_STABLEHLO_BYTECODE_ENTRY_SINK_H_
#define INDIM_STABLEHLO_BYTECODE_ENTRY_SINK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/bytecode/emitter.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// In which terms an attribute or type is written.
enum class Terms : uint8_t {
  kBuiltin,
  kVhlo,
  kVhloValues  // a builtin dictionary whose values are VHLO's
};

// The tables of an artifact that is being written.
class EntrySink {
 public:
  // mixed: ArtifactOptions.
  EntrySink(Ir* ir, Version target, bool mixed)
      : ir_(*ir), target_(target), mixed_(mixed) {}

  Ir& ir() { return ir_; }
  Version target() const { return target_; }
  bool mixed() const { return mixed_; }
  // The error of an attribute or a type.
  const absl::Status& status() const { return status_; }

  // --- For users of entries -------------------------------------------------
  // Collects an attribute or type that is used, and the entries that it refers
  // to.
  absl::Status UseAttr(AttrId id, Terms terms);
  absl::Status UseType(TypeId id, Terms terms);
  // Numbers all that is used. Then Number... and Write...
  void Number();
  uint64_t NumberOfAttr(AttrId id, Terms terms) const;
  uint64_t NumberOfType(TypeId id, Terms terms) const;
  uint64_t NumberOfString(absl::string_view text);
  // The dialect's number; it is used from now on.
  uint32_t NumberOfDialect(absl::string_view dialect);
  const std::vector<std::string>& dialects() const { return dialects_; }
  // The sections of entries and of their sizes.
  void WriteEntries(std::string* entries, std::string* sizes);
  void WriteStrings(std::string* out) const;

  // --- For encoders ---------------------------------------------------------
  void Byte(uint8_t byte) {
    if (out_ != nullptr) AppendByte(byte, out_);
  }
  void Varint(uint64_t value) {
    if (out_ != nullptr) AppendVarint(value, out_);
  }
  void SignedVarint(int64_t value) {
    if (out_ != nullptr) AppendSignedVarint(value, out_);
  }
  void SignedVarints(const std::vector<int64_t>& values);
  void Blob(absl::string_view bytes);
  // Bytes without their size.
  void Raw(absl::string_view bytes);
  void String(absl::string_view text);
  // An integer or a float of `bits` bits.
  void Bits(uint64_t value, int bits);
  void Attr(AttrId id, Terms terms);
  void OptionalAttr(AttrId id, Terms terms);
  void Type(TypeId id, Terms terms);
  void Attrs(const std::vector<AttrId>& ids, Terms terms);
  // How many, and ids[begin..end-1].
  void Types(const std::vector<TypeId>& ids, size_t begin, size_t end,
             Terms terms);

  void Fail(absl::string_view message);
  // `what` needs the release `since`.
  void Need(Version since, absl::string_view what);
  // `what` is of another dialect than VHLO.
  void NeedMixed(absl::string_view what);

 private:
  enum Kind : uint8_t { kAttribute, kType };
  struct Entry {
    Kind kind;
    Terms terms;
    bool custom = true;
    uint32_t id;
    uint32_t dialect = 0;
    uint32_t uses = 0;
    uint32_t number = 0;
  };
  using Key = std::pair<uint32_t, uint32_t>;  // kind and terms; id

  uint32_t Find(Kind kind, Terms terms, uint32_t id) const;
  void Use(Kind kind, Terms terms, uint32_t id);
  absl::Status Drain();
  // Encodes the entry; sets its dialect and whether it is custom.
  void Encode(Entry* entry);

  Ir& ir_;
  Version target_;
  bool mixed_;
  std::vector<Entry> entries_;
  absl::flat_hash_map<Key, uint32_t> by_key_;
  std::vector<uint32_t> order_[2];  // entries by number
  std::vector<uint32_t> work_;      // entries that aren't encoded yet
  std::vector<std::string> dialects_;
  std::vector<std::string> strings_;
  absl::flat_hash_map<std::string, uint32_t> string_numbers_;
  std::string* out_ = nullptr;  // null: it collects
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

// The encoders, which write to `out`. They refuse what the terms can't say.
Encoding EncodeAttribute(const Attribute& attribute, Terms terms,
                         EntrySink* out);
Encoding EncodeType(const Type& type, Terms terms, EntrySink* out);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_ENTRY_SINK_H_
