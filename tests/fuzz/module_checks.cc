// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/fuzz/module_checks.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/computation_builder.h"
#include "indim/grad/gradient.h"
#include "indim/ir/report.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/expand_broadcasts.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/shape/diagnostics/rendered.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/text/base/name_uniquer.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

std::string Errors(const Module& module, const Report& report) {
  return RenderReport(module, report);
}

// Fields whose text HLO text quotes, so that it can be any.
bool IsQuoted(absl::string_view field) {
  static constexpr absl::string_view kQuoted[] = {
      "op_name",    "op_type",        "source_file",       "custom_call_target",
      "opaque",     "outfeed_config", "deduplicated_name", "scheduling_name",
      "file_names", "function_names"};
  return absl::c_linear_search(kQuoted, field);
}

// HLO text has no spelling for any other name, and XLA gives it the one that
// text does when it reads the file ("_" for "+", "f32_" for "f32").
bool HasSpellableNames(const google::protobuf::Message& message) {
  const google::protobuf::Reflection* r = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  r->ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor* f : fields) {
    const int count = f->is_repeated() ? r->FieldSize(message, f) : 1;
    const bool is_map_value =
        message.GetDescriptor()->options().map_entry() && f->name() == "value";
    for (int i = 0; i < count; ++i) {
      if (f->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
        if (!HasSpellableNames(f->is_repeated()
                                   ? r->GetRepeatedMessage(message, f, i)
                                   : r->GetMessage(message, f))) {
          return false;
        }
      } else if (f->type() == google::protobuf::FieldDescriptor::TYPE_STRING &&
                 !is_map_value && !IsQuoted(f->name())) {
        const std::string name = f->is_repeated()
                                     ? r->GetRepeatedString(message, f, i)
                                     : r->GetString(message, f);
        if (name.empty() || !IsSanitizedName(name)) return false;
      }
    }
  }
  return true;
}

// A module as bytes, and as libprotobuf's message without unknown fields: made
// once for all that looks at them.
struct Written {
  std::string bytes;
  proto::HloModuleProto message;
  bool has_unknown_fields = false;
  bool has_spellable_names = false;
};

// What is written is of the size that was said, canonical, and comes back the
// same.
std::string CheckBytes(const Module& module,
                       absl::StatusOr<std::string> serialized,
                       Written* written) {
  if (!serialized.ok()) {
    return absl::StrCat("it can't be written: ", serialized.status().message());
  }
  written->bytes = *std::move(serialized);
  const std::string& bytes = written->bytes;
  if (SerializedSize(module) != bytes.size()) {
    return absl::StrCat(bytes.size(), " bytes were written, ",
                        SerializedSize(module), " expected");
  }
  proto::HloModuleProto& message = written->message;
  if (!message.ParseFromString(bytes) || DeterministicBytes(message) != bytes) {
    return "libprotobuf would write other bytes";
  }
  message.DiscardUnknownFields();
  written->has_unknown_fields = message.ByteSizeLong() != bytes.size();
  written->has_spellable_names = HasSpellableNames(message);
  const absl::StatusOr<Module> back = ReadHloModuleProto(bytes);
  if (!back.ok()) {
    return absl::StrCat("what was written can't be read: ",
                        back.status().message());
  }
  if (*SerializeModule(*back) != bytes) {
    return "what was written comes back different";
  }
  return "";
}

// The text format of the module, read by libprotobuf, is the module. Unknown
// fields have no way back.
std::string CheckTextFormat(const Module& module, const Written& written) {
  const absl::StatusOr<std::string> text = WriteHloModuleText(module);
  if (!text.ok()) {
    return absl::StrCat("it has no text format: ", text.status().message());
  }
  if (written.has_unknown_fields) return "";
  proto::HloModuleProto read;
  google::protobuf::TextFormat::Parser parser;
  if (!parser.ParseFromString(*text, &read)) {
    return "libprotobuf can't read its text format";
  }
  const bool same = written.bytes == DeterministicBytes(read);
  const bool counted = NansChangedByText(module) > 0;
  if (!same && !counted) return "its text format says something else";
  if (same && counted) return "its text format keeps NaN that were counted";
  return "";
}

// HLO text of a module that was built can be read. Bytes can hold numbers that
// it has no spelling for (an algorithm that nobody knows): then what is read
// must say the same again.
std::string CheckHloTextOf(const Module& module, bool built,
                           const Written& written) {
  if (!written.has_spellable_names) return "";
  const PrintOptions all = PrintOptions::ShortParsable();
  std::string text = PrintHloText(module, all);
  absl::StatusOr<Module> read = ParseHloText(text);
  if (!read.ok()) {
    return built ? absl::StrCat("its HLO text can't be read: ",
                                read.status().message(), "\n", text)
                 : "";
  }
  text = PrintHloText(*read, all);
  read = ParseHloText(text);
  if (!read.ok()) {
    return absl::StrCat(
        "its HLO text can be read once: ", read.status().message(), "\n", text);
  }
  const std::string again = PrintHloText(*read, all);
  return again == text ? ""
                       : absl::StrCat("its HLO text never stays the same:\n",
                                      text, "\n", again);
}

