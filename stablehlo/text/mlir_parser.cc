// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/mlir_parser.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "indim/shape/fixes/stablehlo_fix.h"
#include "indim/shape/types/suggest.h"
#include "indim/stablehlo/ops/attribute_kind.h"
#include "indim/stablehlo/ops/module_attributes.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/stablehlo/text/parse_mlir_text.h"

namespace indim::mlir {

namespace {

// Of a tensor whose sizes are all numbers; kNone: another type.
Shape StaticShapeOf(const Ir& ir, TypeId id) {
  const Type& type = ir.type(id);
  if (type.kind != TypeKind::kTensor || !type.element.valid() ||
      ir.type(type.element).kind != TypeKind::kElement) {
    return {};
  }
  DimVector dims;
  for (const int64_t size : type.dims) {
    if (size < 0) return {};
    dims.push_back(Dim::Static(size));
  }
  return Shape::Array(ir.type(type.element).element_type, dims);
}

}  // namespace

absl::StatusOr<Ir> ParseMlirText(absl::string_view text, absl::string_view file,
                                 std::vector<OperandMismatch>* mismatches) {
  bool several = false;
  while (true) {
    Ir ir;
    TextErrors errors;
    if (mismatches != nullptr) mismatches->clear();
    MlirParser parser(text, &errors, &ir, several, mismatches);
    parser.Parse();
    // As the text begins, its first module is the Ir's; one with others behind
    // it stands in the Ir's, as MLIR reads it.
    if (parser.found_several()) {
      several = true;
      continue;
    }
    if (!errors.empty()) return errors.ToStatus(file, text);
    return ir;
  }
}

absl::StatusOr<Ir> ParseMlirStatement(absl::string_view text,
                                      absl::string_view file) {
  Ir ir;
  TextErrors errors;
  MlirParser(text, &errors, &ir, /*several=*/true).ParseStatement();
  if (!errors.empty()) return errors.ToStatus(file, text);
  return ir;
}

MlirParser::MlirParser(absl::string_view text, TextErrors* errors, Ir* ir,
                       bool several, std::vector<OperandMismatch>* mismatches)
    : syntax_(text, errors, ir),
      lexer_(syntax_.lexer),
      ir_(*ir),
      scopes_(&lexer_, ir),
      forms_(&syntax_, &scopes_),
      several_(several) {
  syntax_.mismatches = mismatches;
}

void MlirParser::Parse() {
  constexpr size_t kBytesOfOp = 50;
  ir_.MakeModule();
  ir_.Reserve(lexer_.whole_text().size() / kBytesOfOp);
  ParseItems(ir_.block(ir_.module_block()).region, ir_.module_block());
}

void MlirParser::ParseItems(RegionId region, BlockId block) {
  OpenRegion top;
  top.region = region;
  top.block = block;
  regions_.push_back(top);
  syntax_.aliases.Index();
  while (!regions_.empty() && !found_several_) ParseRegionItem();
}

void MlirParser::ParseStatement() {
  ir_.MakeModule();
  const RegionId region = ir_.AddRegion();
  const BlockId block = ir_.AddBlock(region);
  scopes_.TakeUndefined(block);
  ParseItems(region, block);
  if (lexer_.errors().empty()) Enclose(region, block);
}

void MlirParser::Enclose(RegionId region, BlockId block) {
  const absl::Span<const OpId> ops = ir_.block(block).ops;
  if (ops.empty()) {
    lexer_.Expected("an operation");
    return;
  }
  const std::vector<ValueId> results = ir_.results(ir_.op(ops.back()));
  const std::vector<TypeId> result_types = ir_.types_of(results);
  const std::vector<TypeId> types = ir_.types_of(ir_.block(block).arguments);
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].valid()) continue;
    const Value& value = ir_.value(ir_.block(block).arguments[i]);
    lexer_.ErrorAt(value.offset, 1, "nothing says of which type this value is",
                   Code::kMlirType);
    return;
  }
  Ir::OpParts end;
  end.name = ir_.Intern("func.return");
  end.operands = results;
  ir_.AddOp(block, std::move(end));
  Ir::OpParts function;
  function.name = ir_.Intern("func.func");
  function.properties = {{ir_.Intern(note::kSymName), ir_.StringAttr("main")},
                         {ir_.Intern(note::kFunctionType),
                          ir_.TypeAttr(ir_.FunctionType(types, result_types))}};
  function.regions = {region};
  ir_.AddOp(ir_.module_block(), std::move(function));
}

