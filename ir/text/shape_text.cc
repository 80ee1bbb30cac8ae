#include "indim/ir/text/shape_text.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace indim {

bool ReadShape(Lexer* lexer, bool fill_layouts, Shape* shape) {
  absl::string_view rest = lexer->whole_text().substr(lexer->offset());
  const size_t before = rest.size();
  absl::StatusOr<Shape> read = ConsumeShape(&rest);
  if (!read.ok()) return lexer->Error(std::string(read.status().message()));
  *shape = fill_layouts ? read->WithDefaultLayout() : *std::move(read);
  lexer->Seek(lexer->offset() + before - rest.size());
  return true;
}

}  // namespace indim
