// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/entry_writer.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/bytecode/release.h"

namespace indim::mlir {
namespace {

constexpr absl::string_view kZero("\0", 1);

uint32_t KeyOf(bool is_type, Dialect dialect) {
  return static_cast<uint32_t>(dialect) * 2 + (is_type ? 1 : 0);
}

}  // namespace

std::vector<uint32_t> NumberingOrder(const std::vector<uint32_t>& uses,
                                     const std::vector<uint32_t>& dialects) {
  std::vector<uint32_t> order(uses.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return uses[a] > uses[b]; });
  // Numbers of one byte, of two, of three and more.
  size_t begin = 0;
  for (const size_t end : {size_t{1} << 7, size_t{1} << 14, order.size()}) {
    const size_t stop = std::min(end, order.size());
    if (stop <= begin) break;
    std::stable_sort(
        order.begin() + static_cast<std::ptrdiff_t>(begin),
        order.begin() + static_cast<std::ptrdiff_t>(stop),
        [&](uint32_t a, uint32_t b) { return dialects[a] < dialects[b]; });
    begin = stop;
  }
  return order;
}

uint32_t NumberedTexts::NumberOf(absl::string_view text) {
  const auto [it, is_new] =
      numbers_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return it->second;
}

// --- The table ---------------------------------------------------------------

void UsedEntries::Use(Kind kind, Dialect dialect, uint32_t id) {
  const auto [it, is_new] =
      by_key_.try_emplace(Key(KeyOf(kind == kType, dialect), id),
                          static_cast<uint32_t>(entries_.size()));
  if (is_new) {
    Entry entry;
    entry.kind = kind;
    entry.dialect = dialect;
    entry.id = id;
    new_.push_back(it->second);
    entries_.push_back(entry);
  }
  ++entries_[it->second].uses;
}

std::optional<uint32_t> UsedEntries::TakeNew() {
  if (new_.empty()) return std::nullopt;
  const uint32_t place = new_.back();
  new_.pop_back();
  return place;
}

void UsedEntries::NumberAll() {
  for (const Kind kind : {kAttribute, kType}) {
    std::vector<uint32_t> indices;
    std::vector<uint32_t> uses;
    std::vector<uint32_t> dialects;
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].kind != kind) continue;
      indices.push_back(i);
      uses.push_back(entries_[i].uses);
      dialects.push_back(entries_[i].dialect_number);
    }
    for (const uint32_t i : NumberingOrder(uses, dialects)) {
      entries_[indices[i]].number = static_cast<uint32_t>(order_[kind].size());
      order_[kind].push_back(indices[i]);
    }
  }
}

uint32_t UsedEntries::NumberOf(Kind kind, Dialect dialect, uint32_t id) const {
  const auto found = by_key_.find(Key(KeyOf(kind == kType, dialect), id));
  return found == by_key_.end() ? 0 : entries_[found->second].number;
}

// --- Users -------------------------------------------------------------------

absl::Status EntryWriter::CollectNew() {
  while (status_.ok()) {
    const std::optional<uint32_t> place = table_.TakeNew();
    if (!place) break;
    UsedEntries::Entry entry = table_.at(*place);
    Encode(&entry);  // may add entries
    table_.at(*place).dialect_number = entry.dialect_number;
    table_.at(*place).custom = entry.custom;
  }
  return status_;
}

absl::Status EntryWriter::UseAttr(AttrId id, Dialect dialect) {
  table_.Use(UsedEntries::kAttribute, dialect, id.index);
  return CollectNew();
}

absl::Status EntryWriter::UseType(TypeId id, Dialect dialect) {
  table_.Use(UsedEntries::kType, dialect, id.index);
  return CollectNew();
}

void EntryWriter::Encode(UsedEntries::Entry* entry) {
  const Encoding encoding =
      entry->kind == UsedEntries::kType
          ? WriteType(ir_.type(TypeId{entry->id}), entry->dialect, this)
          : WriteAttribute(ir_.attr(AttrId{entry->id}), entry->dialect, this);
  entry->dialect_number = NumberOfDialect(encoding.dialect);
  entry->custom = encoding.custom;
}

uint64_t EntryWriter::NumberOfAttr(AttrId id, Dialect dialect) const {
  return table_.NumberOf(UsedEntries::kAttribute, dialect, id.index);
}

uint64_t EntryWriter::NumberOfType(TypeId id, Dialect dialect) const {
  return table_.NumberOf(UsedEntries::kType, dialect, id.index);
}

