// SPDX-License-Identifier: Apache-2.0
// The words of the four documents that `indim explain` knows.

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

struct Word {
  const char* word;
  const char* meaning;
  const char* example;  // a question of `indim explain`
};

constexpr Word kWords[] = {
    {"InDim",
     "XLA's first step. Where ranks differ, broadcast_dimensions says at "
     "which\n"
     "dim of the larger array each dim of the smaller one lies, in increasing\n"
     "order; at every other dim the smaller one gets the larger one's size:\n"
     "f32[4] beside f32[1,2] by {0} becomes f32[4,2]. Dims of size 1 that lie\n"
     "at another size are left to the second step (degenerate). A scalar "
     "needs\n"
     "no broadcast_dimensions.",
     "f32[4] + f32[1,2] {0}"},
    {"degenerate",
     "XLA's second step. Ranks are equal now; a dim of size 1 stretches to "
     "the\n"
     "other operand's size. Both operands may stretch, in different dims.",
     "f32[2,1] + f32[1,3]"},
    {"broadcast_dimensions",
     "At which dim of the larger array each dim of the smaller one lies, in\n"
     "strictly increasing order: {1} behind the operands. XLA's documents\n"
     "write (1), which is read too.",
     "f32[2,3] + f32[3] {1}"},
    {"axis",
     "Rule pdpd's: the dim of the first operand at which the second one "
     "begins.\n"
     "-1 is the rank of the first less that of the second, trailing 1s "
     "counted;\n"
     "then the second one's trailing 1s are ignored.",
     "Shape(2, 3, 4, 5), Shape(3, 4) axis=1"},
    {"dynamic",
     "A size that isn't known before run time: ?. A bounded one is <=4, an\n"
     "interval 2..4. What must hold of it then is listed.",
     "tensor<?xf32> + tensor<4xf32>"},
    {"outer operation", "The name of an outer product in XLA's document.",
     "f32[2,1] + f32[1,3]"},
    {"outer product",
     "Two arrays that stretch along each other's dims: [n,1] with [1,m] is\n"
     "[n,m].",
     "f32[4,1] * f32[1,3]"},
    {"Broadcastable",
     "MLIR's trait of elementwise operations. The result's dims are inferred\n"
     "from the operands by NumPy's rule, then compared with the recorded "
     "result.\nThe result itself is never broadcast to. Three readings: "
     "lenient, "
     "strict\nand mlir.",
     "tensor<?xf32> + tensor<4xf32> -> tensor<?xf32>"},
    {"lenient",
     "The table of MLIR's document: an inferred ? goes with any recorded "
     "size,\n"
     "and an inferred size with a recorded ?.",
     "tensor<?xf32> + tensor<?xf32> -> tensor<4xf32>"},
    {"strict",
     "The formal definition of MLIR's document: an inferred ? against a "
     "recorded\nsize is an error.",
     "tensor<?xf32> + tensor<?xf32> -> tensor<4xf32>"},
    {"mlir",
     "What MLIR's verifier does: lenient; a result of higher rank passes on "
     "its\n"
     "last dims, and 0 with ? is ?.",
     "tensor<4xf32> + tensor<4xf32> -> tensor<2x4xf32>"},
    {"numpy",
     "Shapes are aligned at their last dims; dims of size 1, and dims that an\n"
     "operand doesn't have, stretch. Any number of operands.",
     "(8,1,6,1) + (7,1,5)"},
    {"pdpd",
     "OpenVINO's rule after PaddlePaddle: the second operand is broadcast to\n"
     "the first, from dim `axis` on (-1: so that both end together). Its 1s\n"
     "stretch; its trailing 1s are ignored.",
     "Shape(2, 3, 4, 5), Shape(3, 4) axis=1"},
    {"bidirectional",
     "OpenVINO's Broadcast operation: the array and the target shape may both\n"
     "grow. For two operands it is NumPy's rule.",
     "Shape(2, 1), Shape(1, 3) rule=bidirectional"},
    {"none", "OpenVINO's rule without broadcasting: shapes must be equal.",
     "Shape(2, 3), Shape(2, 3) rule=none"},
    {"xla",
     "InDim, then degenerate. Of sizes that aren't known this rule gives what\n"
     "XLA's own builder gives, its oddities included (docs/broadcasting.md).",
     "f32[4] + f32[1,2] {0}"},
    {"recorded",
     "A module as a ComputationBuilder recorded it, or a file that says\n"
     "recorded=true: binary operations may broadcast implicitly. HLO itself\n"
     "can't; indim convert --expand, or writing for XLA, makes each broadcast\n"
     "an instruction.",
     "f32[8,10] + f32[10] {1}"},
    {"inferred",
     "Of instructions that were checked: the result was inferred again from\n"
     "the operands and compared with the shape that the file has.",
     "f32[2,3] + f32[3] {1}"},
    {"related",
     "Of instructions that were checked: the operands don't determine the\n"
     "result (a parameter's, a reshape's), so it was held to its relation to\n"
     "them.",
     "reshape(f32[2,3]) -> f32[6]"},
    {"unchecked",
     "Of instructions: an operation that can't be read, so that nothing was\n"
     "checked.",
     "f32[4] + f32[1,2] {0}"},
    {"interval",
     "A size that is known by its limits: 2..5, or 2.. without an upper one\n"
     "(OpenVINO). <=5 is XLA's bounded size, 0 to 5; ? is any size.",
     "Shape(2..5), Shape(1..3)"},
};

// "in-dim", "InDim" and "indim" are one word.
std::string Key(absl::string_view word) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(word),
                             {{"-", ""}, {" ", ""}, {"_", ""}});
}

}  // namespace

std::string ExplainWord(absl::string_view word, bool json) {
  for (const Word& known : kWords) {
    if (Key(word) != Key(known.word)) continue;
    if (json) {
      JsonWriter object;
      object.Add("word", known.word)
          .Add("meaning", absl::StrReplaceAll(known.meaning, {{"\n", " "}}))
          .Add("example", known.example);
      return object.text() + "\n";
    }
    return absl::StrCat(known.word, "\n  ",
                        absl::StrReplaceAll(known.meaning, {{"\n", "\n  "}}),
                        "\n\n  example  indim explain '", known.example, "'\n");
  }
  return "";
}

std::string KnownWords() {
  std::vector<absl::string_view> words;
  for (const Word& known : kWords) words.push_back(known.word);
  return absl::StrJoin(words, ", ");
}

}  // namespace indim
