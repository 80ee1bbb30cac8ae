// SPDX-License-Identifier: Apache-2.0
// Keeps the floors (packaging/floors.bzl) true for #include lines: which folder
// may use which. Bazel's visibility is made of the same table; this test also
// covers what targets can't say, such as generated protobuf code in headers.
//
// It walks the checkout itself, so that a new folder or file can't be
// forgotten.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/checkout.h"
#include "indim/tests/page.h"

namespace indim {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A folder and those that it may use beside itself. `any`: it stands above the
// library, and may use all of it and any library.
struct Layer {
  std::string folder;
  std::vector<std::string> may_include;
  bool any = false;
};

// The words between quotes in `text`.
std::vector<std::string> Quoted(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '"');
  std::vector<std::string> words;
  for (size_t i = 1; i < parts.size(); i += 2) words.push_back(parts[i]);
  return words;
}

// The rows of packaging/floors.bzl, one "folder": [folders]; then TOP, and
// proto/, which holds generated code alone.
std::vector<Layer> ReadLayers() {
  const std::string text = CheckoutText("packaging/floors.bzl");
  const size_t begin = text.find("FLOORS = {");
  const size_t end = text.find("\n}\n", begin);
  const size_t top = text.find("TOP = [", end);
  std::vector<Layer> layers;
  if (top == std::string::npos) return layers;
  for (absl::string_view row :
       absl::StrSplit(text.substr(begin, end - begin), ']')) {
    std::vector<std::string> words = Quoted(row);
    if (words.empty()) continue;
    const std::string folder = words.front();
    words.erase(words.begin());
    layers.push_back({folder, words});
  }
  for (const std::string& folder :
       Quoted(text.substr(top, text.find(']', top) - top))) {
    layers.push_back({folder, {}, true});
  }
  layers.push_back({"proto", {}});
  return layers;
}

const std::vector<Layer>& Layers() {
  static const auto* layers = new std::vector<Layer>(ReadLayers());
  return *layers;
}

// The layer that `path` of the checkout, a file's, is in; null: none.
const Layer* LayerOf(absl::string_view path) {
  const std::string folder(path.substr(0, path.rfind('/')));
  for (const Layer& layer : Layers()) {
    if (folder == layer.folder ||
        (layer.any && absl::StartsWith(folder, layer.folder + "/"))) {
      return &layer;
    }
  }
  return nullptr;
}

// The library's only files that may see generated protobuf classes: those that
// convert to and from them, and none of their headers.
bool MayUseProtobuf(absl::string_view path) {
  return absl::StartsWith(path, "proto/hlo_module/proto_") &&
         absl::EndsWith(path, ".cc");
}

bool IsProtobufHeader(absl::string_view header) {
  return absl::StartsWith(header, "google/protobuf/") ||
         absl::EndsWith(header, ".pb.h");
}

// The folder of ours that a header like "indim/ir/module.h" is in; empty if it
// isn't one of ours.
std::string OurFolder(absl::string_view header) {
  if (!absl::ConsumePrefix(&header, "indim/")) return "";
  return std::string(header.substr(0, header.rfind('/')));
}

// One header that a file includes.
struct Include {
  int line;
  std::string header;
  bool angled;  // <header>, not "header"
};

std::vector<Include> ParseIncludes(absl::string_view text) {
  std::vector<Include> includes;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++line_number;
    line = absl::StripLeadingAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "#")) continue;
    line = absl::StripLeadingAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "include")) continue;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) continue;
    const bool angled = line[0] == '<';
    const size_t end = line.find(angled ? '>' : '"', 1);
    if (end == absl::string_view::npos) continue;  // a macro
    includes.push_back(
        {line_number, std::string(line.substr(1, end - 1)), angled});
  }
  return includes;
}

