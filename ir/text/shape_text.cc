#include "indim/ir/text/shape_text.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace indim {

namespace {

// What ConsumeShape says, at the place that it means: it counts columns from
// where the shape begins.
bool ShapeError(Lexer* lexer, absl::string_view message) {
  constexpr absl::string_view kColumn = "\", column ";
  const size_t at = message.rfind(kColumn);
  if (at == absl::string_view::npos) return lexer->Error(std::string(message));
  const absl::string_view rest = message.substr(at + kColumn.size());
  const size_t colon = rest.find(": ");
  size_t column = 0;
  if (colon == absl::string_view::npos ||
      !absl::SimpleAtoi(rest.substr(0, colon), &column) || column == 0) {
    return lexer->Error(std::string(message));
  }
  return lexer->ErrorAt(lexer->offset() + column - 1, 1,
                        std::string(rest.substr(colon + 2)));
}

}  // namespace

bool ReadShape(Lexer* lexer, bool fill_layouts, Shape* shape) {
  absl::string_view rest = lexer->whole_text().substr(lexer->offset());
  const size_t before = rest.size();
  ShapeTextOptions options;
  options.symbols = lexer->symbols() != nullptr;
  options.scope = lexer->symbols();
  absl::StatusOr<Shape> read = ConsumeShape(&rest, options);
  if (!read.ok()) {
    std::string message(read.status().message());
    // Would names of sizes do?
    absl::string_view again = rest;
    if (!options.symbols && ConsumeShape(&again).ok()) {
      absl::StrAppend(&message,
                      "; sizes have names with --symbols "
                      "(ParseOptions::symbols)");
    }
    return ShapeError(lexer, message);
  }
  *shape = fill_layouts ? read->WithDefaultLayout() : *std::move(read);
  lexer->Seek(lexer->offset() + before - rest.size());
  return true;
}

}  // namespace indim
