// Parses modules and computations, around the instructions.

#include "indim/text/parse/hlo_parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/hlo_proto/module_serializer.h"
#include "indim/ir/module.h"
#include "indim/text/base/symbol_facts.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"

namespace indim {
namespace {

constexpr size_t kNoOffset = absl::string_view::npos;
// Most bytes of a line that are looked at; names aren't longer.
constexpr size_t kMaxLineBytes = 1000;

// Whether the line is one of a body: `[ROOT] name =`.
bool LooksLikeInstruction(absl::string_view line) {
  absl::ConsumePrefix(&line, "ROOT ");
  line = absl::StripLeadingAsciiWhitespace(line);
  absl::ConsumePrefix(&line, "%");
  size_t end = 0;
  while (end < line.size() &&
         (absl::ascii_isalnum(line[end]) || line[end] == '_' ||
          line[end] == '.' || line[end] == '-')) {
    ++end;
  }
  // `name=`, without a blank, is an attribute.
  return end > 0 && end < line.size() && absl::ascii_isspace(line[end]) &&
         absl::StartsWith(absl::StripLeadingAsciiWhitespace(line.substr(end)),
                          "=");
}

// Whether the line begins something other than the rest of an instruction.
bool EndsInstruction(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  return absl::StartsWith(line, "}") || absl::StartsWith(line, "ENTRY ") ||
         LooksLikeInstruction(line);
}

// Whether only blanks precede `offset` in its line.
bool BeginsLine(absl::string_view text, size_t offset) {
  const size_t from = offset > kMaxLineBytes ? offset - kMaxLineBytes : 0;
  const absl::string_view before = text.substr(from, offset - from);
  const size_t newline = before.rfind('\n');
  return newline != kNoOffset &&
         absl::StripAsciiWhitespace(before.substr(newline)).empty();
}

}  // namespace

HloParser::HloParser(absl::string_view text, const ParseOptions& options,
                     int depth)
    : text_(text),
      options_(options),
      depth_(depth),
      lexer_(text, &errors_),
      pools_(&data_->MutablePools()),
      shapes_(&pools_->shapes(), options.fill_missing_layouts),
      line_counter_(text),
      places_(std::make_shared<TextPositions>(
          options.file.empty() ? std::string(kNamelessText) : options.file)),
      no_metadata_(pools_->AddMetadata("")) {
  // Reserves about as many names as there will be.
  constexpr size_t kBytesOfInstruction = 256;
  binding_index_.Reserve(text.size() / kBytesOfInstruction);
  bindings_.reserve(text.size() / kBytesOfInstruction);
  if (!options_.symbols) return;
  scopes_.common = options_.scope;
  lexer_.AllowSymbols(&scopes_.common);
}

absl::StatusOr<Module> HloParser::Parse() {
  // `ENTRY`, or a name and then "{": computations without a header.
  bool is_module = lexer_.token() == Token::kWord &&
                   (lexer_.text() == "HloModule" || lexer_.text() == "ENTRY");
  bool lacks_header = false;
  if (!is_module &&
      (lexer_.token() == Token::kWord || lexer_.token() == Token::kName)) {
    lexer_.Next();
    is_module = lexer_.token() == Token::kLeftBrace;
    lacks_header = lexer_.token() == Token::kLeftParen;
    lexer_.Seek(0);
  }
  if (is_module) {
    ReadModule();
  } else if (lacks_header) {
    lexer_.Error(
        "a computation with a signature stands in a module; to fix: put "
        "\"HloModule name\" in a line before, or \"ENTRY\" here where it is "
        "the "
        "only one");
  } else {
    ReadBareInstructions();
  }
  if (errors_.empty()) return Finish();
  return errors_.ToStatus(options_.file, text_);
}

// Shapes in the header need the facts too. Other errors of the header are
// reported when it is read.
void HloParser::ReadSymbolFacts() {
  TextErrors errors;
  Lexer lexer(text_, &errors);
  lexer.AllowSymbols(&scopes_.common);
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
      AddSymbolFacts(header.frontend_attributes, &scopes_);
  if (!added.ok()) lexer_.Error(std::string(added.message()));
  // The header's own shapes use the entry's symbols.
  constexpr absl::string_view kEntry = "\nENTRY ";
  const size_t entry = text_.find(kEntry);
  if (scopes_.own.empty() || entry == kNoOffset) return;
  const char* const end = text_.data() + text_.size();
  const char* name = text_.data() + entry + kEntry.size();
  if (name != end && *name == '%') ++name;
  UseSymbolsOf(absl::string_view(
      name, static_cast<size_t>(Lexer::SkipIdentifier(name, end) - name)));
}

void HloParser::UseSymbolsOf(absl::string_view computation) {
  if (scopes_.own.empty()) return;
  const auto own = scopes_.own.find(computation);
  const SymbolScope* const scope =
      own == scopes_.own.end() ? &scopes_.common : &own->second;
  if (lexer_.symbols() == scope) return;
  lexer_.AllowSymbols(scope);
  // Shapes that were read so far had other symbols.
  shapes_.Forget();
  lines_ = LineCache();
}

bool HloParser::LooksRecorded() const {
  return absl::StrContains(text_.substr(0, text_.find('\n')), ", recorded=");
}

void HloParser::ReadModule() {
  if (lexer_.token() == Token::kWord && lexer_.text() == "HloModule") {
    const bool symbols = options_.symbols || LooksRecorded();
    if (symbols) {
      lexer_.AllowSymbols(&scopes_.common);
      ReadSymbolFacts();
    }
    HeaderOptions options;
    options.shapes = &shapes_;
    options.read_module = [this](const std::string& text, std::string* wire,
                                 std::string* error) {
      if (depth_ + 1 >= kMaxTexts) {
        *error = "modules inside each other nest too deep";
        return false;
      }
      ParseOptions inner = options_;
      inner.file.clear();
      inner.scope = scopes_.common;
      absl::StatusOr<Module> module =
          HloParser(text, inner, depth_ + 1).Parse();
      absl::StatusOr<std::string> bytes =
          module.ok() ? SerializeModule(*module) : module.status();
      if (!bytes.ok()) {
        *error = std::string(bytes.status().message());
        return false;
      }
      *wire = *std::move(bytes);
      return true;
    };
    if (!ReadModuleHeader(&lexer_, options, &header_) ||
        !ReadFrameTables(&lexer_, &frame_tables_)) {
      SkipComputation();
    }
    // The shapes now have the facts.
    if (symbols) {
      header_.frontend_attributes =
          WithoutSymbolFacts(header_.frontend_attributes);
    }
    if (header_.recorded) {
      recorded_ = true;
      data_->recorded = true;
      data_->recorded_mark = header_.recorded_mark;
      no_metadata_ = MetadataId();
      shapes_.LeaveLayoutsOut();
      shapes_.Forget();
      lexer_.AllowNumberNames();
    }
  }
  if (lexer_.token() == Token::kEnd && errors_.empty()) {
    lexer_.Expected("a computation");
  }
  while (lexer_.token() != Token::kEnd && !TooManyErrors()) ReadComputation();
}

// Text without a module is instructions; missing operands become parameters.
void HloParser::ReadBareInstructions() {
  bare_ = true;
  if (lexer_.token() == Token::kEnd) {
    lexer_.Expected("an HLO module or an instruction");
    return;
  }
  OpenFrame("_");
  const size_t begin = lexer_.offset();
  if (IsShapeAhead(lexer_)) {
    Node node;
    node.name = "_";
    node.offset = lexer_.offset();
    node.place = line_counter_.PlaceOf(node.offset);
    uint32_t position;
    if (ReadRightSide(&node, &position) && lexer_.token() != Token::kEnd) {
      lexer_.Error("expected nothing after an instruction without a name");
    }
  } else {
    while (lexer_.token() != Token::kEnd && !TooManyErrors()) {
      const size_t from = lexer_.offset();
      if (!ReadInstruction(LineText())) SkipInstruction(from);
    }
  }
  if (!errors_.empty() || !CheckParameters(*frame(), begin)) return;
  if (!frame()->has_root) {
    frame()->root = static_cast<uint32_t>(frame()->instructions.size()) - 1;
  }
  entry_ = CloseFrame();
}

// Reports a second module, which a tool has put into the text.
void HloParser::SecondModule() {
  lexer_.Error(
      "a second module begins here, and a text holds one; to fix: put each "
      "into a file of its own");
  lexer_.Seek(text_.size());
}

// [ENTRY] name [(p: shape, ...) -> shape] { ... }[, execution_thread="t"]
void HloParser::ReadComputation() {
  if (lexer_.token() == Token::kWord && lexer_.text() == "HloModule") {
    return SecondModule();
  }
  const size_t mark = lexer_.offset();
  const bool is_entry = lexer_.AcceptWord("ENTRY");
  const size_t name_offset = lexer_.offset();
  absl::string_view name;
  ShapeId result;
  size_t result_offset = 0;
  if (!ReadNewName(&name)) return SkipComputation();
  UseSymbolsOf(name);
  if (lexer_.token() == Token::kLeftParen &&
      !ReadSignature(&result, &result_offset)) {
    return SkipComputation();
  }
  if (lexer_.token() != Token::kLeftBrace) {
    lexer_.Expected("\"{\" and the computation's instructions");
    return SkipComputation();
  }
  uint32_t computation;
  const bool complete = ReadBody(name, &computation);
  // Broken computations get names too, so that calls of them cause no errors.
  auto [it, is_new] = computation_names_.emplace(name, computation);
  if (!is_new) {
    lexer_.ErrorAt(name_offset, name.size(),
                   absl::StrCat("there is a computation ", name, " already"));
  }
  if (is_entry) {
    if (has_entry_mark_) {
      lexer_.ErrorAt(mark, 5, "a module has one ENTRY; this is the second");
    }
    has_entry_mark_ = true;
  }
  if (!complete) {
    // A body without an end ends where the next computation begins.
    const bool at_next =
        lexer_.token() == Token::kWord && lexer_.text() == "ENTRY";
    return at_next ? void() : SkipComputation();
  }
  if (computation == kBroken) {
    if (lexer_.Accept(Token::kComma)) SkipComputation();
    return;
  }
  if (is_entry || !has_entry_mark_) entry_ = computation;
  if (result) CheckSignature(computation, result, result_offset);
  while (lexer_.Accept(Token::kComma)) {
    if (lexer_.token() != Token::kAttributeName ||
        lexer_.text() != "execution_thread" ||
        !facts_[computation].thread.empty()) {
      lexer_.Expected("execution_thread=, once");
      return SkipComputation();
    }
    lexer_.Next();
    if (!lexer_.ReadString(&facts_[computation].thread)) {
      return SkipComputation();
    }
  }
}

bool HloParser::ReadBody(absl::string_view name, uint32_t* computation) {
  *computation = kBroken;
  if (++nesting_ > kMaxNesting) {
    --nesting_;
    return lexer_.Error(absl::StrCat("bodies and operands nest deeper than ",
                                     kMaxNesting, " levels"));
  }
  const size_t begin = lexer_.offset();
  lexer_.Next();  // the brace
  OpenFrame(name);
  LineText line;
  do {
    if (lexer_.token() == Token::kEnd ||
        (lexer_.token() == Token::kWord && lexer_.text() == "ENTRY")) {
      ExpectedBodyEnd(name, begin);
      break;
    }
    if (ReadKnownInstruction(&line)) continue;
    const size_t from = lexer_.offset();
    if (!ReadInstruction(line)) SkipInstruction(from);
  } while (lexer_.token() != Token::kRightBrace && !TooManyErrors());
  --nesting_;
  const bool complete =
      lexer_.token() == Token::kRightBrace && !TooManyErrors();
  Frame* const f = frame();
  if (errors_.calls() != f->errors_before || f->is_broken || !complete ||
      !CheckParameters(*f, begin)) {
    --open_frames_;
  } else {
    if (f->root == kBroken) {
      f->root = static_cast<uint32_t>(f->instructions.size()) - 1;
    }
    *computation = CloseFrame();
  }
  lexer_.Accept(Token::kRightBrace);
  return complete;
}

// The brace may be on the line of a broken instruction.
void HloParser::ExpectedBodyEnd(absl::string_view name, size_t begin) {
  if (lexer_.token() == Token::kEnd &&
      errors_.calls() != frame()->errors_before) {
    return;
  }
  lexer_.Expected(absl::StrCat("an instruction, or \"}\" at the end of ", name,
                               ", which begins in line ",
                               PositionOf(text_, begin).line));
}

HloParser::Frame* HloParser::OpenFrame(absl::string_view name) {
  if (open_frames_ == frames_.size()) {
    frames_.push_back(std::make_unique<Frame>());
  }
  Frame* f = frames_[open_frames_++].get();
  f->name = name;
  f->serial = next_serial_++;
  f->instructions.clear();
  f->names.clear();
  f->places.clear();
  f->shadowed.clear();
  f->control.clear();
  f->root = kBroken;
  f->has_root = false;
  f->is_broken = false;
  f->errors_before = errors_.calls();
  f->made_parameters = 0;
  return f;
}

// XLA numbers computations in the order in which they end; the entry of a bare
// instruction comes first.
int64_t HloParser::ComputationId(uint32_t computation) const {
  // As builders number them.
  if (recorded_) return computation + int64_t{1};
  if (!bare_) return computation;
  return computation == entry_ ? 0 : int64_t{computation} + 1;
}

uint32_t HloParser::CloseFrame() {
  Frame* const f = frame();
  const uint32_t index = static_cast<uint32_t>(data_->computations.size());
  const bool is_bare_entry = bare_ && open_frames_ == 1;
  if (is_bare_entry) entry_ = index;
  ResolveControl(f, ComputationId(index));
  ComputationRecord record;
  record.first = static_cast<uint32_t>(data_->instructions.size());
  record.count = static_cast<uint32_t>(f->instructions.size());
  record.root = f->root;
  record.id = ComputationId(index);
  data_->computations.push_back(std::move(record));
  data_->instructions.insert(data_->instructions.end(), f->instructions.begin(),
                             f->instructions.end());
  instruction_names_.insert(instruction_names_.end(), f->names.begin(),
                            f->names.end());
  places_->Append(f->places);
  ComputationFacts facts;
  facts.name = f->name;
  facts_.push_back(std::move(facts));
  --open_frames_;
  return index;
}

void HloParser::ResolveControl(Frame* frame, int64_t computation_id) {
  for (const ControlText& text : frame->control) {
    std::string ids;
    for (const auto& [name, offset] : text.names) {
      uint32_t position;
      if (!FindName(name, offset, &position)) continue;
      const int64_t id =
          recorded_
              ? static_cast<int64_t>(data_->instructions.size()) + position + 1
              : computation_id << 32 | position;
      AppendVarint(static_cast<uint64_t>(id), &ids);
    }
    using field::HloInstructionProto::kControlPredecessorIds;
    std::string control;
    AppendTag(kControlPredecessorIds, WireType::kLengthDelimited, &control);
    AppendLengthDelimited(ids, &control);
    InstructionRecord& record = frame->instructions[text.position];
    AttributeBytesView attribute_bytes =
        pools_->attribute_bytes(record.attribute_bytes);
    attribute_bytes.control = control;
    record.attribute_bytes = pools_->AddAttributeBytes(attribute_bytes);
  }
}

// --- Going on after an error -------------------------------------------------

void HloParser::SkipInstruction(size_t from) {
  if (errors_.empty()) lexer_.Error("this can't be read");
  size_t at = std::max(lexer_.offset(), errors_.errors().back().offset);
  // The error may have been found at the instruction's end.
  if (at > from && at < skip_limit_ && BeginsLine(text_, at) &&
      EndsInstruction(text_.substr(at, kMaxLineBytes))) {
    return lexer_.Seek(at);
  }
  while (true) {
    at = text_.find('\n', at);
    if (at == kNoOffset || at >= skip_limit_) {
      return lexer_.Seek(std::min(skip_limit_, text_.size()));
    }
    if (EndsInstruction(text_.substr(at + 1, kMaxLineBytes))) {
      return lexer_.Seek(at + 1);
    }
    ++at;
  }
}

void HloParser::SkipComputation() {
  size_t at = lexer_.offset();
  while (true) {
    at = text_.find('\n', at);
    if (at == kNoOffset) return lexer_.Seek(text_.size());
    ++at;
    if (at < text_.size() &&
        (absl::ascii_isalpha(text_[at]) || text_[at] == '_' ||
         text_[at] == '%') &&
        !LooksLikeInstruction(text_.substr(at, kMaxLineBytes))) {
      return lexer_.Seek(at);
    }
  }
}

}  // namespace indim
