// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/mlir_printer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/mlir/spelling.h"
#include "indim/stablehlo/ops/attribute_kind.h"
#include "indim/stablehlo/ops/module_attributes.h"
#include "indim/stablehlo/text/append_list.h"
#include "indim/stablehlo/text/mlir_lexer.h"

namespace indim::mlir {

std::string PrintMlirText(const Ir& ir, const MlirPrintOptions& options) {
  return MlirPrinter(ir, options).Print();
}

MlirPrinter::MlirPrinter(const Ir& ir, const MlirPrintOptions& options)
    : ir_(ir),
      options_(options),
      attributes_(ir),
      names_(ir, options.generic),
      locations_(ir) {}

std::string MlirPrinter::Print() {
  if (options_.locations) {
    NoteLocations();
    attributes_.UseAliases(&locations_);
    Aliases(true);
  }
  Begin(ir_.module_op());
  while (!frames_.empty()) Continue();
  if (options_.locations) Aliases(false);
  return std::move(out_);
}

// --- Operations --------------------------------------------------------------

void MlirPrinter::Begin(OpId id) {
  const Op& op = ir_.op(id);
  Indent();
  if (op.result_count > 0) {
    const bool each = names_.NamesResults(op);
    const uint32_t named = each ? op.result_count : 1;
    for (uint32_t i = 0; i < named; ++i) {
      out_.append(i == 0 ? "%" : ", %");
      names_.Append(ir_.result(op, i), &out_);
    }
    if (named < op.result_count) absl::StrAppend(&out_, ":", op.result_count);
    out_.append(" = ");
  }
  Frame frame;
  frame.op = id;
  frame.row = names_.Row(op);
  const bool own = !options_.generic && HasForm(op, frame.row);
  frame.form = own ? &FormOf(*frame.row) : &GenericForm();
  frame.generic = !own;
  frame.compact = own && frame.row->name == "stablehlo.reduce" && IsCompact(op);
  absl::string_view name = ir_.name(op);
  if (!own) {
    AppendQuoted(name, &out_);
  } else {
    // Inside a module and a function, their dialect's name is left out.
    const absl::string_view around =
        frames_.empty() ? "builtin." : frames_.back().dialect;
    if (!around.empty() && absl::StartsWith(name, around)) {
      name.remove_prefix(around.size());
    }
    out_.append(name.data(), name.size());
    frame.dialect = frame.row->name == "func.func"        ? "func."
                    : frame.row->name == "builtin.module" ? "builtin."
                                                          : "";
  }
  frames_.push_back(frame);
}

// Whether the operation can be printed in its own form: whether all that the
// form shows is there.
bool MlirPrinter::HasForm(const Op& op, const OpRow* row) const {
  if (row == nullptr || FormOf(*row).steps.empty()) return false;
  if (!row->operands.Allows(op.operand_count) ||
      !row->results.Allows(op.result_count) ||
      !row->regions.Allows(op.region_count)) {
    return false;
  }
  for (const AttributeRow& attribute : row->attributes) {
    const AttrId value = ir_.Find(op, attribute.name);
    if (value.valid() ? !HasKind(ir_, attribute.kind, attribute.of, value)
                      : attribute.required) {
      return false;
    }
  }
  if (op.region_count > 0 && row->name != "func.func") {
    for (const RegionId region : ir_.regions(op)) {
      if (ir_.region(region).blocks.empty()) return false;
    }
  }
  const std::vector<Step>& steps = FormOf(*row).steps;
  return std::all_of(steps.begin(), steps.end(),
                     [&](const Step& step) { return Tells(op, step); });
}

// Whether one part of a form tells all of the operation that it stands for.
bool MlirPrinter::Tells(const Op& op, const Step& step) const {
  const absl::Span<const ValueId> operands = ir_.operands(op);
  const auto same_types = [&](size_t count, auto type_of) {
    if (count != operands.size()) return false;
    for (size_t i = 0; i < count; ++i) {
      if (ir_.type_of(operands[i]) != type_of(i)) return false;
    }
    return true;
  };
  const auto result_type = [&](size_t i) {
    return ir_.type_of(ir_.result(op, static_cast<uint32_t>(i)));
  };
  switch (step.part) {
    case Part::kPairwise:
      return same_types(op.result_count, result_type);
    case Part::kConstant:
    case Part::kTypedValue: {
      const Attribute& value = ir_.attr(ir_.Find(op, "value"));
      return value.kind == AttrKind::kBool ||
             value.type == ir_.type_of(op.first_result);
    }
    case Part::kRanges:
      return SizeOf(op, "start_indices") == SizeOf(op, "limit_indices") &&
             SizeOf(op, "start_indices") == SizeOf(op, "strides");
    case Part::kConvDims:
      return attributes_.HasConvDims(ir_.Find(op, "dimension_numbers"));
    case Part::kWindow: {
      const AttrId padding = ir_.Find(op, "padding");
      const std::vector<int64_t>& dims = ir_.type(ir_.attr(padding).type).dims;
      return !padding.valid() || (dims.size() == 2 && dims[1] == 2);
    }
    case Part::kWhile:
      // As MLIR, it prints the operands' types alone.
      for (uint32_t i = 0; i < op.region_count; ++i) {
        if (ir_.body(op, i).arguments.size() != operands.size()) return false;
      }
      return op.result_count == operands.size();
    case Part::kReduce: {
      const Block& block = ir_.body(op);
      return op.operand_count % 2 == 0 && op.operand_count > 0 &&
             block.arguments.size() == op.operand_count;
    }
    case Part::kFunc:
      return TellsFunction(op);
    default:
      return true;
  }
}

size_t MlirPrinter::SizeOf(const Op& op, absl::string_view name) const {
  return ir_.attr(ir_.Find(op, name)).text.size();
}

bool MlirPrinter::TellsFunction(const Op& op) const {
  const Type& type = ir_.type(ir_.attr(ir_.Find(op, note::kFunctionType)).type);
  if (type.kind != TypeKind::kFunction) return false;
  const absl::string_view visibility =
      ir_.attr(ir_.Find(op, note::kSymVisibility)).text;
  if (!visibility.empty() && visibility != "public" &&
      visibility != "private" && visibility != "nested") {
    return false;
  }
  for (const absl::string_view name : {note::kArgAttrs, note::kResAttrs}) {
    const AttrId attrs = ir_.Find(op, name);
    const size_t count = name == note::kArgAttrs
                             ? type.input_count
                             : type.parts.size() - type.input_count;
    if (attrs.valid() && ir_.attr(attrs).elements.size() != count) return false;
  }
  const std::vector<BlockId>& blocks = ir_.region(ir_.regions(op)[0]).blocks;
  if (blocks.empty()) return true;
  const std::vector<ValueId>& arguments = ir_.block(blocks[0]).arguments;
  if (arguments.size() != type.input_count) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (ir_.type_of(arguments[i]) != type.parts[i]) return false;
  }
  return true;
}

