// SPDX-License-Identifier: Apache-2.0
// Drawings of values as text and as JSON.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/tools/explain/explain_values.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

// Columns of one width, right-aligned, with a blank between.
std::vector<std::string> MatrixLines(const DrawnArray& array, size_t first,
                                     size_t rows, size_t columns,
                                     size_t width) {
  std::vector<std::string> lines;
  for (size_t r = 0; r < rows; ++r) {
    std::vector<std::string> cells;
    for (size_t c = 0; c < columns; ++c) {
      const std::string& cell = array.cells[first + r * columns + c];
      cells.push_back(std::string(width - cell.size(), ' ') + cell);
    }
    lines.push_back(absl::StrCat("|", absl::StrJoin(cells, " "), "|"));
  }
  return lines;
}

// Boxes of lines beside each other, their tops aligned.
std::string Beside(const std::vector<std::vector<std::string>>& boxes) {
  size_t height = 0;
  for (const auto& box : boxes) height = std::max(height, box.size());
  std::string text;
  for (size_t y = 0; y < height; ++y) {
    std::string line = "  ";
    for (const auto& box : boxes) {
      size_t width = 0;
      for (const std::string& one : box) width = std::max(width, one.size());
      const std::string part = y < box.size() ? box[y] : "";
      absl::StrAppend(&line, part, std::string(width - part.size() + 1, ' '));
    }
    absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  return text;
}

// The shape above the array.
std::vector<std::string> Box(const BroadcastQuestion& question,
                             const DrawnArray& array) {
  std::vector<std::string> box = {ShapeText(question, array.shape)};
  for (std::string& line : ArrayLines(array)) box.push_back(std::move(line));
  return box;
}

std::string CellJson(const std::string& cell) {
  double number;
  const bool plain =
      cell == "true" || cell == "false" ||
      (absl::SimpleAtod(cell, &number) &&
       cell.find_first_not_of("0123456789+-.e") == std::string::npos);
  return plain ? cell : JsonString(cell);
}

std::string NestedJson(const DrawnArray& array, int dim, size_t* next) {
  if (dim == array.shape.rank()) return CellJson(array.cells[(*next)++]);
  std::vector<std::string> parts;
  for (int64_t i = 0; i < array.shape.dim(dim).size(); ++i) {
    // Of [n,0] there are n empty lists; there may be very many.
    if (array.cells.empty() && i == static_cast<int64_t>(kMaxDrawn)) break;
    parts.push_back(NestedJson(array, dim + 1, next));
  }
  return absl::StrCat("[", absl::StrJoin(parts, ","), "]");
}

std::string ArrayJson(const BroadcastQuestion& question,
                      const DrawnArray& array) {
  JsonWriter json;
  size_t next = 0;
  json.Add("shape", ShapeText(question, array.shape))
      .AddRaw("values",
              array.cells.empty() ? "[]" : NestedJson(array, 0, &next));
  return json.text();
}

}  // namespace

std::vector<std::string> ArrayLines(const DrawnArray& array) {
  const int rank = array.shape.rank();
  if (array.cells.empty()) return {"(no elements)"};
  if (rank == 0) return {array.cells[0]};
  size_t width = 0;
  for (const std::string& cell : array.cells) {
    width = std::max(width, cell.size());
  }
  const auto size = [&array](int d) {
    return static_cast<size_t>(array.shape.dim(d).size());
  };
  const size_t columns = size(rank - 1);
  const size_t rows = rank == 1 ? 1 : size(rank - 2);
  if (rank <= 2) return MatrixLines(array, 0, rows, columns, width);
  std::vector<std::string> lines;
  for (size_t first = 0; first < array.cells.size(); first += rows * columns) {
    size_t rest = first / (rows * columns);
    std::vector<std::string> place = {":", ":"};
    for (int d = rank - 3; d >= 0; --d) {
      place.insert(place.begin(), absl::StrCat(rest % size(d)));
      rest /= size(d);
    }
    lines.push_back(absl::StrCat("[", absl::StrJoin(place, ","), "]"));
    for (std::string& line : MatrixLines(array, first, rows, columns, width)) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::string ValuesText(const BroadcastQuestion& question,
                       const ValueDrawing& drawing) {
  std::string text;
  for (size_t i = 0; i < drawing.steps.size(); ++i) {
    const DrawnStep& step = drawing.steps[i];
    std::vector<std::vector<std::string>> boxes;
    for (const DrawnArray& operand : step.operands) {
      if (!boxes.empty()) boxes.push_back({"", drawing.sign});
      boxes.push_back(Box(question, operand));
    }
    if (i + 1 == drawing.steps.size() && drawing.result) {
      boxes.push_back({"", "="});
      boxes.push_back(Box(question, *drawing.result));
    }
    absl::StrAppend(&text, i == 0 ? "" : "\n", step.name, "\n", Beside(boxes));
  }
  return text;
}

std::string ValuesJson(const BroadcastQuestion& question,
                       const ValueDrawing& drawing) {
  std::vector<std::string> steps;
  for (const DrawnStep& step : drawing.steps) {
    std::vector<std::string> operands;
    for (const DrawnArray& operand : step.operands) {
      operands.push_back(ArrayJson(question, operand));
    }
    JsonWriter json;
    json.Add("name", step.name).AddList("operands", operands);
    steps.push_back(json.text());
  }
  JsonWriter json;
  json.Add("sign", drawing.sign).AddList("steps", steps);
  if (drawing.result) {
    json.AddRaw("result", ArrayJson(question, *drawing.result));
  }
  return json.text();
}

}  // namespace indim
