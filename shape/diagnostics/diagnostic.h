// SPDX-License-Identifier: Apache-2.0
// Diagnostics: what is wrong (or odd), where, and a fix.
//
// A Diagnostic holds ids and small integers; FormatMessage makes its text only
// on demand. It is about one operation: operands and dims are positions. The
// layers above add the instruction, its name and its source line.

#ifndef INDIM_SHAPE_DIAGNOSTICS_DIAGNOSTIC_H_
#define INDIM_SHAPE_DIAGNOSTICS_DIAGNOSTIC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {

enum class Severity : uint8_t { kError, kWarning };

// Which kind of diagnostic it is. codes.def says what each one means.
enum class Code : uint16_t {
  kNone = 0,
#define INDIM_CODE_NAME(number, name) k##name = number,
#include "indim/shape/diagnostics/code_names.def"
#undef INDIM_CODE_NAME
};

// What a code's diagnostics mean for a file.
enum class CodeKind : uint8_t {
  kError,
  kWarning,
  kOfFile,      // an error in what a file holds; its text goes without the code
  kUnreadable,  // likewise, and nobody can read the file: it can't be disabled
};

struct CodeInfo {
  Code code;
  absl::string_view slug;  // "ranks-differ"
  CodeKind kind;
  absl::string_view message;  // with {placeholders}, see codes.def

  constexpr Severity severity() const {
    return kind == CodeKind::kWarning ? Severity::kWarning : Severity::kError;
  }
  constexpr bool is_of_file() const {
    return kind == CodeKind::kOfFile || kind == CodeKind::kUnreadable;
  }
};

// All rows, in ascending order of number.
absl::Span<const CodeInfo> AllCodes();
// The row of `code`; for a number outside the table a row with empty texts.
const CodeInfo& Info(Code code);
// "IND0007".
std::string CodeText(Code code);
// Finds a code by "IND0007" or "ranks-differ"; nullopt when there is none.
std::optional<Code> FindCode(absl::string_view id_or_slug);

// An argument of a message: a number, a dim, a type, a shape, or a text.
using DiagnosticArg =
    std::variant<int64_t, Dim, ElementType, Shape, std::string>;

// Copying, moving and destroying one is compiled once, in diagnostic.cc.
struct Diagnostic {
  Diagnostic();
  Diagnostic(const Diagnostic& other);
  Diagnostic(Diagnostic&& other) noexcept;
  Diagnostic& operator=(const Diagnostic& other);
  Diagnostic& operator=(Diagnostic&& other) noexcept;
  ~Diagnostic();

  Code code = Code::kNone;
  // Positions; -1: none. With operand -1, `dim` >= 0 is a dim of the result.
  int32_t operand = -1;
  int32_t dim = -1;
  int32_t other_operand = -1;
  int32_t other_dim = -1;
  absl::InlinedVector<DiagnosticArg, 2> args;
  // The broadcast_dimensions that would work, where there are some.
  std::optional<DimIndices> fix_broadcast_dimensions;
  // Of a call that is no operation, a composite: the shape that `operand`
  // should have, or what to write instead ("dim=1").
  std::optional<DiagnosticArg> fix_of_call;
  // The caller asks for an error instead of a warning.
  bool strict = false;

  Severity severity() const {
    return strict ? Severity::kError : Info(code).severity();
  }
};

// The operation that a diagnostic is about, as far as messages need it.
struct DiagnosticSubject {
  absl::string_view op;  // "add"
  absl::Span<const Shape* const> operands;
  const Shape* declared = nullptr;  // recorded result; null: none
  // The operation's broadcast_dimensions, for the operand of lower rank; empty:
  // none.
  absl::Span<const int64_t> broadcast_dimensions;
};

// The message with its placeholders filled in, without id, place or fix: "add
// can't match f32[8,10] with f32[10]: ranks differ, ...". A position outside
// the subject's operands is printed as "?".
std::string FormatMessage(const Diagnostic& diagnostic,
                          const DiagnosticSubject& subject);

// Draws the dims of two operands in two lines, right-aligned (or each under the
// dim that it is matched with), and carets under the dims at fault:
//
//   operand 0  f32[8,12]
//   operand 1  f32[  10]
//                    ^^
//
// Empty when the diagnostic doesn't name dims of two operands (or of an operand
// and the declared result), or when a rank is over 32.
std::string FormatPicture(const Diagnostic& diagnostic,
                          const DiagnosticSubject& subject);

}  // namespace indim

#endif  // INDIM_SHAPE_DIAGNOSTICS_DIAGNOSTIC_H_