// --- Regions -----------------------------------------------------------------

void MlirParser::ParseRegionItem() {
  const bool top = regions_.size() == 1;
  // More errors are of no use, even the same ones again.
  constexpr int64_t kMost = TextErrors::kMaxErrors;
  if (lexer_.errors().count() >= kMost ||
      lexer_.errors().calls() >= 10 * kMost) {
    regions_.clear();
    return;
  }
  const size_t begin = lexer_.offset();
  switch (lexer_.token()) {
    case MlirToken::kEnd:
      if (!top) lexer_.Expected("'}', the end of a region");
      regions_.clear();
      return;
    case MlirToken::kCaret:
      if (!ParseBlockLabel()) Recover(begin);
      return;
    case MlirToken::kHash:
    case MlirToken::kBang:
      if (!top) break;
      if (!syntax_.aliases.ParseDefinition()) Recover(begin);
      return;
    case MlirToken::kFileBegin:
      if (!top) break;
      if (!syntax_.elements.ParseResources()) Recover(begin);
      return;
    case MlirToken::kPunct:
      if (!lexer_.Is('}')) break;
      if (!top) return EndRegion();
      lexer_.Error("no region ends here");
      lexer_.Next();
      return;
    default:
      break;
  }
  StartOp();
}

BlockId MlirParser::CurrentBlock() {
  OpenRegion& region = regions_.back();
  if (!region.block.valid()) region.block = ir_.AddBlock(region.region);
  return region.block;
}

// Adds an argument of the current block.
bool MlirParser::AddArgument(const OpFrame::Argument& argument) {
  const ValueId value =
      ir_.AddArgument(CurrentBlock(), argument.type, argument.name.text(),
                      argument.location, argument.name.offset);
  return scopes_.Define(argument.name, value, 1);
}

// Begins a region of the topmost operation; the lexer is at its "{". Its first
// block has these arguments.
bool MlirParser::BeginRegion(bool in_list,
                             absl::Span<const OpFrame::Argument> arguments) {
  OpenRegion open;
  if (!lexer_.Expect('{')) return false;
  open.in_list = in_list;
  if (frame().is_module) {
    open.region = ir_.block(ir_.module_block()).region;
    open.block = ir_.module_block();
  } else {
    open.region = ir_.AddRegion();
  }
  frame().regions.push_back(open.region);
  const OpRow* const row = frame().row;
  scopes_.Begin(row != nullptr && (row->traits & kIsolated) != 0);
  regions_.push_back(open);
  bool good = true;
  for (const OpFrame::Argument& argument : arguments) {
    good &= AddArgument(argument);
  }
  return good;
}

// The lexer is at the "}" of the innermost region.
void MlirParser::EndRegion() {
  const OpenRegion region = regions_.back();
  regions_.pop_back();
  scopes_.End();
  lexer_.Next();
  OpFrame& frame = this->frame();
  if (region.in_list && lexer_.Accept(',')) {
    if (!BeginRegion(true, {})) Recover(frame.offset);
    return;
  }
  if (!region.in_list && !region.block.valid()) ir_.AddBlock(region.region);
  ++frame.step;
  Run();
}

// ^name(%a: type, ...):
bool MlirParser::ParseBlockLabel() {
  lexer_.Next();
  OpenRegion& region = regions_.back();
  const bool fresh = !region.block.valid();
  if (regions_.size() == 1) {
    return lexer_.Error("a block stands outside a region");
  }
  if (!fresh && ir_.region(region.region).blocks.size() == 1 &&
      ir_.block(region.block).ops.empty() && !region.labelled) {
    // The label of the block that got its arguments from the operation.
  } else {
    region.block = ir_.AddBlock(region.region);
  }
  region.labelled = true;
  if (lexer_.Accept('(') && !lexer_.Accept(')')) {
    do {
      OpFrame::Argument argument;
      if (!forms_.ParseArgument(&argument) || !AddArgument(argument)) {
        return false;
      }
    } while (lexer_.Accept(','));
    if (!lexer_.Expect(')')) return false;
  }
  return lexer_.Expect(':');
}

