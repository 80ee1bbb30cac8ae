// SPDX-License-Identifier: Apache-2.0
// Values with an entry for each dimension: windows, labels, padding, sparsity.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/shape/ops/attributes.h"
#include "indim/text/attributes/attribute_values.h"
#include "indim/text/base/braced_members.h"

namespace indim {
namespace {

using field::WindowDimension::kPaddingHigh;

// Splits "3x4": numbers joined by `separator`. False for anything else.
bool SplitNumbers(absl::string_view run, char separator, DimIndices* numbers) {
  for (const absl::string_view part : absl::StrSplit(run, separator)) {
    int64_t number = 0;
    // SimpleAtoi accepts blanks and "+" too, which a run can't have.
    if (!absl::SimpleAtoi(part, &number)) return false;
    numbers->push_back(number);
  }
  return true;
}

// "3x4", one number per dimension.
bool ReadSizes(Lexer* lexer, absl::string_view name, DimIndices* sizes) {
  const size_t offset = lexer->offset();
  absl::string_view run;
  const std::string what = absl::StrCat("the ", name, " of each dim, as 3x3");
  if (!lexer->TakeRun(what, &run)) return false;
  if (SplitNumbers(run, 'x', sizes)) return true;
  return lexer->ErrorAt(offset, run.size(), absl::StrCat("expected ", what));
}

// "0_1x2_3": two or three numbers per dimension.
bool ReadPads(Lexer* lexer, size_t at_most, std::vector<DimIndices>* pads) {
  const size_t offset = lexer->offset();
  absl::string_view run;
  const absl::string_view what = "the padding of each dim, as 1_1x0_2";
  if (!lexer->TakeRun(what, &run)) return false;
  for (const absl::string_view part : absl::StrSplit(run, 'x')) {
    DimIndices pad;
    if (!SplitNumbers(part, '_', &pad) || pad.size() < 2 ||
        pad.size() > at_most) {
      return lexer->ErrorAt(offset, run.size(),
                            absl::StrCat("expected ", what));
    }
    pads->push_back(pad);
  }
  return true;
}

// A member of a window: its name in text and its field in WindowDimension.
struct WindowMember {
  absl::string_view name;
  uint32_t field;
  int64_t absent;  // the value if the member is missing
};
constexpr WindowMember kWindowMembers[] = {
    {"size", field::WindowDimension::kSize, 0},
    {"stride", field::WindowDimension::kStride, 1},
    {"pad", field::WindowDimension::kPaddingLow, 0},
    {"lhs_dilate", field::WindowDimension::kBaseDilation, 1},
    {"rhs_dilate", field::WindowDimension::kWindowDilation, 1},
    {"rhs_reversal", field::WindowDimension::kWindowReversal, 0},
};
constexpr size_t kSize = 0;
constexpr size_t kPad = 2;
constexpr size_t kReversal = 5;

// Appends one member, "stride=2x2", if the value of a dimension differs from
// `absent`.
void AppendWindowMember(const WindowMember& member,
                        const std::vector<FieldList>& dims, std::string* out) {
  const bool is_pad = &member == &kWindowMembers[kPad];
  const bool shown =
      &member == &kWindowMembers[kSize] ||
      std::any_of(dims.begin(), dims.end(), [&](const FieldList& dim) {
        return dim.Number(member.field) != member.absent ||
               (is_pad && dim.Number(kPaddingHigh) != 0);
      });
  if (!shown || dims.empty()) return;
  absl::StrAppend(out, &member == &kWindowMembers[kSize] ? "" : " ",
                  member.name, "=");
  for (size_t i = 0; i < dims.size(); ++i) {
    absl::StrAppend(out, i == 0 ? "" : "x", dims[i].Number(member.field));
    if (is_pad) absl::StrAppend(out, "_", dims[i].Number(kPaddingHigh));
  }
}

std::vector<FieldList> Messages(absl::string_view wire, WireMessage outer,
                                uint32_t field, WireMessage inner) {
  FieldList list(outer, wire);
  std::vector<FieldList> messages;
  for (const absl::string_view bytes : list.Texts(field)) {
    messages.emplace_back(inner);
    messages.back().Append(bytes);
  }
  return messages;
}

constexpr absl::string_view kDimLabels = "dim labels, as b01f_01io->b01f";

// One of the three groups of dim labels, with its fields in
// ConvolutionDimensionNumbers.
struct LabelGroup {
  absl::string_view what;
  char letters[2];  // batch and feature, or input and output feature
  uint32_t fields[2];
  uint32_t spatial;
};
namespace label_groups {
using namespace field::ConvolutionDimensionNumbers;  // NOLINT: the rows' fields
constexpr LabelGroup kGroups[] = {
    {"lhs",
     {'b', 'f'},
     {kInputBatchDimension, kInputFeatureDimension},
     kInputSpatialDimensions},
    {"rhs",
     {'i', 'o'},
     {kKernelInputFeatureDimension, kKernelOutputFeatureDimension},
     kKernelSpatialDimensions},
    {"output",
     {'b', 'f'},
     {kOutputBatchDimension, kOutputFeatureDimension},
     kOutputSpatialDimensions},
};
}  // namespace label_groups

// Reads "b01f". Returns the error, else "".
std::string ReadLabels(const LabelGroup& group, absl::string_view labels,
                       FieldList* to, size_t* spatial_count) {
  constexpr int64_t kAbsent = -1;
  DimIndices spatial(static_cast<size_t>(std::count_if(
                         labels.begin(), labels.end(),
                         [](char c) { return c >= '0' && c <= '9'; })),
                     kAbsent);
  bool seen[2] = {false, false};
  const std::string expected = absl::StrCat(
      "expected [0-9", std::string(group.letters, 2), "?] in the ", group.what,
      " labels, each once and digits from 0 up, found \"", labels, "\"");
  if (labels.size() < 2) return expected;
  for (size_t i = 0; i < labels.size(); ++i) {
    const char c = labels[i];
    const int64_t position = static_cast<int64_t>(i);
    if (c == '?') continue;
    if (c == group.letters[0] || c == group.letters[1]) {
      const size_t which = c == group.letters[0] ? 0 : 1;
      if (seen[which]) return expected;
      seen[which] = true;
      to->SetNumber(group.fields[which], position);
      continue;
    }
    const size_t digit = static_cast<size_t>(c - '0');
    if (c < '0' || digit >= spatial.size() || spatial[digit] != kAbsent) {
      return expected;
    }
    spatial[digit] = position;
  }
  to->SetNumbers(group.spatial, spatial);
  *spatial_count = spatial.size();
  return "";
}

void AppendLabels(const LabelGroup& group, const FieldList& from,
                  std::string* out) {
  std::vector<std::string> labels;
  const auto put = [&](int64_t position, std::string label) {
    if (position < 0 || position >= ConvolutionDims::kMaxRank) return;
    if (labels.size() <= static_cast<size_t>(position)) {
      labels.resize(static_cast<size_t>(position) + 1, "?");
    }
    labels[static_cast<size_t>(position)] = std::move(label);
  };
  for (int i = 0; i < 2; ++i) {
    put(from.Number(group.fields[i]), std::string(1, group.letters[i]));
  }
  const DimIndices spatial = from.Numbers(group.spatial);
  for (size_t i = 0; i < spatial.size(); ++i) put(spatial[i], absl::StrCat(i));
  for (const std::string& label : labels) out->append(label);
}

// Of SparsityConfig and BlockScalingConfig.
constexpr absl::string_view kSides[] = {"lhs", "rhs"};
constexpr uint32_t kSideFields[] = {field::SparsityConfig::kLhs,
                                    field::SparsityConfig::kRhs};
constexpr absl::string_view kSparseMembers[] = {"sparsity", "dimension",
                                                "stride", "idx"};

bool ReadSparseSide(Lexer* lexer, std::string* wire) {
  namespace of = field::SparsityConfig_TensorSparsityConfig;
  FieldList side(WireMessage::kSparsityConfig_TensorSparsityConfig);
  const auto read = [&](size_t i) {
    if (i == 0) {
      const size_t offset = lexer->offset();
      DimIndices sizes;
      if (!ReadSizes(lexer, "sparsity", &sizes)) return false;
      if (sizes.size() != 2) {
        return lexer->ErrorAt(offset, 1, "expected NONZEROxBLOCK, as 2x4");
      }
      side.SetNumber(of::kNumNonZero, sizes[0]);
      side.SetNumber(of::kBlockSize, sizes[1]);
      return true;
    }
    int64_t number = 0;
    if (!(i == 3 ? ReadInt32(lexer, &number) : lexer->ReadInt(&number))) {
      return false;
    }
    side.SetNumber(i == 1   ? of::kDimension
                   : i == 2 ? of::kStride
                            : of::kIdx,
                   number);
    return true;
  };
  if (!ReadMembers(lexer, "sparsity", kSparseMembers, read)) return false;
  *wire = side.Serialize();
  return true;
}

constexpr absl::string_view kScaledMembers[] = {"scale_idx", "zero_idx",
                                                "strides", "steps"};

bool ReadScaledSide(Lexer* lexer, std::string* wire) {
  namespace of = field::BlockScalingConfig_TensorBlockScalingConfig;
  FieldList side(WireMessage::kBlockScalingConfig_TensorBlockScalingConfig);
  const auto read = [&](size_t i) {
    if (i > 1) {
      DimIndices sizes;
      if (!ReadSizes(lexer, kScaledMembers[i], &sizes)) return false;
      side.SetNumbers(i == 2 ? of::kStrides : of::kSteps, sizes);
      return true;
    }
    int64_t number = 0;
    if (!ReadInt32(lexer, &number)) return false;
    side.SetNumber(i == 0 ? of::kScaleIdx : of::kZeroIdx, number);
    return true;
  };
  if (!ReadMembers(lexer, "block scaling", kScaledMembers, read)) return false;
  *wire = side.Serialize();
  return true;
}

// {lhs={...} rhs={...}}, of which each may be missing.
bool ReadSides(const TextAttribute& row, WireMessage message,
               bool (*read_side)(Lexer*, std::string*), Lexer* lexer,
               AttributesRead* to) {
  FieldList config(message);
  if (!ReadMembers(lexer, row.name, kSides, [&](size_t i) {
        std::string side;
        if (!read_side(lexer, &side)) return false;
        config.SetText(kSideFields[i], side);
        return true;
      })) {
    return false;
  }
  to->fields.SetText(row.path[0], config.Serialize());
  return true;
}

template <typename F>
bool PrintSides(const PrintedValue& value, WireMessage message,
                WireMessage side_message, const F& print, std::string* out) {
  FieldList config(message, value.fields.Text(value.row.path[0]));
  absl::string_view before = "{";
  for (size_t i = 0; i < 2; ++i) {
    if (!config.has(kSideFields[i])) continue;
    absl::StrAppend(out, before, kSides[i], "={");
    print(FieldList(side_message, config.Text(kSideFields[i])));
    out->append("}");
    before = " ";
  }
  absl::StrAppend(out, before == "{" ? "{}" : "}");
  return true;
}

}  // namespace

bool ReadWindowValue(const TextAttribute& row, Lexer* lexer,
                     AttributesRead* to) {
  const size_t offset = lexer->offset();
  std::vector<absl::string_view> names;
  for (const WindowMember& member : kWindowMembers) {
    names.push_back(member.name);
  }
  DimIndices members[std::size(kWindowMembers)];
  std::vector<DimIndices> pads;
  uint64_t given = 0;
  if (!ReadMembers(
          lexer, "window", names,
          [&](size_t i) {
            return i == kPad ? ReadPads(lexer, 2, &pads)
                             : ReadSizes(lexer, names[i], &members[i]);
          },
          &given)) {
    return false;
  }
  const size_t rank = members[0].size();
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t count = i == kPad ? pads.size() : members[i].size();
    if ((given >> i & 1) != 0 && count != rank) {
      return lexer->ErrorAt(
          offset, 1,
          absl::StrCat("the window has ", rank, " sizes, but ", names[i],
                       " says ", count));
    }
  }
  FieldList window(WireMessage::kWindow);
  std::vector<std::string> dims;
  for (size_t d = 0; d < rank; ++d) {
    FieldList dim(WireMessage::kWindowDimension);
    for (size_t i = 0; i < names.size(); ++i) {
      if (i == kPad) continue;
      int64_t number =
          members[i].empty() ? kWindowMembers[i].absent : members[i][d];
      if (i == kReversal) number = number == 1 ? 1 : 0;
      dim.SetNumber(kWindowMembers[i].field, number);
    }
    if (!pads.empty()) {
      dim.SetNumber(kWindowMembers[kPad].field, pads[d][0]);
      dim.SetNumber(kPaddingHigh, pads[d][1]);
    }
    dims.push_back(dim.Serialize());
  }
  window.SetTexts(field::Window::kDimensions, dims);
  to->fields.SetText(row.path[0], window.Serialize());
  return true;
}

