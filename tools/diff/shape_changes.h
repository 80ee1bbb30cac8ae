// SPDX-License-Identifier: Apache-2.0
// What inference changed: the result shapes of a module before and after, and
// why each became another one.

#ifndef INDIM_TOOLS_DIFF_SHAPE_CHANGES_H_
#define INDIM_TOOLS_DIFF_SHAPE_CHANGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/shape/types/shape.h"

namespace indim {

// The shapes of all instructions, by position. A copy, so that the module can
// be given away.
class RecordedShapes {
 public:
  explicit RecordedShapes(const Module& module);

  // `position` must be one of the module's instructions.
  const Shape& at(uint32_t position) const { return shapes_[ids_[position]]; }

 private:
  std::vector<uint32_t> ids_;  // by position
  std::vector<Shape> shapes_;  // each distinct one, by id
};

struct ShapeChange {
  enum class Why : uint8_t {
    kFilled,    // there was none
    kOperand,   // operand `at` changed
    kCallee,    // the computation that it calls as number `at` changed
    kGiven,     // a parameter: the caller, or whoever refines, says so
    kOperands,  // nothing else changed: the record was wrong
  };

  uint32_t computation = 0;
  uint32_t instruction = 0;
  Why why = Why::kOperands;
  int at = -1;
};

// Of every instruction of `after`, which has those of `before` in the same
// places, whose shape or layout isn't what it was, callees before callers as
// they stand.
std::vector<ShapeChange> ShapeChanges(const RecordedShapes& before,
                                      const Module& after);

// One line, without a newline:
//   a.hlo:7:3: %y: f32[8,11] -> f32[8,10], which its operands give: f32[8,784],
//   f32[784,10]
//   a.hlo:8:3: %z: f32[8,11] -> f32[8,10], since operand 0, %y, changed
//   a.pb: m/main: %z: f32[8,10] filled in
// `file` as of PlacePrefix (ir/report.h).
std::string ChangeText(const RecordedShapes& before, const Module& after,
                       const ShapeChange& change, absl::string_view file);

// As a JSON object: instruction, computation and places, "from" (absent: there
// was none), "to", "why" (filled, operand, callee, given, operands), and of
// "operand" and "callee" its number.
std::string ChangeJson(const RecordedShapes& before, const Module& after,
                       const ShapeChange& change);

}  // namespace indim

#endif  // INDIM_TOOLS_DIFF_SHAPE_CHANGES_H_
