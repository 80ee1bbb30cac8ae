// SPDX-License-Identifier: Apache-2.0
// A reader and a printer for each kind of value (value_kinds.def). Only for
// attribute_text.cc.

#ifndef INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_VALUES_H_
#define INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_VALUES_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/proto/wire/field_list.h"
#include "indim/text/attributes/attribute_table.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/print_options.h"

namespace indim {

// Reads the value of `row`, whose first token is the current one.
using ReadValueFunction = bool (*)(const TextAttribute& row, Lexer* lexer,
                                   AttributesRead* to);

// The input of a printer: the instruction, and the fields of its attribute
// bytes.
struct PrintedValue {
  const TextAttribute& row;
  const FieldList& fields;
  const Instruction& instruction;
  const PrintOptions& options;
  bool recorded;  // whether this is the text of a recorded module
};
// Appends the value alone. False: it isn't shown, and nothing was appended.
using PrintValueFunction = bool (*)(const PrintedValue& value,
                                    std::string* out);

struct ValueFunctions {
  ReadValueFunction read;
  PrintValueFunction print;
};
const ValueFunctions& FunctionsOf(ValueSpelling kind);

// Call `use` or `edit` with the innermost message of the row's path and the
// field's number in it. WithField is for reading; EditField writes changes back
// into the messages around.
void WithField(const FieldList& fields, const TextAttribute& row,
               absl::FunctionRef<void(const FieldList&, uint32_t)> use);
void EditField(FieldList* fields, const TextAttribute& row,
               absl::FunctionRef<void(FieldList*, uint32_t)> edit);

// Appends "{", append(element) of each element with `separator` between them,
// and "}".
template <typename List, typename F>
void AppendList(const List& list, absl::string_view separator, std::string* out,
                F append) {
  out->append("{");
  bool first = true;
  for (const auto& element : list) {
    if (!first) out->append(separator.data(), separator.size());
    first = false;
    append(element);
  }
  out->append("}");
}

// "{0,1}".
void AppendInts(const DimIndices& values, std::string* out);

// A float or a double as XLA prints it, with six digits; `exact`: with enough
// digits to distinguish it from its neighbours.
std::string RealText(double value, bool is_float, bool exact);

// The readers and printers of value_kinds.def.
#define INDIM_VALUE_KIND(kind, reader, printer)                    \
  bool Read##reader##Value(const TextAttribute& row, Lexer* lexer, \
                           AttributesRead* to);                    \
  bool Print##printer##Value(const PrintedValue& value, std::string* out);
#include "indim/text/attributes/value_kinds.def"
#undef INDIM_VALUE_KIND

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_VALUES_H_
