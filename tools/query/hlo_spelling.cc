#include "indim/tools/query/hlo_spelling.h"

#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace indim {
namespace {

constexpr absl::string_view kWindow =
    "window; expected such as \"size=3x3 stride=2x2 pad=1_1x0_0\"";
constexpr absl::string_view kPadding =
    "padding; expected low_high or low_high_interior for each dim: \"0_1x2_2\"";
constexpr absl::string_view kSlice =
    "slice; expected [start:limit] or [start:limit:stride] for each dim: "
    "\"{[2:5], [1:7:2]}\"";
constexpr absl::string_view kDimLabels =
    "dim_labels; expected input_kernel->output: \"b01f_01io->b01f\"";
constexpr absl::string_view kReplicaGroups =
    "replica_groups; expected \"{{0,1},{2,3}}\" or \"[2,4]<=[8]\"";
constexpr absl::string_view kPairs =
    "list of pairs; expected such as \"{{0,1},{1,0}}\"";

// Longer texts are cut, so that a message stays one line.
absl::Status Malformed(absl::string_view what, absl::string_view text) {
  constexpr size_t kShown = 80;
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text.substr(0, kShown),
                   text.size() > kShown ? "...\"" : "\"", " is no ", what));
}

// "1x2x3" at 'x', each number in turn at '_': one list per dim. nullopt when
// something is no number.
std::optional<std::vector<std::vector<int64_t>>> NumberGrid(
    absl::string_view text, char outer, char inner) {
  std::vector<std::vector<int64_t>> grid;
  for (absl::string_view part : absl::StrSplit(text, outer)) {
    std::vector<int64_t>& row = grid.emplace_back();
    for (absl::string_view number : absl::StrSplit(part, inner)) {
      if (!absl::SimpleAtoi(number, &row.emplace_back())) return std::nullopt;
    }
  }
  return grid;
}

// One part of a window, "stride=1x2", into the dims, which are there already.
bool ReadWindowPart(absl::string_view name,
                    const std::vector<std::vector<int64_t>>& values,
                    std::vector<WindowDim>* window) {
  static constexpr std::pair<absl::string_view, int64_t WindowDim::*>
      kNumbers[] = {{"size", &WindowDim::size},
                    {"stride", &WindowDim::stride},
                    {"lhs_dilate", &WindowDim::base_dilation},
                    {"rhs_dilate", &WindowDim::window_dilation}};
  if (values.size() != window->size()) return false;
  const size_t width = name == "pad" ? 2 : 1;
  for (size_t i = 0; i < values.size(); ++i) {
    WindowDim& dim = (*window)[i];
    if (values[i].size() != width) return false;
    if (name == "pad") {
      dim.padding_low = values[i][0];
      dim.padding_high = values[i][1];
      continue;
    }
    if (name == "rhs_reversal") {
      dim.window_reversal = values[i][0] != 0;
      continue;
    }
    bool known = false;
    for (const auto& number : kNumbers) {
      if (number.first != name) continue;
      dim.*number.second = values[i][0];
      known = true;
    }
    if (!known) return false;
  }
  return true;
}

// Removes "{", "}" around `text`; false when they are not there.
bool StripBraces(absl::string_view* text) {
  *text = absl::StripAsciiWhitespace(*text);
  return absl::ConsumePrefix(text, "{") && absl::ConsumeSuffix(text, "}");
}

// "{1,2},{3}" or "[1:2],[3:4]": what stands between each pair of `open` and
// `close`, split at `separator`. nullopt when it is not of that form.
std::optional<std::vector<std::vector<int64_t>>> NumberLists(
    absl::string_view text, char open, char close, char separator) {
  std::vector<std::vector<int64_t>> lists;
  text = absl::StripAsciiWhitespace(text);
  while (!text.empty()) {
    const size_t end = text.find(close);
    if (text[0] != open || end == absl::string_view::npos) return std::nullopt;
    std::vector<int64_t>& list = lists.emplace_back();
    const absl::string_view inside =
        absl::StripAsciiWhitespace(text.substr(1, end - 1));
    if (!inside.empty()) {
      for (absl::string_view number : absl::StrSplit(inside, separator)) {
        if (!absl::SimpleAtoi(number, &list.emplace_back())) {
          return std::nullopt;
        }
      }
    }
    text = absl::StripLeadingAsciiWhitespace(text.substr(end + 1));
    if (text.empty()) break;
    if (!absl::ConsumePrefix(&text, ",")) return std::nullopt;
    text = absl::StripLeadingAsciiWhitespace(text);
    if (text.empty()) return std::nullopt;  // nothing after the comma
  }
  return lists;
}

// "b01f": where the two letters and the digits stand. false unless each letter
// and each digit 0..n-1 is there once.
bool ReadLabels(absl::string_view text, char first, char second,
                int64_t* first_dim, int64_t* second_dim, DimIndices* spatial) {
  if (text.size() < 2 || text.size() > 12) return false;
  spatial->assign(text.size() - 2, -1);
  *first_dim = -1;
  *second_dim = -1;
  for (size_t i = 0; i < text.size(); ++i) {
    int64_t* place = nullptr;
    if (text[i] == first) {
      place = first_dim;
    } else if (text[i] == second) {
      place = second_dim;
    } else if (absl::ascii_isdigit(text[i]) &&
               static_cast<size_t>(text[i] - '0') < spatial->size()) {
      place = &(*spatial)[text[i] - '0'];
    }
    if (place == nullptr || *place >= 0) return false;
    *place = static_cast<int64_t>(i);
  }
  return true;  // as many places as characters, and none was taken twice
}

}  // namespace