// Attributes, then types; the sizes in groups of one dialect.
void EntryWriter::WriteEntries(std::string* entries, std::string* sizes) {
  const auto kinds = {UsedEntries::kAttribute, UsedEntries::kType};
  for (const auto kind : kinds) AppendVarint(table_.order(kind).size(), sizes);
  out_ = entries;
  for (const auto kind : kinds) {
    const std::vector<uint32_t>& order = table_.order(kind);
    for (size_t i = 0; i < order.size();) {
      size_t end = i;
      const uint32_t dialect = table_.at(order[i]).dialect_number;
      while (end < order.size() &&
             table_.at(order[end]).dialect_number == dialect) {
        ++end;
      }
      AppendVarint(dialect, sizes);
      AppendVarint(end - i, sizes);
      for (; i < end; ++i) {
        UsedEntries::Entry entry = table_.at(order[i]);
        const size_t before = entries->size();
        Encode(&entry);
        AppendVarint((entries->size() - before) << 1 | (entry.custom ? 1 : 0),
                     sizes);
      }
    }
  }
  out_ = nullptr;
}

void EntryWriter::WriteStrings(std::string* out) const {
  const std::vector<std::string>& texts = strings_.texts();
  AppendVarint(texts.size(), out);
  for (auto it = texts.rbegin(); it != texts.rend(); ++it) {
    AppendVarint(it->size() + 1, out);
  }
  for (const std::string& text : texts) {
    out->append(text);
    out->push_back('\0');
  }
}

// --- Fields ------------------------------------------------------------------

void EntryWriter::SignedVarints(const std::vector<int64_t>* values) {
  Count(values);
  for (const int64_t& value : *values) SignedVarint(&value);
}

void EntryWriter::Bits(const int64_t* value, int bits) {
  if (out_ == nullptr) return;
  uint64_t written = static_cast<uint64_t>(*value);
  if (bits < 64) written &= (uint64_t{1} << bits) - 1;
  if (bits <= 8) {
    AppendByte(static_cast<uint8_t>(written), out_);
  } else {
    AppendSignedVarint(static_cast<int64_t>(written), out_);
  }
}

void EntryWriter::Blob(absl::string_view bytes) {
  Number(bytes.size());
  if (out_ != nullptr) out_->append(bytes.data(), bytes.size());
}

void EntryWriter::Text(absl::string_view text) {
  if (out_ != nullptr) absl::StrAppend(out_, text, kZero);
}

void EntryWriter::String(const std::string* text) {
  if (out_ != nullptr) Number(NumberOfString(*text));
}

void EntryWriter::Attr(AttrId id, Dialect dialect) {
  if (out_ == nullptr) {
    table_.Use(UsedEntries::kAttribute, dialect, id.index);
  } else {
    Number(NumberOfAttr(id, dialect));
  }
}

// A dictionary of VHLO's values has builtin names.
void EntryWriter::NameOf(absl::string_view text) {
  Attr(ir_.StringAttr(text),
       dialect_ == Dialect::kVhlo ? Dialect::kVhlo : Dialect::kBuiltin);
}

void EntryWriter::OptionalAttr(const AttrId* id) {
  if (!id->valid()) {
    Number(0);
  } else if (out_ == nullptr) {
    Attr(id);
  } else {
    Number(NumberOfAttr(*id, ValuesDialect()) << 1 | 1);
  }
}

void EntryWriter::Attrs(const std::vector<AttrId>* ids) {
  Count(ids);
  for (const AttrId& id : *ids) Attr(&id);
}

void EntryWriter::Type(const TypeId* id) {
  if (out_ == nullptr) {
    table_.Use(UsedEntries::kType, ValuesDialect(), id->index);
  } else {
    Number(NumberOfType(*id, ValuesDialect()));
  }
}

void EntryWriter::Types(absl::Span<const TypeId> ids) {
  Number(ids.size());
  for (const TypeId& id : ids) Type(&id);
}

// A location that isn't known has an entry all the same.
void EntryWriter::Location(const AttrId* id) {
  mlir::Attribute unknown(AttrKind::kUnknownLoc);
  Attr(id->valid() ? *id : ir_.Intern(std::move(unknown)), ValuesDialect());
}

void EntryWriter::Signature(const std::vector<TypeId>* parts,
                            const uint32_t* input_count) {
  Types(absl::MakeSpan(*parts).first(*input_count));
  Types(absl::MakeSpan(*parts).subspan(*input_count));
}

void EntryWriter::Fail(absl::string_view message) {
  if (status_.ok()) status_ = absl::InvalidArgumentError(message);
}

void EntryWriter::Need(Version since, absl::string_view what) {
  if (target_ < since) Fail(NeedText(what, since, target_));
}

void EntryWriter::NeedMixed(absl::string_view what) {
  if (mixed_) return;
  Fail(absl::StrCat(
      what,
      " belongs to another dialect, and the options allow only StableHLO's"));
}

}  // namespace indim::mlir
