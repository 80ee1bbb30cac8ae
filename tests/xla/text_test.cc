// SPDX-License-Identifier: Apache-2.0
// HLO text against XLA's own printer and reader, on real and on random modules.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/sharding.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/export/export.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/sharding/text/sharding_text.h"
#include "indim/tests/data_files.h"
#include "indim/tests/xla/judge.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

std::string Ask(absl::string_view command, const std::string& blob) {
  absl::StatusOr<std::string> answer = AskXla(command, JsonWriter(), {blob});
  EXPECT_TRUE(answer.ok()) << answer.status();
  return answer.ok() ? *answer : "";
}

// Fails at the first line that differs: texts may be long.
void ExpectSame(absl::string_view ours, absl::string_view theirs,
                absl::string_view what) {
  if (ours == theirs) return;
  const size_t at = static_cast<size_t>(
      std::mismatch(ours.begin(),
                    ours.begin() + std::min(ours.size(), theirs.size()),
                    theirs.begin())
          .first -
      ours.begin());
  const auto around = [&](absl::string_view text) {
    const size_t line = text.substr(0, at).rfind('\n') + 1;
    return text
        .substr(std::max(line, at < 200 ? 0 : at - 200),
                text.find('\n', at) - line)
        .substr(0, 400);
  };
  ADD_FAILURE() << what << "\nours:   " << around(ours)
                << "\ntheirs: " << around(theirs);
}

// The text without the tables of stack frames and the numbers in them, which
// XLA makes anew when it reads.
std::string WithoutFrames(absl::string_view text) {
  std::string result;
  bool in_table = false;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line == "FileNames" || line == "FunctionNames" ||
        line == "FileLocations" || line == "StackFrames") {
      in_table = true;
    }
    if (line.empty()) in_table = false;
    if (in_table) continue;
    constexpr absl::string_view kFrame = "stack_frame_id=";
    const size_t at = line.find(kFrame);
    if (at == absl::string_view::npos) {
      absl::StrAppend(&result, line, "\n");
      continue;
    }
    size_t end = at + kFrame.size();
    while (end < line.size() && absl::ascii_isdigit(line[end])) ++end;
    absl::StrAppend(&result, line.substr(0, at), line.substr(end), "\n");
  }
  return result;
}

Module Read(const std::string& text, absl::string_view what) {
  ParseOptions options;
  options.file = std::string(what);
  const absl::StatusOr<Module> module = ParseHloText(text, options);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *module : Module();
}

// What we print is what XLA prints; XLA reads it, and so do we; both then hold
// the same module, whose text is read to itself in the end. `lossless`: XLA's
// reader doesn't lose any of it.
void CheckText(const std::string& bytes, absl::string_view what,
               bool lossless = true) {
  const absl::StatusOr<Module> module = ReadHloModuleProto(bytes);
  ASSERT_TRUE(module.ok()) << what << ": " << module.status();
  const std::string text =
      PrintHloText(*module, PrintOptions::LargeConstants());
  ExpectSame(text, Ask("print", bytes), absl::StrCat(what, ": printed"));
  const Module read = Read(text, what);
  const std::string once = PrintHloText(read, PrintOptions::LargeConstants());
  if (lossless) {
    ExpectSame(WithoutFrames(once), WithoutFrames(Ask("reprint", text)),
               absl::StrCat(what, ": read"));
  }
  // XLA numbers stack frames anew when it reads: so do both of its readers.
  const absl::StatusOr<std::string> written = ExportHloModuleProto(read);
  ASSERT_TRUE(written.ok()) << what << ": " << written.status();
  ExpectSame(WithoutFrames(once), WithoutFrames(Ask("print", *written)),
             absl::StrCat(what, ": read, written, printed by XLA"));
  ExpectSame(PrintHloText(Read(once, what), PrintOptions::LargeConstants()),
             once, absl::StrCat(what, ": read again"));
}

TEST(TextTest, RealModules) {
  const std::vector<std::string> paths = JaxModules();
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    const absl::StatusOr<std::string> bytes = ReadFile(path);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    CheckText(*bytes, path);
  }
}

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t Below(int64_t n) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n));
  }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  uint64_t Bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

// The bytes of one element of `type`: bits of any value, but often of one that
// people write.
std::string RandomElement(ElementType type, Random* random) {
  const ElementTypeInfo& info = Info(type);
  if (info.kind == ElementKind::kComplex) {
    return absl::StrCat(RandomElement(RealPart(type), random),
                        RandomElement(RealPart(type), random));
  }
  const size_t width = static_cast<size_t>(ElementBytes(type));
  if (info.kind == ElementKind::kPred) {
    return std::string(1, random->OneIn(2) ? '\1' : '\0');
  }
  if (info.kind == ElementKind::kFloat && info.bits > 8 && !random->OneIn(4)) {
    constexpr double kScales[] = {1, 0.5, 0.1, 1e-5, 1e5, 1e-3, 123.456};
    const double value = static_cast<double>(random->Below(2001) - 1000) *
                         kScales[random->Below(7)];
    return std::string(Literal::FromDoubles(type, {value}, {})->bytes());
  }
  const uint64_t bits = random->Bits() >> (64 - info.bits);
  std::string bytes;
  for (size_t i = 0; i < width; ++i) {
    bytes.push_back(static_cast<char>(bits >> (8 * i)));
  }
  return bytes;
}

