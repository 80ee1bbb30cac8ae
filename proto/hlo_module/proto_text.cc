// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/proto_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
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
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_config.pb.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/wire/wire.h"

namespace indim {
namespace {

// --- Parsing ----------------------------------------------------------------

// What a parser says. The names of its calls, and the type of the text, changed
// in Protobuf 4.22.
class Listener : public google::protobuf::io::ErrorCollector {
 public:
#if GOOGLE_PROTOBUF_VERSION >= 4022000
  void RecordError(int line, int column, absl::string_view message) override {
    OnError(line, column, message);
  }
  void RecordWarning(int line, int column, absl::string_view message) override {
    OnWarning(line, column, message);
  }
#else
  void AddError(int line, int column, const std::string& message) override {
    OnError(line, column, message);
  }
  void AddWarning(int line, int column, const std::string& message) override {
    OnWarning(line, column, message);
  }
#endif

 private:
  virtual void OnError(int, int, absl::string_view) {}
  virtual void OnWarning(int, int, absl::string_view) {}
};

// The error `what` at a place of a text.
absl::Status ErrorAt(int64_t line, size_t column, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "text format: line ", line, ", column ", column, ": ", what));
}

// Keeps the first error. The parser accepts unknown fields with a warning,
// because it can't accept only those by number; this makes errors of the
// others.
class FirstError : public Listener {
 public:
  // The parser starts at byte `skipped` of the first line.
  explicit FirstError(size_t skipped) : skipped_(skipped) {}

  const absl::Status& status() const { return status_; }

 private:
  void OnError(int line, int column, absl::string_view message) override {
    if (!status_.ok()) return;
    const size_t before = line == 0 ? skipped_ : 0;
    status_ =
        ErrorAt(line + 1, static_cast<size_t>(column) + 1 + before, message);
  }
  void OnWarning(int line, int column, absl::string_view message) override {
    // Deprecated fields give warnings too.
    if (!absl::StrContains(message, " has no field named ")) return;
    // For example: Message type "indim.proto.Shape" has no field named "rank".
    const std::vector<absl::string_view> parts = absl::StrSplit(message, '"');
    const absl::string_view field = parts.size() > 3 ? parts[3] : "";
    const bool by_number =
        !field.empty() &&
        std::all_of(field.begin(), field.end(), absl::ascii_isdigit);
    if (!by_number) OnError(line, column, message);
  }

  const size_t skipped_;
  absl::Status status_;
};

// Nested messages, and a list in the innermost.
constexpr int kMaxBrackets = kMaxWireDepth + 1;

// The error for the first bracket that is too deep. libprotobuf's parser counts
// nested messages of known fields, but not of skipped ones.
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
      return ErrorAt(line, i - line_start + 1,
                     absl::StrCat("more than ", kMaxWireDepth,
                                  " messages are inside each other"));
    } else if (c == '}' || c == '>' || c == ']') {
      --depth;
    }
  }
  return absl::OkStatus();
}

absl::Status Parse(absl::string_view text, google::protobuf::Message* message) {
  if (text.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return absl::ResourceExhaustedError(
        "text format: more than 2 GiB; use the binary form");
  }
  absl::Status nesting = CheckNesting(text);
  if (!nesting.ok()) return nesting;
  const size_t mark = ProtoTextMark(text);
  text.remove_prefix(mark);
  FirstError error(mark);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.AllowFieldNumber(true);
  parser.AllowUnknownField(true);
  parser.SetRecursionLimit(kMaxWireDepth);
  google::protobuf::io::ArrayInputStream input(text.data(),
                                               static_cast<int>(text.size()));
  if (parser.Parse(&input, message) || !error.status().ok()) {
    return error.status();
  }
  return absl::InvalidArgumentError("text format: ");
}

// --- Wrappers ----------------------------------------------------------------

