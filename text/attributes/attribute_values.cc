// SPDX-License-Identifier: Apache-2.0
#include "indim/text/attributes/attribute_values.h"

#include <charconv>
#include <cstddef>

#include "indim/proto/wire/wire_table.h"

namespace indim {
namespace {

// By ValueSpelling.
constexpr ValueFunctions kFunctions[] = {
#define INDIM_VALUE_KIND(kind, reader, printer) \
  {Read##reader##Value, Print##printer##Value},
#include "indim/text/attributes/value_kinds.def"
#undef INDIM_VALUE_KIND
};

WireMessage Inside(const FieldList& list, uint32_t number) {
  const WireField* field = GetWireMessageInfo(list.message()).Find(number);
  return field == nullptr || field->submessage == nullptr
             ? WireMessage::kNone
             : field->submessage->message();
}

// Paths have at most three fields.
void WithFieldAt(const FieldList& list, const uint32_t* path,
                 absl::FunctionRef<void(const FieldList&, uint32_t)> use) {
  if (path[1] == 0) return use(list, path[0]);
  const WireMessage message = Inside(list, path[0]);
  if (message == WireMessage::kNone) return;
  FieldList inner(message, list.Text(path[0]));
  WithFieldAt(inner, path + 1, use);
}

void EditFieldAt(FieldList* list, const uint32_t* path,
                 absl::FunctionRef<void(FieldList*, uint32_t)> edit) {
  if (path[1] == 0) return edit(list, path[0]);
  const WireMessage message = Inside(*list, path[0]);
  if (message == WireMessage::kNone) return;
  std::string changed;
  {
    FieldList inner(message, list->Text(path[0]));
    EditFieldAt(&inner, path + 1, edit);
    changed = inner.Serialize();
  }
  list->SetText(path[0], changed);
}

}  // namespace

const ValueFunctions& FunctionsOf(ValueSpelling kind) {
  return kFunctions[static_cast<size_t>(kind)];
}

void WithField(const FieldList& fields, const TextAttribute& row,
               absl::FunctionRef<void(const FieldList&, uint32_t)> use) {
  if (row.path[0] != 0) WithFieldAt(fields, row.path.data(), use);
}

void EditField(FieldList* fields, const TextAttribute& row,
               absl::FunctionRef<void(FieldList*, uint32_t)> edit) {
  if (row.path[0] != 0) EditFieldAt(fields, row.path.data(), edit);
}

bool PrintNothingValue(const PrintedValue&, std::string*) { return false; }

void AppendInts(const DimIndices& values, std::string* out) {
  constexpr size_t kLongestNumber = 20;
  char text[kLongestNumber + 1];
  text[0] = '{';
  for (const int64_t value : values) {
    const char* const end =
        std::to_chars(text + 1, text + sizeof text, value).ptr;
    out->append(text, static_cast<size_t>(end - text));
    text[0] = ',';
  }
  out->append(values.empty() ? "{}" : "}");
}

}  // namespace indim
