// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/output/svg_canvas.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "indim/tools/output/xml.h"

namespace indim {
namespace {

constexpr double kMargin = 16;

constexpr char kStyle[] = R"(<style>
.page { fill: #ffffff; stroke: #d0d7de; }
text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1f2328; white-space: pre; }
.title { font-weight: bold; }
.note { fill: #59636e; }
.sign { font-size: 18px; }
.in { text-anchor: middle; }
rect { stroke-width: 1.2; }
.a { fill: #cfe2ff; stroke: #3d6fb6; }
.b { fill: #ffe1ba; stroke: #b26a00; }
.c { fill: #e6d7f8; stroke: #7b4fb0; }
.d { fill: #d2eef0; stroke: #2b7d86; }
.r { fill: #d3f0d3; stroke: #2f7d32; }
.copy { fill-opacity: 0.35; stroke-dasharray: 3 3; }
.may { fill-opacity: 0.6; stroke-dasharray: 7 3; }
.copied { fill-opacity: 0.65; }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; stroke: #3d444d; }
text { fill: #e6edf3; }
.note { fill: #9198a1; }
.a { fill: #1f3f72; stroke: #79a8ec; }
.b { fill: #6b4412; stroke: #e3a452; }
.c { fill: #4b3170; stroke: #b794e4; }
.d { fill: #14525a; stroke: #62c0ca; }
.r { fill: #1f5524; stroke: #71c276; }
}
</style>
)";

bool IsCopy(absl::string_view kind) {
  return kind.find("copy") != absl::string_view::npos;
}

}  // namespace

double SvgCanvas::WidthOf(absl::string_view text) {
  // Bytes that begin a character.
  return kCharacter * static_cast<double>(std::count_if(
                          text.begin(), text.end(),
                          [](char c) { return (c & 0xC0) != 0x80; }));
}

void SvgCanvas::Reach(double x, double y) {
  width_ = std::max(width_, x);
  height_ = std::max(height_, y);
}

void SvgCanvas::Cell(const SvgBox& box, absl::string_view kind,
                     absl::string_view text) {
  absl::StrAppendFormat(
      &body_,
      "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" class=\"%s\"/>\n",
      box.x, box.y, box.width, box.height, kind);
  absl::StrAppendFormat(&body_,
                        "<text x=\"%g\" y=\"%g\" class=\"%s\">%s</text>\n",
                        box.x + box.width / 2, box.y + box.height / 2 + 5,
                        IsCopy(kind) ? "in copied" : "in", EscapedXml(text));
  Reach(box.x + box.width, box.y + box.height);
}

void SvgCanvas::Text(double x, double y, absl::string_view kind,
                     absl::string_view text) {
  absl::StrAppendFormat(
      &body_, "<text x=\"%g\" y=\"%g\"%s>%s</text>\n", x, y,
      kind.empty() ? "" : absl::StrCat(" class=\"", kind, "\""),
      EscapedXml(text));
  Reach(x + WidthOf(text), y + 4);
}

std::string SvgCanvas::Finish(absl::string_view title) && {
  const double width = std::ceil(width_ + kMargin);
  const double height = std::ceil(height_ + kMargin);
  return absl::StrCat(
      absl::StrFormat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" "
                      "height=\"%g\" viewBox=\"0 0 %g %g\" role=\"img\">\n",
                      width, height, width, height),
      "<title>", EscapedXml(title), "</title>\n", kStyle,
      absl::StrFormat("<rect x=\"0.5\" y=\"0.5\" width=\"%g\" height=\"%g\" "
                      "rx=\"6\" class=\"page\"/>\n",
                      width - 1, height - 1),
      body_, "</svg>\n");
}

}  // namespace indim
