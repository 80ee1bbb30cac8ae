// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain/explain_svg.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/tools/explain/explain_parts.h"
#include "indim/tools/output/svg_canvas.h"

namespace indim {
namespace {

constexpr double kLeft = 16;
constexpr double kLine = 22;  // from baseline to baseline
constexpr double kCellHeight = 26;
constexpr double kPadding = 6;   // at both sides of a cell's text
constexpr double kBetween = 14;  // arrays and the sign between them
constexpr char kArrow[] = "\u2192";

// The class of operand `k`; of the result "r".
std::string KindOf(size_t k) { return std::string(1, "abcd"[k % 4]); }

double Heading(const SvgWords& words, SvgCanvas* canvas) {
  canvas->Text(kLeft, 32, "title", words.heading);
  return 32;
}

// `text` in lines of at most so many characters, cut at blanks.
std::vector<std::string> Wrapped(absl::string_view text) {
  constexpr size_t kLongest = 76;
  std::vector<std::string> lines;
  while (text.size() > kLongest) {
    size_t cut = text.rfind(' ', kLongest);
    if (cut == absl::string_view::npos || cut == 0) break;
    lines.emplace_back(text.substr(0, cut));
    text.remove_prefix(cut + 1);
  }
  lines.emplace_back(text);
  return lines;
}

std::string Finished(double y, const SvgWords& words, SvgCanvas canvas) {
  for (const std::string& note : words.notes) {
    for (const std::string& line : Wrapped(note)) {
      y += kLine;
      canvas.Text(kLeft, y, "note", line);
    }
  }
  return std::move(canvas).Finish(words.heading);
}

// --- Values
// -------------------------------------------------------------------

// How an array is laid out: matrices one below the other, each under its place
// where there is more than one.
class DrawnArrayBox {
 public:
  DrawnArrayBox(const BroadcastQuestion& question, const DrawnArray& array)
      : array_(array), caption_(ShapeText(question, array.shape)) {
    const int rank = array.shape.rank();
    const auto size = [&array](int d) {
      return static_cast<size_t>(array.shape.dim(d).size());
    };
    columns_ = rank == 0 ? 1 : size(rank - 1);
    rows_ = rank < 2 ? 1 : size(rank - 2);
    for (const std::string& cell : array.cells) {
      cell_width_ =
          std::max(cell_width_, SvgCanvas::WidthOf(cell) + 2 * kPadding);
    }
    matrices_ = array.cells.empty() ? 0 : array.cells.size() / rows_ / columns_;
  }

  double width() const {
    const double cells = array_.cells.empty()
                             ? SvgCanvas::WidthOf(kEmpty)
                             : static_cast<double>(columns_) * cell_width_;
    return std::max(SvgCanvas::WidthOf(caption_), cells);
  }
  // Without the caption.
  double height() const {
    if (matrices_ == 0) return kCellHeight;
    return static_cast<double>(matrices_) *
               (static_cast<double>(rows_) * kCellHeight) +
           (array_.shape.rank() > 2
                ? static_cast<double>(matrices_) * kPlaceHeight
                : 0);
  }
  void Draw(double x, double y, const std::string& kind,
            SvgCanvas* canvas) const;

 private:
  static constexpr double kPlaceHeight = 24;
  static constexpr char kEmpty[] = "(no elements)";

