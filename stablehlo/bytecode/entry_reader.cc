// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/entry_reader.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace indim::mlir {
namespace {

// Source: StableHLO, StablehloBytecode.cpp.
constexpr uint64_t kStablehloToken = 0;

}  // namespace

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
  EntryReader reader(this, Cursor(entry.bytes, entry.offset));
  EntryReader* const in = &reader;
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
  } else if (dialect == "vhlo" || dialect == "builtin") {
    const Dialect of = dialect == "vhlo" ? Dialect::kVhlo : Dialect::kBuiltin;
    if (place.kind == kType) {
      type = ReadType(of, in);
    } else {
      attribute = ReadAttribute(of, in);
    }
  } else if (dialect == "stablehlo" && place.kind == kType) {
    // MLIR leaves the types of Shardy's operations as they are.
    type.kind = TypeKind::kToken;
    if (in->cursor().Varint() != kStablehloToken) {
      in->Fail("it holds a type of StableHLO other than a token",
               Code::kArtifactUnknown);
    }
  } else if (dialect == "sdy" && place.kind == kType) {
    in->cursor().Varint();
    in->Fail("Shardy has no types");
  } else if (dialect == "sdy") {
    attribute = ReadShardyAttribute(in);
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
  std::string too_large;
  if (place.kind == kType) {
    const TypeId id = ir_->Intern(std::move(type));
    too_large = ir_->TooLarge(id);
    entry.id = id.index;
  } else {
    const AttrId id = ir_->Intern(std::move(attribute));
    too_large = ir_->TooLarge(id);
    entry.id = id.index;
  }
  if (too_large.empty()) return absl::OkStatus();
  return BytecodeError(
      entry.offset,
      absl::StrCat("an attribute or type is too large: ", too_large));
}

// --- EntryReader -------------------------------------------------------------

uint32_t EntryReader::Reference(EntryTable::Kind kind, uint64_t number) {
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

void EntryReader::Attr(AttrId* id) {
  *id = {Reference(EntryTable::kAttribute, cursor_.Varint())};
}

void EntryReader::OptionalAttr(AttrId* id) {
  const uint64_t number = cursor_.Varint();
  *id = {};
  if ((number & 1) == 1) *id = {Reference(EntryTable::kAttribute, number >> 1)};
}

void EntryReader::Type(TypeId* id) {
  *id = {Reference(EntryTable::kType, cursor_.Varint())};
}

void EntryReader::Attrs(std::vector<AttrId>* ids) {
  Count(ids);
  for (AttrId& id : *ids) Attr(&id);
}

void EntryReader::Types(std::vector<TypeId>* ids) {
  Count(ids);
  for (TypeId& id : *ids) Type(&id);
}

void EntryReader::CheckLocations(const std::vector<AttrId>& ids) {
  for (const AttrId id : ids) {
    if (id.valid() && ir().attr(id).kind < AttrKind::kUnknownLoc) {
      Fail("a location refers to an attribute that isn't a location");
    }
  }
}

void EntryReader::Signature(std::vector<TypeId>* parts, uint32_t* input_count) {
  Types(parts);
  *input_count = static_cast<uint32_t>(parts->size());
  std::vector<TypeId> results;
  Types(&results);
  parts->insert(parts->end(), results.begin(), results.end());
}

void EntryReader::SignedVarints(std::vector<int64_t>* values) {
  Count(values);
  for (int64_t& value : *values) SignedVarint(&value);
}

void EntryReader::Bits(int64_t* value, int bits) {
  const uint64_t read = bits <= 8
                            ? cursor_.Byte()
                            : static_cast<uint64_t>(cursor_.SignedVarint());
  *value = static_cast<int64_t>(
      bits >= 64 ? read : read & ((uint64_t{1} << bits) - 1));
}

void EntryReader::String(std::string* text) {
  const std::vector<absl::string_view>& strings = table_->sources_->strings;
  const size_t number = cursor_.Index(strings.size(), "string");
  if (!cursor_.ok() || !TakeText(strings[number].size())) return;
  *text = std::string(strings[number]);
}

void EntryReader::Name(std::string* text) {
  AttrId id;
  Attr(&id);
  if (!id.valid()) return;
  const mlir::Attribute& attribute = ir().attr(id);
  if (attribute.kind != AttrKind::kString) Fail("a name isn't a string");
  if (TakeText(attribute.text.size())) *text = attribute.text;
}

void EntryReader::Name(StringId* name) {
  std::string text;
  Name(&text);
  *name = ir().Intern(text);
}

bool EntryReader::TakeText(size_t size) {
  if (size <= table_->text_left_) {
    table_->text_left_ -= size;
    return true;
  }
  Fail("the attributes, written as text, are far longer than the artifact");
  return false;
}

}  // namespace indim::mlir