// What is wrong with one #include of a file in `layer`; empty if nothing.
std::string Complaint(const Layer& layer, absl::string_view path,
                      const Include& include) {
  const std::string& header = include.header;
  const std::string target = OurFolder(header);
  if (target.empty()) {
    // Without the prefix ours would shadow, or be shadowed by, a user's.
    for (const Layer& other : Layers()) {
      if (absl::StartsWith(header, other.folder + "/")) {
        return absl::StrCat("spell it indim/", header);
      }
    }
  }
  if (layer.any) return "";
  if (IsProtobufHeader(header)) {
    return MayUseProtobuf(path) ? "" : "generated code is not for this file";
  }
  if (target.empty()) {
    const bool system = include.angled && (!absl::StrContains(header, '/') ||
                                           absl::StartsWith(header, "sys/"));
    return system || absl::StartsWith(header, "absl/")
               ? ""
               : "not ours, Abseil's or the system's";
  }
  return target == layer.folder ||
                 absl::c_linear_search(layer.may_include, target)
             ? ""
             : absl::StrCat(layer.folder, "/ may not use ", target, "/");
}

std::vector<std::string> Complaints(const Layer& layer, absl::string_view path,
                                    absl::string_view text) {
  std::vector<std::string> complaints;
  for (const Include& include : ParseIncludes(text)) {
    const std::string complaint = Complaint(layer, path, include);
    if (!complaint.empty()) {
      complaints.push_back(absl::StrCat(path, ":", include.line, ": ",
                                        include.header, ": ", complaint));
    }
  }
  return complaints;
}

bool IsSource(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".cc" || extension == ".def";
}

std::vector<fs::path> SourcesUnder(const fs::path& folder) {
  std::vector<fs::path> sources;
  if (!fs::exists(folder)) return sources;  // a layer that isn't there yet
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && IsSource(entry.path())) {
      sources.push_back(entry.path());
    }
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

class LayerTest : public testing::TestWithParam<Layer> {};

TEST_P(LayerTest, IncludesOnlyWhatItMay) {
  const Layer& layer = GetParam();
  const fs::path root = Checkout();
  std::vector<std::string> complaints;
  for (const fs::path& source : SourcesUnder(root / layer.folder)) {
    const std::string path = source.lexically_relative(root).string();
    if (LayerOf(path) != &layer) continue;
    const std::vector<std::string> found =
        Complaints(layer, path, FileText(source));
    complaints.insert(complaints.end(), found.begin(), found.end());
  }
  EXPECT_THAT(complaints, IsEmpty()) << absl::StrJoin(complaints, "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Folders, LayerTest, testing::ValuesIn(Layers()),
    [](const testing::TestParamInfo<Layer>& info) {
      return absl::StrReplaceAll(info.param.folder, {{"/", "_"}});
    });

// A folder with C++ in it that the table doesn't know would go unchecked.
TEST(LayersTest, EveryFolderHasARow) {
  const fs::path root = Checkout();
  std::set<std::string> without;
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_symlink() || !entry.is_directory() || name[0] == '.') {
      continue;
    }
    for (const fs::path& source : SourcesUnder(entry.path())) {
      const std::string path = source.lexically_relative(root).string();
      if (LayerOf(path) == nullptr &&
          !absl::StartsWith(path, "packaging/third_party/")) {
        without.insert(path);
      }
    }
  }
  EXPECT_THAT(without, IsEmpty());
}

// What it is linked with, and who may use it, follows from the table then.
TEST(LayersTest, EveryFolderIsALibraryOfUnits) {
  for (const Layer& layer : Layers()) {
    if (layer.any || layer.folder == "proto") continue;
    const std::string build = CheckoutText(layer.folder + "/BUILD");
    EXPECT_THAT(build, HasSubstr("folder_library(")) << layer.folder;
    EXPECT_THAT(build, Not(HasSubstr("cc_library("))) << layer.folder;
  }
}

// The table is one of floors: no folder uses one that stands below it there.
TEST(LayersTest, NoFolderUsesALowerRow) {
  std::set<std::string> above;
  ASSERT_GT(Layers().size(), 20);
  for (const Layer& layer : Layers()) {
    for (const std::string& used : layer.may_include) {
      EXPECT_EQ(above.count(used), 1) << layer.folder << " uses " << used;
    }
    above.insert(layer.folder);
  }
}

TEST(LayersTest, TheWalkFindsSources) {
  EXPECT_FALSE(SourcesUnder(Checkout() / "shape").empty());
}