// --- Operations --------------------------------------------------------------

void MlirParser::StartOp() {
  if (depth_ == frames_.size()) frames_.push_back(std::make_unique<OpFrame>());
  OpFrame& frame = *frames_[depth_++];
  frame.Clear(lexer_.offset());
  if (!ParseResultNames(&frame) || !ParseOpName(&frame)) {
    return Recover(frame.offset);
  }
  Run();
}

// %a, %b:2 =
bool MlirParser::ParseResultNames(OpFrame* frame) {
  if (lexer_.token() != MlirToken::kValue) return true;
  do {
    OpFrame::ResultName result;
    if (!scopes_.ParseName(&result.name)) return false;
    if (lexer_.Accept(':')) {
      int64_t count = 0;
      const size_t offset = lexer_.offset();
      if (!lexer_.ReadInteger(&count)) return false;
      constexpr int64_t kMost = 1 << 20;
      if (count < 1 || count > kMost) {
        return lexer_.ErrorAt(offset, 1, "expected a number of results");
      }
      result.count = static_cast<uint32_t>(count);
    }
    frame->result_name_count += result.count;
    frame->result_names.push_back(result);
  } while (lexer_.Accept(','));
  return lexer_.Expect('=');
}

const OpRow* MlirParser::RowOf(StringId name) {
  if (name.index >= rows_.size()) rows_.resize(name.index + 1);
  int32_t& row = rows_[name.index];
  if (row == 0) {
    const OpRow* const found = FindOp(ir_.text(name));
    row = found == nullptr ? -1 : static_cast<int32_t>(IndexOf(*found)) + 1;
  }
  return row < 0 ? nullptr : &Ops()[static_cast<size_t>(row - 1)];
}

bool MlirParser::ParseOpName(OpFrame* frame) {
  frame->name_offset = lexer_.offset();
  frame->name_length = lexer_.end() - lexer_.offset();
  const bool generic = lexer_.token() == MlirToken::kString;
  if (generic) {
    if (!lexer_.ReadString(&text_)) return false;
    frame->name = ir_.Intern(text_);
  } else if (lexer_.token() == MlirToken::kWord) {
    const absl::string_view word = lexer_.text();
    // Only two dialects' names stand without the dialect.
    frame->name = ir_.Intern(word);
    if (RowOf(frame->name) == nullptr &&
        word.find('.') == absl::string_view::npos) {
      for (const absl::string_view dialect : {"func.", "builtin."}) {
        const StringId name = ir_.Intern(absl::StrCat(dialect, word));
        if (RowOf(name) != nullptr) frame->name = name;
      }
    }
    lexer_.Next();
  } else {
    return lexer_.Expected("an operation");
  }
  frame->row = RowOf(frame->name);
  const absl::string_view name = ir_.text(frame->name);
  if (frame->row == nullptr) {
    const absl::string_view dialect = DialectOf(name);
    const bool known = dialect == "stablehlo" || dialect == "chlo" ||
                       dialect == "func" || dialect == "builtin" ||
                       !WhyUnread(dialect).empty();
    if (!generic || known) return UnknownOp(*frame);
  }
  if (generic) {
    frame->form = &GenericForm();
  } else {
    frame->form = &FormOf(*frame->row);
    if (frame->form->steps.empty()) return NoForm(*frame);
  }
  frame->is_module = regions_.size() == 1 && name == "builtin.module" &&
                     ir_.block(ir_.module_block()).ops.empty() &&
                     !has_module_ && !several_;
  if (regions_.size() == 1 && has_module_) {
    found_several_ = true;
    return lexer_.ErrorAt(frame->name_offset, frame->name_length,
                          "an operation stands behind the module");
  }
  has_module_ |= frame->is_module;
  return true;
}