absl::StatusOr<std::vector<WindowDim>> ReadWindow(absl::string_view text) {
  absl::flat_hash_map<absl::string_view, std::vector<std::vector<int64_t>>>
      parts;
  for (absl::string_view part :
       absl::StrSplit(text, ' ', absl::SkipWhitespace())) {
    const size_t equals = part.find('=');
    if (equals == absl::string_view::npos) return Malformed(kWindow, text);
    auto values = NumberGrid(part.substr(equals + 1), 'x', '_');
    if (!values || !parts.emplace(part.substr(0, equals), *values).second) {
      return Malformed(kWindow, text);
    }
  }
  std::vector<WindowDim> window;
  if (parts.empty()) return window;
  const auto size = parts.find("size");
  if (size == parts.end()) return Malformed(kWindow, text);
  window.resize(size->second.size());
  for (const auto& part : parts) {
    if (!ReadWindowPart(part.first, part.second, &window)) {
      return Malformed(kWindow, text);
    }
  }
  return window;
}

absl::StatusOr<std::vector<PaddingDim>> ReadPadding(absl::string_view text) {
  const absl::string_view stripped = absl::StripAsciiWhitespace(text);
  std::vector<PaddingDim> padding;
  if (stripped.empty()) return padding;
  auto rows = NumberGrid(stripped, 'x', '_');
  if (!rows) return Malformed(kPadding, text);
  for (const std::vector<int64_t>& row : *rows) {
    if (row.size() < 2 || row.size() > 3) return Malformed(kPadding, text);
    padding.push_back({row[0], row[1], row.size() == 3 ? row[2] : 0});
  }
  return padding;
}

absl::StatusOr<SliceAttributes> ReadSlice(absl::string_view text) {
  absl::string_view inside = text;
  if (!StripBraces(&inside)) return Malformed(kSlice, text);
  auto lists = NumberLists(inside, '[', ']', ':');
  if (!lists) return Malformed(kSlice, text);
  SliceAttributes slice;
  for (const std::vector<int64_t>& list : *lists) {
    if (list.size() < 2 || list.size() > 3) return Malformed(kSlice, text);
    slice.starts.push_back(list[0]);
    slice.limits.push_back(list[1]);
    slice.strides.push_back(list.size() == 3 ? list[2] : 1);
  }
  return slice;
}

absl::StatusOr<ConvolutionDims> ReadDimLabels(absl::string_view text) {
  const absl::string_view stripped = absl::StripAsciiWhitespace(text);
  const size_t kernel = stripped.find('_');
  const size_t output = stripped.find("->");
  ConvolutionDims dims;
  if (kernel == absl::string_view::npos || output == absl::string_view::npos ||
      output < kernel ||
      !ReadLabels(stripped.substr(0, kernel), 'b', 'f', &dims.input_batch,
                  &dims.input_feature, &dims.input_spatial) ||
      !ReadLabels(stripped.substr(kernel + 1, output - kernel - 1), 'i', 'o',
                  &dims.kernel_input_feature, &dims.kernel_output_feature,
                  &dims.kernel_spatial) ||
      !ReadLabels(stripped.substr(output + 2), 'b', 'f', &dims.output_batch,
                  &dims.output_feature, &dims.output_spatial)) {
    return Malformed(kDimLabels, text);
  }
  return dims;
}

absl::StatusOr<ReplicaGroups> ReadReplicaGroups(absl::string_view text) {
  ReplicaGroups groups;
  absl::string_view inside = absl::StripAsciiWhitespace(text);
  const size_t arrow = inside.find("<=");
  if (arrow != absl::string_view::npos) {
    auto sizes = NumberLists(inside.substr(0, arrow), '[', ']', ',');
    if (!sizes || sizes->size() != 1 || (*sizes)[0].size() != 2) {
      return Malformed(kReplicaGroups, text);
    }
    groups.iota_groups = (*sizes)[0][0];
    groups.iota_group_size = (*sizes)[0][1];
    return groups;
  }
  if (!StripBraces(&inside)) return Malformed(kReplicaGroups, text);
  auto lists = NumberLists(inside, '{', '}', ',');
  if (!lists) return Malformed(kReplicaGroups, text);
  groups.groups = *std::move(lists);
  return groups;
}

absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> ReadPairs(
    absl::string_view text) {
  absl::string_view inside = text;
  if (!StripBraces(&inside)) return Malformed(kPairs, text);
  auto lists = NumberLists(inside, '{', '}', ',');
  if (!lists) return Malformed(kPairs, text);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const std::vector<int64_t>& list : *lists) {
    if (list.size() != 2) return Malformed(kPairs, text);
    pairs.emplace_back(list[0], list[1]);
  }
  return pairs;
}

}  // namespace indim
