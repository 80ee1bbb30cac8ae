// SPDX-License-Identifier: Apache-2.0
// A program's attributes of its module and of its entry function's arguments,
// as fields of HLO.

#ifndef INDIM_STABLEHLO_IMPORT_MODULE_FIELDS_H_
#define INDIM_STABLEHLO_IMPORT_MODULE_FIELDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/proto/wire/field_list.h"
#include "indim/stablehlo/import/hlo_writer.h"
#include "indim/stablehlo/import/mlir_names.h"
#include "indim/stablehlo/import/shardings.h"

namespace indim::stablehlo_import {

// The numbers of replicas and partitions, aliases and donors of arguments,
// memory kinds and layouts of the entry, shardings, frontend attributes. The
// entry is written.
void AddModuleFields(const Ir& ir, OpId entry, HloWriter* writer);

// The sharding and frontend attributes of argument `i` of `function`, whose
// parameter is `node`.
void AddArgumentFields(const Ir& ir, const mlir::Op& function, size_t i,
                       Node node, ShardyMeanings* shardy, HloWriter* writer);

// The attributes of argument `i` of a function (`list` is "arg_attrs"), or of
// its result ("res_attrs"); an empty dictionary: there are none.
const Attribute& AttributesOf(const Ir& ir, const mlir::Op& function,
                              absl::string_view list, size_t i);

// Adds a custom call for each result of a function that Shardy shards.
void AddResultCalls(const Ir& ir, const mlir::Op& function,
                    std::vector<Node>* results, HloWriter* writer);

// Adds discardable attributes to an instruction's fields: mhlo.sharding,
// sdy.sharding with what it means, mhlo.frontend_attributes.
void AddDiscardable(const Ir& ir, absl::Span<const NamedAttr> attributes,
                    ShardyMeanings* shardy, FieldList* fields);

// The name of an argument: its location's, else the one in the text, unless
// that is a number; "": none.
std::string ParameterName(const Ir& ir, const Value& argument);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_MODULE_FIELDS_H_
