// SPDX-License-Identifier: Apache-2.0
// SvgCanvas: a drawing that stands alone, readable on light and dark pages.
//
//   SvgCanvas canvas;
//   canvas.Cell({10, 10, 40, 26}, "a", "3");
//   canvas.Text(10, 60, "", "a <= b");       // escaped
//   std::string svg = std::move(canvas).Finish("what it shows");

#ifndef INDIM_TOOLS_OUTPUT_SVG_CANVAS_H_
#define INDIM_TOOLS_OUTPUT_SVG_CANVAS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim {

struct SvgBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

class SvgCanvas {
 public:
  // Of a monospaced character.
  static constexpr double kCharacter = 8.4;

  // How wide `text` is, counted in UTF-8 characters.
  static double WidthOf(absl::string_view text);

  // `kind`: classes of the style, with blanks between: "a" to "d" for operands,
  // "r" for results; "copy" for what was stretched, "may" for what may be.
  void Cell(const SvgBox& box, absl::string_view kind, absl::string_view text);
  // From `x` on, its baseline at `y`. `kind`: "" or "title", "note", "sign".
  void Text(double x, double y, absl::string_view kind, absl::string_view text);

  // As large as what was drawn, with a margin. `title` is told to those who
  // can't see it.
  std::string Finish(absl::string_view title) &&;

 private:
  void Reach(double x, double y);

  std::string body_;
  double width_ = 0;
  double height_ = 0;
};

}  // namespace indim

#endif  // INDIM_TOOLS_OUTPUT_SVG_CANVAS_H_