// The text of a recorded module that was built says all of it: the same bytes
// come back, and the same text.
std::string CheckRecordedText(const Module& module, const Written& written) {
  if (!module.is_recorded() || !written.has_spellable_names) return "";
  const PrintOptions all = PrintOptions::LargeConstants();
  const std::string text = PrintHloText(module, all);
  const absl::StatusOr<Module> read = ParseHloText(text);
  if (!read.ok()) {
    return absl::StrCat("its recorded text can't be read: ",
                        read.status().message(), "\n", text);
  }
  const std::string again = PrintHloText(*read, all);
  if (again != text) {
    return absl::StrCat("its recorded text comes back different:\n", text, "\n",
                        again);
  }
  const std::string bytes = *SerializeModule(*read);
  if (bytes == written.bytes) return "";
  proto::HloModuleProto other;
  other.ParseFromString(bytes);
  std::string differences;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&differences);
  const bool same = differencer.Compare(written.message, other);
  // Text has no place for unknown fields, as those of a domain's sharding.
  if (same && written.has_unknown_fields) return "";
  // Shardings come back in XLA's form, in which a device has no tiles; their
  // texts are equal.
  google::protobuf::util::MessageDifferencer beside_shardings;
  beside_shardings.IgnoreField(
      proto::HloInstructionProto::descriptor()->FindFieldByName("sharding"));
  if (!same && beside_shardings.Compare(written.message, other)) return "";
  return absl::StrCat("its recorded text says other bytes: ", differences, "\n",
                      text);
}

std::string CheckVerified(const Module& module, bool built,
                          const Written& written) {
  InferResult inferred = InferShapes(module);
  if (!inferred.report.ok()) {
    return absl::StrCat("verified, but inference finds\n",
                        Errors(module, inferred.report));
  }
  const VerifyResult again = VerifyModule(inferred.module);
  if (!again.ok()) {
    return absl::StrCat("verified, but not once inferred:\n",
                        Errors(inferred.module, again.report));
  }
  const ExpandedModule exported = ExpandForXla(module);
  if (!exported.report.ok()) return "";
  const VerifyResult expanded = VerifyModule(exported.module);
  if (!expanded.ok()) {
    return absl::StrCat("verified, but not once expanded:\n",
                        Errors(exported.module, expanded.report));
  }
  if (exported.module.is_recorded()) return "recorded after expansion";
  absl::StatusOr<std::string> bytes = SerializeModule(exported.module);
  // Where there was nothing to expand, all of it was checked before.
  if (bytes.ok() && *bytes == written.bytes) {
    return CheckHloTextOf(exported.module, built, written);
  }
  Written expansion;
  std::string complaint =
      CheckBytes(exported.module, std::move(bytes), &expansion);
  if (!complaint.empty()) return absl::StrCat("once expanded, ", complaint);
  return CheckHloTextOf(exported.module, built, expansion);
}

}  // namespace

std::string CheckModule(const Module& module, bool built) {
  absl::StatusOr<std::string> bytes = SerializeModule(module);
  // A literal of one value again and again may be of any size.
  if (SerializedSize(module) > std::numeric_limits<int32_t>::max()) {
    return absl::IsResourceExhausted(bytes.status())
               ? ""
               : "more is written than protobuf reads";
  }
  // Its literals may lie in files that nobody has opened.
  if (absl::IsFailedPrecondition(bytes.status())) return "";
  Written written;
  std::string complaint = CheckBytes(module, std::move(bytes), &written);
  if (complaint.empty()) complaint = CheckTextFormat(module, written);
  if (complaint.empty() && built)
    complaint = CheckRecordedText(module, written);
  if (!complaint.empty()) return complaint;
  PrintHloText(module);
  PrintOptions canonical = PrintOptions::Canonical();
  canonical.max_body_text = 1 << 20;  // many modules are tried
  PrintHloText(module, canonical);
  const VerifyResult verified = VerifyModule(module);
  RenderReport(module, verified.report);
  if (verified.ok() && module.computation_count() > 0) {
    return CheckVerified(module, built, written);
  }
  // Passes of what isn't verified may find anything, and must live.
  if (!VerifyStructure(module).in_order) return "";
  InferOptions options;
  options.drop = true;
  const InferResult inferred = InferShapes(module, options);
  RenderReport(inferred.module, inferred.report);
  const ExpandedModule exported = ExpandForXla(module);
  RenderReport(exported.module, exported.report);
  return "";
}

std::string CheckInlined(const Module& module) {
  ComputationBuilder b("inlined");
  std::vector<Op> parameters;
  for (const Shape& shape : module.entry().signature().parameters) {
    parameters.push_back(b.Parameter(shape));
  }
  const BuildResult built = b.Build(b.Inline(module, parameters));
  // Of a module as a whole there may be errors that only its options avoid.
  const VerifyResult before = VerifyShapes(module);
  if (!before.ok()) return "";
  if (!built.ok()) {
    return absl::StrCat("it can't be inlined: ", built.status().message());
  }
  const VerifyResult verified = VerifyShapes(*built);
  return verified.ok() ? ""
                       : absl::StrCat("inlined it is wrong:\n",
                                      Errors(*built, verified.report));
}

std::string CheckDerivatives(const Module& module) {
  const ExpandResult expanded =
      VerifyAndExpand(module, /*verify=*/true, [](Module*, Report*) {});
  if (!expanded.ok()) return "";
  for (const bool forward : {false, true}) {
    std::vector<RenderedDiagnostic> warnings;
    GradientOptions options;
    options.warnings = &warnings;
    const absl::StatusOr<Module> made =
        forward ? Tangents(module, {}, options) : Gradient(module, {}, options);
    const absl::string_view mode = forward ? "its tangents" : "its gradient";
    if (!made.ok()) {
      const Code code = CodeOf(made.status());
      if (code == Code::kNoDerivative || code == Code::kNotDifferentiable) {
        continue;
      }
      return absl::StrCat(mode, " can't be made: ", made.status().message());
    }
    const VerifyResult verified = VerifyModule(*made);
    if (!verified.ok()) {
      return absl::StrCat(mode, ":\n", Errors(*made, verified.report));
    }
  }
  return "";
}

}  // namespace indim
