// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/module_job.h"

#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/io/module_format.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/proto/wire/printable.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/stablehlo/write.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/progress.h"

namespace indim {
namespace {

absl::StatusOr<WriteOptions> WriteOptionsOfFlags() {
  WriteOptions options(ModuleForm::kRecorded);
  options.allow_left_out = true;  // FinishJob says so
  options.allow_over_2gib = absl::GetFlag(FLAGS_allow_over_2gib);
  options.stablehlo.locations = absl::GetFlag(FLAGS_locations);
  options.stablehlo.release = absl::GetFlag(FLAGS_release);
  if (absl::GetFlag(FLAGS_generic)) {
    options.stablehlo.form = StablehloForm::kGenericText;
  }
  const std::string bytes = absl::GetFlag(FLAGS_external_constants);
  uint64_t min_bytes = 0;
  if (bytes.empty()) return options;
  if (!absl::SimpleAtoi(bytes, &min_bytes)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--external-constants=", bytes, ": expected a number of bytes"));
  }
  options.external_min_bytes = min_bytes;
  return options;
}

}  // namespace

absl::StatusOr<Job> BeginJob(const std::string& in, bool writes) {
  const absl::StatusOr<WriteOptions> write = WriteOptionsOfFlags();
  if (!write.ok()) return write.status();
  Job job;
  job.in = in;
  job.write = *write;
  if (!writes && !absl::GetFlag(FLAGS_output).empty()) {
    return absl::InvalidArgumentError(
        "--check writes nothing; expected it or -o FILE, not both");
  }
  if (writes) {
    job.out = absl::GetFlag(FLAGS_output);
    if (job.out.empty()) {
      return absl::InvalidArgumentError(
          "no output given; expected -o FILE (- for standard output)");
    }
    const auto out_format = FormatOf(job.out, absl::GetFlag(FLAGS_to), "to");
    if (!out_format.ok()) return out_format.status();
    job.write.format = *out_format;
  }
  StartProgress(absl::GetFlag(FLAGS_quiet));
  const ProgressStage stage(ReadingText(in));
  absl::StatusOr<WrappedModule> module = ReadModuleAndWarn(in, &job.left_out);
  if (!module.ok()) return WithFileName(in, module.status());
  job.module = std::move(module->module);
  job.write.wrapper = std::move(module->wrapper);
  return job;
}

int FinishJob(const Job& job) {
  const ModuleWrapper& wrapper = job.write.wrapper;
  const std::string left_out = LeftOut(wrapper, job.write.format);
  if (!left_out.empty()) {
    std::cerr << "indim: warning: " << job.out << " has no place for "
              << left_out << " of the " << Name(wrapper.kind())
              << (job.write.format != ModuleFormat::kProtoText
                      ? "; .pb and .pbtxt have\n"
                      : "; .pb has\n");
  }
  std::vector<std::string> no_hlo = job.left_out;
  if (job.write.format != ModuleFormat::kMlir) {
    for (std::string& what : LostAsHlo(job.module)) {
      no_hlo.push_back(std::move(what));
    }
  }
  if (!no_hlo.empty()) {
    std::cerr << "indim: warning: HLO has no place for "
              << absl::StrJoin(no_hlo, ", ") << " of " << job.in << "\n";
  }
  const std::vector<std::string> lost = job.write.format == ModuleFormat::kMlir
                                            ? LostAsStablehlo(job.module)
                                            : std::vector<std::string>();
  if (!lost.empty()) {
    std::cerr << "indim: warning: " << job.out << " has no place for "
              << absl::StrJoin(lost, ", ") << "\n";
  }
  const int64_t unknown = UnknownFieldsLeftOut(job.module, job.write.format);
  if (unknown > 0) {
    std::cerr << "indim: warning: " << job.out << " has no place for "
              << unknown << (unknown == 1 ? " field" : " fields")
              << " that this version doesn't know; .pb has\n";
  }
  const int64_t nans = job.write.format == ModuleFormat::kProtoText
                           ? NansChangedByText(job.module)
                           : 0;
  if (nans > 0) {
    std::cerr << "indim: warning: " << job.out
              << " has no place for the bits of " << nans
              << " NaN: protobuf's text has one NaN; .pb and .hlo have\n";
  }
  ProgressStage stage(absl::StrCat("writing ", Printable(job.out)));
  absl::Status written = WriteModuleFile(job.module, job.out, job.write);
  if (absl::IsResourceExhausted(written) && !job.write.allow_over_2gib &&
      job.write.format == ModuleFormat::kProto &&
      SerializedSize(job.module) >> 31 != 0) {
    written =
        WithNote(written,
                 "; --external-constants keeps them in a file of their own, "
                 "--allow-over-2gib writes it all the same");
  }
  return written.ok() ? kExitOk : Fail(written);
}

}  // namespace indim
