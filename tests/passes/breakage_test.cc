// SPDX-License-Identifier: Apache-2.0
// Real modules, broken one thing at a time: what XLA's own verifier refuses,
// ours must find at the broken node. XLA's verdicts are recorded (see
// tests/data/breakages/README.md); what neither can find, and where the two
// differ, is listed in docs/verification.md, and this test keeps that true.

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo.pb.h"
#include "indim/tests/passes/breakage_verdict.h"
#include "indim/tests/passes/breakages.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

constexpr char kVerdicts[] = "tests/data/breakages/verdicts.txt";
constexpr char kDocument[] = "docs/verification.md";

// What XLA refuses and isn't reported at the broken node, and why not. Empty
// members match all.
struct Exception {
  BreakageKind kind;
  const char* opcode;
  const char* field;  // it or what is inside of it
  bool elsewhere;     // reported at another node
  const char* reason;
};
constexpr char kGiven[] = "any such result is legal; told at its first user";
constexpr char kFlag[] = "told at the first user that can't take it";
constexpr char kUnused[] = "told at what the fusion leaves unused";
constexpr char kInside[] = "told inside the callee; XLA's too is about that";
constexpr char kOther[] = "told at the other of the pair";
constexpr char kDropped[] = "dumps without values are read";
constexpr char kAll[] = "all devices, whose count a module doesn't say";
const Exception kExceptions[] = {
    {BreakageKind::kResultSize, "", "", true, kGiven},
    {BreakageKind::kResultRank, "", "", true, kGiven},
    {BreakageKind::kResultType, "", "", true, kGiven},
    {BreakageKind::kResultTuple, "", "", true, kGiven},
    {BreakageKind::kResultDynamic, "", "", true, kFlag},
    {BreakageKind::kOperandAlike, "", "", true, kUnused},
    {BreakageKind::kOperandOther, "", "", true, kUnused},
    {BreakageKind::kCalleeParameter, "", "", true, kInside},
    {BreakageKind::kCalleeResult, "", "", true, kInside},
    {BreakageKind::kAttribute, "parameter", "parameter_number", true, kOther},
    {BreakageKind::kAttribute, "send", "channel_id", true, kOther},
    {BreakageKind::kAttribute, "recv", "channel_id", true, kOther},
    {BreakageKind::kAttribute, "send", "is_host_transfer", true, kOther},
    {BreakageKind::kAttribute, "recv", "is_host_transfer", true, kOther},
    {BreakageKind::kAttribute, "constant", "literal", false, kDropped},
    {BreakageKind::kAttribute, "all-to-all", "", false, kAll},
};

// The last that matches is the most special one.
const Exception* Find(const Breakage& b, bool elsewhere) {
  const Exception* found = nullptr;
  for (const Exception& e : kExceptions) {
    const absl::string_view field = e.field;
    const bool inside = field.empty() || b.field == field ||
                        absl::StartsWith(b.field, absl::StrCat(field, "."));
    if (e.kind == b.kind && e.elsewhere == elsewhere && inside &&
        (*e.opcode == '\0' || b.opcode == e.opcode)) {
      found = &e;
    }
  }
  return found;
}

// Of one module: XLA's verdicts, a letter each.
struct Recorded {
  uint64_t fingerprint = 0;
  std::string verdicts;  // R refused, A accepted, C XLA aborted
};

std::map<std::string, Recorded> ReadVerdicts() {
  std::map<std::string, Recorded> all;
  const absl::StatusOr<std::string> text = ReadFile(kVerdicts);
  EXPECT_TRUE(text.ok()) << text.status();
  if (!text.ok()) return all;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    const std::vector<std::string> parts = absl::StrSplit(line, ' ');
    if (parts.size() != 3) continue;
    Recorded& recorded = all[parts[0]];
    EXPECT_TRUE(absl::SimpleAtoi(parts[1], &recorded.fingerprint)) << line;
    recorded.verdicts = parts[2];
  }
  return all;
}

struct BreakageCounts {
  int broken = 0;
  int refused = 0;    // by XLA
  int found = 0;      // of those, at the node
  int elsewhere = 0;  // of those, at another
  int stricter = 0;   // that XLA accepts, found
  void operator+=(const BreakageCounts& o) {
    broken += o.broken;
    refused += o.refused;
    found += o.found;
    elsewhere += o.elsewhere;
    stricter += o.stricter;
  }
};

