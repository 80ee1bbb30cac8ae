// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/importer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/stablehlo/import/check_op.h"
#include "indim/stablehlo/import/entry_sizes.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/import/means_nothing.h"
#include "indim/stablehlo/import/module_fields.h"
#include "indim/stablehlo/import/op_import.h"
#include "indim/stablehlo/import/shardings.h"
#include "indim/stablehlo/import/shardy_check.h"
#include "indim/stablehlo/ops/foreign_ops.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_import {
namespace {

absl::Span<const mlir::OperandMismatch> MismatchesOf(
    absl::Span<const mlir::OperandMismatch> all, Offset op) {
  const auto found = std::equal_range(
      all.begin(), all.end(), mlir::OperandMismatch{op, {}},
      [](const auto& a, const auto& b) { return a.op < b.op; });
  return all.subspan(static_cast<size_t>(found.first - all.begin()),
                     static_cast<size_t>(found.second - found.first));
}

}  // namespace

Importer::Importer(const Ir& ir, const ImportOptions& options)
    : ir_(ir),
      options_(options),
      places_(ir, options.text, options.numbered),
      writer_(options.text.empty() && !options.numbered ? ""
              : options.file.empty() ? std::string(kNamelessText)
                                     : options.file),
      shardy_(ir),
      shapes_(ir),
      captures_(ir),
      sizes_(ir),
      left_out_(ir, options.left_out != nullptr),
      functions_(ir),
      nodes_(ir.value_count(), kBroken),
      used_(ir.value_count(), false) {
  for (uint32_t i = 0; i < ir.op_count(); ++i) {
    for (const ValueId operand : ir.operands(ir.op({i}))) {
      used_[operand.index] = true;
    }
  }
}

void Importer::Error(Offset offset, std::string message, Code code) {
  Error(offset, TextError{0, 0, std::move(message), code});
}

void Importer::Error(Offset offset, TextError error) {
  unreadable_ |= error.code != Code::kStablehloConstraint;
  error.offset = offset == kNowhere ? 0 : static_cast<size_t>(offset);
  errors_.Add(std::move(error));
}

absl::StatusOr<Module> Importer::Run() {
  CheckShardy(ir_, [this](Offset offset, std::string message) {
    Error(offset, std::move(message));
  });
  functions_.FindAll([this](Offset offset, std::string message, Code code) {
    Error(offset, std::move(message), code);
  });
  const OpId entry = functions_.Entry();
  if (!captures_.complete()) {
    Error(0, "regions capture more values than can be passed to them",
          Code::kNoHloForm);
  } else if (!entry.valid()) {
    if (errors_.empty()) {
      Error(0, "the module has no function with a body", Code::kNoHloForm);
    }
  } else {
    ImportFunction(entry, /*is_entry=*/true);
    for (const OpId function : functions_.all()) {
      ImportFunction(function, /*is_entry=*/false);
    }
  }
  const uint32_t* const computation = functions_.Computation(entry, "");
  if (!errors_.empty()) {
    if (options_.errors != nullptr) *options_.errors = errors_.errors();
    if (unreadable_ || options_.violations == nullptr ||
        computation == nullptr || *computation == kBroken) {
      return Errors();
    }
    *options_.violations = Errors();
  }
  writer_.data().entry = *computation;
  AddModuleFields(ir_, entry, &writer_);
  writer_.data().means_nothing = WhatMeansNothing(ir_, functions_, places_);
  if (options_.left_out != nullptr) {
    left_out_.AddModule();
    *options_.left_out = left_out_.Texts();
  }
  const mlir::Op& module = ir_.op(ir_.module_op());
  AttrId name = ir_.Find(module, note::kSymName);
  if (!name.valid()) name = ir_.Find(ir_.op(entry), note::kSymName);
  return writer_.Finish(*computation, ir_.attr(name).text);
}

const SizeValues::Exprs& Importer::SizesOf(ValueId value) {
  return sizes_.Of(value, [this](ValueId array) -> const Shape* {
    const Node at = node(array);
    return at == kBroken ? nullptr : &writer_.shape(at);
  });
}