void MlirParser::Run() {
  while (true) {
    OpFrame& frame = this->frame();
    if (frame.step == frame.form->steps.size()) return FinishOp();
    const Step& step = frame.form->steps[frame.step];
    if (step.part == Part::kRegion || step.part == Part::kRegions) {
      const bool in_list = step.part == Part::kRegions;
      const absl::Span<const OpFrame::Argument> none;
      if (BeginRegion(in_list, in_list ? none : frame.arguments)) return;
      return Recover(frame.offset);
    }
    if (!forms_.RunStep(step, &frame)) return Recover(frame.offset);
  }
}

void MlirParser::FinishOp() {
  OpFrame& frame = this->frame();
  // A function without a body has an empty region.
  if (frame.is_function && frame.regions.empty()) {
    frame.regions.push_back(ir_.AddRegion());
  }
  AttrId location;
  if (!syntax_.locations.ParseOptional(&location) ||
      (frame.scan_inputs >= 0 && !forms_.FinishScan(&frame)) ||
      !CheckCounts(frame) || !CheckOperandTypes(frame) ||
      !CheckAttributes(frame)) {
    return Recover(frame.offset);
  }
  OpId op;
  if (frame.is_module) {
    op = ir_.module_op();
    ir_.SetAttrs(op, frame.properties, frame.discardable);
    ir_.SetLocation(op, location);
    ir_.SetOffset(op, frame.name_offset);
  } else {
    values_.clear();
    for (const OperandRef& operand : frame.operands) {
      values_.push_back(operand.value);
    }
    parts_.name = frame.name;
    parts_.operands = values_;
    parts_.results = frame.result_types;
    FillIn(&frame);
    parts_.properties.swap(frame.properties);
    parts_.discardable.swap(frame.discardable);
    parts_.regions.swap(frame.regions);
    parts_.location = location;
    parts_.offset = frame.name_offset;
    op = ir_.AddOp(CurrentBlock(), &parts_);
  }
  DefineResults(frame, op);
  --depth_;
}

// Adds attributes that MLIR adds when it reads the operation.
void MlirParser::FillIn(OpFrame* frame) {
  if (frame->row == nullptr) return;
  for (const AttributeRow& row : frame->row->attributes) {
    if (!row.filled) continue;
    const StringId name = forms_.AttributeName(row);
    if (std::none_of(frame->properties.begin(), frame->properties.end(),
                     [&](const NamedAttr& a) { return a.name == name; })) {
      frame->properties.push_back({name, ir_.StringAttr("")});
    }
  }
}

bool MlirParser::CheckCounts(const OpFrame& frame) {
  const auto error = [&](std::string message) {
    return lexer_.ErrorAt(frame.name_offset, frame.name_length,
                          std::move(message), Code::kMlirCounts);
  };
  if (!frame.result_names.empty() &&
      frame.result_name_count != frame.result_types.size()) {
    return lexer_.ErrorAt(
        frame.offset, frame.result_names[0].name.length,
        absl::StrCat("the operation has ", frame.result_types.size(),
                     frame.result_types.size() == 1 ? " result" : " results",
                     ", but ", frame.result_name_count,
                     frame.result_name_count == 1 ? " is named" : " are named"),
        Code::kMlirCounts);
  }
  if (frame.row == nullptr) return true;
  const auto check = [&](Count count, size_t number, absl::string_view what) {
    if (count.Allows(number)) return true;
    return error(absl::StrCat(
        frame.row->name, " has ",
        count.most < 0
            ? absl::StrCat("at least ", count.least, " ", what)
            : absl::StrCat(count.least, " ", what, count.least == 1 ? "" : "s"),
        ", not ", number));
  };
  return check(frame.row->operands, frame.operands.size(), "operand") &&
         check(frame.row->results, frame.result_types.size(), "result") &&
         check(frame.row->regions, frame.regions.size(), "region");
}