// The message in `text`, determined by its outermost fields.
WrapperKind KindOfText(absl::string_view text) {
  text.remove_prefix(ProtoTextMark(text));
  const int size = static_cast<int>(std::min<size_t>(
      text.size(), static_cast<size_t>(std::numeric_limits<int>::max())));
  google::protobuf::io::ArrayInputStream input(text.data(), size);
  Listener errors;  // none: whoever reads the text reports them
  google::protobuf::io::Tokenizer tokens(&input, &errors);
  tokens.set_comment_style(google::protobuf::io::Tokenizer::SH_COMMENT_STYLE);
  int depth = 0;
  WrapperKind kind = WrapperKind::kNone;
  while (tokens.Next()) {
    const std::string& token = tokens.current().text;
    if (token == "{" || token == "<" || token == "[") ++depth;
    if (token == "}" || token == ">" || token == "]") --depth;
    if (depth > 0) continue;
    // A bare module has none of these fields.
    if (token == "hlo") return WrapperKind::kSnapshot;
    if (token == "hlo_module" && kind == WrapperKind::kNone) {
      kind = WrapperKind::kHloProto;
    }
    if (token == "partitions" || token == "version") {
      kind = WrapperKind::kUnoptimizedSnapshot;
    }
    if (token == "computations") return WrapperKind::kNone;
    if (token == "config" && kind == WrapperKind::kHloProto) {
      kind = WrapperKind::kWithConfig;
    }
  }
  return kind;
}

// --- Filling in omitted values ----------------------------------------------

// Gives unused ids, from 1 up.
class UnusedIds {
 public:
  void Use(int64_t id) { used_.insert(static_cast<uint32_t>(id)); }
  int64_t Next() {
    while (used_.contains(next_)) ++next_;
    return next_++;
  }

 private:
  absl::flat_hash_set<uint32_t> used_;  // of instructions the low 32 bits
  uint32_t next_ = 1;
};

// Gives ids to `items` (computations or instructions) without one, unless
// something refers to 0.
template <typename Items>
void FillIds(bool zero_is_meant, Items* items) {
  if (zero_is_meant) return;
  UnusedIds fresh;
  for (const auto& item : *items) fresh.Use(item.id());
  for (auto& item : *items) {
    if (item.id() == 0) item.set_id(fresh.Next());
  }
}

bool HasZero(const google::protobuf::RepeatedField<int64_t>& ids) {
  return std::find(ids.begin(), ids.end(), 0) != ids.end();
}

// Gives arrays without a layout the row-major one. The parser limits the
// nesting of tuples.
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

// Fills the layout of its shape, and of the literals inside it.
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
  // XLA requires both to have one layout.
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

// Deterministic serialization, the form that the reader reads fastest.
std::string Serialize(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    // No field is required, so that it can't fail.
    static_cast<void>(message.SerializeToCodedStream(&out));
  }
  return bytes;
}

// --- Every kind of message --------------------------------------------------

// Calls f(&message, its module) with a message of the type that `kind` names.
template <typename F>
auto WithMessage(WrapperKind kind, const F& f) {
  switch (kind) {
    case WrapperKind::kHloProto: {
      proto::HloProto message;
      return f(&message, [&] { return message.mutable_hlo_module(); });
    }
    case WrapperKind::kWithConfig: {
      proto::HloModuleProtoWithConfig message;
      return f(&message, [&] { return message.mutable_hlo_module(); });
    }
    case WrapperKind::kSnapshot: {
      proto::HloSnapshot message;
      return f(&message,
               [&] { return message.mutable_hlo()->mutable_hlo_module(); });
    }
    case WrapperKind::kUnoptimizedSnapshot: {
      proto::HloUnoptimizedSnapshot message;
      return f(&message, [&] { return message.mutable_hlo_module(); });
    }
    case WrapperKind::kNone:
      break;
  }
  proto::HloModuleProto message;
  return f(&message, [&] { return &message; });
}

// Whether text format's "nan", as libprotobuf reads it, has other bits.
template <typename Bits, typename Float>
bool IsOtherNan(Float value) {
  const Float usual = std::numeric_limits<Float>::quiet_NaN();
  Bits bits, usual_bits;
  std::memcpy(&bits, &value, sizeof(bits));
  std::memcpy(&usual_bits, &usual, sizeof(usual_bits));
  return value != value && bits != usual_bits;
}