bool PrintWindowValue(const PrintedValue& value, std::string* out) {
  const std::vector<FieldList> dims =
      Messages(value.fields.Text(value.row.path[0]), WireMessage::kWindow,
               field::Window::kDimensions, WireMessage::kWindowDimension);
  out->append("{");
  for (const WindowMember& member : kWindowMembers) {
    AppendWindowMember(member, dims, out);
  }
  out->append("}");
  return true;
}

std::string ReadDimLabels(absl::string_view text, FieldList* numbers,
                          std::array<size_t, 3>* spatial) {
  const size_t under = text.find('_');
  const size_t arrow = text.find("->");
  if (under == absl::string_view::npos || arrow == absl::string_view::npos ||
      arrow < under) {
    return absl::StrCat("expected ", kDimLabels);
  }
  const absl::string_view labels[] = {text.substr(0, under),
                                      text.substr(under + 1, arrow - under - 1),
                                      text.substr(arrow + 2)};
  for (size_t i = 0; i < 3; ++i) {
    std::string wrong = ReadLabels(label_groups::kGroups[i], labels[i], numbers,
                                   &(*spatial)[i]);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

bool ReadDimLabelsValue(const TextAttribute& row, Lexer* lexer,
                        AttributesRead* to) {
  const size_t offset = lexer->offset();
  absl::string_view run;
  if (!lexer->TakeRun(kDimLabels, &run)) return false;
  FieldList numbers(WireMessage::kConvolutionDimensionNumbers);
  std::array<size_t, 3> spatial = {};
  const std::string wrong = ReadDimLabels(run, &numbers, &spatial);
  if (!wrong.empty()) return lexer->ErrorAt(offset, run.size(), wrong);
  if (spatial[0] != spatial[1] || spatial[0] != spatial[2]) {
    return lexer->ErrorAt(
        offset, run.size(),
        absl::StrCat("lhs, rhs and output must have as many spatial dims, not ",
                     spatial[0], ", ", spatial[1], " and ", spatial[2]));
  }
  to->fields.SetText(row.path[0], numbers.Serialize());
  return true;
}

bool PrintDimLabelsValue(const PrintedValue& value, std::string* out) {
  FieldList numbers(WireMessage::kConvolutionDimensionNumbers,
                    value.fields.Text(value.row.path[0]));
  constexpr absl::string_view kBefore[] = {"", "_", "->"};
  for (size_t i = 0; i < 3; ++i) {
    absl::StrAppend(out, kBefore[i]);
    AppendLabels(label_groups::kGroups[i], numbers, out);
  }
  return true;
}

// For a scalar nothing follows "padding=". XLA prints that but can't read it.
bool IsEmptyPadding(const Lexer& lexer) {
  const size_t begin = lexer.previous_end();
  return lexer.token() == Token::kComma ||
         lexer.token() == Token::kRightBrace ||
         (lexer.token() != Token::kEnd &&
          absl::StrContains(
              lexer.whole_text().substr(begin, lexer.offset() - begin), '\n'));
}

bool ReadPaddingValue(const TextAttribute& row, Lexer* lexer,
                      AttributesRead* to) {
  namespace of = field::PaddingConfig_PaddingConfigDimension;
  std::vector<DimIndices> pads;
  if (!IsEmptyPadding(*lexer) && !ReadPads(lexer, 3, &pads)) return false;
  std::vector<std::string> dims;
  for (const DimIndices& pad : pads) {
    FieldList dim(WireMessage::kPaddingConfig_PaddingConfigDimension);
    dim.SetNumber(of::kEdgePaddingLow, pad[0]);
    dim.SetNumber(of::kEdgePaddingHigh, pad[1]);
    if (pad.size() == 3) dim.SetNumber(of::kInteriorPadding, pad[2]);
    dims.push_back(dim.Serialize());
  }
  FieldList padding(WireMessage::kPaddingConfig);
  padding.SetTexts(field::PaddingConfig::kDimensions, dims);
  to->fields.SetText(row.path[0], padding.Serialize());
  return true;
}

bool PrintPaddingValue(const PrintedValue& value, std::string* out) {
  namespace of = field::PaddingConfig_PaddingConfigDimension;
  const std::vector<FieldList> dims =
      Messages(value.fields.Text(value.row.path[0]),
               WireMessage::kPaddingConfig, field::PaddingConfig::kDimensions,
               WireMessage::kPaddingConfig_PaddingConfigDimension);
  const bool interior =
      std::any_of(dims.begin(), dims.end(), [](const FieldList& dim) {
        return dim.Number(of::kInteriorPadding) != 0;
      });
  for (size_t i = 0; i < dims.size(); ++i) {
    absl::StrAppend(out, i == 0 ? "" : "x", dims[i].Number(of::kEdgePaddingLow),
                    "_", dims[i].Number(of::kEdgePaddingHigh));
    if (interior) {
      absl::StrAppend(out, "_", dims[i].Number(of::kInteriorPadding));
    }
  }
  return true;
}

bool ReadSparsityValue(const TextAttribute& row, Lexer* lexer,
                       AttributesRead* to) {
  return ReadSides(row, WireMessage::kSparsityConfig, ReadSparseSide, lexer,
                   to);
}

bool PrintSparsityValue(const PrintedValue& value, std::string* out) {
  namespace of = field::SparsityConfig_TensorSparsityConfig;
  const auto print = [&](const FieldList& side) {
    absl::StrAppend(out, "sparsity=", side.Number(of::kNumNonZero), "x",
                    side.Number(of::kBlockSize),
                    " dimension=", side.Number(of::kDimension));
    absl::StrAppend(out, " stride=", side.Number(of::kStride));
    // Older versions of XLA don't have it.
    if (side.has(of::kIdx)) {
      absl::StrAppend(out, " idx=", side.Number(of::kIdx));
    }
  };
  return PrintSides(value, WireMessage::kSparsityConfig,
                    WireMessage::kSparsityConfig_TensorSparsityConfig, print,
                    out);
}

bool ReadBlockScalingValue(const TextAttribute& row, Lexer* lexer,
                           AttributesRead* to) {
  return ReadSides(row, WireMessage::kBlockScalingConfig, ReadScaledSide, lexer,
                   to);
}

bool PrintBlockScalingValue(const PrintedValue& value, std::string* out) {
  namespace of = field::BlockScalingConfig_TensorBlockScalingConfig;
  const auto print = [&](const FieldList& side) {
    absl::StrAppend(out, "scale_idx=", side.Number(of::kScaleIdx));
    if (side.has(of::kZeroIdx)) {
      absl::StrAppend(out, " zero_idx=", side.Number(of::kZeroIdx));
    }
    for (const uint32_t number : {of::kStrides, of::kSteps}) {
      const DimIndices numbers = side.Numbers(number);
      if (numbers.empty()) continue;
      absl::StrAppend(out, number == of::kStrides ? " strides=" : " steps=",
                      absl::StrJoin(numbers, "x"));
    }
  };
  return PrintSides(value, WireMessage::kBlockScalingConfig,
                    WireMessage::kBlockScalingConfig_TensorBlockScalingConfig,
                    print, out);
}

}  // namespace indim
