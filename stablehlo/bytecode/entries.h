// The attributes and types of MLIR's bytecode: a table of encoded entries that
// refer to each other by number. EntryTable decodes an entry, and the entries
// that it refers to, when it is first asked for. Entries of VHLO become the
// attributes and types of StableHLO that they stand for.

#ifndef INDIM_STABLEHLO_BYTECODE_ENTRIES_H_
#define INDIM_STABLEHLO_BYTECODE_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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
  // it refers to, is malformed, or refers to itself.
  absl::StatusOr<AttrId> Attribute(size_t number);
  absl::StatusOr<TypeId> Type(size_t number);

 private:
  friend class EntryDecoder;

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
  size_t text_left_ = 0;        // EntryDecoder::TakeText
};

// EntryDecoder: a cursor from which the decoders of a dialect's entries read;
// it turns references to other entries into ids.
class EntryDecoder {
 public:
  EntryDecoder(EntryTable* table, Cursor cursor)
      : table_(table), cursor_(cursor) {}

  Cursor& cursor() { return cursor_; }
  Ir& ir() { return *table_->ir_; }
  // False: there was an error, or something that it refers to isn't decoded yet
  // (the entry is decoded again once it is). What was read may be nothing then.
  bool ready() const { return cursor_.ok() && table_->missing_.empty(); }
  void Fail(absl::string_view message, Code code = Code::kArtifactMalformed) {
    cursor_.Fail(message, code);
  }

  // References.
  AttrId Attr();
  AttrId OptionalAttr();
  TypeId Type();
  std::vector<AttrId> Attrs();
  std::vector<TypeId> Types();
  absl::string_view String();
  std::vector<int64_t> SignedVarints();
  // An attribute that is a string; its text.
  absl::string_view StringAttr();

  // An integer or a float of `bits` bits.
  uint64_t Bits(int bits);

  // Accounts for text that an entry copies. False, and an error: there is far
  // more of it than the artifact is long, since entries repeat each other.
  bool TakeText(size_t size);

 private:
  uint32_t Reference(EntryTable::Kind kind, uint64_t number);

  EntryTable* table_;
  Cursor cursor_;
};

// The decoders: `code` was read. They return what they read, whatever it is, if
// the decoder isn't ready at the end.
Attribute DecodeBuiltinAttribute(uint64_t code, EntryDecoder* in);
Type DecodeBuiltinType(uint64_t code, EntryDecoder* in);
Attribute DecodeVhloAttribute(uint64_t code, EntryDecoder* in);
Type DecodeVhloType(uint64_t code, EntryDecoder* in);
Attribute DecodeShardyAttribute(uint64_t code, EntryDecoder* in);

// Pieces that the dialects share.
// An integer of `type`, which may be a bool.
Attribute DecodeInteger(TypeId type, EntryDecoder* in);
Attribute DecodeFloat(TypeId type, EntryDecoder* in);
// The elements of a tensor as a blob.
Attribute DecodeElements(TypeId type, EntryDecoder* in);
Type DecodeTensor(bool has_encoding, EntryDecoder* in);
// A type or attribute in text: "f8E4M3FN", "#sdy.sharding<...>".
Type TypeOfText(absl::string_view text, EntryDecoder* in);
Attribute AttributeOfText(absl::string_view text, EntryDecoder* in);

// A kDictionary: a count, then names and values. Builtin's dictionaries and
// VHLO's are encoded alike.
Attribute DecodeDictionary(EntryDecoder* in);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_ENTRIES_H_