void MlirPrinter::Continue() {
  Frame& frame = frames_.back();
  const Op& op = ir_.op(frame.op);
  if (frame.in_region) {
    const std::vector<BlockId>& blocks =
        ir_.region(ir_.regions(op)[frame.region]).blocks;
    while (frame.block < blocks.size()) {
      const Block& block = ir_.block(blocks[frame.block]);
      if (frame.next_op < block.ops.size()) {
        return Begin(block.ops[frame.next_op++]);
      }
      frame.next_op = 0;
      if (++frame.block < blocks.size()) BlockHeader(frame);
    }
    indent_ -= 2;
    Indent();
    out_.push_back('}');
    frame.in_region = false;
    ++frame.region;
    const bool list = frame.form->steps[frame.step].part == Part::kRegions;
    if (list && frame.region < op.region_count) {
      out_.append(", ");
      return OpenRegion();
    }
    ++frame.step;
  }
  while (frame.step < frame.form->steps.size()) {
    if (!RunStep(frame.form->steps[frame.step])) return;
  }
  Location(op.location);
  out_.push_back('\n');
  frames_.pop_back();
}

// Opens the next region of the topmost operation.
void MlirPrinter::OpenRegion() {
  Frame& frame = frames_.back();
  out_.append("{\n");
  indent_ += 2;
  frame.in_region = true;
  frame.block = 0;
  frame.next_op = 0;
  const std::vector<BlockId>& blocks =
      ir_.region(ir_.regions(ir_.op(frame.op))[frame.region]).blocks;
  if (blocks.empty()) return;
  const Block& block = ir_.block(blocks[0]);
  if ((frame.generic && block.ops.empty()) ||
      (ShowsArguments(frame) && !block.arguments.empty())) {
    BlockHeader(frame);
  }
}

// Whether the arguments of regions stand in their blocks' labels.
bool MlirPrinter::ShowsArguments(const Frame& frame) const {
  if (frame.generic) return true;
  for (const Step& step : frame.form->steps) {
    if (step.part == Part::kWhile || step.part == Part::kReduce ||
        step.part == Part::kFunc || step.part == Part::kManualComputation) {
      return false;
    }
  }
  return true;
}

