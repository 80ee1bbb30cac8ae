// SPDX-License-Identifier: Apache-2.0
// The forms of operations (stablehlo/ops/ops.def) as steps, which the reader
// and the printer of text follow alike.

#ifndef INDIM_STABLEHLO_TEXT_OP_FORMS_H_
#define INDIM_STABLEHLO_TEXT_OP_FORMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// The building blocks of forms.
enum class Part : uint8_t {
  kText,           // `text`
  kOperand,        // operand `index`
  kOperands,       // all
  kOperandsComma,  // from `index` on, each with a comma behind
  kAttribute,      // the value of `attribute` in short
  kTypedValue,     // the value of `attribute`, whose type is the result's
  kSymbolName,     // the string `attribute` as a symbol
  kAttrs,          // the attributes that the form doesn't show: {...}
  kProperties,     // <{...}>
  kDiscardable,    // the others: {...}
  kTypes,
  kTypeOfOperand,  // that of operand `index`
  kResults,
  kIndex,  // the result is an index, which isn't written
  kFunction,
  kSame,
  kComplex,
  kSelect,
  kTuple,
  kPairwise,
  kRegions,  // ({...}, {...}) without the parentheses
  kRegion,
  kOptional,  // to `jump` if what follows isn't there
  kElse,      // to `jump`
  // Blocks of single operations.
  kConstant,            // {attrs} dense<...> : type, or the generic form
  kRanges,              // [0:4, 1:9:2]
  kExtents,             // [4, 32]: shape
  kExponentMantissa,    // e5m10
  kDotDims,             // contracting_dims = [1] x [0]
  kPrecision,           // , precision = [HIGH, HIGH]
  kPrecisionAlgorithm,  // the same, then , algorithm = <...>
  kConvDims,            // [b, 0, f]x[0, i, o]->[b, 0, f]
  kWindow,              // {stride = [1], pad = [[0, 0]]}
  kWhile,    // (%iterArg = %x) : types attributes {...} and a newline
  kReduce,   // (%x init: %c) applies op across dimensions = [0] {...} : types
  kReducer,  // a newline, reducer(%a: type, %b: type)
  kScan,     // (%x) inits (%c) dimension=0 attributes {...}
  kFunc,     // private @f(%arg0: type) -> type attributes {...}
  kModule,   // @name attributes {...}
  kManualComputation,  // (%x) in_shardings=[...] ... (%arg0: type)
  kDirection           // FORWARD: allowed_direction
};

// A word or character of a kText.
struct FormWord {
  char punct = 0;  // 0: it is a word
  absl::string_view word;
};

struct Step {
  Part part = Part::kText;
  absl::string_view text;
  std::vector<FormWord> literals;  // of `text`
  size_t index = 0;
  const AttributeRow* attribute = nullptr;
  size_t jump = 0;
};

struct Form {
  std::vector<Step> steps;  // none: the operation has no form of its own
  // The attributes that kAttrs leaves out.
  std::vector<absl::string_view> shown;
  // Every attribute that the operation requires is shown.
  bool complete = false;
};

// A convolution's window in text, {stride = [1], ...}, and its attributes.
struct WindowPart {
  absl::string_view word;
  absl::string_view attribute;
};
inline constexpr WindowPart kWindowParts[] = {{"stride", "window_strides"},
                                              {"pad", "padding"},
                                              {"lhs_dilate", "lhs_dilation"},
                                              {"rhs_dilate", "rhs_dilation"},
                                              {"reverse", "window_reversal"}};

// The form of an operation.
const Form& FormOf(const OpRow& row);
// The form behind the name in quotes.
const Form& GenericForm();

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_OP_FORMS_H_
