// SPDX-License-Identifier: Apache-2.0
#include "indim/run/compile/preflight.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/run/compile/program.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/call_language.h"

namespace indim::pjrt {
namespace {

struct PreflightInput {
  const Module& module;
  const CompileOptions& options;
};

// Each check says what it found; "": nothing.

bool IsCustomCallOf(const Instruction& i, absl::string_view target) {
  return i.opcode() == Opcode::kCustomCall &&
         As<CustomCallAttributes>(i.attributes()).target == target;
}

// What `check` says of the first instruction that it says something of.
std::string First(const Module& module,
                  absl::FunctionRef<std::string(const Instruction&)> check) {
  for (const Computation computation : module.computations()) {
    for (const Instruction i : computation.instructions()) {
      std::string found = check(i);
      if (!found.empty()) return found;
    }
  }
  return "";
}

std::string ShardyWithOldShardings(const PreflightInput& c) {
  // JAX's modules have both; then Shardy takes its own notes.
  if (c.options.partitioner != Partitioner::kShardy || UsesShardy(c.module)) {
    return "";
  }
  return First(c.module, [](const Instruction& i) -> std::string {
    return HasSharding(i) ? absl::StrCat(i.text_name(), " has a sharding") : "";
  });
}

// Those of an instruction with a channel are partitions, of another replicas.
std::string PermuteFromNoDevice(const PreflightInput& c) {
  return First(c.module, [&c](const Instruction& i) -> std::string {
    if (i.opcode() != Opcode::kCollectivePermute &&
        i.opcode() != Opcode::kCollectivePermuteStart) {
      return "";
    }
    const Attributes attributes = i.attributes();
    const auto& permute = As<CollectivePermuteAttributes>(attributes);
    const int64_t devices = std::max<int64_t>(
        permute.channel_id > 0 ? c.options.partitions : c.options.replicas, 1);
    for (const auto& [source, target] : permute.source_target_pairs) {
      if (source < devices || target >= devices) continue;
      return absl::StrCat(i.text_name(), " goes from device ", source, " to ",
                          target, ", but there are ", devices);
    }
    return "";
  });
}

// The computation that computes with the parts of a manual region goes by its
// name.
std::string ShardyRegionOfOtherName(const PreflightInput& c) {
  constexpr absl::string_view kName = "xla.sdy.manual_computation_body";
  return First(c.module, [kName](const Instruction& i) -> std::string {
    if (i.opcode() != Opcode::kCall ||
        absl::StrContains(i.callee(0).name(), kName)) {
      return "";
    }
    for (const Instruction part : i.operands()) {
      const bool is_element = part.opcode() == Opcode::kGetTupleElement;
      if (!IsCustomCallOf(is_element ? part.operand(0) : part,
                          "xla.sdy.GlobalToLocalShape")) {
        continue;
      }
      return absl::StrCat(i.text_name(), " calls ", i.callee(0).name(),
                          ", which a name that begins with ", kName,
                          " would mend");
    }
    return "";
  });
}

std::string AllReduceStartWithChannel(const PreflightInput& c) {
  return First(c.module, [](const Instruction& i) -> std::string {
    if (i.opcode() != Opcode::kAllReduceStart) return "";
    const Attributes attributes = i.attributes();
    if (As<CollectiveAttributes>(attributes).channel_id <= 0) return "";
    return absl::StrCat(i.text_name(),
                        " has a channel (an all-reduce may have one)");
  });
}

std::string Infeed(const PreflightInput& c) {
  return First(c.module, [](const Instruction& i) -> std::string {
    if (i.opcode() != Opcode::kInfeed) return "";
    return absl::StrCat(i.text_name(), " takes data that nobody sends");
  });
}

struct PreflightRow {
  absl::string_view platform;
  int first;
  int last;
  std::string (*check)(const PreflightInput&);
  absl::string_view why;
};
constexpr PreflightRow kPreflightRows[] = {
#define INDIM_PJRT_PREFLIGHT(platform, first, last, check, why) \
  {platform, first, last, check, why},
#include "indim/run/compile/preflight.def"
#undef INDIM_PJRT_PREFLIGHT
};

}  // namespace

absl::Status Preflight(const Target& target, const Module& module,
                       const CompileOptions& options) {
  for (const PreflightRow& row : kPreflightRows) {
    if (row.platform != target.platform || target.minor_version < row.first ||
        target.minor_version > row.last) {
      continue;
    }
    const std::string found = row.check({module, options});
    if (found.empty()) continue;
    return ErrorWithCode(
        absl::StatusCode::kFailedPrecondition, Code::kPjrtPreflight,
        absl::StrCat(found, ": ", row.why, " (", target.platform,
                     ", PJRT C API 0.", target.minor_version,
                     GetCallLanguage() == CallLanguage::kCpp
                         ? "; CompileOptions::preflight = false tries it)"
                     : GetCallLanguage() == CallLanguage::kHlo ||
                             GetCallLanguage() == CallLanguage::kStablehlo
                         ? "; --nopreflight tries it)"
                         : ")"));
  }
  return absl::OkStatus();
}

}  // namespace indim::pjrt