bool MlirParser::CheckOperandTypes(const OpFrame& frame) {
  if (!frame.has_operand_types) return true;
  if (frame.operand_types.size() != frame.operands.size()) {
    return lexer_.ErrorAt(
        frame.name_offset, frame.name_length,
        absl::StrCat("the operation has ", frame.operands.size(),
                     frame.operands.size() == 1 ? " operand" : " operands",
                     ", but ", frame.operand_types.size(),
                     frame.operand_types.size() == 1 ? " type" : " types"),
        Code::kMlirCounts);
  }
  for (size_t i = 0; i < frame.operands.size(); ++i) {
    const OperandRef& operand = frame.operands[i];
    if (!operand.value.valid() ||
        scopes_.ReceiveType(operand.value, frame.operand_types[i])) {
      continue;
    }
    TextError error{
        operand.offset, operand.length,
        absl::StrCat("expected a value of type ",
                     TypeText(ir_, frame.operand_types[i]), ", found one of ",
                     TypeText(ir_, ir_.type_of(operand.value))),
        Code::kStablehloConstraint};
    error.operand = static_cast<int32_t>(i);
    error.fix = StablehloChange(
        StaticShapeOf(ir_, ir_.type_of(operand.value)),
        StaticShapeOf(ir_, frame.operand_types[i]),
        lexer_.whole_text().substr(operand.offset + 1, operand.length - 1));
    if (!error.fix.empty()) absl::StrAppend(&error.fix, " as operand ", i);
    constexpr size_t kMost = 1000;  // of which a few are shown
    if (syntax_.mismatches == nullptr || syntax_.mismatches->size() == kMost) {
      lexer_.errors().Add(std::move(error));
      return false;
    }
    syntax_.mismatches->push_back({frame.name_offset, std::move(error)});
  }
  return true;
}

// Whether those that the operation requires are there.
bool MlirParser::CheckAttributes(const OpFrame& frame) {
  if (frame.row == nullptr || frame.form->complete) return true;
  for (const AttributeRow& row : frame.row->attributes) {
    if (!row.required) continue;
    const StringId name = forms_.AttributeName(row);
    const bool found =
        std::any_of(frame.properties.begin(), frame.properties.end(),
                    [&](const NamedAttr& a) { return a.name == name; });
    if (found) continue;
    std::vector<absl::string_view> others;
    for (const auto* list : {&frame.discardable, &frame.properties}) {
      for (const NamedAttr& a : *list) others.push_back(ir_.text(a.name));
    }
    const absl::string_view near = NearestName(row.name, others);
    return lexer_.ErrorAt(
        frame.name_offset, frame.name_length,
        absl::StrCat(frame.row->name, " requires the attribute '", row.name,
                     "', ", KindText(row.kind, row.of),
                     near.empty() ? "" : absl::StrCat("; found '", near, "'")),
        Code::kMlirAttribute);
  }
  return true;
}

void MlirParser::DefineResults(const OpFrame& frame, OpId op) {
  uint32_t index = ir_.op(op).first_result.index;
  for (const OpFrame::ResultName& result : frame.result_names) {
    if (result.name.text().valid()) {
      ir_.SetName({index}, result.name.text());
    }
    scopes_.Define(result.name, {index}, result.count);
    index += result.count;
  }
}

void MlirParser::Recover(size_t begin) {
  if (depth_ == regions_.size()) {  // an operation without an open region
    const OpFrame& frame = this->frame();
    for (const OpFrame::ResultName& result : frame.result_names) {
      scopes_.Poison(result.name, result.count);
    }
    --depth_;
  }
  // It begins again where the operation does, to see all braces.
  lexer_.Seek(begin);
  int64_t open = 0;
  while (lexer_.token() != MlirToken::kEnd) {
    const MlirToken token = lexer_.token();
    if (lexer_.Is('}') && open == 0) return;
    if (open == 0 && lexer_.offset() > begin && lexer_.FirstInLine() &&
        (token == MlirToken::kValue || token == MlirToken::kString ||
         token == MlirToken::kCaret ||
         (token == MlirToken::kWord && !lexer_.IsWord("cond") &&
          !lexer_.IsWord("do") && !lexer_.IsWord("reducer")))) {
      return;
    }
    if (lexer_.Is('{')) ++open;
    if (lexer_.Is('}')) --open;
    lexer_.Next();
  }
}

}  // namespace indim::mlir
