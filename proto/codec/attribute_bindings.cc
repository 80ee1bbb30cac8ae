// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/attribute_bindings.h"

#include "absl/strings/str_cat.h"
#include "indim/proto/codec/special_bindings.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::binding {
namespace {

using field::HloInstructionProto::kComparisonOrder;

// The row behind `row` and, for a message, its fields.
const MemberBinding* Next(const MemberBinding* row) {
  if (row->kind != &kMessageKind || row->fields != nullptr) return row + 1;
  for (++row; row->kind != nullptr;) row = Next(row);
  return row + 1;
}

const void* MemberOf(const void* of, const MemberBinding& row) {
  return static_cast<const char*>(of) + row.offset;
}

// --- Numbers ----------------------------------------------------------------

int64_t Load(const MemberBinding& row, const void* value) {
  return row.form == NumberForm::kInt64 ? *static_cast<const int64_t*>(value)
                                        : *static_cast<const uint8_t*>(value);
}
void Store(const MemberBinding& row, int64_t number, void* value) {
  if (row.form == NumberForm::kInt64) {
    *static_cast<int64_t*>(value) = number;
  } else {
    *static_cast<uint8_t*>(value) = row.form == NumberForm::kBool
                                        ? number != 0
                                        : static_cast<uint8_t>(number);
  }
}

bool ReadNumber(const MemberBinding& row, const FieldList& from, void* value,
                std::string* error) {
  int64_t number = from.Number(row.number);
  if (number == 0) number = row.absent;
  if (row.form == NumberForm::kEnum && (number < 0 || number > row.max)) {
    *error = absl::StrCat("field ", row.number, " is ", number,
                          ", but its enum ends at ", row.max);
    return false;
  }
  Store(row, number, value);
  return true;
}
void WriteNumber(const MemberBinding& row, const void* value, FieldList* to) {
  const int64_t number = Load(row, value);
  to->SetNumber(row.number,
                number == row.absent && !row.explicit_default ? 0 : number);
}
void ReplaceNumber(const MemberBinding& row, const void* value, FieldList* to) {
  int64_t present = 0;
  ReplaceLeaf(row, value, &present, to);
}

bool ReadSpelled(const MemberBinding& row, const FieldList& from, void* value,
                 std::string* error) {
  int64_t number = 0;
  if (!ReadWord(row.words, from.Text(row.number), row.number, &number, error)) {
    return false;
  }
  Store(row, number, value);
  return true;
}
void WriteSpelled(const MemberBinding& row, const void* value, FieldList* to) {
  to->SetText(row.number, WordOf(row.words, Load(row, value)));
}

// The words of comparison_order.
constexpr AttributeWord kOrders[] = {
    {"PARTIAL", static_cast<int64_t>(ComparisonType::kFloat)},
    {"TOTAL", static_cast<int64_t>(ComparisonType::kTotal)},
    {"WEAK", static_cast<int64_t>(ComparisonType::kFloatWeakOrder)}};

// In files of newer XLA comparison_order stands for comparison_type; where both
// are there, it counts.
bool ReadComparison(const MemberBinding& row, const FieldList& from,
                    void* value, std::string* error) {
  int64_t order = 0;
  if (!ReadWord(kOrders, from.Text(kComparisonOrder), kComparisonOrder, &order,
                error)) {
    return false;
  }
  if (order == 0) return ReadSpelled(row, from, value, error);
  Store(row, order, value);
  return true;
}
void WriteComparison(const MemberBinding& row, const void* value,
                     FieldList* to) {
  const int64_t number = Load(row, value);
  const auto type = static_cast<ComparisonType>(number);
  const bool weak = type == ComparisonType::kFloatWeakOrder;
  const bool has_order = weak || type == ComparisonType::kTotal;
  to->SetText(row.number, weak ? "" : WordOf(row.words, number));
  to->SetText(kComparisonOrder, has_order ? WordOf(kOrders, number) : "");
}

bool ReadChannelNumber(const MemberBinding& row, const FieldList& from,
                       void* value, std::string*) {
  Store(row, ReadChannel(from), value);
  return true;
}
void WriteChannelNumber(const MemberBinding& row, const void* value,
                        FieldList* to) {
  WriteChannel(Load(row, value), to);
}

// --- Messages ---------------------------------------------------------------

const MemberBinding* FieldsOf(const MemberBinding& row) {
  return row.fields != nullptr ? row.fields : &row + 1;
}

bool ReadMessage(const MemberBinding& row, const FieldList& from, void* value,
                 std::string* error) {
  if (row.presence == Presence::kRequired && !from.has(row.number)) {
    *error =
        absl::StrCat("field ", row.number, " (",
                     GetWireMessageInfo(row.message).name(), ") is missing");
    return false;
  }
  return ReadStruct({row.message, FieldsOf(row)}, row.number,
                    from.Text(row.number), value, error);
}
void SetMessage(const MemberBinding& row, const std::string& bytes,
                FieldList* to) {
  if (bytes.empty() && row.presence == Presence::kIfFilled) {
    to->Remove(row.number);
  } else {
    to->SetText(row.number, bytes);
  }
}
void WriteMessage(const MemberBinding& row, const void* value, FieldList* to) {
  SetMessage(row, WriteStruct({row.message, FieldsOf(row)}, value), to);
}
// Changes the fields that differ and keeps the others.
void ReplaceMessage(const MemberBinding& row, const void* value,
                    FieldList* to) {
  const std::string before(to->Text(row.number));
  FieldList inside(row.message);
  if (!inside.Append(before)) return WriteMessage(row, value, to);
  ReplaceAll(FieldsOf(row), value, &inside);
  const std::string bytes = inside.Serialize();
  if (bytes != before ||
      (!to->has(row.number) && row.presence == Presence::kRequired)) {
    SetMessage(row, bytes, to);
  }
}
}  // namespace

