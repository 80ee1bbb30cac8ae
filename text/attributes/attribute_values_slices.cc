// SPDX-License-Identifier: Apache-2.0
// Values of slices, and their sizes.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/text/attributes/attribute_values.h"
#include "indim/text/base/braced_members.h"

namespace indim {

bool ReadSliceValue(const TextAttribute& row, Lexer* lexer,
                    AttributesRead* to) {
  std::vector<std::string> dims;
  const auto read = [&] {
    if (!lexer->Expect(Token::kLeftBracket, "a range, as [0:4] or [0:4:2]")) {
      return false;
    }
    int64_t range[3] = {0, 0, 1};
    if (!lexer->ReadInt(&range[0]) || !lexer->Expect(Token::kColon)) {
      return false;
    }
    // [0:?], to the end of a dim of unknown size.
    const bool whole = lexer->Accept(Token::kQuestion);
    if (!whole && !lexer->ReadInt(&range[1])) return false;
    if (lexer->Accept(Token::kColon) && !lexer->ReadInt(&range[2])) {
      return false;
    }
    if (!lexer->Expect(Token::kRightBracket)) return false;
    FieldList dim(WireMessage::kHloInstructionProto_SliceDimensions);
    namespace of = field::HloInstructionProto_SliceDimensions;
    dim.SetNumber(of::kStart, range[0]);
    dim.SetNumber(of::kLimit, range[1]);
    dim.SetNumber(of::kStride, range[2]);
    if (whole) dim.SetNumber(of::kWhole, 1);
    dims.push_back(dim.Serialize());
    return true;
  };
  if (!ReadList(lexer, read)) return false;
  to->fields.SetTexts(row.path[0], dims);
  return true;
}

bool PrintSliceValue(const PrintedValue& value, std::string* out) {
  namespace of = field::HloInstructionProto_SliceDimensions;
  std::vector<FieldList> dims;
  for (const absl::string_view bytes : value.fields.Texts(value.row.path[0])) {
    dims.emplace_back(WireMessage::kHloInstructionProto_SliceDimensions);
    dims.back().Append(bytes);
  }
  const bool strides = std::any_of(
      dims.begin(), dims.end(),
      [](const FieldList& dim) { return dim.Number(of::kStride) != 1; });
  AppendList(dims, ", ", out, [&](const FieldList& dim) {
    absl::StrAppend(out, "[", dim.Number(of::kStart), ":");
    if (dim.Number(of::kWhole) != 0) {
      out->append("?");
    } else {
      absl::StrAppend(out, dim.Number(of::kLimit));
    }
    if (strides) absl::StrAppend(out, ":", dim.Number(of::kStride));
    out->append("]");
  });
  return true;
}

// {{2,3},{4}}, one list per slice; the wire has them in one list.
bool ReadSliceSizesValue(const TextAttribute& row, Lexer* lexer,
                         AttributesRead* to) {
  DimIndices sizes;
  if (!ReadList(lexer, [&] { return lexer->ReadInts(&sizes); })) return false;
  to->fields.SetNumbers(row.path[0], sizes);
  return true;
}

namespace {

// The number of sizes in each list of slice_sizes: the rank of its input, once
// for each index into it. XLA uses operands 0 (input) and 2 (start indices),
// which may be tuples.
std::vector<size_t> SliceRanks(const Shape& input, const Shape& starts) {
  std::vector<size_t> ranks;
  const auto rank = [](const Shape& shape) {
    return static_cast<size_t>(shape.rank());
  };
  const auto first_is_tuple = [](const Shape& shape) {
    return shape.tuple_size() > 0 && shape.elements()[0].is_tuple();
  };
  if (!input.is_tuple()) {
    const int count = first_is_tuple(starts) ? starts.tuple_size() : 1;
    for (int i = 0; i < count; ++i) ranks.push_back(rank(input));
    return ranks;
  }
  const bool several =
      first_is_tuple(starts) && first_is_tuple(starts.elements()[0]);
  for (int i = 0; i < input.tuple_size(); ++i) {
    const int count = several && i < starts.tuple_size()
                          ? starts.elements()[i].tuple_size()
                          : 1;
    for (int j = 0; j < count; ++j) ranks.push_back(rank(input.elements()[i]));
  }
  return ranks;
}

}  // namespace

bool PrintSliceSizesValue(const PrintedValue& value, std::string* out) {
  const DimIndices sizes = value.fields.Numbers(value.row.path[0]);
  std::vector<size_t> ranks;
  if (value.instruction.operand_count() > 2) {
    ranks = SliceRanks(value.instruction.operand(0).shape(),
                       value.instruction.operand(2).shape());
  }
  out->append("{");
  size_t next = 0;
  for (size_t i = 0; next < sizes.size() || i < ranks.size(); ++i) {
    // Further sizes go to a last list.
    const size_t left = sizes.size() - next;
    const size_t count = i < ranks.size() ? std::min(ranks[i], left) : left;
    if (i > 0) out->append(",");
    AppendInts(DimIndices(sizes.begin() + next, sizes.begin() + next + count),
               out);
    next += count;
  }
  out->append("}");
  return true;
}

}  // namespace indim