// An artifact has no lines.
absl::Status Importer::Errors() const {
  if (!options_.text.empty()) {
    return errors_.ToStatus(options_.file, options_.text);
  }
  std::vector<std::string> messages;
  for (const TextError& error : errors_.errors()) {
    messages.push_back(error.message);
    if (!error.fix.empty()) messages.push_back("  to fix: " + error.fix);
  }
  return ErrorWithCode(absl::StatusCode::kInvalidArgument,
                       errors_.errors()[0].code, absl::StrJoin(messages, "\n"));
}

// --- Functions ---------------------------------------------------------------

void Importer::ImportFunction(OpId function, bool is_entry) {
  if (functions_.IsNoted(function)) return;
  Arguments arguments;
  if (shapes_.any_unknown() && is_entry) {
    arguments.shapes = NameSizes(
        ir_, ir_.op(function), &shapes_,
        [this](absl::string_view name) { return functions_.Find(name); },
        options_.sizes);
  }
  if (!OpenFunction(function, arguments)) return;
  frames_.back().key.clear();  // the function itself
  while (!frames_.empty()) Step();
}

Importer::Arguments Importer::ArgumentsOf(const mlir::Op& call, OpId function) {
  Arguments arguments;
  if (!shapes_.any_unknown()) return arguments;
  const mlir::Op& op = ir_.op(function);
  const absl::Span<const ValueId> operands = ir_.operands(call);
  const absl::Span<const ValueId> inputs = ir_.body(op).arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape& declared = shapes_.Of(ir_.type_of(inputs[i]));
    const Node given = i < operands.size() ? node(operands[i]) : kBroken;
    arguments.shapes.push_back(
        given == kBroken ? declared
                         : OpImport::Refined(declared, writer_.shape(given)));
    arguments.sizes.push_back(i < operands.size() ? SizesOf(operands[i])
                                                  : SizeValues::Exprs());
  }
  return arguments;
}

std::string Importer::KeyOf(const Arguments& arguments) {
  std::string key;
  for (const Shape& shape : arguments.shapes) {
    absl::StrAppend(&key, writer_.pools().shapes().Intern(shape).value, ";");
  }
  for (const SizeValues::Exprs& exprs : arguments.sizes) {
    for (const DimExpr& expr : exprs)
      absl::StrAppend(&key, expr.ToString(), ",");
    key += ';';
  }
  return key;
}

bool Importer::OpenFunction(OpId function, const Arguments& arguments) {
  const mlir::Op& op = ir_.op(function);
  functions_.Note(function);
  if (!functions_.HasBody(function)) {
    left_out_.AddDeclaration(function);
    return false;
  }
  const mlir::Region& region = ir_.region(ir_.regions(op)[0]);
  if (region.blocks.size() != 1) {
    Error(op.offset, "the function has more than one block", Code::kNoHloForm);
    return false;
  }
  left_out_.AddFunction(function, function.index == functions_.Entry().index);
  functions_.Begin(function);
  Frame frame;
  frame.form = RegionForm::kFunction;
  frame.key = KeyOf(arguments);
  frame.owner = function;
  frame.block = region.blocks[0];
  writer_.Begin(ir_.attr(ir_.Find(op, note::kSymName)).text);
  AddFunctionArguments(op, ir_.block(frame.block).arguments, arguments);
  frames_.push_back(std::move(frame));
  return true;
}

void Importer::AddFunctionArguments(const mlir::Op& op,
                                    absl::Span<const ValueId> values,
                                    const Arguments& arguments) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Value& argument = ir_.value(values[i]);
    std::string why;
    Shape shape = shapes_.Of(argument.type, &why);
    if (shape.is_none()) {
      Error(argument.offset == kNowhere ? op.offset : argument.offset,
            absl::StrCat("argument ", i, ": ", why), Code::kNoHloForm);
      SetNode(values[i], kBroken);
      continue;
    }
    if (i < arguments.shapes.size()) shape = arguments.shapes[i];
    if (i < arguments.sizes.size()) sizes_.Set(values[i], arguments.sizes[i]);
    writer_.SetPlace(
        places_.At(argument.offset == kNowhere ? op.offset : argument.offset));
    writer_.SetMetadata(places_.Metadata(argument.location, &writer_.pools()));
    const Node node = writer_.Parameter(static_cast<int64_t>(i), shape,
                                        ParameterName(ir_, argument));
    AddArgumentFields(ir_, op, i, node, &shardy_, &writer_);
    SetNode(values[i], node);
  }
}