TEST(LayersTest, IncludesAreFoundHoweverWritten) {
  const std::vector<Include> includes = ParseIncludes(
      "// #include \"no.h\"\n#include \"a.h\"  // why\n  #  include <b>\n"
      "#include MACRO\n#include\n#include \"open\n#define X 1\n");
  ASSERT_THAT(includes, SizeIs(2));
  EXPECT_EQ(includes[0].header, "a.h");
  EXPECT_EQ(includes[0].line, 2);
  EXPECT_FALSE(includes[0].angled);
  EXPECT_EQ(includes[1].header, "b");
  EXPECT_TRUE(includes[1].angled);
}

// The generated code that `header` ("indim/ir/module.h") brings along: the
// includes that lead there, or nothing. `read` gives the text of a header of
// ours.
std::string PathToProtobuf(
    const std::string& header,
    const std::function<std::string(const std::string&)>& read,
    std::set<std::string>* seen) {
  if (IsProtobufHeader(header)) return header;
  if (OurFolder(header).empty() || !seen->insert(header).second) return "";
  for (const Include& include : ParseIncludes(read(header))) {
    const std::string path = PathToProtobuf(include.header, read, seen);
    if (!path.empty()) return absl::StrCat(header, " > ", path);
  }
  return "";
}

// What a user includes never compiles generated code, however deep. The
// command's own headers are not for users.
TEST(LayersTest, NoHeaderBringsGeneratedCodeAlong) {
  const fs::path root = Checkout();
  const auto read = [](const std::string& header) {
    return CheckoutText(header.substr(std::string("indim/").size()));
  };
  int headers = 0;
  for (const Layer& layer : Layers()) {
    if (layer.any) continue;
    for (const fs::path& source : SourcesUnder(root / layer.folder)) {
      if (source.extension() != ".h") continue;
      std::set<std::string> seen;
      EXPECT_EQ(
          PathToProtobuf("indim/" + source.lexically_relative(root).string(),
                         read, &seen),
          "");
      ++headers;
    }
  }
  EXPECT_GT(headers, 100);
}

TEST(LayersTest, GeneratedCodeIsFoundHoweverDeep) {
  const auto read = [](const std::string& header) -> std::string {
    if (header == "indim/ir/a.h") {
      return "#include \"indim/ir/a.h\"\n#include \"indim/ir/b.h\"\n";
    }
    return "#include <string>\n#include \"indim/proto/hlo.pb.h\"\n";
  };
  std::set<std::string> seen;
  EXPECT_EQ(PathToProtobuf("indim/ir/a.h", read, &seen),
            "indim/ir/a.h > indim/ir/b.h > indim/proto/hlo.pb.h");
  EXPECT_EQ(PathToProtobuf("absl/types/span.h", read, &seen), "");
}

// Whether the line looks for something in a message of an error. What an error
// carries is asked for (shape/diagnostics/status_errors.h).
bool SearchesAMessage(absl::string_view line) {
  for (const char* search : {"find(", "rfind(", "starts_with(", "ends_with("}) {
    if (absl::StrContains(line, absl::StrCat("message().", search)) ||
        absl::StrContains(line, absl::StrCat("message.", search, "\""))) {
      return true;
    }
  }
  for (const char* search :
       {"StrContains(", "StartsWith(", "EndsWith(", "StrSplit(", "StripPrefix(",
        "StripSuffix(", "ConsumePrefix(", "ConsumeSuffix("}) {
    const size_t call = line.find(search);
    if (call == absl::string_view::npos) continue;
    const absl::string_view rest = line.substr(call);
    if (absl::StrContains(rest.substr(0, rest.find(',')), "message")) {
      return true;
    }
  }
  return false;
}

TEST(LayersTest, NobodySearchesMessages) {
  const fs::path root = Checkout();
  std::vector<std::string> found;
  for (const Layer& layer : Layers()) {
    if (layer.folder == "tests") continue;
    for (const fs::path& source : SourcesUnder(root / layer.folder)) {
      const std::string path = source.lexically_relative(root).string();
      // libprotobuf's parser tells an unknown field in words alone.
      if (LayerOf(path) != &layer || path == "proto/hlo_module/proto_text.cc")
        continue;
      const std::string text = FileText(source);
      for (const absl::string_view line : absl::StrSplit(text, '\n')) {
        if (SearchesAMessage(line)) {
          found.push_back(absl::StrCat(path, ": ", line));
        }
      }
    }
  }
  EXPECT_THAT(found, IsEmpty()) << absl::StrJoin(found, "\n");
}