// XLA's protos have no literals of these.
bool HasLiterals(ElementType type) {
  return type != ElementType::kS1 && type != ElementType::kU1 &&
         type != ElementType::kF6E2M3FN && type != ElementType::kF6E3M2FN;
}

TEST(TextTest, RandomLiterals) {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    ComputationBuilder b(absl::StrCat("literals", seed));
    std::vector<Op> constants;
    for (const ElementTypeInfo& info : AllElementTypes()) {
      if (!HasLiterals(info.type)) continue;
      for (int i = 0; i < 12; ++i) {
        std::vector<int64_t> sizes;
        int64_t count = 1;
        // The first has every code of the small types.
        if (i == 0) sizes = {count = int64_t{1} << std::min(info.bits, 8)};
        for (int64_t rank = random.Below(6); i > 0 && rank > 0; --rank) {
          sizes.push_back(random.Below(4));
          count *= sizes.back();
        }
        std::string bytes;
        for (int64_t k = 0; k < count; ++k) {
          bytes += i == 0 && info.bits <= 8 && info.type != ElementType::kPred
                       ? std::string(1, static_cast<char>(k))
                       : RandomElement(info.type, &random);
        }
        const absl::StatusOr<Literal> literal =
            Literal::FromBytes(Shape::Of(info.type, sizes), bytes);
        ASSERT_TRUE(literal.ok()) << literal.status();
        constants.push_back(b.ConstantLiteral(*literal));
      }
    }
    const absl::StatusOr<Module> module = b.Build(b.Tuple(constants));
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<std::string> bytes = ExportHloModuleProto(*module);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    // -0.0 is printed as "-0", which XLA reads as 0, and NaNs in complex
    // numbers come in pairs there.
    CheckText(*bytes, absl::StrCat("literals", seed), /*lossless=*/false);
  }
}

// `parts` sizes whose product is `count`.
std::vector<int64_t> Factors(int64_t count, int64_t parts, Random* random) {
  std::vector<int64_t> sizes(static_cast<size_t>(parts), 1);
  for (int64_t prime = 2; count > 1; ++prime) {
    for (; count % prime == 0; count /= prime) {
      sizes[static_cast<size_t>(random->Below(parts))] *= prime;
    }
  }
  return sizes;
}

std::vector<int64_t> Permutation(int64_t count, Random* random) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < count; ++i) {
    order.insert(order.begin() + random->Below(i + 1), i);
  }
  return order;
}

// A sharding in text, and how many dims of an array it splits.
std::string RandomSharding(Random* random, int64_t* rank) {
  constexpr int64_t kCounts[] = {2, 4, 6, 8, 12, 16, 24, 36, 60, 64};
  const int64_t count = kCounts[random->Below(10)];
  *rank = 1 + random->Below(4);
  const std::vector<int64_t> dims = Factors(count, *rank, random);
  std::string text = absl::StrCat("{devices=[", absl::StrJoin(dims, ","), "]");
  if (random->OneIn(4)) {
    absl::StrAppend(&text, absl::StrJoin(Permutation(count, random), ","));
  } else {
    const int64_t parts = 1 + random->Below(4);
    absl::StrAppend(&text, "<=[",
                    absl::StrJoin(Factors(count, parts, random), ","), "]");
    if (parts > 1) {
      absl::StrAppend(&text, "T(",
                      absl::StrJoin(Permutation(parts, random), ","), ")");
    }
  }
  if (random->OneIn(3)) {
    text += " last_tile_dim_replicate";
    --*rank;
  } else if (random->OneIn(2)) {
    constexpr const char* kTypes[] = {"manual", "replicated", "unreduced"};
    std::vector<std::string> types;
    for (int64_t i = random->Below(*rank) + 1; i > 0; --i) {
      types.push_back(kTypes[random->Below(3)]);
      --*rank;
    }
    absl::StrAppend(&text, " last_tile_dims={", absl::StrJoin(types, ", "),
                    "}");
  }
  if (random->OneIn(8)) absl::StrAppend(&text, " shard_as ", random->Below(9));
  return text + "}";
}

TEST(TextTest, RandomShardings) {
  Random random(1);
  ComputationBuilder b("shardings");
  std::vector<Op> parameters;
  for (int64_t i = 0; i < 300; ++i) {
    int64_t rank = 0;
    const std::string text = RandomSharding(&random, &rank);
    TextErrors errors;
    Lexer lexer(text, &errors);
    std::string wire;
    ASSERT_TRUE(ReadSharding(&lexer, &wire)) << text;
    ScopedSharding scope(&b, wire);
    const std::vector<int64_t> sizes(static_cast<size_t>(rank), 64);
    parameters.push_back(b.Parameter(i, Shape::Of(ElementType::kF32, sizes),
                                     absl::StrCat("p", i)));
  }
  const absl::StatusOr<Module> module = b.Build(b.Tuple(parameters));
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::string> bytes = ExportHloModuleProto(*module);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  CheckText(*bytes, "shardings");
}

}  // namespace
}  // namespace indim
