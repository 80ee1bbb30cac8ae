#include "indim/stablehlo/bytecode/entries.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace indim::mlir {

absl::Status EntryTable::Open(Cursor sizes, Cursor data) {
  text_left_ = (size_t{1} << 20) + 256 * data.remaining();
  const size_t attributes = sizes.Count();
  const size_t types = sizes.Count();
  absl::Status status = OpenKind(kAttribute, attributes, &sizes, &data);
  if (status.ok()) status = OpenKind(kType, types, &sizes, &data);
  if (!status.ok()) return status;
  if (!sizes.ok()) return sizes.status();
  if (!sizes.AtEnd() || !data.AtEnd()) {
    return BytecodeError(sizes.offset(),
                         "bytes follow the last attribute and type");
  }
  return absl::OkStatus();
}

// Entries of one dialect stand in groups: its number, how many, their sizes.
absl::Status EntryTable::OpenKind(Kind kind, size_t count, Cursor* sizes,
                                  Cursor* data) {
  std::vector<Entry>& entries = entries_[kind];
  entries.reserve(count);
  while (entries.size() < count && sizes->ok() && data->ok()) {
    const size_t dialect = sizes->Index(sources_->dialects.size(), "dialect");
    size_t group = sizes->Count();
    if (group == 0 || group > count - entries.size()) {
      sizes->Fail("a group of attributes or types has a wrong size");
    }
    for (; group > 0 && sizes->ok() && data->ok(); --group) {
      const uint64_t size = sizes->Varint();
      Entry entry;
      entry.offset = data->offset();
      entry.bytes = data->Bytes(size >> 1);
      entry.dialect = static_cast<uint32_t>(dialect);
      entry.custom = (size & 1) != 0;
      entries.push_back(entry);
    }
  }
  return sizes->ok() ? data->status() : sizes->status();
}

absl::StatusOr<AttrId> EntryTable::Attribute(size_t number) {
  Entry& entry = entries_[kAttribute][number];
  if (entry.state != State::kDone) {
    const absl::Status status = Resolve({kAttribute, number});
    if (!status.ok()) return status;
  }
  return AttrId{entry.id};
}

absl::StatusOr<TypeId> EntryTable::Type(size_t number) {
  Entry& entry = entries_[kType][number];
  if (entry.state != State::kDone) {
    const absl::Status status = Resolve({kType, number});
    if (!status.ok()) return status;
  }
  return TypeId{entry.id};
}

absl::Status EntryTable::Resolve(Place place) {
  stack_.assign(1, place);
  while (!stack_.empty()) {
    const Place top = stack_.back();
    Entry& entry = entries_[top.kind][top.number];
    if (entry.state == State::kDone) {
      stack_.pop_back();
      continue;
    }
    missing_.clear();
    const absl::Status status = DecodeTop(top);
    if (!status.ok()) return status;
    if (missing_.empty()) {
      entry.state = State::kDone;
      stack_.pop_back();
      continue;
    }
    entry.state = State::kOpen;
    for (const Place& other : missing_) {
      if (entries_[other.kind][other.number].state == State::kOpen) {
        return BytecodeError(entry.offset,
                             "an attribute or type refers to itself");
      }
      stack_.push_back(other);
    }
  }
  return absl::OkStatus();
}

absl::Status EntryTable::DecodeTop(Place place) {
  Entry& entry = entries_[place.kind][place.number];
  EntryDecoder decoder(this, Cursor(entry.bytes, entry.offset));
  EntryDecoder* const in = &decoder;
  const absl::string_view dialect = sources_->dialects[entry.dialect];
  mlir::Attribute attribute;
  mlir::Type type;
  if (!entry.custom) {
    const absl::string_view text = in->cursor().ZeroTerminated();
    if (place.kind == kType) {
      type = TypeOfText(text, in);
    } else {
      attribute = AttributeOfText(text, in);
    }
  } else if (dialect == "vhlo" || dialect == "builtin" || dialect == "sdy") {
    const uint64_t code = in->cursor().Varint();
    if (place.kind == kType && dialect == "vhlo") {
      type = DecodeVhloType(code, in);
    } else if (place.kind == kType && dialect == "builtin") {
      type = DecodeBuiltinType(code, in);
    } else if (place.kind == kType) {
      in->Fail("Shardy has no types");
    } else if (dialect == "vhlo") {
      attribute = DecodeVhloAttribute(code, in);
    } else if (dialect == "builtin") {
      attribute = DecodeBuiltinAttribute(code, in);
    } else {
      attribute = DecodeShardyAttribute(code, in);
    }
  } else {
    in->Fail(absl::StrCat(
                 "it holds an attribute or type of the dialect '", dialect,
                 "'; portable artifacts hold those of vhlo, builtin and sdy"),
             Code::kArtifactUnknown);
  }
  if (!in->cursor().ok()) return in->cursor().status();
  if (!missing_.empty()) return absl::OkStatus();
  if (!in->cursor().AtEnd()) {
    return BytecodeError(in->cursor().offset(),
                         "bytes follow an attribute or type");
  }
  entry.id = place.kind == kType ? ir_->Intern(std::move(type)).index
                                 : ir_->Intern(std::move(attribute)).index;
  return absl::OkStatus();
}

