// SPDX-License-Identifier: Apache-2.0
// MlirPrinter: the printer behind PrintMlirText. It follows the same steps of
// forms as the reader, and keeps operations whose regions are being printed on
// a stack of its own.

#ifndef INDIM_STABLEHLO_TEXT_MLIR_PRINTER_H_
#define INDIM_STABLEHLO_TEXT_MLIR_PRINTER_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/stablehlo/text/location_aliases.h"
#include "indim/stablehlo/text/op_forms.h"
#include "indim/stablehlo/text/print_mlir_text.h"
#include "indim/stablehlo/text/value_names.h"

namespace indim::mlir {

class MlirPrinter {
 public:
  // `ir` must outlive the printer.
  MlirPrinter(const Ir& ir, const MlirPrintOptions& options);

  std::string Print();

 private:
  // An operation that is being printed.
  struct Frame {
    OpId op;
    const OpRow* row = nullptr;  // none: it has no row
    const Form* form = nullptr;
    bool generic = false;
    bool compact = false;       // a reduce whose region its line shows
    absl::string_view dialect;  // whose name is left out inside, with the dot
    size_t step = 0;
    size_t region = 0;  // the next region, or the one that is open
    bool in_region = false;
    size_t block = 0;    // in the open region
    size_t next_op = 0;  // in that block
  };

  // --- mlir_printer.cc: operations, values, locations ------------------------
  void Begin(OpId id);
  // Prints up to the next operation inside, or the end.
  void Continue();
  void OpenRegion();
  bool ShowsArguments(const Frame& frame) const;
  void BlockHeader(const Frame& frame);
  bool HasForm(const Op& op, const OpRow* row) const;
  bool Tells(const Op& op, const Step& step) const;
  bool TellsFunction(const Op& op) const;
  size_t SizeOf(const Op& op, absl::string_view name) const;
  void Value(ValueId id);
  void Values(absl::Span<const ValueId> values);
  void Argument(ValueId argument, absl::Span<const NamedAttr> attrs);
  void Location(AttrId location);
  void Aliases(bool early);
  void NoteLocations();
  static std::vector<ValueId> Paired(absl::Span<const ValueId> arguments);
  // Deeper regions stand no farther to the right: a text with n of them in each
  // other would have n * n blanks.
  static constexpr size_t kMostIndent = 1000;
  void Indent(size_t less = 0) {
    out_.append(std::min(indent_, kMostIndent) - less, ' ');
  }
  void Newline() {
    out_.push_back('\n');
    Indent();
  }
  const Op& op() const { return ir_.op(frames_.back().op); }
  AttrId Find(absl::string_view name) const;

  // --- mlir_printer_forms.cc: the building blocks
  // ----------------------------- Prints one step. False: a region is open.
  bool RunStep(const Step& step);
  bool IsPresent(const Frame& frame) const;
  void Attrs(absl::string_view begin);
  void Types(const Step& step);
  void Special(Part part);
  void Ranges();
  void DotDims();
  void Precision(bool algorithm);
  void Window();
  void While();
  void Reduce();
  bool IsCompact(const Op& op) const;
  void Reducer();
  void Scan();
  void Func();
  void TypeWithAttrs(TypeId type, absl::Span<const NamedAttr> attrs);
  absl::Span<const NamedAttr> PartAttrs(absl::string_view name, size_t i) const;
  void Module();
  void ManualComputation();

  const Ir& ir_;
  const MlirPrintOptions options_;
  AttributePrinter attributes_;
  const ValueNames names_;
  LocationAliases locations_;
  std::vector<Frame> frames_;
  size_t indent_ = 0;
  std::string out_;
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_MLIR_PRINTER_H_
