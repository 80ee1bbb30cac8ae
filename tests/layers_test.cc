// Keeps the table of layers true for #include lines: which folder may use
// which. Bazel's visibility says the same for targets (see //:BUILD); this test
// also covers what targets can't say, such as generated protobuf code in
// headers.
//
// It walks the checkout itself, so that a new folder or file can't be
// forgotten.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// One row of the table. `any` is for the folders above the library, which may
// use all of it and any library.
struct Layer {
  std::string folder;
  std::vector<std::string> may_include;
  bool any = false;
};

const std::vector<Layer>& Layers() {
  static const auto* layers = new std::vector<Layer>{
      {"proto", {}},
      {"shape", {"shape"}},
      {"ir", {"ir", "shape"}},
      {"eval", {"eval", "ir", "shape"}},
      {"passes", {"passes", "eval", "ir", "shape"}},
      {"builder", {"builder", "ir", "shape"}},
      {"tools", {}, true},
      {"tests", {}, true},
      {"examples", {}, true},
      {"bench", {}, true},
  };
  return *layers;
}

// The library's only files that may see generated protobuf classes: those that
// convert to and from them, and none of their headers.
bool MayUseProtobuf(absl::string_view path) {
  return absl::StartsWith(path, "ir/proto_") && absl::EndsWith(path, ".cc");
}

bool IsProtobufHeader(absl::string_view header) {
  return absl::StartsWith(header, "google/protobuf/") ||
         absl::EndsWith(header, ".pb.h");
}

// The folder of ours that a header like "indim/shape/dim.h" is in; empty if it
// isn't one of ours.
std::string OurFolder(absl::string_view header) {
  if (!absl::ConsumePrefix(&header, "indim/")) return "";
  return std::string(header.substr(0, header.find('/')));
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
  return absl::c_linear_search(layer.may_include, target)
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

const Layer& LayerNamed(absl::string_view folder) {
  return *absl::c_find_if(
      Layers(), [&](const Layer& layer) { return layer.folder == folder; });
}

// The checkout: where the link to WORKSPACE among this test's files ends.
fs::path Root() { return fs::canonical("WORKSPACE").parent_path(); }

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

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class LayerTest : public testing::TestWithParam<Layer> {};

TEST_P(LayerTest, IncludesOnlyWhatItMay) {
  const Layer& layer = GetParam();
  const fs::path root = Root();
  std::vector<std::string> complaints;
  for (const fs::path& source : SourcesUnder(root / layer.folder)) {
    const std::string path = source.lexically_relative(root).string();
    const std::vector<std::string> found =
        Complaints(layer, path, ReadFile(source));
    complaints.insert(complaints.end(), found.begin(), found.end());
  }
  EXPECT_THAT(complaints, IsEmpty()) << absl::StrJoin(complaints, "\n");
}

INSTANTIATE_TEST_SUITE_P(Folders, LayerTest, testing::ValuesIn(Layers()),
                         [](const testing::TestParamInfo<Layer>& info) {
                           return info.param.folder;
                         });

// A folder with C++ in it that the table doesn't know would go unchecked.
TEST(LayersTest, EveryFolderHasARow) {
  std::set<std::string> known = {"third_party"};
  for (const Layer& layer : Layers()) known.insert(layer.folder);
  for (const auto& entry : fs::directory_iterator(Root())) {
    const std::string name = entry.path().filename().string();
    if (entry.is_symlink() || !entry.is_directory() || name[0] == '.') continue;
    if (known.count(name) > 0) continue;
    EXPECT_THAT(SourcesUnder(entry.path()), IsEmpty()) << name;
  }
}

TEST(LayersTest, TheWalkFindsSources) {
  EXPECT_FALSE(SourcesUnder(Root() / "shape").empty());
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
  const fs::path root = Root();
  const auto read = [&](const std::string& header) {
    return ReadFile(root / header.substr(std::string("indim/").size()));
  };
  int headers = 0;
  for (const char* folder : {"shape", "ir", "passes", "builder", "eval"}) {
    for (const fs::path& source : SourcesUnder(root / folder)) {
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

// A planted line in a planted file, and whether the table takes it.
struct Planted {
  std::string folder;
  std::string path;
  std::string line;
  bool accepted;
};

TEST(LayersTest, PlantedLinesAreJudgedRight) {
  const std::vector<Planted> table = {
      {"shape", "shape/x.h", "#include <vector>", true},
      {"shape", "shape/x.h", "#include \"absl/types/span.h\"", true},
      {"shape", "shape/x.h", "#include \"indim/shape/dim.h\"", true},
      {"shape", "shape/x.h", "#include \"shape/dim.h\"", false},
      {"shape", "shape/x.h", "#include \"indim/ir/module.h\"", false},
      {"shape", "shape/x.cc", "#include \"indim/proto/hlo.pb.h\"", false},
      {"shape", "shape/x.cc", "#include \"gtest/gtest.h\"", false},
      {"shape", "shape/x.cc", "#include <benchmark/benchmark.h>", false},
      {"ir", "ir/x.cc", "#include <sys/mman.h>", true},
      {"shape", "shape/x.cc", "#include <google/protobuf/message.h>", false},
      {"ir", "ir/x.h", "#include \"indim/shape/dim.h\"", true},
      {"ir", "ir/x.cc", "#include \"indim/passes/infer.h\"", false},
      {"ir", "ir/x.cc", "#include \"indim/proto/hlo.pb.h\"", false},
      {"ir", "ir/proto_convert.cc", "#include \"indim/proto/hlo.pb.h\"", true},
      {"ir", "ir/proto_convert.h", "#include \"indim/proto/hlo.pb.h\"", false},
      {"passes", "passes/x.cc", "#include \"indim/ir/module.h\"", true},
      {"passes", "passes/x.cc", "#include \"indim/builder/op.h\"", false},
      {"passes", "passes/x.cc", "#include \"indim/eval/fold.h\"", true},
      {"eval", "eval/x.cc", "#include \"indim/ir/module.h\"", true},
      {"eval", "eval/x.cc", "#include \"indim/passes/export.h\"", false},
      {"ir", "ir/x.cc", "#include \"indim/eval/fold.h\"", false},
      {"builder", "builder/x.cc", "#include \"indim/ir/module.h\"", true},
      {"builder", "builder/x.cc", "#include \"indim/passes/infer.h\"", false},
      {"tools", "tools/x.cc", "#include \"indim/passes/infer.h\"", true},
      {"tests", "tests/x.cc", "#include \"indim/proto/hlo.pb.h\"", true},
      {"tests", "tests/x.cc", "#include \"ir/module.h\"", false},
  };
  for (const Planted& planted : table) {
    EXPECT_EQ(Complaints(LayerNamed(planted.folder), planted.path, planted.line)
                  .empty(),
              planted.accepted)
        << planted.path << ": " << planted.line;
  }
}

}  // namespace
}  // namespace indim
