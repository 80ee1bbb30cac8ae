#include "indim/stablehlo/bytecode/entry_sink.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"

namespace indim::mlir {
namespace {

uint32_t KeyOf(bool is_type, Terms terms) {
  return static_cast<uint32_t>(terms) * 2 + (is_type ? 1 : 0);
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

// --- Users -------------------------------------------------------------------

void EntrySink::Use(Kind kind, Terms terms, uint32_t id) {
  const auto [it, is_new] =
      by_key_.try_emplace(Key(KeyOf(kind == kType, terms), id),
                          static_cast<uint32_t>(entries_.size()));
  if (is_new) {
    Entry entry;
    entry.kind = kind;
    entry.terms = terms;
    entry.id = id;
    work_.push_back(it->second);
    entries_.push_back(entry);
  }
  ++entries_[it->second].uses;
}

absl::Status EntrySink::Drain() {
  while (!work_.empty() && status_.ok()) {
    const uint32_t at = work_.back();
    work_.pop_back();
    Entry entry = entries_[at];
    Encode(&entry);  // may add entries
    entries_[at].dialect = entry.dialect;
    entries_[at].custom = entry.custom;
  }
  return status_;
}

absl::Status EntrySink::UseAttr(AttrId id, Terms terms) {
  Use(kAttribute, terms, id.index);
  return Drain();
}

absl::Status EntrySink::UseType(TypeId id, Terms terms) {
  Use(kType, terms, id.index);
  return Drain();
}

void EntrySink::Encode(Entry* entry) {
  const Encoding encoding =
      entry->kind == kType
          ? EncodeType(ir_.type(TypeId{entry->id}), entry->terms, this)
          : EncodeAttribute(ir_.attr(AttrId{entry->id}), entry->terms, this);
  entry->dialect = NumberOfDialect(encoding.dialect);
  entry->custom = encoding.custom;
}

void EntrySink::Number() {
  for (const Kind kind : {kAttribute, kType}) {
    std::vector<uint32_t> indices;
    std::vector<uint32_t> uses;
    std::vector<uint32_t> dialects;
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].kind != kind) continue;
      indices.push_back(i);
      uses.push_back(entries_[i].uses);
      dialects.push_back(entries_[i].dialect);
    }
    for (const uint32_t i : NumberingOrder(uses, dialects)) {
      entries_[indices[i]].number = static_cast<uint32_t>(order_[kind].size());
      order_[kind].push_back(indices[i]);
    }
  }
}

uint32_t EntrySink::Find(Kind kind, Terms terms, uint32_t id) const {
  const auto found = by_key_.find(Key(KeyOf(kind == kType, terms), id));
  return found == by_key_.end() ? 0 : entries_[found->second].number;
}

uint64_t EntrySink::NumberOfAttr(AttrId id, Terms terms) const {
  return Find(kAttribute, terms, id.index);
}

uint64_t EntrySink::NumberOfType(TypeId id, Terms terms) const {
  return Find(kType, terms, id.index);
}

uint64_t EntrySink::NumberOfString(absl::string_view text) {
  const auto [it, is_new] =
      string_numbers_.try_emplace(text, static_cast<uint32_t>(strings_.size()));
  if (is_new) strings_.emplace_back(text);
  return it->second;
}

uint32_t EntrySink::NumberOfDialect(absl::string_view dialect) {
  for (uint32_t i = 0; i < dialects_.size(); ++i) {
    if (dialects_[i] == dialect) return i;
  }
  dialects_.emplace_back(dialect);
  return static_cast<uint32_t>(dialects_.size() - 1);
}

// Attributes, then types; the sizes in groups of one dialect.
void EntrySink::WriteEntries(std::string* entries, std::string* sizes) {
  AppendVarint(order_[kAttribute].size(), sizes);
  AppendVarint(order_[kType].size(), sizes);
  out_ = entries;
  for (const std::vector<uint32_t>& order : order_) {
    for (size_t i = 0; i < order.size();) {
      size_t end = i;
      const uint32_t dialect = entries_[order[i]].dialect;
      while (end < order.size() && entries_[order[end]].dialect == dialect) {
        ++end;
      }
      AppendVarint(dialect, sizes);
      AppendVarint(end - i, sizes);
      for (; i < end; ++i) {
        Entry entry = entries_[order[i]];
        const size_t before = entries->size();
        Encode(&entry);
        AppendVarint((entries->size() - before) << 1 | (entry.custom ? 1 : 0),
                     sizes);
      }
    }
  }
  out_ = nullptr;
}

void EntrySink::WriteStrings(std::string* out) const {
  AppendVarint(strings_.size(), out);
  for (auto it = strings_.rbegin(); it != strings_.rend(); ++it) {
    AppendVarint(it->size() + 1, out);
  }
  for (const std::string& text : strings_) {
    out->append(text);
    out->push_back('\0');
  }
}

// --- Encoders ----------------------------------------------------------------

void EntrySink::SignedVarints(const std::vector<int64_t>& values) {
  Varint(values.size());
  for (const int64_t value : values) SignedVarint(value);
}

void EntrySink::Blob(absl::string_view bytes) {
  Varint(bytes.size());
  Raw(bytes);
}

void EntrySink::Raw(absl::string_view bytes) {
  if (out_ != nullptr) out_->append(bytes.data(), bytes.size());
}

void EntrySink::String(absl::string_view text) {
  if (out_ != nullptr) Varint(NumberOfString(text));
}

void EntrySink::Bits(uint64_t value, int bits) {
  if (bits < 64) value &= (uint64_t{1} << bits) - 1;
  if (bits <= 8) {
    Byte(static_cast<uint8_t>(value));
  } else {
    SignedVarint(static_cast<int64_t>(value));
  }
}

void EntrySink::Attr(AttrId id, Terms terms) {
  if (out_ == nullptr) {
    Use(kAttribute, terms, id.index);
  } else {
    Varint(NumberOfAttr(id, terms));
  }
}

void EntrySink::OptionalAttr(AttrId id, Terms terms) {
  if (!id.valid()) {
    Varint(0);
  } else if (out_ == nullptr) {
    Use(kAttribute, terms, id.index);
  } else {
    Varint(NumberOfAttr(id, terms) << 1 | 1);
  }
}

void EntrySink::Type(TypeId id, Terms terms) {
  if (out_ == nullptr) {
    Use(kType, terms, id.index);
  } else {
    Varint(NumberOfType(id, terms));
  }
}

void EntrySink::Attrs(const std::vector<AttrId>& ids, Terms terms) {
  Varint(ids.size());
  for (const AttrId id : ids) Attr(id, terms);
}

void EntrySink::Types(const std::vector<TypeId>& ids, size_t begin, size_t end,
                      Terms terms) {
  Varint(end - begin);
  for (; begin < end; ++begin) Type(ids[begin], terms);
}

void EntrySink::Fail(absl::string_view message) {
  if (status_.ok()) status_ = absl::InvalidArgumentError(message);
}

void EntrySink::Need(Version since, absl::string_view what) {
  if (!(target_ < since) || !status_.ok()) return;
  Fail(since == kNotPortable
           ? absl::StrCat("no portable artifact can hold ", what)
           : absl::StrCat(what, " needs StableHLO ", ToString(since),
                          "; the artifact is for ", ToString(target_)));
}

void EntrySink::NeedMixed(absl::string_view what) {
  if (mixed_) return;
  Fail(absl::StrCat(what,
                    " belongs to another dialect, and the options allow "
                    "only StableHLO's"));
}

}  // namespace indim::mlir