TEST(LayersTest, ASearchIsFound) {
  for (const char* line : {"if (status.message().find(\"[IND\") == 0) {",
                           "return absl::StrContains(status.message(), name);",
                           "  absl::ConsumeSuffix(&message, \"]\")",
                           "const size_t at = message.rfind(\", column \");"}) {
    EXPECT_TRUE(SearchesAMessage(line)) << line;
  }
  for (const char* line :
       {"absl::StrCat(name, \": \", status.message())",
        "if (absl::StartsWith(text, \"(\")) return Error(message, at);"}) {
    EXPECT_FALSE(SearchesAMessage(line)) << line;
  }
}

// A planted line in a planted file, and whether the table takes it.
struct Planted {
  std::string path;
  std::string line;
  bool accepted;
};

TEST(LayersTest, PlantedLinesAreJudgedRight) {
  const std::vector<Planted> table = {
      {"shape/types/x.h", "#include <vector>", true},
      {"shape/types/x.h", "#include \"absl/types/span.h\"", true},
      {"shape/types/x.h", "#include \"indim/shape/types/shape.h\"", true},
      {"shape/types/x.h", "#include \"indim/shape/dims/dim.h\"", true},
      {"shape/types/x.h", "#include \"shape/dims/dim.h\"", false},
      {"shape/dims/x.h", "#include \"indim/shape/types/shape.h\"", false},
      {"shape/infer/x.h", "#include \"indim/ir/module.h\"", false},
      {"shape/ops/x.cc", "#include \"indim/proto/hlo.pb.h\"", false},
      {"shape/ops/x.cc", "#include \"gtest/gtest.h\"", false},
      {"shape/ops/x.cc", "#include <benchmark/benchmark.h>", false},
      {"ir/storage/x.cc", "#include <sys/mman.h>", true},
      {"ir/storage/x.cc", "#include \"indim/proto/wire/wire.h\"", false},
      {"proto/wire/x.cc", "#include <google/protobuf/message.h>", false},
      {"ir/x.h", "#include \"indim/shape/infer/infer.h\"", true},
      {"ir/x.cc", "#include \"indim/proto/hlo_module/module_reader.h\"", false},
      {"ir/x.cc", "#include \"indim/proto/hlo.pb.h\"", false},
      {"proto/hlo_module/proto_x.cc", "#include \"indim/proto/hlo.pb.h\"",
       true},
      {"proto/hlo_module/proto_x.h", "#include \"indim/proto/hlo.pb.h\"",
       false},
      {"text/print/x.cc", "#include \"indim/text/parse/hlo_parser.h\"", false},
      {"passes/check/x.cc", "#include \"indim/ir/module.h\"", true},
      {"passes/check/x.cc", "#include \"indim/builder/op.h\"", false},
      {"passes/check/x.cc", "#include \"indim/passes/sizes/refine.h\"", false},
      {"passes/sizes/x.cc", "#include \"indim/eval/fold.h\"", true},
      {"eval/x.cc", "#include \"indim/passes/export/export.h\"", false},
      {"ir/x.cc", "#include \"indim/eval/fold.h\"", false},
      {"builder/x.cc", "#include \"indim/ir/module.h\"", true},
      {"builder/x.cc", "#include \"indim/builder/composites/math.h\"", false},
      {"builder/x.cc", "#include \"indim/passes/check/x.h\"", false},
      {"tools/explain/x.cc", "#include \"indim/passes/check/x.h\"", true},
      {"tests/ir/x.cc", "#include \"indim/proto/hlo.pb.h\"", true},
      {"tests/ir/x.cc", "#include \"ir/module.h\"", false},
  };
  for (const Planted& planted : table) {
    const Layer* const layer = LayerOf(planted.path);
    ASSERT_NE(layer, nullptr) << planted.path;
    EXPECT_EQ(Complaints(*layer, planted.path, planted.line).empty(),
              planted.accepted)
        << planted.path << ": " << planted.line;
  }
}

}  // namespace
}  // namespace indim
