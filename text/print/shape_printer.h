// SPDX-License-Identifier: Apache-2.0
// ShapePrinter: prints shapes, and the signatures made of them. Each shape is
// formatted once.

#ifndef INDIM_TEXT_PRINT_SHAPE_PRINTER_H_
#define INDIM_TEXT_PRINT_SHAPE_PRINTER_H_

#include <cstdint>
#include <vector>

#include "indim/ir/ids.h"
#include "indim/ir/module_data.h"
#include "indim/shape/types/shape.h"
#include "indim/text/base/print_options.h"
#include "indim/text/base/printed_names.h"
#include "indim/text/base/text_buffer.h"

namespace indim {

class ShapePrinter {
 public:
  // All must outlive this.
  ShapePrinter(const ModuleData& data, const PrintOptions& options,
               const PrintedNames& names, TextBuffer* out);

  void Print(ShapeId shape, bool layouts);
  // False: the shape is left to inference, and the text of a recorded module
  // omits it.
  bool IsPrinted(ShapeId shape) const { return shape || !data_.recorded; }
  // "(x: f32[2]) -> f32[2] "; nothing if a shape in it isn't printed.
  void PrintSignature(uint32_t computation);
  // The layout that the module records, or the entry's.
  void PrintEntryLayout();

  // Drops what was formatted: the buffer loses it.
  void Forget();

 private:
  ShapeId ShapeOf(uint32_t computation, uint32_t i) const {
    return data_.instructions[data_.computations[computation].first + i].shape;
  }
  void PrintPlain(ShapeId id, bool layouts);  // never in colours
  void PrintOne(const Shape& shape, bool layouts);
  bool HasSignature(uint32_t computation) const;
  bool IsProgramShapeMade() const;
  template <typename Parts, typename Result, typename F>
  void PrintEntryLayoutOf(const Parts& parameters, const Result& result,
                          F print);

  const ModuleData& data_;
  const PrintOptions& options_;
  const PrintedNames& names_;
  TextBuffer& out_;
  std::vector<TextBuffer::Piece>
      shapes_[2];  // by ShapeId; without layouts, with
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_SHAPE_PRINTER_H_
