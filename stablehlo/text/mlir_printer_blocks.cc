// SPDX-License-Identifier: Apache-2.0
// The building blocks of single operations, printed.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/stablehlo/mlir/spelling.h"
#include "indim/stablehlo/ops/module_attributes.h"
#include "indim/stablehlo/text/append_list.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/stablehlo/text/mlir_lexer.h"
#include "indim/stablehlo/text/mlir_printer.h"

namespace indim::mlir {

void MlirPrinter::Special(Part part) {
  switch (part) {
    case Part::kConstant:
      Attrs(" {");
      out_.push_back(' ');
      return attributes_.Attribute(Find("value"), &out_);
    case Part::kRanges:
      return Ranges();
    case Part::kExtents: {
      std::vector<int64_t> extents;
      ir_.Integers(Find("shape"), &extents);
      absl::StrAppend(&out_, "[", absl::StrJoin(extents, ", "), "]");
      return;
    }
    case Part::kExponentMantissa:
      absl::StrAppend(&out_, "e", ir_.attr(Find("exponent_bits")).integer, "m",
                      ir_.attr(Find("mantissa_bits")).integer);
      return;
    case Part::kDotDims:
      return DotDims();
    case Part::kPrecision:
    case Part::kPrecisionAlgorithm:
      return Precision(part == Part::kPrecisionAlgorithm);
    case Part::kConvDims:
      return attributes_.ConvDims(Find("dimension_numbers"), &out_);
    case Part::kWindow:
      return Window();
    case Part::kWhile:
      return While();
    case Part::kReduce:
      return Reduce();
    case Part::kReducer:
      return Reducer();
    case Part::kScan:
      return Scan();
    case Part::kFunc:
      return Func();
    case Part::kModule:
      return Module();
    case Part::kManualComputation:
      return ManualComputation();
    case Part::kDirection: {
      const size_t i =
          static_cast<size_t>(ir_.attr(Find("allowed_direction")).integer);
      if (i < std::size(kDirections)) absl::StrAppend(&out_, kDirections[i]);
      return;
    }
    default:
      return;
  }
}

// [0:4, 1:9:2]
void MlirPrinter::Ranges() {
  std::vector<int64_t> starts;
  std::vector<int64_t> limits;
  std::vector<int64_t> strides;
  ir_.Integers(Find("start_indices"), &starts);
  ir_.Integers(Find("limit_indices"), &limits);
  ir_.Integers(Find("strides"), &strides);
  out_.push_back('[');
  const size_t count =
      std::min(starts.size(), std::min(limits.size(), strides.size()));
  for (size_t i = 0; i < count; ++i) {
    absl::StrAppend(&out_, i == 0 ? "" : ", ", starts[i], ":", limits[i]);
    if (strides[i] != 1) absl::StrAppend(&out_, ":", strides[i]);
  }
  out_.push_back(']');
}

void MlirPrinter::DotDims() {
  const Attribute& dims = ir_.attr(Find("dot_dimension_numbers"));
  const auto list = [&](absl::string_view name) {
    attributes_.List(ir_.Find(dims, name), &out_);
  };
  if (ir_.Find(dims, "lhs_batching_dimensions").valid() ||
      ir_.Find(dims, "rhs_batching_dimensions").valid()) {
    out_.append("batching_dims = ");
    list("lhs_batching_dimensions");
    out_.append(" x ");
    list("rhs_batching_dimensions");
    out_.append(", ");
  }
  out_.append("contracting_dims = ");
  list("lhs_contracting_dimensions");
  out_.append(" x ");
  list("rhs_contracting_dimensions");
}

void MlirPrinter::Precision(bool algorithm) {
  const AttrId precision = Find("precision_config");
  if (precision.valid()) {
    out_.append(", precision = [");
    const std::vector<AttrId>& words = ir_.attr(precision).elements;
    AppendList(words.size(), &out_, [&](size_t i) {
      attributes_.Short(ValueKind::kWord, words[i], &out_);
    });
    out_.push_back(']');
  }
  const AttrId value = algorithm ? Find("algorithm") : AttrId();
  if (!value.valid()) return;
  out_.append(", algorithm = ");
  attributes_.Body(value, &out_);
}

// {stride = [1, 1], pad = [[0, 0], [0, 0]]}
void MlirPrinter::Window() {
  out_.push_back('{');
  bool first = true;
  for (const WindowPart& part : kWindowParts) {
    const AttrId value = Find(part.attribute);
    if (!value.valid()) continue;
    absl::StrAppend(&out_, first ? "" : ", ", part.word, " = ");
    first = false;
    if (part.word != "pad") {
      attributes_.List(value, &out_);
      continue;
    }
    std::vector<int64_t> pads;
    ir_.Integers(value, &pads);
    out_.push_back('[');
    AppendList(pads.size() / 2, &out_, [&](size_t i) {
      absl::StrAppend(&out_, "[", pads[2 * i], ", ", pads[2 * i + 1], "]");
    });
    out_.push_back(']');
  }
  out_.push_back('}');
}

// (%iterArg = %x) : types attributes {...}, and the line of "cond".
void MlirPrinter::While() {
  const Op& op = this->op();
  const absl::Span<const ValueId> operands = ir_.operands(op);
  // MLIR shows the arguments of the second region.
  const Block& body = ir_.body(op, 1);
  out_.push_back('(');
  AppendList(operands.size(), &out_, [&](size_t i) {
    Value(body.arguments[i]);
    out_.append(" = ");
    Value(operands[i]);
  });
  out_.push_back(')');
  if (!operands.empty()) {
    out_.append(" : ");
    attributes_.Types(ir_.types_of(operands), &out_);
  }
  Attrs(" attributes {");
  Newline();
}

// (%x init: %c) applies op across dimensions = [1] {...} : types
void MlirPrinter::Reduce() {
  const Op& op = this->op();
  const absl::Span<const ValueId> operands = ir_.operands(op);
  const size_t count = operands.size() / 2;
  for (size_t i = 0; i < count; ++i) {
    out_.append(i == 0 ? "(" : ", (");
    Value(operands[i]);
    out_.append(" init: ");
    Value(operands[count + i]);
    out_.push_back(')');
  }
  if (frames_.back().compact) {
    const Block& block = ir_.body(op);
    absl::StrAppend(&out_, " applies ", ir_.name(ir_.op(block.ops[0])));
  }
  out_.append(" across dimensions = ");
  attributes_.List(Find("dimensions"), &out_);
  Attrs(" {");
  out_.append(" : ");
  attributes_.Function(ir_.types_of(operands), ir_.types_of(ir_.results(op)),
                       &out_);
}

// Whether a reduce's region is one commutative operation of its arguments,
// which stands in the operation's line instead.
bool MlirPrinter::IsCompact(const Op& op) const {
  const std::vector<BlockId>& blocks = ir_.region(ir_.regions(op)[0]).blocks;
  const Block& block = ir_.block(blocks[0]);
  if (blocks.size() != 1 || block.ops.size() != 2) return false;
  const Op& inner = ir_.op(block.ops[0]);
  const Op& end = ir_.op(block.ops[1]);
  const OpRow* const row = names_.Row(inner);
  // An attribute has no place in the short form.
  if (row == nullptr || (row->traits & kCommutative) == 0 ||
      inner.result_count != 1 || inner.property_count > 0 ||
      inner.discardable_count > 0 ||
      !absl::EndsWith(ir_.name(end), ".return")) {
    return false;
  }
  const TypeId type = ir_.type_of(inner.first_result);
  const Type& scalar = ir_.type(type);
  const Type& input = ir_.type(ir_.type_of(ir_.operands(op)[0]));
  if (scalar.kind != TypeKind::kTensor || !scalar.dims.empty() ||
      scalar.encoding.valid() || scalar.element != input.element) {
    return false;
  }
  const absl::Span<const ValueId> operands = ir_.operands(inner);
  for (const ValueId operand : operands) {
    if (ir_.type_of(operand) != type) return false;
  }
  const absl::Span<const ValueId> results = ir_.operands(end);
  return absl::MakeConstSpan(block.arguments) == operands &&
         results.size() == 1 && results[0] == inner.first_result;
}

// reducer(%a: type, %b: type) in a line of its own
void MlirPrinter::Reducer() {
  const Op& op = this->op();
  const Block& block = ir_.body(op);
  const std::vector<ValueId> arguments = Paired(block.arguments);
  Newline();
  out_.append(" reducer");
  for (size_t i = 0; i < arguments.size(); i += 2) {
    out_.push_back('(');
    Argument(arguments[i], {});
    out_.append(", ");
    Argument(arguments[i + 1], {});
    out_.append(") ");
  }
  out_.push_back(' ');
}

// (%x) inits (%c) dimension=0 attributes {...}
void MlirPrinter::Scan() {
  const absl::Span<const ValueId> operands = ir_.operands(op());
  std::vector<int64_t> segments;
  ir_.Integers(Find("operandSegmentSizes"), &segments);
  const size_t inputs =
      segments.empty()
          ? operands.size()
          : std::min(operands.size(), static_cast<size_t>(segments[0]));
  out_.push_back('(');
  Values(operands.first(inputs));
  out_.append(") inits (");
  Values(operands.subspan(inputs));
  absl::StrAppend(&out_, ") dimension=", ir_.attr(Find("dimension")).integer,
                  " ");
  Attrs(" attributes {");
  out_.push_back(' ');
}

// private @f(%arg0: type {...}) -> (type {...}) attributes {...}
void MlirPrinter::Func() {
  const Op& op = this->op();
  const AttrId visibility = Find(note::kSymVisibility);
  out_.push_back(' ');
  if (visibility.valid()) {
    absl::StrAppend(&out_, ir_.attr(visibility).text, " ");
  }
  AppendSymbol(ir_.attr(Find(note::kSymName)).text, &out_);
  const Type& type = ir_.type(ir_.attr(Find(note::kFunctionType)).type);
  const absl::Span<const TypeId> parts = type.parts;
  const std::vector<BlockId>& blocks = ir_.region(ir_.regions(op)[0]).blocks;
  out_.push_back('(');
  AppendList(type.input_count, &out_, [&](size_t i) {
    const absl::Span<const NamedAttr> attrs = PartAttrs(note::kArgAttrs, i);
    if (blocks.empty()) return TypeWithAttrs(parts[i], attrs);
    Argument(ir_.block(blocks[0]).arguments[i], attrs);
  });
  out_.push_back(')');
  const absl::Span<const TypeId> results = parts.subspan(type.input_count);
  if (!results.empty()) {
    const bool alone = results.size() == 1 &&
                       PartAttrs(note::kResAttrs, 0).empty() &&
                       ir_.type(results[0]).kind != TypeKind::kFunction;
    out_.append(alone ? " -> " : " -> (");
    AppendList(results.size(), &out_, [&](size_t i) {
      TypeWithAttrs(results[i], PartAttrs(note::kResAttrs, i));
    });
    if (!alone) out_.push_back(')');
  }
  Attrs(" attributes {");
}

void MlirPrinter::TypeWithAttrs(TypeId type,
                                absl::Span<const NamedAttr> attrs) {
  out_.append(attributes_.Type(type));
  if (attrs.empty()) return;
  out_.push_back(' ');
  attributes_.Dictionary(attrs, &out_);
}

// The attributes of argument or result i of a function.
absl::Span<const NamedAttr> MlirPrinter::PartAttrs(absl::string_view name,
                                                   size_t i) const {
  const AttrId list = Find(name);
  if (!list.valid() || i >= ir_.attr(list).elements.size()) return {};
  return ir_.attr(ir_.attr(list).elements[i]).fields;
}

// @name attributes {...}
void MlirPrinter::Module() {
  const AttrId name = Find(note::kSymName);
  if (name.valid()) {
    out_.push_back(' ');
    AppendSymbol(ir_.attr(name).text, &out_);
  }
  Attrs(" attributes {");
  out_.push_back(' ');
}

// (%x) in_shardings=[...] out_shardings=[...] manual_axes={} (%arg0: type),
// or <"name">(%x) in_shardings=[...] (%arg0: type).
void MlirPrinter::ManualComputation() {
  const Op& op = this->op();
  if (Find("name").valid()) {
    absl::StrAppend(&out_, "<");
    AppendQuoted(ir_.attr(Find("name")).text, &out_);
    out_.push_back('>');
  }
  out_.push_back('(');
  Values(ir_.operands(op));
  out_.push_back(')');
  for (const absl::string_view name :
       {"in_shardings", "out_shardings", "manual_axes"}) {
    if (!Find(name).valid()) continue;
    absl::StrAppend(&out_, " ", name, "=");
    const Attribute& value = ir_.attr(Find(name));
    if (!value.fields.empty()) {
      out_.append(ir_.attr(value.fields[0].value).text);
    }
  }
  out_.append(" (");
  const Block& block = ir_.body(op);
  AppendList(block.arguments.size(), &out_,
             [&](size_t i) { Argument(block.arguments[i], {}); });
  out_.append(") ");
}

}  // namespace indim::mlir
