// SPDX-License-Identifier: Apache-2.0
// Modules with one thing broken: what a verifier is there to find.
#ifndef INDIM_TESTS_PASSES_BREAKAGES_H_
#define INDIM_TESTS_PASSES_BREAKAGES_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/proto/hlo.pb.h"

namespace indim {

enum class BreakageKind : uint8_t {
  kResultSize,       // a dim of (a leaf of) the result one larger or smaller
  kResultRank,       // a dim more or less
  kResultDynamic,    // a dim static that was bounded, or bounded that was not
  kResultType,       // another element type
  kResultTuple,      // an element of a tuple more or less
  kOperandOther,     // an earlier value of another shape in its place
  kOperandAlike,     // an earlier value of the same shape in its place
  kOperandRemoved,   // the last one, or another
  kOperandAdded,     // one given twice
  kOperandsSwapped,  // two of different shapes
  kAttribute,        // one field, or one element of a list
  kCalleeOther,      // a computation of another signature in its place
  kCalleeCount,      // one callee more or less
  kCalleeParameter,  // a parameter of the callee has another shape
  kCalleeResult,     // the callee's root has another shape
};
// "result size".
absl::string_view Name(BreakageKind kind);
constexpr int kBreakageKinds =
    static_cast<int>(BreakageKind::kCalleeResult) + 1;

struct Breakage {
  BreakageKind kind;
  std::string opcode;
  std::string instruction;  // name of the broken one
  std::string field;        // of an attribute: "window.dimensions.size"
  std::string change;       // "+1", "dropped"
};

// Breaks `module` in many ways, always in the same ones: of each op, each kind
// and each field some, on nodes taken at random. f gets the module with one
// breakage at a time.
void ForEachBreakage(
    proto::HloModuleProto module,
    const std::function<void(const Breakage&, const proto::HloModuleProto&)>&
        f);

// Hashes what was broken, one after the other, so that a list of verdicts can
// tell whether it is about the same breakages.
constexpr uint64_t kFingerprintSeed = 14695981039346656037u;
void Fingerprint(const Breakage& breakage, uint64_t* fingerprint);

}  // namespace indim

#endif  // INDIM_TESTS_PASSES_BREAKAGES_H_
