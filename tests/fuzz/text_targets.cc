// SPDX-License-Identifier: Apache-2.0
// Text of modules, shapes and questions.

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/fuzz/fuzz_target.h"
#include "indim/tests/fuzz/module_checks.h"
#include "indim/tests/fuzz/proto_text.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/query/query.h"

namespace indim {
namespace {

// Nothing in the message is filled in for its author.
bool IsWhole(const proto::HloModuleProto& module) {
  for (const proto::HloComputationProto& c : module.computations()) {
    if (!c.has_program_shape()) return false;
  }
  return module.has_host_program_shape();
}

// Whether a constant has so many elements that nobody waits for its text: a
// single value without braces stands for all.
bool HasHugeConstant(const Module& module) {
  constexpr int64_t kMany = 1 << 20;
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (node.opcode() == Opcode::kConstant && node.shape().is_array() &&
          node.shape().ElementCount().value_or(kMany + 1) > kMany) {
        return true;
      }
    }
  }
  return false;
}

// HLO text says the same after each round: what is printed is read, and from
// the second print on it stays.
std::string CheckRounds(const Module& module) {
  const PrintOptions all = PrintOptions::ShortParsable();
  std::string text = PrintHloText(module, all);
  for (int round = 1; round <= 3; ++round) {
    const absl::StatusOr<Module> read = ParseHloText(text);
    if (!read.ok()) {
      return absl::StrCat("print ", round,
                          " can't be read: ", read.status().message(), "\n",
                          text);
    }
    std::string next = PrintHloText(*read, all);
    if (round == 3 && next != text) {
      return absl::StrCat("it never stays the same:\n", text, "\n", next);
    }
    text = std::move(next);
  }
  return "";
}

// A module is the same once it went through bytes.
std::string CheckThroughBytes(const Module& module) {
  const absl::StatusOr<std::string> bytes = SerializeModule(module);
  if (!bytes.ok()) return bytes.status().ToString();
  const absl::StatusOr<Module> back = ReadHloModuleProto(*bytes);
  if (!back.ok()) {  // text has what readers of bytes and the verifier refuse
    return VerifyModule(module).ok() ? back.status().ToString() : "";
  }
  const PrintOptions all = PrintOptions::ShortParsable();
  const std::string text = PrintHloText(module, all);
  const std::string text_back = PrintHloText(*back, all);
  if (text != text_back) {
    return absl::StrCat("text and bytes disagree:\n", text, "\n", text_back);
  }
  return "";
}

}  // namespace

std::string CheckProtoText(absl::string_view text) {
  proto::HloModuleProto judged;
  const bool accepted = ParseProtoText(text, &judged);
  const absl::StatusOr<Module> module = ReadHloModuleText(text);
  if (accepted && !module.ok() &&
      absl::StartsWith(module.status().message(), "text format: ") &&
      !absl::StrContains(module.status().message(), "inside each other")) {
    return absl::StrCat("libprotobuf accepts: ", module.status().message());
  }
  if (!accepted || !IsWhole(judged)) {
    return module.ok() ? CheckModule(*module, false) : "";
  }
  const absl::StatusOr<Module> same =
      ReadHloModuleProto(DeterministicBytes(judged));
  if (same.ok() != module.ok()) return "bytes and text format disagree";
  if (!module.ok()) return "";
  if (*SerializeModule(*module) != *SerializeModule(*same)) {
    return "bytes and text format say different things";
  }
  return CheckModule(*module, false);
}

std::string CheckHloText(absl::string_view text) {
  ParseOptions elided;
  elided.allow_elided_constants = true;
  const absl::StatusOr<Module> with_elided = ParseHloText(text, elided);
  const absl::StatusOr<Module> module = ParseHloText(text);
  if (module.ok() && !with_elided.ok()) {
    return absl::StrCat("an option to allow more refuses it: ",
                        with_elided.status().message());
  }
  if (!module.ok())
    return with_elided.ok() ? CheckModule(*with_elided, false) : "";
  if (HasHugeConstant(*module)) return "";
  std::string complaint = CheckRounds(*module);
  if (complaint.empty()) complaint = CheckThroughBytes(*module);
  return complaint.empty() ? CheckModule(*module, true) : complaint;
}

