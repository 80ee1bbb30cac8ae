// SPDX-License-Identifier: Apache-2.0
// The blocks of functions and modules, and of what stands like one.

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "indim/stablehlo/ops/module_attributes.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/stablehlo/text/form_parser.h"

namespace indim::mlir {

// private @f(%arg0: type {...}) -> (type {...}) attributes {...}
bool FormParser::ParseFunc() {
  frame().is_function = true;
  for (const absl::string_view visibility : {"public", "private", "nested"}) {
    if (!lexer_.AcceptWord(visibility)) continue;
    AddProperty(note::kSymVisibility, ir_.StringAttr(visibility));
  }
  if (!lexer_.ReadSymbol(&text_)) return false;
  AddProperty(note::kSymName, ir_.StringAttr(text_));
  std::vector<TypeId> inputs;
  std::vector<TypeId> results;
  if (!ParseFuncArguments(&inputs) || !ParseFuncResults(&results)) {
    return false;
  }
  AddProperty(note::kFunctionType,
              ir_.TypeAttr(ir_.FunctionType(inputs, results)));
  return ParseKeywordDictionary();
}

bool FormParser::ParseFuncArguments(std::vector<TypeId>* types) {
  if (!lexer_.Expect('(')) return false;
  std::vector<AttrId> attrs;
  const bool named = lexer_.token() == MlirToken::kValue;
  const bool good = lexer_.ReadRest(')', [&] {
    Argument argument;
    std::vector<NamedAttr> entries;
    if (named && (!scopes_.ParseName(&argument.name) || !lexer_.Expect(':'))) {
      return false;
    }
    if (!syntax_.types.Parse(&argument.type) ||
        (lexer_.Is('{') && !syntax_.attributes.ParseDictionary(&entries)) ||
        !syntax_.locations.ParseOptional(&argument.location)) {
      return false;
    }
    types->push_back(argument.type);
    attrs.push_back(ir_.DictionaryAttr(std::move(entries)));
    if (named) frame().arguments.push_back(argument);
    return true;
  });
  AddPartAttrs(note::kArgAttrs, attrs);
  return good;
}

bool FormParser::ParseFuncResults(std::vector<TypeId>* types) {
  if (!lexer_.Accept(MlirToken::kArrow)) return true;
  if (!lexer_.Accept('(')) {
    TypeId type;
    if (!syntax_.types.Parse(&type)) return false;
    types->push_back(type);
    return true;
  }
  std::vector<AttrId> attrs;
  const bool good = lexer_.ReadRest(')', [&] {
    TypeId type;
    std::vector<NamedAttr> entries;
    if (!syntax_.types.Parse(&type) ||
        (lexer_.Is('{') && !syntax_.attributes.ParseDictionary(&entries))) {
      return false;
    }
    types->push_back(type);
    attrs.push_back(ir_.DictionaryAttr(std::move(entries)));
    return true;
  });
  AddPartAttrs(note::kResAttrs, attrs);
  return good;
}

// The attributes of arguments or results, if one has any.
void FormParser::AddPartAttrs(absl::string_view name,
                              absl::Span<const AttrId> attrs) {
  for (const AttrId attr : attrs) {
    if (ir_.attr(attr).fields.empty()) continue;
    AddProperty(name, ir_.ArrayAttr(attrs));
    return;
  }
}

// @name attributes {...}
bool FormParser::ParseModule() {
  if (lexer_.token() == MlirToken::kSymbol) {
    if (!lexer_.ReadSymbol(&text_)) return false;
    AddProperty(note::kSymName, ir_.StringAttr(text_));
  }
  return ParseKeywordDictionary();
}

// FORWARD
bool FormParser::ParseDirection() {
  const auto* const found =
      std::find(std::begin(kDirections), std::end(kDirections), lexer_.text());
  if (lexer_.token() != MlirToken::kWord || found == std::end(kDirections)) {
    return lexer_.Expected("NONE, FORWARD, BACKWARD or BOTH");
  }
  AddProperty(
      "allowed_direction",
      ir_.IntegerAttr(found - std::begin(kDirections), ElementType::kS32));
  lexer_.Next();
  return true;
}

// (%x) in_shardings=[...] out_shardings=[...] manual_axes={...} (%arg0: type),
// or <"name">(%x) in_shardings=[...] (%arg0: type), whose shardings may lack.
bool FormParser::ParseManualComputation() {
  OpFrame& frame = this->frame();
  const bool is_named = lexer_.Accept('<');
  if (is_named) {
    if (!lexer_.ReadString(&text_) || !lexer_.Expect('>')) return false;
    AddProperty("name", ir_.StringAttr(text_));
  }
  if (!lexer_.Expect('(') || !scopes_.ParseOperands(&frame.operands) ||
      !lexer_.Expect(')')) {
    return false;
  }
  for (const absl::string_view name :
       {"in_shardings", "out_shardings", "manual_axes"}) {
    if (is_named &&
        (lexer_.token() != MlirToken::kWord || lexer_.text() != name)) {
      continue;
    }
    if (!lexer_.ExpectWord(name) || !lexer_.Expect('=')) return false;
    const size_t begin = lexer_.offset();
    const size_t end = lexer_.EndOfBrackets(begin);
    if (end == absl::string_view::npos) return false;
    AddProperty(name, syntax_.structs.OpaqueAttr(name == "manual_axes"
                                                     ? kManualAxes
                                                     : "sdy.sharding_per_value",
                                                 begin, end));
    lexer_.Seek(end);
  }
  return lexer_.ReadList('(', ')', [&] {
    frame.arguments.emplace_back();
    return ParseArgument(&frame.arguments.back());
  });
}

}  // namespace indim::mlir
