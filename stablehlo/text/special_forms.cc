// SPDX-License-Identifier: Apache-2.0
// The building blocks of single operations.

#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/text/form_parser.h"

namespace indim::mlir {

bool FormParser::ParseSpecial(Part part) {
  switch (part) {
    case Part::kConstant:
      return ParseConstant();
    case Part::kRanges:
      return ParseRanges();
    case Part::kExtents:
      return ParseExtents();
    case Part::kExponentMantissa:
      return ParseExponentMantissa();
    case Part::kDotDims:
      return ParseDotDims();
    case Part::kPrecision:
    case Part::kPrecisionAlgorithm:
      return ParsePrecision(part == Part::kPrecisionAlgorithm);
    case Part::kConvDims: {
      AttrId dims;
      if (!syntax_.structs.ParseConvDims(&dims)) return false;
      AddProperty("dimension_numbers", dims);
      return true;
    }
    case Part::kWindow:
      return ParseWindow();
    case Part::kWhile:
      return ParseWhile();
    case Part::kReduce:
      return ParseReduce();
    case Part::kReducer:
      return ParseReducer();
    case Part::kScan:
      return ParseScan();
    case Part::kFunc:
      return ParseFunc();
    case Part::kModule:
      return ParseModule();
    case Part::kManualComputation:
      return ParseManualComputation();
    case Part::kDirection:
      return ParseDirection();
    default:
      return lexer_.Error("this form can't be read");
  }
}

// {attrs} dense<...> : type, or behind () the generic form.
bool FormParser::ParseConstant() {
  OpFrame& frame = this->frame();
  if (lexer_.Is('(')) {
    frame.form = &GenericForm();
    frame.step = static_cast<size_t>(-1);  // the next is its first
    return true;
  }
  if (!ParseOptionalDictionary()) return false;
  const size_t offset = lexer_.offset();
  AttrId value;
  if (!syntax_.attributes.Parse(&value) ||
      !AddAttribute(ir_.Intern("value"), value, offset)) {
    return false;
  }
  frame.result_types = {ir_.attr(value).type};
  return true;
}

// [0:4, 1:9:2]
bool FormParser::ParseRanges() {
  std::vector<int64_t> starts;
  std::vector<int64_t> limits;
  std::vector<int64_t> strides;
  const bool good = lexer_.ReadList('[', ']', [&] {
    int64_t start = 0;
    int64_t limit = 0;
    int64_t stride = 1;
    if (!lexer_.ReadInteger(&start) || !lexer_.Expect(':') ||
        !lexer_.ReadInteger(&limit) ||
        (lexer_.Accept(':') && !lexer_.ReadInteger(&stride))) {
      return false;
    }
    starts.push_back(start);
    limits.push_back(limit);
    strides.push_back(stride);
    return true;
  });
  if (!good) return false;
  AddProperty("start_indices", ir_.I64ArrayAttr(starts));
  AddProperty("limit_indices", ir_.I64ArrayAttr(limits));
  AddProperty("strides", ir_.I64ArrayAttr(strides));
  return true;
}

// [4, 32], a vector of indices
bool FormParser::ParseExtents() {
  if (!syntax_.structs.ParseIntegers(&integers_)) return false;
  const TypeId index = ir_.Intern(Type(TypeKind::kIndex));
  AddProperty("shape", ir_.DenseAttr(integers_, index, 8,
                                     {static_cast<int64_t>(integers_.size())}));
  return true;
}

// e5m10
bool FormParser::ParseExponentMantissa() {
  const absl::string_view word = lexer_.text();
  const size_t m = word.find('m');
  int32_t exponent = 0;
  int32_t mantissa = 0;
  const bool good = lexer_.token() == MlirToken::kWord && word[0] == 'e' &&
                    m != absl::string_view::npos &&
                    absl::SimpleAtoi(word.substr(1, m - 1), &exponent) &&
                    absl::SimpleAtoi(word.substr(m + 1), &mantissa);
  if (!good) return lexer_.Expected("a float format such as e5m10");
  lexer_.Next();
  AddProperty("exponent_bits", ir_.IntegerAttr(exponent, ElementType::kS32));
  AddProperty("mantissa_bits", ir_.IntegerAttr(mantissa, ElementType::kS32));
  return true;
}

// batching_dims = [0] x [0], contracting_dims = [2] x [1]
bool FormParser::ParseDotDims() {
  std::vector<NamedAttr> fields;
  const auto pair = [&](absl::string_view lhs, absl::string_view rhs) {
    if (!lexer_.Expect('=')) return false;
    for (const absl::string_view name : {lhs, rhs}) {
      if (name == rhs && !lexer_.ExpectWord("x")) return false;
      if (!syntax_.structs.ParseIntegers(&integers_)) return false;
      if (integers_.empty()) continue;
      fields.push_back({ir_.Intern(name), ir_.I64ArrayAttr(integers_)});
    }
    return true;
  };
  if (lexer_.AcceptWord("batching_dims") &&
      (!pair("lhs_batching_dimensions", "rhs_batching_dimensions") ||
       !lexer_.Expect(','))) {
    return false;
  }
  if (!lexer_.ExpectWord("contracting_dims") ||
      !pair("lhs_contracting_dimensions", "rhs_contracting_dimensions")) {
    return false;
  }
  AddProperty("dot_dimension_numbers",
              ir_.DialectAttr("stablehlo.dot", std::move(fields)));
  return true;
}

// , precision = [HIGH, HIGH], algorithm = <...>
bool FormParser::ParsePrecision(bool algorithm) {
  if (!lexer_.Accept(',')) return true;
  if (!algorithm || !lexer_.IsWord("algorithm")) {
    std::vector<AttrId> precisions;
    const auto read = [&] {
      precisions.emplace_back();
      return syntax_.structs.ParseWord("stablehlo.precision",
                                       &precisions.back());
    };
    if (!lexer_.ExpectWord("precision") || !lexer_.Expect('=') ||
        !lexer_.ReadList('[', ']', read)) {
      return false;
    }
    AddProperty("precision_config", ir_.ArrayAttr(precisions));
    if (!algorithm || !lexer_.Accept(',')) return true;
  }
  AttrId value;
  if (!lexer_.ExpectWord("algorithm") || !lexer_.Expect('=') ||
      !syntax_.structs.ParseShort(ValueKind::kStruct, "stablehlo.dot_algorithm",
                                  &value)) {
    return false;
  }
  AddProperty("algorithm", value);
  return true;
}

// {stride = [1, 1], pad = [[0, 0], [0, 0]], reverse = [false, false]}
bool FormParser::ParseWindow() {
  return lexer_.ReadList('{', '}', [&] {
    const size_t offset = lexer_.offset();
    const WindowPart* const part =
        lexer_.token() == MlirToken::kWord
            ? FindRow(kWindowParts, &WindowPart::word, lexer_.text())
            : nullptr;
    if (part == nullptr) {
      return lexer_.Expected(
          "one of stride, pad, lhs_dilate, rhs_dilate, reverse");
    }
    lexer_.Next();
    if (!lexer_.Expect('=')) return false;
    AttrId value;
    if (part->word == "pad") {
      if (!ParsePads(&integers_)) return false;
      value = ir_.DenseI64Attr(integers_,
                               {static_cast<int64_t>(integers_.size()) / 2, 2});
    } else if (part->word == "reverse") {
      if (!ParseBools(&value)) return false;
    } else {
      if (!syntax_.structs.ParseIntegers(&integers_)) return false;
      value = ir_.I64ArrayAttr(integers_);
    }
    return AddAttribute(ir_.Intern(part->attribute), value, offset);
  });
}

// [true, false] or [1, 0]
bool FormParser::ParseBools(AttrId* value) {
  absl::InlinedVector<bool, 8> bools;
  const bool good = lexer_.ReadList('[', ']', [&] {
    int64_t bit = lexer_.IsWord("true") ? 1 : 0;
    if (!lexer_.AcceptWord("true") && !lexer_.AcceptWord("false") &&
        !lexer_.ReadInteger(&bit)) {
      return false;
    }
    bools.push_back(bit != 0);
    return true;
  });
  *value = ir_.BoolArrayAttr(bools);
  return good;
}

// [[0, 1], [2, 3]]
bool FormParser::ParsePads(std::vector<int64_t>* values) {
  values->clear();
  return lexer_.ReadList('[', ']', [&] {
    int64_t low = 0;
    int64_t high = 0;
    if (!lexer_.Expect('[') || !lexer_.ReadInteger(&low) ||
        !lexer_.Expect(',') || !lexer_.ReadInteger(&high) ||
        !lexer_.Expect(']')) {
      return false;
    }
    values->push_back(low);
    values->push_back(high);
    return true;
  });
}

// attributes {...}
bool FormParser::ParseKeywordDictionary() {
  if (!lexer_.AcceptWord("attributes")) return true;
  return lexer_.Is('{') ? ParseOptionalDictionary() : lexer_.Expected("'{'");
}

// (%iterArg = %x, ...) : types attributes {...}
bool FormParser::ParseWhile() {
  OpFrame& frame = this->frame();
  frame.has_operand_types = true;
  const auto read = [&] {
    frame.arguments.emplace_back();
    frame.operands.emplace_back();
    return scopes_.ParseName(&frame.arguments.back().name) &&
           lexer_.Expect('=') && scopes_.ParseOperand(&frame.operands.back());
  };
  if (!lexer_.ReadList('(', ')', read)) return false;
  if (!frame.operands.empty()) {
    const size_t offset = lexer_.offset();
    if (!lexer_.Expect(':') || !syntax_.types.ParseList(&frame.operand_types)) {
      return false;
    }
    if (frame.operand_types.size() != frame.operands.size()) {
      return lexer_.ErrorAt(offset, 1, "expected a type for each operand",
                            Code::kMlirCounts);
    }
  }
  frame.result_types = frame.operand_types;
  for (size_t i = 0; i < frame.arguments.size(); ++i) {
    frame.arguments[i].type = frame.operand_types[i];
  }
  return ParseKeywordDictionary();
}

// (%x init: %c), (%y init: %d) applies op across dimensions = [1] {...} : types
bool FormParser::ParseReduce() {
  OpFrame& frame = this->frame();
  std::vector<OperandRef> inits;
  do {
    frame.operands.emplace_back();
    inits.emplace_back();
    if (!lexer_.Expect('(') || !scopes_.ParseOperand(&frame.operands.back()) ||
        !lexer_.ExpectWord("init") || !lexer_.Expect(':') ||
        !scopes_.ParseOperand(&inits.back()) || !lexer_.Expect(')')) {
      return false;
    }
  } while (lexer_.Accept(','));
  frame.operands.insert(frame.operands.end(), inits.begin(), inits.end());
  StringId inner;
  const size_t offset = lexer_.offset();
  if (lexer_.AcceptWord("applies")) {
    if (lexer_.token() != MlirToken::kWord &&
        lexer_.token() != MlirToken::kString) {
      return lexer_.Expected("an operation");
    }
    inner = ir_.Intern(lexer_.text());
    const OpRow* const row = FindOp(ir_.text(inner));
    if (row == nullptr || (row->traits & kCommutative) == 0) {
      return lexer_.Expected("a commutative StableHLO operation");
    }
    lexer_.Next();
  }
  if (!lexer_.ExpectWord("across") || !lexer_.ExpectWord("dimensions") ||
      !lexer_.Expect('=') || !syntax_.structs.ParseIntegers(&integers_)) {
    return false;
  }
  AddProperty("dimensions", ir_.I64ArrayAttr(integers_));
  frame.has_operand_types = true;
  if (!ParseOptionalDictionary() || !lexer_.Expect(':') ||
      !syntax_.types.ParseFunction(&frame.operand_types, &frame.result_types)) {
    return false;
  }
  if (!inner.valid()) return true;
  if (frame.operand_types.empty() ||
      ir_.type(frame.operand_types[0]).kind != TypeKind::kTensor) {
    return lexer_.ErrorAt(offset, 7, "expected a tensor as the first operand",
                          Code::kMlirType);
  }
  return MakeCompactReduce(inner);
}

// The region of a reduce that names its operation.
bool FormParser::MakeCompactReduce(StringId inner) {
  OpFrame& frame = this->frame();
  Type scalar(TypeKind::kTensor);
  scalar.element = ir_.type(frame.operand_types[0]).element;
  const TypeId type = ir_.Intern(std::move(scalar));
  const RegionId region = ir_.AddRegion();
  const BlockId block = ir_.AddBlock(region);
  const ValueId arguments[] = {ir_.AddArgument(block, type),
                               ir_.AddArgument(block, type)};
  Ir::OpParts parts;
  parts.name = inner;
  parts.operands = arguments;
  parts.results = absl::MakeConstSpan(&type, 1);
  parts.offset = frame.name_offset;
  const OpId op = ir_.AddOp(block, std::move(parts));
  const ValueId result = ir_.result(ir_.op(op), 0);
  Ir::OpParts end;
  end.name = ir_.Intern("stablehlo.return");
  end.operands = absl::MakeConstSpan(&result, 1);
  end.offset = frame.name_offset;
  ir_.AddOp(block, std::move(end));
  frame.regions.push_back(region);
  return true;
}

// reducer(%a: type, %b: type) (%c: type, %d: type)
bool FormParser::ParseReducer() {
  if (!lexer_.ExpectWord("reducer")) return false;
  std::vector<Argument> second;
  while (lexer_.Accept('(')) {
    frame().arguments.emplace_back();
    second.emplace_back();
    if (!ParseArgument(&frame().arguments.back()) || !lexer_.Expect(',') ||
        !ParseArgument(&second.back()) || !lexer_.Expect(')')) {
      return false;
    }
  }
  frame().arguments.insert(frame().arguments.end(), second.begin(),
                           second.end());
  return true;
}

bool FormParser::ParseArgument(Argument* argument) {
  return scopes_.ParseName(&argument->name) && lexer_.Expect(':') &&
         syntax_.types.Parse(&argument->type) &&
         syntax_.locations.ParseOptional(&argument->location);
}

// (%x) inits (%c) dimension=0 attributes {...}
bool FormParser::ParseScan() {
  OpFrame& frame = this->frame();
  int64_t dimension = 0;
  if (!lexer_.Expect('(') || !scopes_.ParseOperands(&frame.operands) ||
      !lexer_.Expect(')')) {
    return false;
  }
  const auto inputs = static_cast<int32_t>(frame.operands.size());
  if (!lexer_.ExpectWord("inits") || !lexer_.Expect('(') ||
      !scopes_.ParseOperands(&frame.operands) || !lexer_.Expect(')') ||
      !lexer_.ExpectWord("dimension") || !lexer_.Expect('=') ||
      !lexer_.ReadInteger(&dimension) || !ParseKeywordDictionary()) {
    return false;
  }
  frame.scan_inputs = inputs;
  AddProperty("dimension", ir_.IntegerAttr(dimension));
  return true;
}

bool FormParser::FinishScan(OpFrame* of) {
  frame_ = of;
  OpFrame& frame = this->frame();
  const auto inits =
      static_cast<int32_t>(frame.operands.size()) - frame.scan_inputs;
  const auto outputs = static_cast<int32_t>(frame.result_types.size()) - inits;
  if (outputs < 0) {
    return lexer_.ErrorAt(frame.name_offset, frame.name_length,
                          "expected a result for each init", Code::kMlirCounts);
  }
  AddProperty("operandSegmentSizes",
              ir_.I32ArrayAttr({frame.scan_inputs, inits}));
  AddProperty("resultSegmentSizes", ir_.I32ArrayAttr({outputs, inits}));
  return true;
}

}  // namespace indim::mlir
