// SPDX-License-Identifier: Apache-2.0
// HloWriter: a ModuleBuilder that writes constants of equal elements as XLA
// brings them in.

#ifndef INDIM_STABLEHLO_IMPORT_HLO_WRITER_H_
#define INDIM_STABLEHLO_IMPORT_HLO_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/ir/module_builder.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_list.h"

namespace indim::stablehlo_import {

// A value of the innermost open computation: its position there.
using Node = ModuleBuilder::Node;

class HloWriter : public ModuleBuilder {
 public:
  using ModuleBuilder::ModuleBuilder;

  // A constant. Of several equal elements it is a scalar and its broadcast;
  // the broadcast's name says that it is one (ir/splat.h).
  Node Constant(const Literal& literal);
  bool IsSplat(Node node) const;
  // Calls edit(FieldList*) with the fields of an instruction, and keeps them.
  template <typename F>
  void Edit(Node node, F edit) {
    const OwnedAttributeBytes before = Owned(attribute_bytes(node));
    FieldList fields = FieldList::Of(before.view());
    edit(&fields);
    SetAttributeBytes(node, fields.ToAttributeBytes().view());
  }
  // Copies an instruction of the next outer computation that has no operands or
  // whose operands are `operands`, without callees, into the innermost one.
  Node Copy(Node outer, absl::Span<const Node> operands);
  // The module, with computation `entry` as its entry. Arrays have default
  // layouts, without which XLA doesn't load a constant.
  Module Finish(uint32_t entry, absl::string_view name);

 private:
  void LayOut();
  // A name for one more splat.
  std::string SplatName();

  uint32_t splats_ = 0;
};

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_HLO_WRITER_H_