  const DrawnArray& array_;
  const std::string caption_;
  size_t rows_ = 1;
  size_t columns_ = 1;
  size_t matrices_ = 0;
  double cell_width_ = kCellHeight;
};

void DrawnArrayBox::Draw(double x, double y, const std::string& kind,
                         SvgCanvas* canvas) const {
  canvas->Text(x, y - 7, "note", caption_);
  if (array_.cells.empty()) canvas->Text(x, y + 18, "note", kEmpty);
  // The places of matrices are those that the text has.
  std::vector<std::string> places;
  for (std::string& line : ArrayLines(array_)) {
    if (line[0] == '[') places.push_back(std::move(line));
  }
  size_t cell = 0;
  for (size_t m = 0; m < matrices_; ++m) {
    if (array_.shape.rank() > 2) {
      canvas->Text(x, y + kPlaceHeight - 7, "note",
                   m < places.size() ? places[m] : "");
      y += kPlaceHeight;
    }
    for (size_t r = 0; r < rows_; ++r, y += kCellHeight) {
      for (size_t c = 0; c < columns_; ++c, ++cell) {
        canvas->Cell({x + static_cast<double>(c) * cell_width_, y, cell_width_,
                      kCellHeight},
                     array_.copies[cell] ? kind + " copy" : kind,
                     array_.cells[cell]);
      }
    }
  }
}

// Arrays and the signs between them, their middles on one line. Returns where
// the row ends.
double DrawRow(const BroadcastQuestion& question, const DrawnStep& step,
               const ValueDrawing& drawing, bool with_result, double y,
               SvgCanvas* canvas) {
  std::vector<DrawnArrayBox> boxes;
  for (const DrawnArray& operand : step.operands) {
    boxes.emplace_back(question, operand);
  }
  if (with_result) boxes.emplace_back(question, *drawing.result);
  double height = kCellHeight;
  for (const DrawnArrayBox& box : boxes)
    height = std::max(height, box.height());
  double x = kLeft;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const bool is_result = i == step.operands.size();
    if (i > 0) {
      const std::string sign = is_result ? "=" : drawing.sign;
      x += kBetween;
      canvas->Text(x, y + height / 2 + 6, "sign", sign);
      x += SvgCanvas::WidthOf(sign) * 1.3 + kBetween;
    }
    boxes[i].Draw(x, y + (height - boxes[i].height()) / 2,
                  is_result ? "r" : KindOf(i), canvas);
    x += boxes[i].width();
  }
  return y + height;
}

// --- Sizes
// --------------------------------------------------------------------

struct SizeCell {
  std::string text;
  std::string kind;
};
struct SizeRow {
  std::string label;
  std::vector<SizeCell> cells;  // by dims of the result
};

// `steps`: null where the operand has no place.
SizeRow OperandRow(const BroadcastQuestion& question, size_t k,
                   const OperandSteps* steps) {
  SizeRow row;
  row.label = absl::StrCat("operand ", k, "  ",
                           ShapeText(question, question.operands[k]));
  if (question.operands[k].is_unranked()) {
    absl::StrAppend(&row.label, ": its rank isn't known");
    return row;
  }
  if (steps == nullptr) return row;
  for (int r = 0; r < steps->placed->rank(); ++r) {
    const Dim from = steps->placed->dim(r), to = steps->stretched->dim(r);
    const BroadcastStep step = steps->sized_by[static_cast<size_t>(r)];
    const bool may = step == BroadcastStep::kMayStretch;
    SizeCell cell = {from.ToString(), KindOf(k)};
    if (step == BroadcastStep::kPlaced) {
      // It has no such dim: InDim gives it the size.
      cell = {absl::StrCat(kArrow, " ", from.ToString()), KindOf(k) + " copy"};
    } else if (from != to || may) {
      absl::StrAppend(&cell.text, " ", kArrow, " ", to.ToString());
      cell.kind += may ? " may" : " copy";
    }
    row.cells.push_back(std::move(cell));
  }
  return row;
}

}  // namespace

std::string ValuesSvg(const BroadcastQuestion& question,
                      const ValueDrawing& drawing, const SvgWords& words) {
  SvgCanvas canvas;
  double y = Heading(words, &canvas);
  for (size_t i = 0; i < drawing.steps.size(); ++i) {
    const bool last = i + 1 == drawing.steps.size();
    canvas.Text(kLeft, y + 32, "", drawing.steps[i].name);
    y = DrawRow(question, drawing.steps[i], drawing, last && drawing.result,
                y + 66, &canvas);
  }
  return Finished(y + 8, words, std::move(canvas));
}

std::string DimsSvg(const BroadcastQuestion& question,
                    const BroadcastPlan& plan, const Shape& result,
                    const SvgWords& words) {
  SvgCanvas canvas;
  double y = Heading(words, &canvas) + 16;
  const std::vector<OperandSteps> steps = StepsOf(question, plan);
  std::vector<SizeRow> rows;
  for (size_t k = 0; k < question.operands.size(); ++k) {
    rows.push_back(
        OperandRow(question, k, k < steps.size() ? &steps[k] : nullptr));
  }
  SizeRow last = {absl::StrCat("result     ", ShapeText(question, result)), {}};
  for (const Dim dim : plan.dims) last.cells.push_back({dim.ToString(), "r"});
  rows.push_back(std::move(last));
  double labels = 0, cells = 60;
  for (const SizeRow& row : rows) {
    labels = std::max(labels, SvgCanvas::WidthOf(row.label));
    for (const SizeCell& cell : row.cells) {
      cells = std::max(cells, SvgCanvas::WidthOf(cell.text) + 4 * kPadding);
    }
  }
  const double left = kLeft + labels + kBetween;
  for (size_t r = 0; r < plan.dims.size(); ++r) {
    canvas.Text(left + static_cast<double>(r) * (cells + 6), y + 18, "note",
                absl::StrCat("dim ", r));
  }
  y += plan.dims.empty() ? 0 : 28;
  for (const SizeRow& row : rows) {
    canvas.Text(kLeft, y + 18, "", row.label);
    for (size_t r = 0; r < row.cells.size(); ++r) {
      canvas.Cell(
          {left + static_cast<double>(r) * (cells + 6), y, cells, kCellHeight},
          row.cells[r].kind, row.cells[r].text);
    }
    y += kCellHeight + 10;
  }
  return Finished(y, words, std::move(canvas));
}

std::string WordsSvg(const SvgWords& words) {
  SvgCanvas canvas;
  const double y = Heading(words, &canvas) + 8;
  return Finished(y, words, std::move(canvas));
}

}  // namespace indim
