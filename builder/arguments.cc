// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/arguments.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace indim {

ShapeArg::ShapeArg(const char* text)
    : shape_(ParseShape(text == nullptr ? "" : text)) {}
ShapeArg::ShapeArg(const std::string& text) : shape_(ParseShape(text)) {}
ShapeArg::ShapeArg(absl::string_view text) : shape_(ParseShape(text)) {}
ShapeArg::ShapeArg(Shape shape) : shape_(std::move(shape)) {}

BroadcastArg::BroadcastArg(std::initializer_list<int64_t> dimensions) {
  spec_.dimensions.emplace(dimensions.begin(), dimensions.end());
}
BroadcastArg::BroadcastArg(absl::Span<const int64_t> dimensions) {
  spec_.dimensions.emplace(dimensions.begin(), dimensions.end());
}
BroadcastArg::BroadcastArg(const std::vector<int64_t>& dimensions)
    : BroadcastArg(absl::MakeConstSpan(dimensions)) {}
BroadcastArg::BroadcastArg(const DimIndices& dimensions)
    : BroadcastArg(absl::MakeConstSpan(dimensions)) {}
BroadcastArg::BroadcastArg(BroadcastRule rule) { spec_.rule = rule; }

size_t SizesArg::size() const {
  return std::visit([](const auto& list) { return list.size(); }, list_);
}
SizeArg SizesArg::operator[](size_t i) const {
  return std::visit([i](const auto& list) { return SizeArg(list[i]); }, list_);
}
const absl::Span<const int64_t>* SizesArg::numbers() const {
  return std::get_if<absl::Span<const int64_t>>(&list_);
}

// --- The dims of a convolution -----------------------------------------------

namespace {

// A part of a text: the letters that it gives to the dims of one array.
struct DimLetters {
  size_t begin;  // in the text
  absl::string_view letters;
};

absl::Status MistakeAt(absl::string_view text, size_t place,
                       absl::string_view mistake) {
  return absl::InvalidArgumentError(absl::StrCat(mistake, "\n  ", text, "\n  ",
                                                 std::string(place, ' '), "^"));
}

std::string Quoted(char letter) {
  return absl::StrCat("'", absl::string_view(&letter, 1), "'");
}

// No letter but letters and digits, and none twice.
absl::Status CheckLetters(absl::string_view text, const DimLetters& dims) {
  for (size_t i = 0; i < dims.letters.size(); ++i) {
    const char letter = dims.letters[i];
    if (!absl::ascii_isalnum(static_cast<unsigned char>(letter))) {
      return MistakeAt(text, dims.begin + i,
                       "a dim is a letter or a digit; needed is a text like "
                       "\"NHWC,HWIO->NHWC\"");
    }
    if (dims.letters.find(letter) < i) {
      return MistakeAt(text, dims.begin + i,
                       absl::StrCat(Quoted(letter), " stands here twice"));
    }
  }
  return absl::OkStatus();
}

// Sets *place to the place of `letter`, whose dim is called `name`.
absl::Status Find(absl::string_view text, const DimLetters& dims, char letter,
                  absl::string_view name, int64_t* place) {
  const size_t found = dims.letters.find(letter);
  if (found == absl::string_view::npos) {
    return MistakeAt(text, dims.begin,
                     absl::StrCat("no ", Quoted(letter), " here, the ", name));
  }
  *place = static_cast<int64_t>(found);
  return absl::OkStatus();
}

// Sets *spatial to the places of the kernel's spatial letters, in its order.
absl::Status FindSpatial(absl::string_view text, const DimLetters& kernel,
                         const DimLetters& dims, DimIndices* spatial) {
  for (size_t i = 0; i < kernel.letters.size(); ++i) {
    const char letter = kernel.letters[i];
    if (letter == 'O' || letter == 'I') continue;
    if (letter == 'N' || letter == 'C') {
      return MistakeAt(text, kernel.begin + i,
                       absl::StrCat("the kernel has no ",
                                    letter == 'N' ? "batch" : "feature",
                                    "; its features are 'O' and 'I'"));
    }
    spatial->emplace_back();
    absl::Status status =
        Find(text, dims, letter, "spatial dim that the kernel has",
             &spatial->back());
    if (!status.ok()) return status;
  }
  if (dims.letters.size() == kernel.letters.size()) return absl::OkStatus();
  for (size_t i = 0; i < dims.letters.size(); ++i) {
    const char letter = dims.letters[i];
    if (letter == 'N' || letter == 'C' ||
        (letter != 'O' && letter != 'I' &&
         kernel.letters.find(letter) != absl::string_view::npos)) {
      continue;
    }
    return MistakeAt(
        text, dims.begin + i,
        absl::StrCat("the kernel has no spatial dim ", Quoted(letter)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ConvolutionDims> ParseConvolutionDims(absl::string_view text) {
  const size_t comma = text.find(',');
  if (comma == absl::string_view::npos) {
    return MistakeAt(text, text.size(), "no ',' before the kernel's dims");
  }
  const size_t arrow = text.find("->", comma);
  if (arrow == absl::string_view::npos) {
    return MistakeAt(text, text.size(), "no '->' before the result's dims");
  }
  const DimLetters lhs = {0, text.substr(0, comma)};
  const DimLetters kernel = {comma + 1,
                             text.substr(comma + 1, arrow - comma - 1)};
  const DimLetters result = {arrow + 2, text.substr(arrow + 2)};
  ConvolutionDims dims;
  for (const absl::Status& status : {
           CheckLetters(text, lhs),
           CheckLetters(text, kernel),
           CheckLetters(text, result),
           Find(text, lhs, 'N', "batch", &dims.input_batch),
           Find(text, lhs, 'C', "feature", &dims.input_feature),
           Find(text, kernel, 'O', "output feature",
                &dims.kernel_output_feature),
           Find(text, kernel, 'I', "input feature", &dims.kernel_input_feature),
           Find(text, result, 'N', "batch", &dims.output_batch),
           Find(text, result, 'C', "feature", &dims.output_feature),
           FindSpatial(text, kernel, kernel, &dims.kernel_spatial),
           FindSpatial(text, kernel, lhs, &dims.input_spatial),
           FindSpatial(text, kernel, result, &dims.output_spatial),
       }) {
    if (!status.ok()) return status;
  }
  return dims;
}

ConvolutionDimsArg::ConvolutionDimsArg(const char* text)
    : dims_(ParseConvolutionDims(text == nullptr ? "" : text)) {}
ConvolutionDimsArg::ConvolutionDimsArg(const std::string& text)
    : dims_(ParseConvolutionDims(text)) {}
ConvolutionDimsArg::ConvolutionDimsArg(absl::string_view text)
    : dims_(ParseConvolutionDims(text)) {}

}  // namespace indim