int64_t OtherNansIn(const google::protobuf::Message& message) {
  using Field = google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& r = *message.GetReflection();
  std::vector<const Field*> fields;
  r.ListFields(message, &fields);
  int64_t count = 0;
  for (const Field* f : fields) {
    const bool repeats = f->is_repeated();
    const int size = repeats ? r.FieldSize(message, f) : 1;
    for (int i = 0; i < size; ++i) {
      if (f->cpp_type() == Field::CPPTYPE_MESSAGE) {
        count += OtherNansIn(repeats ? r.GetRepeatedMessage(message, f, i)
                                     : r.GetMessage(message, f));
      } else if (f->cpp_type() == Field::CPPTYPE_FLOAT) {
        count +=
            IsOtherNan<uint32_t>(repeats ? r.GetRepeatedFloat(message, f, i)
                                         : r.GetFloat(message, f));
      } else if (f->cpp_type() == Field::CPPTYPE_DOUBLE) {
        count +=
            IsOtherNan<uint64_t>(repeats ? r.GetRepeatedDouble(message, f, i)
                                         : r.GetDouble(message, f));
      } else {
        break;  // no other field has floats
      }
    }
  }
  return count;
}

}  // namespace

int64_t NansChangedByText(const Module& module) {
  const absl::StatusOr<std::string> bytes = SerializeModule(module);
  proto::HloModuleProto message;
  if (!bytes.ok() || !message.ParseFromString(*bytes)) return 0;
  return OtherNansIn(message);
}

size_t ProtoTextMark(absl::string_view text) {
  const char* const begin = text.data();
  absl::ConsumePrefix(&text, "\xef\xbb\xbf");
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(text);
  if (absl::ConsumePrefix(&rest, "goo.gle/debug") ||
      absl::ConsumePrefix(&rest, "go/debug")) {
    while (!rest.empty() && absl::ascii_isalnum(rest[0])) {
      rest.remove_prefix(1);
    }
    text = rest;
  }
  return static_cast<size_t>(text.data() - begin);
}

absl::StatusOr<WrappedModule> ReadAnyModuleText(absl::string_view text) {
  const absl::StatusOr<std::string> bytes =
      WithMessage(KindOfText(text),
                  [&](google::protobuf::Message* message,
                      const auto& module) -> absl::StatusOr<std::string> {
                    absl::Status status = Parse(text, message);
                    if (!status.ok()) return status;
                    FillModule(module());
                    return Serialize(*message);
                  });
  if (!bytes.ok()) return bytes.status();
  return ReadAnyModuleProto(*bytes);
}

absl::StatusOr<Module> ReadHloModuleText(absl::string_view text) {
  absl::StatusOr<WrappedModule> read = ReadAnyModuleText(text);
  if (!read.ok()) return read.status();
  return std::move(read->module);
}

absl::StatusOr<std::string> WriteHloModuleText(const Module& module) {
  return WriteWrappedText(module, ModuleWrapper());
}

absl::StatusOr<std::string> WriteWrappedText(const Module& module,
                                             const ModuleWrapper& wrapper) {
  const absl::StatusOr<std::string> inner = SerializeModule(module);
  if (!inner.ok()) return inner.status();
  const std::string bytes = wrapper.WrapMessage(*inner);
  return WithMessage(
      wrapper.kind(),
      [&](google::protobuf::Message* message,
          const auto&) -> absl::StatusOr<std::string> {
        if (!message->ParseFromString(bytes)) {
          return absl::InternalError("libprotobuf can't read what Indim wrote");
        }
        google::protobuf::TextFormat::Printer printer;
        printer.SetUseShortRepeatedPrimitives(true);
        printer.SetUseUtf8StringEscaping(true);
        std::string text;
        if (!printer.PrintToString(*message, &text)) {
          return absl::ResourceExhaustedError("the text passes 2 GiB");
        }
        return text;
      });
}

}  // namespace indim
