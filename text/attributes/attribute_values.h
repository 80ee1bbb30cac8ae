// A reader and a printer for each kind of value (attribute_table.h). Only for
// attribute_text.cc.

#ifndef INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_VALUES_H_
#define INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_VALUES_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "indim/ir/module.h"
#include "indim/text/attributes/attribute_table.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/print_options.h"
#include "indim/wire/field_list.h"

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
  PrintValueFunction print;  // null: never printed here
};
const ValueFunctions& FunctionsOf(ValueKind kind);

// Call `use` or `edit` with the innermost message of the row's path and the
// field's number in it. WithField is for reading; EditField writes changes back
// into the messages around.
void WithField(const FieldList& fields, const TextAttribute& row,
               absl::FunctionRef<void(const FieldList&, uint32_t)> use);
void EditField(FieldList* fields, const TextAttribute& row,
               absl::FunctionRef<void(FieldList*, uint32_t)> edit);

// "{0,1}".
void AppendInts(const DimIndices& values, std::string* out);

// --- attribute_values_plain.cc ----------------------------------------------
bool ReadIntValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
bool ReadInt32Value(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
bool ReadBoolValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
bool ReadFloatValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
bool ReadWordValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
bool ReadTextValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
// A float or a double as XLA prints it, with six digits; `exact`: with enough
// digits to distinguish it from its neighbours.
std::string RealText(double value, bool is_float, bool exact);
bool ReadIntsValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
bool ReadBroadcastDimsValue(const TextAttribute& row, Lexer* lexer,
                            AttributesRead* to);
bool ReadOneIntValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to);
bool ReadIntOfListValue(const TextAttribute& row, Lexer* lexer,
                        AttributesRead* to);
bool ReadPairsValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
bool ReadPrecisionsValue(const TextAttribute& row, Lexer* lexer,
                         AttributesRead* to);
bool ReadTriStateValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to);
bool ReadMapDimensionsValue(const TextAttribute& row, Lexer* lexer,
                            AttributesRead* to);
bool PrintIntValue(const PrintedValue& value, std::string* out);
bool PrintBoolValue(const PrintedValue& value, std::string* out);
bool PrintFloatValue(const PrintedValue& value, std::string* out);
bool PrintWordValue(const PrintedValue& value, std::string* out);
bool PrintWordTextValue(const PrintedValue& value, std::string* out);
bool PrintTextValue(const PrintedValue& value, std::string* out);
bool PrintIntsValue(const PrintedValue& value, std::string* out);
bool PrintBroadcastDimsValue(const PrintedValue& value, std::string* out);
bool PrintIntOfListValue(const PrintedValue& value, std::string* out);
bool PrintPairsValue(const PrintedValue& value, std::string* out);
bool PrintPrecisionsValue(const PrintedValue& value, std::string* out);
bool PrintTriStateValue(const PrintedValue& value, std::string* out);
bool PrintMapDimensionsValue(const PrintedValue& value, std::string* out);
bool PrintComparisonValue(const PrintedValue& value, std::string* out);
bool PrintChannelValue(const PrintedValue& value, std::string* out);
bool PrintPrefetchValue(const PrintedValue& value, std::string* out);
bool PrintFeedConfigValue(const PrintedValue& value, std::string* out);

// --- attribute_values_window.cc ---------------------------------------------
bool ReadWindowValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to);
bool ReadDimLabelsValue(const TextAttribute& row, Lexer* lexer,
                        AttributesRead* to);
bool ReadPaddingValue(const TextAttribute& row, Lexer* lexer,
                      AttributesRead* to);
bool ReadSliceValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
bool ReadSparsityValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to);
bool ReadSliceSizesValue(const TextAttribute& row, Lexer* lexer,
                         AttributesRead* to);
bool PrintWindowValue(const PrintedValue& value, std::string* out);
bool PrintDimLabelsValue(const PrintedValue& value, std::string* out);
bool PrintPaddingValue(const PrintedValue& value, std::string* out);
bool PrintSliceValue(const PrintedValue& value, std::string* out);
bool PrintSparsityValue(const PrintedValue& value, std::string* out);
bool PrintSliceSizesValue(const PrintedValue& value, std::string* out);

// --- attribute_values_shape.cc ----------------------------------------------
bool ReadShapeValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
bool ReadConstrainLayoutValue(const TextAttribute& row, Lexer* lexer,
                              AttributesRead* to);
bool ReadShapesValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to);
bool ReadLiteralValue(const TextAttribute& row, Lexer* lexer,
                      AttributesRead* to);
bool ReadDomainValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to);
bool ReadAliasingValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to);
bool ReadReplicationValue(const TextAttribute& row, Lexer* lexer,
                          AttributesRead* to);
bool ReadShardingValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to);
bool ReadReplicaGroupsValue(const TextAttribute& row, Lexer* lexer,
                            AttributesRead* to);
bool PrintShapeValue(const PrintedValue& value, std::string* out);
bool PrintConstrainLayoutValue(const PrintedValue& value, std::string* out);
bool PrintShapesValue(const PrintedValue& value, std::string* out);
bool PrintLiteralValue(const PrintedValue& value, std::string* out);
bool PrintDomainValue(const PrintedValue& value, std::string* out);
bool PrintAliasingValue(const PrintedValue& value, std::string* out);
bool PrintReplicationValue(const PrintedValue& value, std::string* out);
bool PrintShardingValue(const PrintedValue& value, std::string* out);
bool PrintReplicaGroupsValue(const PrintedValue& value, std::string* out);

// --- attribute_values_notes.cc ----------------------------------------------
bool ReadAccuracyValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to);
bool ReadStatisticsValue(const TextAttribute& row, Lexer* lexer,
                         AttributesRead* to);
bool ReadFrontendValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to);
bool ReadConfigValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to);
bool ReadMetadataValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to);
bool PrintAccuracyValue(const PrintedValue& value, std::string* out);
bool PrintStatisticsValue(const PrintedValue& value, std::string* out);
bool PrintFrontendValue(const PrintedValue& value, std::string* out);
bool PrintConfigValue(const PrintedValue& value, std::string* out);

// --- attribute_values_origin.cc ---------------------------------------------
bool ReadOriginValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to);
bool PrintOriginValue(const PrintedValue& value, std::string* out);

// --- attribute_values_names.cc ----------------------------------------------
bool ReadFirstCallValue(const TextAttribute& row, Lexer* lexer,
                        AttributesRead* to);
bool ReadSecondCallValue(const TextAttribute& row, Lexer* lexer,
                         AttributesRead* to);
bool ReadCallsValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
bool ReadNamesValue(const TextAttribute& row, Lexer* lexer, AttributesRead* to);
bool ReadThreadValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to);

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_VALUES_H_
