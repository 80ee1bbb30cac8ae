// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/docs/doc_pictures.h"

#include "absl/strings/str_cat.h"
#include "indim/tools/explain/explain.h"

namespace indim {

absl::Span<const Picture> Pictures() {
  static constexpr Picture kPictures[] = {
      {"scalar", "A scalar",
       "A scalar goes with an array of any shape; no `broadcast_dimensions` "
       "are needed.",
       "f32[2,3] + f32[]", "{{1,2,3},{4,5,6}};7"},
      {"vector", "A vector and a matrix: InDim {1}",
       "The vector's dim 0 lies at dim 1 of the matrix: each row gets the "
       "whole vector. XLA's two steps are InDim (dims find their places; at "
       "the "
       "others the vector gets the matrix's sizes) and degenerate (dims of "
       "size 1 stretch), which has nothing to do here. Copies are "
       "pale.",
       "f32[3,3] + f32[3] {1}", "{{1,2,3},{4,5,6},{7,8,9}};{7,8,9}"},
      {"column", "The same at InDim {0}",
       "Now the vector's dim 0 lies at dim 0 of the matrix: each column gets "
       "the whole vector.",
       "f32[3,3] + f32[3] {0}", "{{1,2,3},{4,5,6},{7,8,9}};{7,8,9}"},
      {"cuboid", "A matrix and a cuboid: InDim {1,2}",
       "The 3x4 matrix lies at dims 1 and 2 of the 2x3x4 array and is there "
       "once for each index of dim 0.",
       "f32[2,3,4] + f32[3,4] {1,2}", ""},
      {"degenerate", "Degenerate dims",
       "Ranks are equal and nothing needs a place. A dim of size 1 stretches "
       "to the other operand's size.",
       "f32[2,1] + f32[2,3]", ""},
      {"outer", "Outer product",
       "Each operand stretches along the other's dim.", "f32[2,1] * f32[1,3]",
       ""},
      {"composition", "Composition",
       "InDim gives the vector the matrix's size at dim 1, which isn't named: "
       "4x2. Then the matrix's dim 0, a degenerate one, stretches. XLA's "
       "document has this example with these values.",
       "f32[4] + f32[1,2] {0}", "{1,2,3,4};{{5,6}}"},
      {"composition3", "Composition at rank 3",
       "The 1x2 matrix lies at dims 1 and 2 of the 4x3x1 array, and InDim "
       "gives "
       "it size 4 at dim 0: 4x1x2. Then its dim 1 and the array's dim 2 "
       "stretch; the result is 4x3x2.",
       "f32[1,2] + f32[4,3,1] {1,2}", ""},
      {"numpy", "NumPy: aligned at the last dim",
       "NumPy, OpenVINO's `numpy` and MLIR's trait need no "
       "`broadcast_dimensions`: shapes are aligned at their last dims, which "
       "for a matrix and a vector is InDim {1}.",
       "(2,3) + (3,)", ""},
      {"pdpd", "pdpd: broadcast from an axis",
       "OpenVINO's `pdpd` broadcasts the second operand to the first, from dim "
       "`axis` on. The first operand keeps its shape.",
       "f32[2,3,2] + f32[3] axis=1", ""},
      {"run_time", "What is left to run time",
       "A size that isn't known (`?`) may be 1, and then it stretches: dashed. "
       "What must hold at run time stands below.",
       "tensor<?x4xf32> + tensor<3x?xf32>", ""},
      {"bounded", "Sizes known by limits",
       "`2..5` can't be 1 and doesn't stretch, `1..3` may be 1 and then does.",
       "Shape(2..5, 4), Shape(1..3, 1)", ""},
      {"refused", "What doesn't match",
       "Sizes that differ, and none of them is 1.", "f32[7,2,5] + f32[7,2,6]",
       ""},
  };
  return kPictures;
}

absl::StatusOr<std::string> PictureSvg(const Picture& picture) {
  ExplainOptions options;
  options.svg = true;
  if (picture.values[0] != '\0') options.values = picture.values;
  absl::StatusOr<Explanation> explanation =
      ExplainQuestion(picture.question, options);
  if (!explanation.ok()) return explanation.status();
  return std::move(explanation->text);
}

std::string PicturesDocument() {
  std::string text =
      "# Broadcasting in pictures\n\n"
      "Drawn by `indim explain --svg`. The page and its pictures are made by "
      "`bazel run //tools/docs:make_docs`; don't edit.\n";
  for (const Picture& picture : Pictures()) {
    absl::StrAppend(&text, "\n## ", picture.title, "\n\n", picture.words,
                    "\n\n![", picture.question, "](pictures/", picture.name,
                    ".svg)\n\n    indim explain --svg '", picture.question,
                    "'");
    if (picture.values[0] != '\0') {
      absl::StrAppend(&text, " --values='", picture.values, "'");
    }
    text += "\n";
  }
  return text;
}

}  // namespace indim