const ValueCodec kNumberKind = {ReadNumber, WriteNumber, ReplaceNumber,
                                /*holds_numbers=*/true};
const ValueCodec kSpelledKind = {ReadSpelled, WriteSpelled, ReplaceNumber};
const ValueCodec kComparisonKind = {ReadComparison, WriteComparison,
                                    ReplaceNumber};
const ValueCodec kChannelKind = {ReadChannelNumber, WriteChannelNumber,
                                 ReplaceNumber, /*holds_numbers=*/true};
const ValueCodec kMessageKind = {ReadMessage, WriteMessage, ReplaceMessage};

bool ReadAll(const MemberBinding* rows, const FieldList& from, void* to,
             std::string* error) {
  for (const MemberBinding* row = rows; row->kind != nullptr; row = Next(row)) {
    void* const member = static_cast<char*>(to) + row->offset;
    if (!row->kind->read(*row, from, member, error)) return false;
  }
  return true;
}

void WriteAll(const MemberBinding* rows, const void* from, FieldList* to) {
  for (const MemberBinding* row = rows; row->kind != nullptr; row = Next(row)) {
    row->kind->write(*row, MemberOf(from, *row), to);
  }
}

void ReplaceAll(const MemberBinding* rows, const void* from, FieldList* to) {
  for (const MemberBinding* row = rows; row->kind != nullptr; row = Next(row)) {
    row->kind->replace(*row, MemberOf(from, *row), to);
  }
}

bool HoldNumbers(const MemberBinding* rows) {
  for (const MemberBinding* row = rows; row->kind != nullptr; row = Next(row)) {
    if (row->kind->holds_numbers) continue;
    if (row->kind != &kMessageKind || !HoldNumbers(FieldsOf(*row))) {
      return false;
    }
  }
  return true;
}

void EnsureAll(const MemberBinding* rows, FieldList* to) {
  for (const MemberBinding* row = rows; row->kind != nullptr; row = Next(row)) {
    if (row->presence == Presence::kIfFilled) continue;
    const std::string before(to->Text(row->number));
    FieldList inside(row->message);
    if (!inside.Append(before)) continue;
    EnsureAll(FieldsOf(*row), &inside);
    to->SetText(row->number, inside.Serialize());
  }
}

void ReplaceLeaf(const MemberBinding& row, const void* value, void* present,
                 FieldList* to) {
  std::string error;
  if (row.kind->read(row, *to, present, &error)) {
    FieldList now(to->message());
    FieldList wanted(to->message());
    row.kind->write(row, present, &now);
    row.kind->write(row, value, &wanted);
    if (now == wanted) return;
  }
  row.kind->write(row, value, to);
}

bool ReadStruct(const StructFields& fields, uint32_t number,
                absl::string_view bytes, void* to, std::string* error) {
  FieldList inside(fields.message);
  if (!inside.Append(bytes)) return NotCanonical(number, error);
  return ReadAll(fields.rows, inside, to, error);
}
std::string WriteStruct(const StructFields& fields, const void* from) {
  FieldList inside(fields.message);
  WriteAll(fields.rows, from, &inside);
  return inside.Serialize();
}

bool NotCanonical(uint32_t number, std::string* error) {
  *error = absl::StrCat("field ", number, " is not canonical");
  return false;
}

}  // namespace indim::binding