// --- The walk ----------------------------------------------------------------

void Importer::Step() {
  Frame& frame = frames_.back();
  const std::vector<OpId>& ops = ir_.block(frame.block).ops;
  if (frame.next == ops.size()) {
    Error(ir_.op(frame.owner).offset,
          "block with no terminator: it must end with a return");
    frame.broken = true;
    return Close(mlir::Op());
  }
  const OpId id = ops[frame.next];
  const mlir::Op& op = ir_.op(id);
  const OpRow* row = FindOp(ir_.name(op));
  if (row != nullptr && (row->traits & kTerminator) != 0) {
    if (frame.next + 1 != ops.size()) {
      Error(op.offset,
            absl::StrCat("'", row->name, "' op must be the last of its block"));
      frame.broken = true;
    }
    OpImport import(this, id, row);
    frame.broken |= !CheckTypes(&import);
    left_out_.AddOperation(id, false);
    return Close(op);
  }
  if (row != nullptr) {
    if (frame.regions_done < op.region_count) return OpenRegion(id);
    if (OpenCallee(op)) return;
  }
  Convert(id);
  Frame& done = frames_.back();  // the frame that it stands in
  done.regions_done = 0;
  done.callees.clear();
  done.passed.clear();
  ++done.next;
}

bool Importer::OpenCallee(const mlir::Op& op) {
  const absl::string_view name = ir_.name(op);
  std::vector<AttrId> symbols;
  if (name == "func.call") symbols.push_back(ir_.Find(op, "callee"));
  if (name == "stablehlo.composite") {
    symbols.push_back(ir_.Find(op, "decomposition"));
  }
  if (name == "stablehlo.custom_call") {
    // MLIR doesn't ask whether they are there: WhatMeansNothing says it.
    for (const AttrId symbol :
         ir_.attr(ir_.Find(op, "called_computations")).elements) {
      const OpId function = functions_.Find(ir_.attr(symbol).text);
      if (function.valid() && functions_.HasBody(function))
        symbols.push_back(symbol);
    }
  }
  Frame& frame = frames_.back();
  for (size_t i = frame.callees.size() - op.region_count; i < symbols.size();
       ++i) {
    if (!symbols[i].valid()) continue;
    const absl::string_view symbol = ir_.attr(symbols[i]).text;
    const OpId function = functions_.Find(symbol);
    uint32_t computation = kBroken;
    if (!function.valid()) {
      Error(op.offset, absl::StrCat("'", name, "' op '", symbol,
                                    "' does not reference a valid function"));
    } else if (functions_.IsOpen(function)) {
      Error(op.offset,
            absl::StrCat("'", name, "' op calls '", symbol,
                         "', which calls it: HLO has no recursion"),
            Code::kNoHloForm);
    } else if (!functions_.HasBody(function)) {
      Error(op.offset,
            absl::StrCat("'", name, "' op calls '", symbol,
                         "', which has no body"),
            Code::kNoHloForm);
    } else {
      const Arguments arguments = name == "stablehlo.custom_call"
                                      ? Arguments()
                                      : ArgumentsOf(op, function);
      const std::string key = KeyOf(arguments);
      const uint32_t* known = functions_.Computation(function, key);
      if (known == nullptr && OpenFunction(function, arguments)) return true;
      if (known != nullptr) computation = *known;
    }
    frame.callees.push_back(computation);
  }
  return false;
}

void Importer::Convert(OpId id) {
  const mlir::Op& op = ir_.op(id);
  const OpRow* row = FindOp(ir_.name(op));
  OpImport import(this, id, row);
  writer_.SetPlace(places_.At(op.offset));
  writer_.SetMetadata(places_.Metadata(op.location, &writer_.pools()));
  for (uint32_t i = 0; i < op.result_count; ++i) {
    SetNode(ir_.result(op, i), kBroken);
  }
  if (!TellMismatches(op) && CheckOp(&import)) ConvertRight(&import);
  StandIn(op);
  if (!shapes_.any_unknown() || row == nullptr || row->name != "func.call" ||
      frames_.back().callees.empty()) {
    return;
  }
  const auto sizes = functions_.ResultSizes(frames_.back().callees[0]);
  for (uint32_t i = 0; i < op.result_count && i < sizes.size(); ++i) {
    sizes_.Set(ir_.result(op, i), sizes[i]);
  }
}