// --- EntryDecoder ------------------------------------------------------------

uint32_t EntryDecoder::Reference(EntryTable::Kind kind, uint64_t number) {
  if (!cursor_.ok()) return Id<void>::kNone;
  const std::vector<EntryTable::Entry>& entries = table_->entries_[kind];
  if (number >= entries.size()) {
    Fail(absl::StrCat("there is no ",
                      kind == EntryTable::kType ? "type" : "attribute",
                      " number ", number, ", only ", entries.size()),
         Code::kArtifactIndex);
    return Id<void>::kNone;
  }
  const EntryTable::Entry& entry = entries[static_cast<size_t>(number)];
  if (entry.state == EntryTable::State::kDone) return entry.id;
  table_->missing_.push_back({kind, static_cast<size_t>(number)});
  return Id<void>::kNone;
}

AttrId EntryDecoder::Attr() {
  return {Reference(EntryTable::kAttribute, cursor_.Varint())};
}

AttrId EntryDecoder::OptionalAttr() {
  const uint64_t number = cursor_.Varint();
  if ((number & 1) == 0) return {};
  return {Reference(EntryTable::kAttribute, number >> 1)};
}

TypeId EntryDecoder::Type() {
  return {Reference(EntryTable::kType, cursor_.Varint())};
}

std::vector<AttrId> EntryDecoder::Attrs() {
  std::vector<AttrId> attrs(cursor_.Count());
  for (AttrId& attr : attrs) attr = Attr();
  return attrs;
}

std::vector<TypeId> EntryDecoder::Types() {
  std::vector<TypeId> types(cursor_.Count());
  for (TypeId& type : types) type = Type();
  return types;
}

absl::string_view EntryDecoder::String() {
  const std::vector<absl::string_view>& strings = table_->sources_->strings;
  const size_t number = cursor_.Index(strings.size(), "string");
  if (!cursor_.ok() || !TakeText(strings[number].size())) return {};
  return strings[number];
}

std::vector<int64_t> EntryDecoder::SignedVarints() {
  std::vector<int64_t> values(cursor_.Count());
  for (int64_t& value : values) value = cursor_.SignedVarint();
  return values;
}

absl::string_view EntryDecoder::StringAttr() {
  const AttrId id = Attr();
  if (!id.valid()) return {};
  const mlir::Attribute& attribute = ir().attr(id);
  if (attribute.kind != AttrKind::kString) Fail("a name isn't a string");
  return TakeText(attribute.text.size()) ? attribute.text : absl::string_view();
}

bool EntryDecoder::TakeText(size_t size) {
  if (size <= table_->text_left_) {
    table_->text_left_ -= size;
    return true;
  }
  Fail("the attributes, written as text, are far longer than the artifact");
  return false;
}

uint64_t EntryDecoder::Bits(int bits) {
  const uint64_t value = bits <= 8
                             ? cursor_.Byte()
                             : static_cast<uint64_t>(cursor_.SignedVarint());
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

Attribute DecodeDictionary(EntryDecoder* in) {
  std::vector<NamedAttr> fields(in->cursor().Count());
  for (NamedAttr& field : fields) {
    field.name = in->ir().Intern(in->StringAttr());
    field.value = in->Attr();
  }
  if (!in->ready()) return {};
  return in->ir().attr(in->ir().DictionaryAttr(std::move(fields)));
}

}  // namespace indim::mlir
