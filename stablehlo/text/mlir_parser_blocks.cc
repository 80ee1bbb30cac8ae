// The building blocks of single operations.

#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/text/mlir_parser.h"

namespace indim::mlir {

bool MlirParser::ParseSpecialBlock(Part part) {
  switch (part) {
    case Part::kConstant:
      return ParseConstant();
    case Part::kRanges:
      return ParseRanges();
    case Part::kExponentMantissa:
      return ParseExponentMantissa();
    case Part::kDotDims:
      return ParseDotDims();
    case Part::kPrecision:
    case Part::kPrecisionAlgorithm:
      return ParsePrecision(part == Part::kPrecisionAlgorithm);
    case Part::kConvDims: {
      AttrId dims;
      if (!ParseConvDims(&dims)) return false;
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
bool MlirParser::ParseConstant() {
  Frame& frame = this->frame();
  if (lexer_.Is('(')) {
    frame.form = &GenericForm();
    frame.step = static_cast<size_t>(-1);  // the next is its first
    return true;
  }
  if (!ParseOptionalDictionary()) return false;
  const size_t offset = lexer_.offset();
  AttrId value;
  if (!ParseAttribute(&value) ||
      !AddAttribute(ir_.Intern("value"), value, offset)) {
    return false;
  }
  frame.result_types = {ir_.attr(value).type};
  return true;
}

// [0:4, 1:9:2]
bool MlirParser::ParseRanges() {
  std::vector<int64_t> starts;
  std::vector<int64_t> limits;
  std::vector<int64_t> strides;
  if (!lexer_.Expect('[')) return false;
  while (!lexer_.Is(']')) {
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
    if (!lexer_.Accept(',')) break;
  }
  AddProperty("start_indices", ir_.I64ArrayAttr(starts));
  AddProperty("limit_indices", ir_.I64ArrayAttr(limits));
  AddProperty("strides", ir_.I64ArrayAttr(strides));
  return lexer_.Expect(']');
}

// e5m10
bool MlirParser::ParseExponentMantissa() {
  const absl::string_view word = lexer_.text();
  const size_t m = word.find('m');
  int32_t exponent = 0;
  int32_t mantissa = 0;
  const bool good = lexer_.token() == Token::kWord && word[0] == 'e' &&
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
bool MlirParser::ParseDotDims() {
  std::vector<NamedAttr> fields;
  const auto pair = [&](absl::string_view lhs, absl::string_view rhs) {
    if (!lexer_.Expect('=')) return false;
    for (const absl::string_view name : {lhs, rhs}) {
      if (name == rhs && !lexer_.ExpectWord("x")) return false;
      if (!ParseIntegerList(&some_integers_)) return false;
      if (some_integers_.empty()) continue;
      fields.push_back({ir_.Intern(name), ir_.I64ArrayAttr(some_integers_)});
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
bool MlirParser::ParsePrecision(bool algorithm) {
  if (!lexer_.Accept(',')) return true;
  if (!algorithm || !lexer_.IsWord("algorithm")) {
    if (!lexer_.ExpectWord("precision") || !lexer_.Expect('=') ||
        !lexer_.Expect('[')) {
      return false;
    }
    std::vector<AttrId> precisions;
    while (!lexer_.Is(']')) {
      AttrId precision;
      if (!ParseWord("stablehlo.precision", &precision)) return false;
      precisions.push_back(precision);
      if (!lexer_.Accept(',')) break;
    }
    if (!lexer_.Expect(']')) return false;
    AddProperty("precision_config", ir_.ArrayAttr(precisions));
    if (!algorithm || !lexer_.Accept(',')) return true;
  }
  AttrId value;
  if (!lexer_.ExpectWord("algorithm") || !lexer_.Expect('=') ||
      !ParseShortValue(ValueKind::kStruct, "stablehlo.dot_algorithm", &value)) {
    return false;
  }
  AddProperty("algorithm", value);
  return true;
}

// {stride = [1, 1], pad = [[0, 0], [0, 0]], reverse = [false, false]}
bool MlirParser::ParseWindow() {
  struct Part {
    absl::string_view word;
    absl::string_view attribute;
  };
  constexpr Part kParts[] = {{"stride", "window_strides"},
                             {"pad", "padding"},
                             {"lhs_dilate", "lhs_dilation"},
                             {"rhs_dilate", "rhs_dilation"},
                             {"reverse", "window_reversal"}};
  if (!lexer_.Expect('{')) return false;
  while (!lexer_.Is('}')) {
    const size_t offset = lexer_.offset();
    const Part* part = nullptr;
    for (const Part& p : kParts) {
      if (lexer_.IsWord(p.word)) part = &p;
    }
    if (part == nullptr) {
      return lexer_.Expected(
          "one of stride, pad, lhs_dilate, rhs_dilate, reverse");
    }
    lexer_.Next();
    if (!lexer_.Expect('=')) return false;
    AttrId value;
    if (part->word == "pad") {
      if (!ParsePads(&some_integers_)) return false;
      value = ir_.DenseI64Attr(
          some_integers_, {static_cast<int64_t>(some_integers_.size()) / 2, 2});
    } else if (part->word == "reverse") {
      if (!ParseBools(&value)) return false;
    } else {
      if (!ParseIntegerList(&some_integers_)) return false;
      value = ir_.I64ArrayAttr(some_integers_);
    }
    if (!AddAttribute(ir_.Intern(part->attribute), value, offset)) return false;
    if (!lexer_.Accept(',')) break;
  }
  return lexer_.Expect('}');
}

// [true, false] or [1, 0]
bool MlirParser::ParseBools(AttrId* value) {
  Attribute bools;
  bools.kind = AttrKind::kDenseArray;
  bools.type = ir_.ElementTypeId(ElementType::kPred);
  if (!lexer_.Expect('[')) return false;
  while (!lexer_.Is(']')) {
    int64_t bit = lexer_.IsWord("true") ? 1 : 0;
    if (!lexer_.AcceptWord("true") && !lexer_.AcceptWord("false") &&
        !lexer_.ReadInteger(&bit)) {
      return false;
    }
    bools.text.push_back(bit != 0 ? 1 : 0);
    if (!lexer_.Accept(',')) break;
  }
  *value = ir_.Intern(std::move(bools));
  return lexer_.Expect(']');
}

// [[0, 1], [2, 3]]
bool MlirParser::ParsePads(std::vector<int64_t>* values) {
  values->clear();
  if (!lexer_.Expect('[')) return false;
  while (!lexer_.Is(']')) {
    int64_t low = 0;
    int64_t high = 0;
    if (!lexer_.Expect('[') || !lexer_.ReadInteger(&low) ||
        !lexer_.Expect(',') || !lexer_.ReadInteger(&high) ||
        !lexer_.Expect(']')) {
      return false;
    }
    values->push_back(low);
    values->push_back(high);
    if (!lexer_.Accept(',')) break;
  }
  return lexer_.Expect(']');
}

// attributes {...}
bool MlirParser::ParseKeywordDictionary() {
  if (!lexer_.AcceptWord("attributes")) return true;
  return lexer_.Is('{') ? ParseOptionalDictionary() : lexer_.Expected("'{'");
}

// (%iterArg = %x, ...) : types attributes {...}
bool MlirParser::ParseWhile() {
  Frame& frame = this->frame();
  frame.has_operand_types = true;
  if (!lexer_.Expect('(')) return false;
  while (!lexer_.Is(')')) {
    Argument argument;
    frame.operands.emplace_back();
    if (!ParseValueName(&argument.name) || !lexer_.Expect('=') ||
        !ParseOperand(&frame.operands.back())) {
      return false;
    }
    frame.arguments.push_back(argument);
    if (!lexer_.Accept(',')) break;
  }
  if (!lexer_.Expect(')')) return false;
  if (!frame.operands.empty()) {
    const size_t offset = lexer_.offset();
    if (!lexer_.Expect(':') || !ParseTypeList(&frame.operand_types)) {
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
bool MlirParser::ParseReduce() {
  Frame& frame = this->frame();
  std::vector<Operand> inits;
  do {
    frame.operands.emplace_back();
    inits.emplace_back();
    if (!lexer_.Expect('(') || !ParseOperand(&frame.operands.back()) ||
        !lexer_.ExpectWord("init") || !lexer_.Expect(':') ||
        !ParseOperand(&inits.back()) || !lexer_.Expect(')')) {
      return false;
    }
  } while (lexer_.Accept(','));
  frame.operands.insert(frame.operands.end(), inits.begin(), inits.end());
  StringId inner;
  const size_t offset = lexer_.offset();
  if (lexer_.AcceptWord("applies")) {
    if (lexer_.token() != Token::kWord && lexer_.token() != Token::kString) {
      return lexer_.Expected("an operation");
    }
    inner = ir_.Intern(lexer_.text());
    const OpRow* const row = RowOf(inner);
    if (row == nullptr || (row->traits & kCommutative) == 0) {
      return lexer_.Expected("a commutative StableHLO operation");
    }
    lexer_.Next();
  }
  if (!lexer_.ExpectWord("across") || !lexer_.ExpectWord("dimensions") ||
      !lexer_.Expect('=') || !ParseIntegerList(&some_integers_)) {
    return false;
  }
  AddProperty("dimensions", ir_.I64ArrayAttr(some_integers_));
  frame.has_operand_types = true;
  if (!ParseOptionalDictionary() || !lexer_.Expect(':') ||
      !ParseFunctionTypes(&frame.operand_types, &frame.result_types)) {
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
bool MlirParser::MakeCompactReduce(StringId inner) {
  Frame& frame = this->frame();
  Type scalar;
  scalar.kind = TypeKind::kTensor;
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
bool MlirParser::ParseReducer() {
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

// %a: type loc(...)
bool MlirParser::ParseArgument(Argument* argument) {
  return ParseValueName(&argument->name) && lexer_.Expect(':') &&
         ParseType(&argument->type) &&
         ParseOptionalLocation(&argument->location);
}

// (%x) inits (%c) dimension=0 attributes {...}
bool MlirParser::ParseScan() {
  Frame& frame = this->frame();
  int64_t dimension = 0;
  if (!lexer_.Expect('(') || !ParseOperands(&frame.operands) ||
      !lexer_.Expect(')')) {
    return false;
  }
  const auto inputs = static_cast<int32_t>(frame.operands.size());
  if (!lexer_.ExpectWord("inits") || !lexer_.Expect('(') ||
      !ParseOperands(&frame.operands) || !lexer_.Expect(')') ||
      !lexer_.ExpectWord("dimension") || !lexer_.Expect('=') ||
      !lexer_.ReadInteger(&dimension) || !ParseKeywordDictionary()) {
    return false;
  }
  frame.scan_inputs = inputs;
  AddProperty("dimension", ir_.IntegerAttr(dimension));
  return true;
}

// The numbers of a scan's inputs and inits, which its types tell.
bool MlirParser::FinishScan() {
  Frame& frame = this->frame();
  const auto inits =
      static_cast<int32_t>(frame.operands.size()) - frame.scan_inputs;
  const auto outputs = static_cast<int32_t>(frame.result_types.size()) - inits;
  if (outputs < 0) {
    return lexer_.ErrorAt(frame.name_offset, frame.name_length,
                          "expected a result for each init", Code::kMlirCounts);
  }
  const auto segments = [&](int32_t first, int32_t second) {
    Attribute list;
    list.kind = AttrKind::kDenseArray;
    list.type = ir_.ElementTypeId(ElementType::kS32);
    for (const int32_t value : {first, second}) {
      for (int i = 0; i < 4; ++i) {
        list.text.push_back(
            static_cast<char>(static_cast<uint32_t>(value) >> (8 * i)));
      }
    }
    return ir_.Intern(std::move(list));
  };
  AddProperty("operandSegmentSizes", segments(frame.scan_inputs, inits));
  AddProperty("resultSegmentSizes", segments(outputs, inits));
  return true;
}

}  // namespace indim::mlir