void Importer::ConvertRight(OpImport* import) {
  for (const ValueId operand : ir_.operands(import->op())) {
    if (node(operand) == kBroken) return;
  }
  for (const uint32_t callee : frames_.back().callees) {
    if (callee == kBroken) return;
  }
  if (!CheckConstraints(import)) return;
  const OpRow& row = import->row();
  const Lowering lowering = FindLowering(row.name);
  if (lowering != nullptr) {
    lowering(import);
  } else if (row.opcode != Opcode::kInvalid) {
    LowerSame(import);
  } else {
    import->Error(absl::StartsWith(row.name, "sdy.")
                      ? "has no form in HLO: it is of Shardy's own passes, and "
                        "XLA refuses it too"
                      : mlir::WhyForeign(row.name, "has no form in HLO"),
                  Code::kNoHloForm);
  }
  left_out_.AddOperation(import->id(), import->keeps_common_attributes(),
                         import->kept());
}

bool Importer::TellMismatches(const mlir::Op& op) {
  const auto mismatches = MismatchesOf(options_.mismatches, op.offset);
  for (const mlir::OperandMismatch& one : mismatches) errors_.Add(one.error);
  return !mismatches.empty();
}

void Importer::StandIn(const mlir::Op& op) {
  if (options_.violations == nullptr) return;
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const ValueId result = ir_.result(op, i);
    const Shape& shape = shapes_.Of(ir_.type_of(result));
    if (node(result) != kBroken || shape.is_none()) continue;
    CustomCallAttributes attributes;
    attributes.target = "indim.refused";
    attributes.api_version = kApiOriginal;
    SetNode(result, writer_.Add(Opcode::kCustomCall, shape, attributes, {}));
  }
}

void Importer::Close(const mlir::Op& terminator) {
  TellMismatches(terminator);
  Frame frame = std::move(frames_.back());
  CheckReturn(frame, terminator);
  std::vector<Node> results;
  for (const ValueId operand : ir_.operands(terminator)) {
    results.push_back(node(operand));
  }
  uint32_t computation = kBroken;
  for (const Node result : results) frame.broken |= result == kBroken;
  // What is known of a function's results, while its values are there.
  std::vector<SizeValues::Exprs> sizes;
  if (shapes_.any_unknown() && frame.form == RegionForm::kFunction &&
      !frame.broken) {
    for (const ValueId operand : ir_.operands(terminator)) {
      sizes.push_back(SizesOf(operand));
    }
  }
  if (frame.broken) {
    writer_.Drop();
  } else {
    writer_.SetPlace(places_.At(terminator.offset));
    writer_.SetMetadata(MetadataId());
    FinishFutures(terminator, &results);
    for (const ValueId value : frame.returned) results.push_back(node(value));
    const bool is_function = frame.form == RegionForm::kFunction;
    const mlir::Op& owner = ir_.op(frame.owner);
    if (is_function) AddResultCalls(ir_, owner, &results, &writer_);
    const Node root =
        is_function ? ResultOfFunction(ir_, owner, results, &shardy_, &writer_)
                    : writer_.Tuple(results, /*unless_one=*/true);
    computation = writer_.End(root);
  }
  // Another call may give the block's values other sizes.
  if (shapes_.any_unknown()) sizes_.Forget(frame.block);
  for (const auto& [value, outside] : frame.outside) SetNode(value, outside);
  frames_.pop_back();
  if (frame.form == RegionForm::kFunction) {
    functions_.End(frame.owner, frame.key, computation, std::move(sizes));
  } else {
    frames_.back().callees.push_back(computation);
    ++frames_.back().regions_done;
  }
}

void Importer::FinishFutures(const mlir::Op& terminator,
                             std::vector<Node>* results) {
  for (size_t i = 0; i < results->size(); ++i) {
    const TypeId type = ir_.type_of(ir_.operands(terminator)[i]);
    if (ir_.type(type).kind != TypeKind::kFuture) continue;
    (*results)[i] = FinishFuture(&writer_, (*results)[i], shapes_.Of(type));
  }
}

absl::StatusOr<Module> ImportModule(const Ir& ir,
                                    const ImportOptions& options) {
  return Importer(ir, options).Run();
}

}  // namespace indim::stablehlo_import
