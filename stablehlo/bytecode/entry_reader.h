// SPDX-License-Identifier: Apache-2.0
// The attributes and types of MLIR's bytecode: a table of encoded entries that
// refer to each other by number. EntryTable decodes an entry, and the entries
// that it refers to, when it is first asked for. Entries of VHLO become the
// attributes and types of StableHLO that they stand for.

#ifndef INDIM_STABLEHLO_BYTECODE_ENTRY_READER_H_
#define INDIM_STABLEHLO_BYTECODE_ENTRY_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/bytecode/codes.h"
#include "indim/stablehlo/bytecode/cursor.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

// Strings and dialects, which a file's entries share.
struct EntrySources {
  std::vector<absl::string_view> strings;
  std::vector<absl::string_view> dialects;  // by number
};

class EntryTable {
 public:
  // `ir` and `sources` must outlive it.
  EntryTable(Ir* ir, const EntrySources* sources)
      : ir_(ir), sources_(sources) {}

  // Reads the sections of sizes and of encoded entries.
  absl::Status Open(Cursor sizes, Cursor data);

  size_t attribute_count() const { return entries_[kAttribute].size(); }
  size_t type_count() const { return entries_[kType].size(); }

  // The attribute or type of a number below the count. Errors: it, or one that
  // it refers to, is malformed, refers to itself or is Interned::TooLarge().
  absl::StatusOr<AttrId> Attribute(size_t number);
  absl::StatusOr<TypeId> Type(size_t number);

 private:
  friend class EntryReader;

  enum Kind : uint8_t { kAttribute, kType };
  enum class State : uint8_t { kNew, kOpen, kDone };

  struct Entry {
    absl::string_view bytes;
    size_t offset = 0;
    uint32_t dialect = 0;
    uint32_t id = Id<void>::kNone;  // once it is done
    bool custom = false;            // in its dialect's encoding, not in text
    State state = State::kNew;
  };
  struct Place {
    Kind kind;
    size_t number;
  };

  absl::Status OpenKind(Kind kind, size_t count, Cursor* sizes, Cursor* data);
  // Decodes an entry and the entries that it refers to, with a stack of its
  // own.
  absl::Status Resolve(Place place);
  absl::Status DecodeTop(Place place);

  Ir* ir_;
  const EntrySources* sources_;
  std::vector<Entry> entries_[2];
  std::vector<Place> stack_;
  std::vector<Place> missing_;  // of the entry that is being decoded
  size_t text_left_ = 0;        // EntryReader::TakeText
};

// EntryReader: a cursor from which the fields of an entry are read; it turns
// references to other entries into ids. EntryWriter has the same calls, so that
// visit_entry.h says once what an entry consists of.
class EntryReader {
 public:
  static constexpr bool kReads = true;

  EntryReader(EntryTable* table, Cursor cursor)
      : table_(table), cursor_(cursor) {}

  Cursor& cursor() { return cursor_; }
  Ir& ir() { return *table_->ir_; }
  // False: there was an error, or something that it refers to isn't decoded yet
  // (the entry is decoded again once it is). What was read may be nothing then.
  bool ready() const { return cursor_.ok() && table_->missing_.empty(); }
  void Fail(absl::string_view message, Code code = Code::kArtifactMalformed) {
    cursor_.Fail(message, code);
  }

  void Varint(int64_t* value) {
    *value = static_cast<int64_t>(cursor_.Varint());
  }
  void SignedVarint(int64_t* value) { *value = cursor_.SignedVarint(); }
  void SignedVarints(std::vector<int64_t>* values);
  // 0 or 1.
  void Flag(int64_t* value) {
    *value = static_cast<int64_t>(cursor_.Index(2, "bool"));
  }
  // An integer or a float of `bits` bits.
  void Bits(int64_t* value, int bits);
  void Blob(std::string* bytes) { *bytes = std::string(cursor_.Blob()); }
  void String(std::string* text);
  // An attribute that is a string; its text.
  void Name(std::string* text);
  void Name(StringId* name);
  // How many things stand in a list, each of at least one byte.
  template <typename T>
  void Count(std::vector<T>* things) {
    things->assign(cursor_.Count(), T());
  }

  // References.
  void Attr(AttrId* id);
  void OptionalAttr(AttrId* id);
  void Attrs(std::vector<AttrId>* ids);
  void Type(TypeId* id);
  void Types(std::vector<TypeId>* ids);
  void Location(AttrId* id) { Attr(id); }
  // Refuses attributes that aren't locations.
  void CheckLocations(const std::vector<AttrId>& ids);
  // The inputs and the results of a function.
  void Signature(std::vector<TypeId>* parts, uint32_t* input_count);

  // Accounts for text that an entry copies. False, and an error: there is far
  // more of it than the artifact is long, since entries repeat each other.
  bool TakeText(size_t size);

 private:
  uint32_t Reference(EntryTable::Kind kind, uint64_t number);

  EntryTable* table_;
  Cursor cursor_;
};

// Read an entry from its code on. They return what they read, whatever it is,
// if the reader isn't ready at the end.
Attribute ReadAttribute(Dialect dialect, EntryReader* in);
Type ReadType(Dialect dialect, EntryReader* in);
// Checks the type of a tensor; takes bounds out of its encoding.
void FinishTensor(AttrId encoding, mlir::Type* type, EntryReader* in);
// Shardy's, as text (shardy_text.cc).
Attribute ReadShardyAttribute(EntryReader* in);
// A type or attribute in text: "f8E4M3FN", "#sdy.sharding<...>".
Type TypeOfText(absl::string_view text, EntryReader* in);
Attribute AttributeOfText(absl::string_view text, EntryReader* in);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_ENTRY_READER_H_
