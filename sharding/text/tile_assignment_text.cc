// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/text/tile_assignment_text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace indim {
namespace {

// Reads numbers and commas, at least one number.
bool ReadNumbers(Lexer* lexer, DimIndices* numbers) {
  do {
    int64_t number = 0;
    if (!lexer->ReadInt(&number)) return false;
    numbers->push_back(number);
  } while (lexer->Accept(Token::kComma));
  return true;
}

}  // namespace

bool ReadIota(Lexer* lexer, IotaTransform* iota) {
  if (!lexer->Expect(Token::kLeftBracket) ||
      !ReadNumbers(lexer, &iota->reshape_dims) ||
      !lexer->Expect(Token::kRightBracket, "\",\" or \"]\"")) {
    return false;
  }
  if (iota->reshape_dims.size() == 1) {
    iota->transpose_perm = {0};
    return true;
  }
  return lexer->ExpectWord("T") && lexer->Expect(Token::kLeftParen) &&
         ReadNumbers(lexer, &iota->transpose_perm) &&
         lexer->Expect(Token::kRightParen, "\",\" or \")\"");
}

bool ReadTileAssignment(Lexer* lexer, bool list, TileAssignment* tiles) {
  const size_t start = lexer->offset();
  DimIndices dims;
  if (!lexer->Expect(Token::kLeftBracket) || !ReadNumbers(lexer, &dims) ||
      !lexer->Expect(Token::kRightBracket, "\",\" or \"]\"")) {
    return false;
  }
  std::optional<TileAssignment> read;
  DimIndices devices;
  if (lexer->Accept(Token::kLessEqual)) {
    IotaTransform iota;
    if (!ReadIota(lexer, &iota)) return false;
    read = TileAssignment::Iota(dims, iota);
  } else if (!list) {
    return lexer->Expected("\"<=\"");
  } else {
    if (!ReadNumbers(lexer, &devices)) return false;
    read = TileAssignment::List(dims, std::move(devices));
  }
  if (!read) {
    const std::optional<int64_t> count = ProductOfSizes(dims);
    return lexer->ErrorAt(
        start, lexer->offset() - start,
        !count ? std::string("tiles have positive sizes, their product is "
                             "below 2^62")
               : absl::StrCat("there are ", *count,
                              " tiles, but not as many devices"));
  }
  *tiles = *std::move(read);
  return true;
}

}  // namespace indim
