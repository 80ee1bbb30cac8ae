// SPDX-License-Identifier: Apache-2.0
// Holds classes small: one with more declarations or members than the limits is
// several ideas. Counted are member functions, members, types, constants and
// friends of each class of the tree, tests apart; deleted and defaulted
// functions aren't. Structs are data, and may have more.

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/checkout.h"

namespace indim {
namespace {

namespace fs = std::filesystem;

using ::testing::IsEmpty;

constexpr int kMostDeclarations = 60;
constexpr int kMostMembers = 15;

struct Exempt {
  const char* name;
  const char* why;
};
constexpr Exempt kExempt[] = {
    {"ComputationBuilder", "its declarations are the calls that users make"},
    {"Editor", "its declarations are the calls that users make"},
};
// `text` without comments, literals and preprocessor lines.
std::string Code(absl::string_view text) {
  std::string code;
  const auto line_starts = [&](size_t i) {
    while (i > 0 && (text[i - 1] == ' ' || text[i - 1] == '\t')) --i;
    return i == 0 || text[i - 1] == '\n';
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const absl::string_view rest = text.substr(i);
    if (absl::StartsWith(rest, "//")) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (absl::StartsWith(rest, "/*")) {
      i = text.find("*/", i) + 1;
    } else if (text[i] == '#' && line_starts(i)) {
      while (i + 1 < text.size() && (text[i + 1] != '\n' || text[i] == '\\'))
        ++i;
    } else if (absl::StartsWith(rest, "R\"(")) {
      i = text.find(")\"", i) + 1;
      absl::StrAppend(&code, "\"\"");
    } else if (text[i] == '"' ||
               (text[i] == '\'' && !absl::ascii_isalnum(text[i - 1]))) {
      const char quote = text[i];
      for (++i; text[i] != quote; ++i) i += text[i] == '\\' ? 1 : 0;
      absl::StrAppend(&code, "\"\"");
    } else {
      code.push_back(text[i]);
    }
  }
  return code;
}

// The position of the bracket that closes the one at `open`.
size_t ClosingOf(absl::string_view code, size_t open) {
  int depth = 0;
  for (size_t i = open; i < code.size(); ++i) {
    if (code[i] == '{') ++depth;
    if (code[i] == '}' && --depth == 0) return i;
  }
  return code.size() - 1;
}

// The declarations of a class body; what is between braces becomes "{}".
std::vector<std::string> DeclarationsOf(absl::string_view body) {
  std::vector<std::string> all;
  std::string declaration;
  int parentheses = 0;
  const auto end = [&] {
    const absl::string_view text = absl::StripAsciiWhitespace(declaration);
    if (!text.empty()) all.emplace_back(text);
    declaration.clear();
  };
  for (size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (c == '(') ++parentheses;
    if (c == ')') --parentheses;
    if (c == '{') {
      declaration += "{}";
      i = ClosingOf(body, i);
      const size_t next = body.find_first_not_of(" \n\t", i + 1);
      const char after = next == body.npos ? '\0' : body[next];
      // A function's body ends it. A member's braces, or those of an
      // initializer in a constructor, don't.
      if (parentheses == 0 && after != ';' && after != ',' && after != '{') {
        end();
      }
    } else if (c == ';' && parentheses == 0) {
      end();
    } else if (c == ':' && parentheses == 0 &&
               absl::c_linear_search(
                   std::vector<absl::string_view>{"public", "private",
                                                  "protected"},
                   absl::StripAsciiWhitespace(declaration))) {
      declaration.clear();
    } else {
      declaration.push_back(c);
    }
  }
  return all;
}

struct Counts {
  int declarations = 0;
  int members = 0;
};

Counts CountOf(absl::string_view body) {
  static const std::regex* const angles = new std::regex("<[^<>]*>");
  static const std::regex* const braces =
      new std::regex("\\{[^{}]*\\}|\\([^()]*\\)");
  static const std::regex* const not_data = new std::regex(
      "(friend|using|typedef|static|inline static|constexpr|class|struct|enum|"
      "union)\\b[^]*");
  Counts counts;
  for (std::string text : DeclarationsOf(body)) {
    if (absl::EndsWith(text, "default") || absl::EndsWith(text, "delete") ||
        absl::StartsWith(text, "static_assert")) {
      continue;
    }
    for (int i = 0; i < 4; ++i) text = std::regex_replace(text, *angles, "");
    absl::string_view rest = text;
    if (absl::ConsumePrefix(&rest, "template")) {
      rest = absl::StripLeadingAsciiWhitespace(rest);
    }
    const std::string plain(rest);
    const bool is_operator = absl::StrContains(plain, "operator");
    const absl::string_view head =
        rest.substr(0, is_operator ? rest.npos : rest.find_first_of("={"));
    ++counts.declarations;
    if (!absl::StrContains(head, "(") && !std::regex_match(plain, *not_data)) {
      const std::string names = std::regex_replace(plain, *braces, "");
      const int more = static_cast<int>(absl::c_count(names, ','));
      counts.declarations += more;
      counts.members += 1 + more;
    }
  }
  return counts;
}

// The bodies of the classes of a file, by name.
std::map<std::string, std::string> ClassesOf(const std::string& text) {
  static const std::regex* const begin = new std::regex(
      "\\bclass\\s+(?:[A-Z_]+\\s+)?(\\w+(?:::\\w+)*)\\s*(?:final\\s*)?"
      "(?::[^{;()]*)?\\{");
  const std::string code = Code(text);
  std::map<std::string, std::string> classes;
  for (std::sregex_iterator it(code.begin(), code.end(), *begin), end;
       it != end; ++it) {
    const size_t start = static_cast<size_t>(it->position());
    if (absl::EndsWith(absl::StripTrailingAsciiWhitespace(
                           absl::string_view(code).substr(0, start)),
                       "enum")) {
      continue;
    }
    const size_t open = start + static_cast<size_t>(it->length()) - 1;
    classes[it->str(1)] =
        code.substr(open + 1, ClosingOf(code, open) - open - 1);
  }
  return classes;
}

bool IsOver(const Counts& counts) {
  return counts.declarations > kMostDeclarations ||
         counts.members > kMostMembers;
}

TEST(ClassSizeTest, CountsWhatAClassDeclares) {
  const std::map<std::string, std::string> classes = ClassesOf(R"(
    // class Comment { int a; };
    class Some : public Other {
     public:
      Some(int a, std::map<int, std::string> b) : a_{a}, b_(b) {}
      Some(const Some&) = delete;
      enum class Kind { kA, kB };
      int a() const { return a_; }
      bool operator==(const Some& other) const;
      template <typename T, typename U>
      void Call(T t, U u);
      using Name = std::string;
      static constexpr int kMost = 3;

     private:
      struct Part { int x, y; };
      std::map<int, std::vector<std::string>> b_, c_;
      int a_ = Function(1, 2);
    };
    struct Data { int a, b; };)");
  ASSERT_EQ(classes.size(), 1u);
  const Counts counts = CountOf(classes.at("Some"));
  EXPECT_EQ(counts.members, 3);
  EXPECT_EQ(counts.declarations, 11);
}

// The sources of the checkout, tests and what builds leave apart.
std::vector<std::string> Sources() {
  std::vector<std::string> paths;
  for (const fs::directory_entry& top : fs::directory_iterator(Checkout())) {
    const std::string folder = top.path().filename().string();
    if (!top.is_directory() || top.is_symlink() || folder[0] == '.' ||
        folder == "tests") {
      continue;
    }
    for (const fs::directory_entry& file :
         fs::recursive_directory_iterator(top.path())) {
      const std::string extension = file.path().extension().string();
      if (extension == ".h" || extension == ".cc" || extension == ".hpp") {
        paths.push_back(fs::relative(file.path(), Checkout()).string());
      }
    }
  }
  return paths;
}

TEST(ClassSizeTest, NoClassIsSeveralIdeas) {
  std::vector<std::string> over;
  for (const std::string& path : Sources()) {
    for (const auto& [name, body] : ClassesOf(CheckoutText(path))) {
      // Most are small at a glance.
      if (absl::c_count(body, ';') + absl::c_count(body, ',') <= kMostMembers) {
        continue;
      }
      const Counts counts = CountOf(body);
      if (!IsOver(counts)) continue;
      if (absl::c_none_of(kExempt, [&name = name](const Exempt& e) {
            return e.name == name;
          })) {
        over.push_back(absl::StrCat(path, ": ", name, " has ",
                                    counts.declarations, " declarations, ",
                                    counts.members, " members"));
      }
    }
  }
  EXPECT_THAT(over, IsEmpty());
}

}  // namespace
}  // namespace indim