std::string Row(absl::string_view what, const BreakageCounts& c) {
  return absl::StrFormat("| %s | %d | %d | %d | %d | %d | %d |\n",
                         std::string(what), c.broken, c.refused, c.found,
                         c.elsewhere, c.refused - c.found - c.elsewhere,
                         c.stricter);
}

class Tally {
 public:
  void Add(const std::string& file, const Breakage& b, char xla,
           const BreakageVerdict& ours) {
    BreakageCounts c;
    c.broken = 1;
    if (xla == 'A') {
      c.stricter = ours.found ? 1 : 0;
    } else {
      c.refused = 1;
      c.found = ours.found ? 1 : 0;
      c.elsewhere = !ours.found && ours.elsewhere ? 1 : 0;
      if (!ours.found) {
        const Exception* exception = Find(b, ours.elsewhere);
        EXPECT_NE(exception, nullptr)
            << file << ": " << Name(b.kind) << " of " << b.opcode << " "
            << b.instruction << ": " << b.field << " " << b.change
            << (ours.elsewhere ? ", found elsewhere only" : ", not found");
        if (exception != nullptr) ++reasons_[exception->reason];
      }
    }
    kinds_[b.kind] += c;
    ops_[b.opcode] += c;
    all_ += c;
  }

  // As docs/verification.md has it.
  std::string Tables() const {
    std::string text =
        "| broken | times | XLA refuses | found there | found elsewhere | not "
        "found | found, XLA accepts |\n| --- | --- | --- | --- | --- | --- | "
        "--- |\n";
    for (const auto& [kind, c] : kinds_)
      absl::StrAppend(&text, Row(Name(kind), c));
    absl::StrAppend(&text, Row("all", all_));
    absl::StrAppend(&text,
                    "\n| refused by XLA, not found at the node | times |\n"
                    "| --- | --- |\n");
    for (const auto& [reason, count] : reasons_) {
      absl::StrAppend(&text, "| ", reason, " | ", count, " |\n");
    }
    return text;
  }
  void PrintOps() const {
    std::cout << "op: broken, refused by XLA, found, elsewhere, not found, "
                 "stricter\n";
    for (const auto& [op, c] : ops_) std::cout << Row(op, c);
  }

 private:
  std::map<BreakageKind, BreakageCounts> kinds_;
  std::map<std::string, BreakageCounts> ops_;
  std::map<std::string, int> reasons_;
  BreakageCounts all_;
};

TEST(BreakageTest, WhatXlaRefusesIsFoundAtTheBrokenNode) {
  const int step = SampleStep(24);
  Tally tally;
  for (const auto& entry : ReadVerdicts()) {
    // Not a structured binding: lambdas of C++17 can't capture those.
    const auto& name = entry.first;
    const auto& recorded = entry.second;
    const absl::StatusOr<std::string> bytes =
        ReadFile(absl::StrCat("tests/data/jax/", name));
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    proto::HloModuleProto module;
    ASSERT_TRUE(module.ParseFromString(*bytes));
    size_t next = 0;
    uint64_t fingerprint = kFingerprintSeed;
    ForEachBreakage(
        module, [&](const Breakage& b, const proto::HloModuleProto& broken) {
          Fingerprint(b, &fingerprint);
          if (next >= recorded.verdicts.size()) return;
          const char verdict = recorded.verdicts[next++];
          if (next % step != 0) return;
          tally.Add(name, b, verdict, Verify(b, DeterministicBytes(broken)));
        });
    EXPECT_EQ(fingerprint, recorded.fingerprint)
        << name << " is broken in other ways than XLA was asked about; run "
        << "tests/xla/broken_modules.py";
  }
  tally.PrintOps();
  if (step > 1) return;  // the document counts all of them
  const absl::StatusOr<std::string> document = ReadFile(kDocument);
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_TRUE(absl::StrContains(*document, tally.Tables()))
      << kDocument << " should say:\n"
      << tally.Tables();
}

}  // namespace
}  // namespace indim
