// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/shape_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/types/shape_reader.h"

namespace indim {

bool ReadShape(Lexer* lexer, bool fill_layouts, Shape* shape) {
  absl::string_view rest = lexer->whole_text().substr(lexer->offset());
  const size_t before = rest.size();
  ShapeTextOptions options;
  options.symbols = lexer->symbols() != nullptr;
  options.scope = lexer->symbols();
  Shape read;
  ShapeTextError error;
  if (!TakeShape(&rest, options, &read, &error)) {
    // Check whether it would be valid with named sizes.
    absl::string_view again = rest;
    if (!options.symbols && ConsumeShape(&again).ok()) {
      absl::StrAppend(&error.message, "; sizes have names with ",
                      SettingText(Setting::kNamedSizes));
    }
    return lexer->ErrorAt(lexer->offset() + error.offset, 1,
                          std::move(error.message));
  }
  *shape = fill_layouts ? read.WithDefaultLayout() : std::move(read);
  lexer->Seek(lexer->offset() + before - rest.size());
  return true;
}

}  // namespace indim
