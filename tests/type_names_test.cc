// SPDX-License-Identifier: Apache-2.0
// Holds that a type's name has one meaning in the house: no two files define
// types of one name, tests apart. Types inside classes are read with the class.

#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/checkout.h"

namespace indim {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct MayRepeat {
  const char* name;
  const char* why;
};
constexpr MayRepeat kMayRepeat[] = {
    {"Id", "a number that names one kind of thing, in ir/ and in mlir"},
    {"Kind", "short for the Kind of the class that a file is about"},
    {"Op", "MLIR's own word, in namespace mlir; the builder's is indim::Op"},
    {"Region", "MLIR's own word, in namespace mlir"},
    {"Value", "MLIR's own word, in namespace mlir; PJRT's, in namespace pjrt"},
};

// The types that `text` defines outside of classes, each with what tells
// meanings apart: the file, or of an alias the type that it stands for.
std::map<std::string, std::string> TypesOf(const std::string& text,
                                           const std::string& file) {
  // What namespaces hold isn't indented, and what classes hold is.
  static const std::regex* const definition = new std::regex(
      "\\n(?:struct|class|enum class|enum) (?:alignas\\([^)]*\\) |[A-Z_]+ )?"
      "([A-Z]\\w*)(?: final)?"
      "(?:\\s*:(?!:)[^;{]*)?\\s*\\{");
  static const std::regex* const alias =
      new std::regex("\\nusing ([A-Z]\\w*) =\\s*([^;]*);");
  std::map<std::string, std::string> types;
  for (std::sregex_iterator it(text.begin(), text.end(), *definition), end;
       it != end; ++it) {
    types[it->str(1)] = file;
  }
  for (std::sregex_iterator it(text.begin(), text.end(), *alias), end;
       it != end; ++it) {
    types[it->str(1)] = it->str(2);
  }
  return types;
}

TEST(TypeNamesTest, FindsDefinitionsOutsideOfClasses) {
  const auto types = TypesOf(
      "\nstruct A {\n  struct Inner {};\n};\nclass B : public A {\n};\n"
      "class A::Inner {\n};\nclass Declared;\nusing C = "
      "std::vector<int>;\nenum class D : int { kA };\nstruct alignas(64) E "
      "{\n};",
      "f.h");
  EXPECT_THAT(
      types, ElementsAre(testing::Pair("A", "f.h"), testing::Pair("B", "f.h"),
                         testing::Pair("C", "std::vector<int>"),
                         testing::Pair("D", "f.h"), testing::Pair("E", "f.h")));
}

TEST(TypeNamesTest, EachNameHasOneMeaning) {
  const fs::path root = Checkout();
  std::map<std::string, std::set<std::string>> meanings;
  for (auto it = fs::recursive_directory_iterator(root);
       it != fs::recursive_directory_iterator(); ++it) {
    const std::string path = it->path().lexically_relative(root).string();
    if (it->is_symlink() || absl::StartsWith(path, ".") || path == "tests" ||
        path == "examples" || path == "bench") {
      it.disable_recursion_pending();
      continue;
    }
    const std::string extension = it->path().extension().string();
    if (extension != ".h" && extension != ".cc") continue;
    for (const auto& [name, meaning] : TypesOf(FileText(it->path()), path)) {
      meanings[name].insert(meaning);
    }
  }
  ASSERT_GT(meanings.size(), 800);
  std::set<std::string> repeated;
  for (const auto& [name, files] : meanings) {
    if (files.size() > 1) {
      repeated.insert(
          absl::StrCat(name, ": ", *files.begin(), ", ", *files.rbegin()));
    }
  }
  for (const MayRepeat& may : kMayRepeat) {
    const auto found = meanings.find(may.name);
    EXPECT_TRUE(found != meanings.end() && found->second.size() > 1)
        << may.name << " has one meaning; take it off the list";
    for (auto it = repeated.begin(); it != repeated.end();) {
      it = absl::StartsWith(*it, absl::StrCat(may.name, ":"))
               ? repeated.erase(it)
               : std::next(it);
    }
  }
  EXPECT_THAT(repeated, IsEmpty());
}

}  // namespace
}  // namespace indim