// ^bb0(%arg0: type):
void MlirPrinter::BlockHeader(const Frame& frame) {
  const Block& block =
      ir_.block(ir_.region(ir_.regions(ir_.op(frame.op))[frame.region])
                    .blocks[frame.block]);
  Indent(2);
  absl::StrAppend(&out_, "^bb", frame.block);
  for (size_t i = 0; i < block.arguments.size(); ++i) {
    out_.append(i == 0 ? "(" : ", ");
    Argument(block.arguments[i], {});
  }
  out_.append(block.arguments.empty() ? ":\n" : "):\n");
}

// --- Values and locations ----------------------------------------------------

void MlirPrinter::Value(ValueId id) {
  if (!id.valid()) {
    out_.append("<<NULL>>");
    return;
  }
  out_.push_back('%');
  const mlir::Value& value = ir_.value(id);
  if (!value.op.valid()) return names_.Append(id, &out_);
  const Op& op = ir_.op(value.op);
  if (op.result_count == 1 || names_.NamesResults(op)) {
    return names_.Append(id, &out_);
  }
  names_.Append(op.first_result, &out_);
  absl::StrAppend(&out_, "#", value.index);
}

void MlirPrinter::Values(absl::Span<const ValueId> values) {
  AppendList(values.size(), &out_, [&](size_t i) { Value(values[i]); });
}

// %arg0: type {attributes} loc(...)
void MlirPrinter::Argument(ValueId argument,
                           absl::Span<const NamedAttr> attrs) {
  Value(argument);
  absl::StrAppend(&out_, ": ", attributes_.Type(ir_.type_of(argument)));
  if (!attrs.empty()) {
    out_.push_back(' ');
    attributes_.Dictionary(attrs, &out_);
  }
  if (!options_.locations) return;
  out_.append(" loc(");
  attributes_.Location(ir_.value(argument).location, &out_);
  out_.push_back(')');
}

void MlirPrinter::Location(AttrId location) {
  if (!options_.locations) return;
  out_.append(" loc(");
  if (!locations_.Append(location, &out_)) {
    attributes_.Location(location, &out_);
  }
  out_.push_back(')');
}

void MlirPrinter::Aliases(bool early) {
  for (const AttrId location : locations_.Listed(early)) {
    locations_.Append(location, &out_);
    out_.append(" = loc(");
    attributes_.Location(location, &out_);
    out_.append(")\n");
  }
}

// Notes the locations in the order of the text.
void MlirPrinter::NoteLocations() {
  struct Item {
    OpId op;
    RegionId region;  // none: the operation itself
  };
  std::vector<Item> waiting = {{ir_.module_op(), {}}};
  while (!waiting.empty()) {
    const Item item = waiting.back();
    waiting.pop_back();
    const Op& op = ir_.op(item.op);
    const OpRow* const row = names_.Row(op);
    const bool own = !options_.generic && HasForm(op, row);
    if (!item.region.valid()) {
      locations_.Add(op.location, false);
      if (own && row->name == "stablehlo.reduce" && IsCompact(op)) continue;
      const absl::Span<const RegionId> regions = ir_.regions(op);
      for (size_t i = regions.size(); i > 0; --i) {
        waiting.push_back({item.op, regions[i - 1]});
      }
      continue;
    }
    const std::vector<BlockId>& blocks = ir_.region(item.region).blocks;
    for (size_t i = blocks.size(); i > 0; --i) {
      const std::vector<OpId>& ops = ir_.block(blocks[i - 1]).ops;
      for (size_t j = ops.size(); j > 0; --j) {
        waiting.push_back({ops[j - 1], {}});
      }
    }
    // A while shows its arguments without.
    if (own && row->name == "stablehlo.while") continue;
    for (const BlockId block : blocks) {
      std::vector<ValueId> arguments = ir_.block(block).arguments;
      if (own && row->name == "stablehlo.reduce") arguments = Paired(arguments);
      for (const ValueId argument : arguments) {
        locations_.Add(ir_.value(argument).location, true);
      }
    }
  }
  locations_.Number();
}

// The arguments of a reduce's region as its form shows them: each with the one
// of the other half.
std::vector<ValueId> MlirPrinter::Paired(absl::Span<const ValueId> arguments) {
  const size_t count = arguments.size() / 2;
  std::vector<ValueId> paired;
  for (size_t i = 0; i < count; ++i) {
    paired.push_back(arguments[i]);
    paired.push_back(arguments[count + i]);
  }
  return paired;
}

}  // namespace indim::mlir
