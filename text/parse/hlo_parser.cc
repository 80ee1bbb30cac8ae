// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/hlo_parser.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "indim/ir/shape_table.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/shape/types/suggest.h"
#include "indim/text/base/braced_members.h"
#include "indim/text/base/symbol_facts.h"
#include "indim/text/parse/module_finisher.h"
#include "indim/text/parse/shape_cache.h"

namespace indim {
namespace {

constexpr absl::string_view kFirstWords[] = {"HloModule", "ENTRY"};

}  // namespace

HloParser::HloParser(absl::string_view text, const ParseOptions& options,
                     int depth)
    : in_(text, options, depth),
      lexer_(in_.lexer),
      module_(options),
      computations_(&in_, &module_) {}

absl::StatusOr<Module> HloParser::Parse() {
  // `ENTRY`, or a name and then "{": computations without a header.
  const absl::string_view first = lexer_.text();
  bool is_module = lexer_.token() == Token::kWord &&
                   (first == "HloModule" || first == "ENTRY");
  bool lacks_header = false;
  bool is_misspelt = false;
  if (!is_module &&
      (lexer_.token() == Token::kWord || lexer_.token() == Token::kName)) {
    lexer_.Next();
    is_module = lexer_.token() == Token::kLeftBrace;
    lacks_header = lexer_.token() == Token::kLeftParen;
    if (lexer_.token() == Token::kWord || lexer_.token() == Token::kName) {
      is_misspelt = !NearestName(first, kFirstWords).empty();
    }
    lexer_.Seek(0);
  }
  if (is_module) {
    ReadModule();
  } else if (is_misspelt) {
    UnknownName(&lexer_, lexer_.offset(), first, "word", kFirstWords);
  } else if (lacks_header) {
    lexer_.Error(
        "a computation with a signature stands in a module; to fix: put "
        "\"HloModule name\" in a line before, or \"ENTRY\" here where it is "
        "the only one");
  } else {
    computations_.ReadBareInstructions();
  }
  if (in_.errors.empty()) {
    return ModuleFinisher(&in_, &module_, &header_, &frame_tables_).Finish();
  }
  return in_.errors.ToStatus(in_.options.file, in_.text);
}

// Shapes in the header need the facts too. Other errors of the header are
// reported when it is read.
void HloParser::ReadSymbolFacts() {
  TextErrors errors;
  Lexer lexer(in_.text, &errors);
  lexer.AllowSymbols(&in_.scopes.common);
  ShapeTable table;
  ShapeCache shapes(&table, /*fill_layouts=*/false);
  HeaderOptions options;
  options.shapes = &shapes;
  options.read_module = [](const std::string&, std::string*, std::string*) {
    return true;
  };
  ModuleHeader header;
  if (!ReadModuleHeader(&lexer, options, &header)) return;
  const absl::Status added =
      AddSymbolFacts(header.frontend_attributes, &in_.scopes);
  if (!added.ok()) lexer_.Error(std::string(added.message()));
  // The header's own shapes use the entry's symbols.
  constexpr absl::string_view kEntry = "\nENTRY ";
  const size_t entry = in_.text.find(kEntry);
  if (in_.scopes.own.empty() || entry == absl::string_view::npos) return;
  const char* const end = in_.text.data() + in_.text.size();
  const char* name = in_.text.data() + entry + kEntry.size();
  if (name != end && *name == '%') ++name;
  computations_.UseSymbolsOf(absl::string_view(
      name, static_cast<size_t>(Lexer::SkipIdentifier(name, end) - name)));
}

bool HloParser::HeaderHasSymbols() const {
  const absl::string_view header = in_.text.substr(0, in_.text.find('\n'));
  return absl::StrContains(header, ", recorded=") || HasSymbolFacts(header);
}

void HloParser::ReadModule() {
  if (lexer_.token() == Token::kWord && lexer_.text() == "HloModule") {
    ReadHeader();
  }
  if (lexer_.token() == Token::kEnd && in_.errors.empty()) {
    lexer_.Expected("a computation");
  }
  while (lexer_.token() != Token::kEnd && !in_.TooManyErrors()) {
    computations_.Read();
  }
}

void HloParser::ReadHeader() {
  const bool symbols = in_.options.symbols || HeaderHasSymbols();
  if (symbols) {
    lexer_.AllowSymbols(&in_.scopes.common);
    ReadSymbolFacts();
  }
  HeaderOptions options;
  options.shapes = &module_.shapes;
  options.read_module = [this](const std::string& text, std::string* wire,
                               std::string* error) {
    return ReadInnerModule(text, wire, error);
  };
  if (!ReadModuleHeader(&lexer_, options, &header_) ||
      !ReadFrameTables(&lexer_, &frame_tables_)) {
    computations_.SkipComputation();
  }
  // The shapes now have the facts.
  if (symbols) {
    header_.frontend_attributes =
        WithoutSymbolFacts(header_.frontend_attributes);
  }
  if (!header_.recorded) return;
  in_.recorded = true;
  module_.data->recorded = true;
  module_.data->recorded_mark = header_.recorded_mark;
  module_.no_metadata = MetadataId();
  module_.shapes.LeaveLayoutsOut();
  module_.shapes.Forget();
  lexer_.AllowNumberNames();
}

bool HloParser::ReadInnerModule(const std::string& text, std::string* wire,
                                std::string* error) {
  if (in_.depth + 1 >= kMaxTexts) {
    *error = "modules inside each other nest too deep";
    return false;
  }
  ParseOptions inner = in_.options;
  inner.file.clear();
  inner.scope = in_.scopes.common;
  absl::StatusOr<Module> module = HloParser(text, inner, in_.depth + 1).Parse();
  absl::StatusOr<std::string> bytes =
      module.ok() ? SerializeModule(*module) : module.status();
  if (!bytes.ok()) {
    *error = std::string(bytes.status().message());
    return false;
  }
  *wire = *std::move(bytes);
  return true;
}

absl::StatusOr<Module> ParseHloText(absl::string_view text,
                                    const ParseOptions& options) {
  absl::ConsumePrefix(&text, "\xef\xbb\xbf");  // a byte order mark
  return HloParser(text, options).Parse();
}

}  // namespace indim
