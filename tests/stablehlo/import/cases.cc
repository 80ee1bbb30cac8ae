// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/stablehlo/import/cases.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "indim/eval/evaluator.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/float_format.h"
#include "indim/passes/check/infer_and_verify.h"
#include "indim/passes/check/verify_module.h"
#include "indim/shape/types/element_type.h"
#include "indim/stablehlo/import/import.h"
#include "indim/stablehlo/text/parse_mlir_text.h"

namespace indim {
namespace {

using google::protobuf::Struct;

std::vector<std::string> Texts(const Struct& line, const std::string& name) {
  std::vector<std::string> texts;
  const auto field = line.fields().find(name);
  if (field == line.fields().end()) return texts;
  for (const auto& value : field->second.list_value().values()) {
    texts.push_back(value.string_value());
  }
  return texts;
}

std::string Text(const Struct& line, const std::string& name) {
  const auto field = line.fields().find(name);
  return field == line.fields().end() ? "" : field->second.string_value();
}

// StableHLO's tests have operations of their own, which show an inferred type
// and return indices: `text` with custom calls in their place, which return
// integers.
std::string WithoutTestOps(std::string text) {
  const std::string ops[] = {"\"hlo_test_infer.get_return_types\"",
                             "\"hlo_test_infer.reify_return_type_shapes\""};
  for (const std::string& op : ops) {
    for (size_t at = text.find(op); at != std::string::npos;
         at = text.find(op, at)) {
      const size_t end = text.find(')', at);
      if (end == std::string::npos) break;
      text.insert(end + 1, " <{call_target_name = \"test\"}>");
      text.replace(at, op.size(), "\"stablehlo.custom_call\"");
      absl::StrReplaceAll({{"xindex>", "xi64>"}, {"<index>", "<i64>"}}, &text);
    }
  }
  return text;
}

}  // namespace

std::vector<ShloCase> ReadShloCases(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<ShloCase> cases;
  if (!absl::EndsWith(path, ".jsonl")) {
    ShloCase c;
    c.id = path.substr(path.rfind('/') + 1);
    c.text.assign(std::istreambuf_iterator<char>(in), {});
    cases.push_back(std::move(c));
    return cases;
  }
  std::string text;
  while (std::getline(in, text)) {
    Struct line;
    if (!google::protobuf::util::JsonStringToMessage(text, &line).ok())
      continue;
    ShloCase c;
    c.id = Text(line, "id");
    c.text = Text(line, "text");
    c.expect = Text(line, "expect");
    c.messages = Texts(line, "messages");
    c.kinds = Texts(line, "kinds");
    cases.push_back(std::move(c));
  }
  return cases;
}

absl::StatusOr<Module> ReadShlo(absl::string_view text) {
  const std::string known = WithoutTestOps(std::string(text));
  text = known;
  absl::StatusOr<mlir::Ir> ir = mlir::ParseMlirText(text, "case");
  if (!ir.ok()) return ir.status();
  stablehlo_import::ImportOptions options;
  options.file = "case";
  options.text = text;
  return stablehlo_import::ImportModule(*ir, options);
}

absl::Status VerifyShlo(absl::string_view text) {
  absl::StatusOr<Module> module = ReadShlo(text);
  if (!module.ok()) return module.status();
  const VerifyResult result = VerifyModule(*module);
  std::vector<std::string> messages;
  for (const ModuleDiagnostic& d : result.report.diagnostics()) {
    if (d.diagnostic.severity() != Severity::kError) continue;
    messages.push_back(MessageText(*module, d));
  }
  if (result.unchecked != 0) messages.push_back("unchecked");
  if (messages.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(messages, "\n"));
}

namespace {

// The bits of component `i` of a value's elements, and their type.
ElementType ComponentType(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  if (type == ElementType::kC128) return ElementType::kF64;
  return type;
}

uint64_t Bits(absl::string_view bytes, size_t at, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + at, size);
  return bits;
}

// The number of representable values between two of one float type.
uint64_t Ulps(uint64_t a, uint64_t b, int width) {
  const auto ordered = [&](uint64_t bits) {
    const uint64_t sign = uint64_t{1} << (width - 1);
    return (bits & sign) != 0 ? sign - (bits & (sign - 1)) : sign + bits;
  };
  const uint64_t x = ordered(a), y = ordered(b);
  return x > y ? x - y : y - x;
}

bool Agree(ElementType type, uint64_t a, uint64_t b, absl::string_view kind) {
  if (a == b) return true;
  if (!IsFloat(type)) return false;
  const double x = DecodeFloat(type, a), y = DecodeFloat(type, b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if (kind == "eq_const" || kind == "eq") return x == y && x != 0;
  if (std::isinf(x) || std::isinf(y)) return x == y;
  if (kind == "close") return x == y || Ulps(a, b, Info(type).bits) <= 3;
  return std::abs(x - y) <= 1e-4;
}

}  // namespace

std::string Compare(const Literal& actual, const Literal& expected,
                    absl::string_view kind) {
  if (!SameStructure(actual.shape(), expected.shape())) {
    return absl::StrCat(actual.shape().ToString(), " for ",
                        expected.shape().ToString());
  }
  const absl::StatusOr<Literal> a = actual.Expanded();
  const absl::StatusOr<Literal> b = expected.Expanded();
  const ElementType type = ComponentType(actual.shape().element_type());
  const auto size = static_cast<size_t>(ElementBytes(type));
  int wrong = 0;
  std::string first;
  for (size_t at = 0; at + size <= a->bytes().size(); at += size) {
    const uint64_t x = Bits(a->bytes(), at, size);
    const uint64_t y = Bits(b->bytes(), at, size);
    if (Agree(type, x, y, kind)) continue;
    if (wrong++ == 0) {
      first = IsFloat(type) ? absl::StrCat(DecodeFloat(type, x), " for ",
                                           DecodeFloat(type, y))
                            : absl::StrCat(x, " for ", y);
    }
  }
  if (wrong == 0) return "";
  return absl::StrCat(wrong, " of ", a->bytes().size() / size,
                      " elements differ, the first: ", first);
}

namespace {

// Makes the custom call at position `i` of the entry a tuple of its operands,
// and the entry's root.
Module WithRoot(const Module& module, uint32_t i) {
  auto data = std::make_shared<ModuleData>(internal::DataOf(module));
  const uint32_t position = data->Position(data->entry, i);
  InstructionRecord& record = data->instructions[position];
  std::vector<Shape> shapes;
  for (const uint32_t operand : data->Operands(record)) {
    shapes.push_back(
        data->pools->shapes().shape(data->Record(data->entry, operand).shape));
  }
  record.opcode = Opcode::kTuple;
  record.attribute_bytes = AttributeBytesId();
  record.shape = data->MutablePools().shapes().Intern(Shape::Tuple(shapes));
  data->computations[data->entry].root = i;
  return internal::ModuleOf(std::move(data));
}

absl::Status CheckPair(const Literal& pair, absl::string_view kind) {
  if (pair.elements().size() != 2) {
    return absl::InternalError("a check of two values");
  }
  const std::string wrong =
      Compare(pair.elements()[0], pair.elements()[1], kind);
  return wrong.empty() ? absl::OkStatus() : absl::DataLossError(wrong);
}

}  // namespace

absl::Status EvaluateShlo(const ShloCase& c) {
  absl::StatusOr<Module> read = ReadShlo(c.text);
  if (!read.ok()) return read.status();
  const InferAndVerifyResult checked = InferAndVerify(*std::move(read));
  if (!checked.ok()) return VerifyShlo(c.text);
  const Module& module = checked.inferred.module;
  if (!c.kinds.empty()) {
    const absl::StatusOr<Literal> values = Evaluate(module, {});
    if (!values.ok()) return values.status();
    for (size_t i = 0; i < c.kinds.size(); ++i) {
      const Literal pair = Literal::Tuple(
          {values->elements()[2 * i], values->elements()[2 * i + 1]});
      const absl::Status status = CheckPair(pair, c.kinds[i]);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  int checks = 0;
  for (const Instruction i : module.entry().instructions()) {
    if (i.opcode() != Opcode::kCustomCall) continue;
    absl::string_view target = As<CustomCallAttributes>(i.attributes()).target;
    if (!absl::ConsumePrefix(&target, "check.expect_")) continue;
    ++checks;
    const absl::StatusOr<Literal> pair =
        Evaluate(WithRoot(module, static_cast<uint32_t>(i.index())), {});
    if (!pair.ok()) return pair.status();
    const absl::Status status = CheckPair(*pair, target);
    if (!status.ok()) return status;
  }
  return checks > 0 ? absl::OkStatus()
                    : absl::NotFoundError("nothing is checked");
}

}  // namespace indim
