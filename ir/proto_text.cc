#include "indim/ir/proto_text.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "indim/ir/wire.h"
#include "indim/ir/wire_reader.h"
#include "indim/ir/wire_writer.h"
#include "indim/proto/hlo.pb.h"

namespace indim {
namespace {

// --- Parsing ----------------------------------------------------------------

// Keeps the first error. The parser is told to go on at unknown fields, because
// it can't be told that those by number are fine; it warns about each.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!message_.empty()) return;
    message_ =
        absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  void AddWarning(int line, int column, const std::string& message) override {
    // It warns of fields that are deprecated as well.
    if (!absl::StrContains(message, " has no field named ")) return;
    // Message type "indim.proto.Shape" has no field named "rank".
    const std::vector<absl::string_view> parts = absl::StrSplit(message, '"');
    const absl::string_view field = parts.size() > 3 ? parts[3] : "";
    const bool by_number =
        !field.empty() &&
        std::all_of(field.begin(), field.end(), absl::ascii_isdigit);
    if (!by_number) AddError(line, column, message);
  }
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

// Messages inside each other, and a list in the innermost.
constexpr int kMaxBrackets = kMaxWireDepth + 1;

// An error at the first bracket that is too deep. libprotobuf's parser counts
// the messages that it knows, but not what it skips.
absl::Status CheckNesting(absl::string_view text) {
  int depth = 0;
  int line = 1;
  size_t line_start = 0;
  char quote = 0;
  bool comment = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      line_start = i + 1;
      comment = false;
      quote = 0;
    } else if (comment) {
      continue;
    } else if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      comment = true;
    } else if (c == '{' || c == '<' || c == '[') {
      if (++depth <= kMaxBrackets) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "text format: line ", line, ", column ", i - line_start + 1,
          ": more than ", kMaxWireDepth, " messages are inside each other"));
    } else if (c == '}' || c == '>' || c == ']') {
      --depth;
    }
  }
  return absl::OkStatus();
}

absl::Status Parse(absl::string_view text, proto::HloModuleProto* module) {
  if (text.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return absl::ResourceExhaustedError(
        "text format: more than 2 GiB; use the binary form");
  }
  absl::Status nesting = CheckNesting(text);
  if (!nesting.ok()) return nesting;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.AllowFieldNumber(true);
  parser.AllowUnknownField(true);
  parser.SetRecursionLimit(kMaxWireDepth);
  google::protobuf::io::ArrayInputStream input(text.data(),
                                               static_cast<int>(text.size()));
  if (parser.Parse(&input, module) && error.message().empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("text format: ", error.message()));
}

// --- Filling in what a person left out --------------------------------------

// Gives ids that are not in use, from 1 up.
class FreshIds {
 public:
  void Use(int64_t id) { used_.insert(static_cast<uint32_t>(id)); }
  int64_t Next() {
    while (used_.contains(next_)) ++next_;
    return next_++;
  }

 private:
  absl::flat_hash_set<uint32_t> used_;  // instructions: low 32 bits count
  uint32_t next_ = 1;
};

// Numbers those of `items` (computations or instructions) that have no id,
// unless something refers to 0.
template <typename Items>
void FillIds(bool zero_is_meant, Items* items) {
  if (zero_is_meant) return;
  FreshIds fresh;
  for (const auto& item : *items) fresh.Use(item.id());
  for (auto& item : *items) {
    if (item.id() == 0) item.set_id(fresh.Next());
  }
}

bool HasZero(const google::protobuf::RepeatedField<int64_t>& ids) {
  return std::find(ids.begin(), ids.end(), 0) != ids.end();
}

// Gives arrays that have no layout the row-major one. Tuples inside each other
// are at most as deep as the parser reads.
void FillLayout(proto::ShapeProto* shape) {
  for (proto::ShapeProto& element : *shape->mutable_tuple_shapes()) {
    FillLayout(&element);
  }
  const bool is_array = shape->element_type() != proto::TUPLE &&
                        shape->element_type() != proto::TOKEN &&
                        shape->element_type() != proto::OPAQUE_TYPE &&
                        shape->element_type() != proto::BUFFER;
  if (!is_array || shape->has_layout()) return;
  proto::LayoutProto* layout = shape->mutable_layout();
  for (int i = shape->dimensions_size() - 1; i >= 0; --i) {
    layout->add_minor_to_major(i);
  }
  layout->set_tail_padding_alignment_in_elements(1);
}