// A tile without sizes, or of size 0: text has it, the readers of bytes refuse
// it, both as XLA's.
bool HasOddTile(const Shape& shape) {
  if (shape.is_tuple() || shape.is_buffer()) {
    return absl::c_any_of(shape.elements(), HasOddTile);
  }
  return shape.layout() != nullptr &&
         absl::c_any_of(shape.layout()->tiles, [](const Layout::Tile& tile) {
           return tile.empty() || absl::c_linear_search(tile, 0);
         });
}

std::string CheckShapeText(absl::string_view text) {
  absl::string_view rest = text;
  const absl::StatusOr<Shape> first = ConsumeShape(&rest);
  if (!first.ok() && rest != text) return "an error took text away";
  const absl::StatusOr<Shape> shape = ParseShape(text);
  if (!shape.ok()) return "";
  if (!first.ok() || *first != *shape) return "ConsumeShape disagrees";
  const absl::StatusOr<Shape> again = ParseShape(shape->ToString());
  if (!again.ok() || *again != *shape) {
    return absl::StrCat(shape->ToString(), " isn't read as what it is");
  }
  const std::string wire = SerializeShapeProto(*shape);
  if (Judge(WireMessage::kShapeProto, wire) != wire) {
    return "libprotobuf would write the shape differently";
  }
  const absl::StatusOr<Shape> back = ParseShapeProto(wire);
  if (!back.ok()) {
    return HasOddTile(*shape) ? "" : back.status().ToString();
  }
  if (*back != *shape) {
    return absl::StrCat(back->ToString(), " comes back for ",
                        shape->ToString());
  }
  if (!SameStructure(*shape, shape->WithoutLayout()) ||
      !Compatible(*shape, *shape)) {
    return "a shape isn't like itself";
  }
  shape->ElementCount();
  return "";
}

std::string CheckQuery(absl::string_view lines) {
  // Random texts have hundreds of lines, and reading the JSON of each takes
  // most of the time. What a later line finds it finds as one of the first too.
  constexpr size_t kQuestions = 4;
  std::vector<absl::string_view> questions = absl::StrSplit(lines, '\n');
  questions.resize(std::min(questions.size(), kQuestions));
  for (absl::string_view line : questions) {
    const std::string answer = AnswerLine(line);
    google::protobuf::Struct object;
    if (absl::StrContains(answer, '\n') ||
        !google::protobuf::util::JsonStringToMessage(answer, &object).ok()) {
      return absl::StrCat("no line of JSON: ", answer);
    }
    const auto& fields = object.fields();
    if (fields.count("error") + fields.count("shape") + fields.count("ok") ==
        0) {
      return absl::StrCat("no answer: ", answer);
    }
    if (fields.count("shape") > 0) {
      const std::string& text = fields.at("shape").string_value();
      const absl::StatusOr<Shape> shape = ParseShape(text);
      if (!shape.ok() || shape->ToString() != text) {
        return absl::StrCat("no shape: ", answer);
      }
    }
  }
  return "";
}

std::string CheckExplain(absl::string_view question) {
  const absl::StatusOr<Explanation> drawn = ExplainQuestion(question);
  ExplainOptions json;
  json.json = true;
  const absl::StatusOr<Explanation> object = ExplainQuestion(question, json);
  if (drawn.ok() != object.ok()) return "--json changes whether it is answered";
  ExplainOptions picture;
  picture.svg = true;
  picture.values = "counted";
  const absl::StatusOr<Explanation> svg = ExplainQuestion(question, picture);
  if (svg.ok() && !absl::EndsWith(svg->text, "</svg>\n")) {
    return absl::StrCat("no picture: ", svg->text);
  }
  if (!drawn.ok()) {
    return drawn.status().message().empty() ? "an error without words" : "";
  }
  if (drawn->ok != object->ok) return "--json changes whether it is accepted";
  google::protobuf::Struct parsed;
  if (!google::protobuf::util::JsonStringToMessage(object->text, &parsed)
           .ok()) {
    return absl::StrCat("no JSON: ", object->text);
  }
  const auto& result = parsed.fields().find("result");
  if (drawn->ok && result == parsed.fields().end()) {
    return absl::StrCat("accepted without a result: ", object->text);
  }
  if (result == parsed.fields().end()) return "";
  const std::string text = result->second.string_value();
  const absl::StatusOr<Shape> shape = ParseShape(
      absl::StartsWith(text, "[") ? absl::StrCat("f32", text) : text);
  return shape.ok() ? "" : absl::StrCat("no shape: ", object->text);
}

}  // namespace indim