// Its own shape, and those of the literals inside it.
void FillLiteralLayout(proto::LiteralProto* literal) {
  if (literal->has_shape()) FillLayout(literal->mutable_shape());
  for (proto::LiteralProto& element : *literal->mutable_tuple_literals()) {
    FillLiteralLayout(&element);
  }
}

void FillConstant(proto::HloInstructionProto* constant) {
  if (!constant->has_literal()) return;
  proto::LiteralProto* literal = constant->mutable_literal();
  if (!literal->has_shape() && constant->has_shape()) {
    *literal->mutable_shape() = constant->shape();
  }
  FillLiteralLayout(literal);
  if (!constant->has_shape() && literal->has_shape()) {
    *constant->mutable_shape() = literal->shape();
  }
  // XLA wants both to have the same layout.
  if (constant->has_shape()) FillLayout(constant->mutable_shape());
}

void FillParameterNumbers(proto::HloComputationProto* computation) {
  std::vector<proto::HloInstructionProto*> parameters;
  for (proto::HloInstructionProto& instruction :
       *computation->mutable_instructions()) {
    if (instruction.opcode() != "parameter") continue;
    if (instruction.parameter_number() != 0) return;
    parameters.push_back(&instruction);
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i]->set_parameter_number(static_cast<int64_t>(i));
  }
}

void FillComputation(proto::HloComputationProto* computation) {
  bool zero_is_meant = false;
  for (proto::HloInstructionProto& instruction :
       *computation->mutable_instructions()) {
    zero_is_meant = zero_is_meant || HasZero(instruction.operand_ids()) ||
                    HasZero(instruction.control_predecessor_ids());
    if (instruction.opcode() == "constant") FillConstant(&instruction);
  }
  FillIds(zero_is_meant, computation->mutable_instructions());
  FillParameterNumbers(computation);
  const int count = computation->instructions_size();
  if (computation->root_id() == 0 && count > 0) {
    computation->set_root_id(computation->instructions(count - 1).id());
  }
}

void FillModule(proto::HloModuleProto* module) {
  bool zero_is_meant = false;
  for (proto::HloComputationProto& computation :
       *module->mutable_computations()) {
    if (!computation.has_program_shape()) FillComputation(&computation);
    for (const proto::HloInstructionProto& instruction :
         computation.instructions()) {
      zero_is_meant =
          zero_is_meant || HasZero(instruction.called_computation_ids());
    }
  }
  if (module->has_host_program_shape()) return;
  FillIds(zero_is_meant, module->mutable_computations());
  const int count = module->computations_size();
  if (module->entry_computation_id() == 0 && count > 0) {
    module->set_entry_computation_id(module->computations(count - 1).id());
  }
}

// As libprotobuf writes deterministically, which is what the reader reads
// fastest.
std::string Serialize(const proto::HloModuleProto& module) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    module.SerializeToCodedStream(&out);
  }
  return bytes;
}

}  // namespace

absl::StatusOr<Module> ReadHloModuleText(absl::string_view text) {
  std::string bytes;
  {
    proto::HloModuleProto module;
    absl::Status status = Parse(text, &module);
    if (!status.ok()) return status;
    FillModule(&module);
    bytes = Serialize(module);
  }
  return ReadHloModuleProto(bytes);
}

absl::StatusOr<std::string> WriteHloModuleText(const Module& module) {
  absl::StatusOr<std::string> bytes = SerializeModule(module);
  if (!bytes.ok()) return bytes.status();
  proto::HloModuleProto message;
  if (!message.ParseFromString(*bytes)) {
    return absl::InternalError("libprotobuf can't read what Indim wrote");
  }
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  printer.SetUseUtf8StringEscaping(true);
  std::string text;
  if (!printer.PrintToString(message, &text)) {
    return absl::ResourceExhaustedError("the text passes 2 GiB");
  }
  return text;
}

}  // namespace indim
