// SPDX-License-Identifier: Apache-2.0
// Constraints between the types of an operation's operands, results and
// regions.

#include <algorithm>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/types/element_type.h"
#include "indim/stablehlo/import/check_op.h"
#include "indim/stablehlo/ops/collectives.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_import {
namespace {

const Shape& ShapeOf(OpImport* op, ValueId value) {
  return op->importer().shapes().Of(op->ir().type_of(value));
}

// The only block of region `i`; null: there is none.
const Block* BlockOf(OpImport* op, size_t i) {
  const Ir& ir = op->ir();
  const std::vector<BlockId>& blocks =
      ir.region(ir.regions(op->op())[i]).blocks;
  return blocks.size() == 1 ? &ir.block(blocks[0]) : nullptr;
}

// "f32[2], s32[]"
std::string Texts(OpImport* op, absl::Span<const ValueId> values) {
  std::string text;
  for (const ValueId value : values) {
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    ShapeOf(op, value).ToString());
  }
  return text;
}

bool AreCompatible(OpImport* op, absl::Span<const ValueId> a,
                   absl::Span<const ValueId> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!CompatibleTypes(ShapeOf(op, a[i]), ShapeOf(op, b[i]))) return false;
  }
  return true;
}

// The part of `type` at those tuple indices; an invalid id: there is none.
TypeId PartOf(const Ir& ir, TypeId type, absl::Span<const int64_t> indices) {
  for (const int64_t i : indices) {
    const Type& tuple = ir.type(type);
    if (tuple.kind != TypeKind::kTuple || i < 0 ||
        i >= static_cast<int64_t>(tuple.parts.size())) {
      return TypeId();
    }
    type = tuple.parts[static_cast<size_t>(i)];
  }
  return type;
}

}  // namespace

// What StableHLO starts, and the return of one value.
bool StartsOneOperation(OpImport* op) {
  const Block* block = BlockOf(op, 0);
  if (block == nullptr) return true;
  const Ir& ir = op->ir();
  if (block->ops.size() != 2) {
    return op->Fail("region must contain exactly one operation and a return");
  }
  const mlir::OpRow* const row = mlir::FindOp(ir.name(ir.op(block->ops[0])));
  if (row == nullptr ||
      !(absl::c_linear_search(mlir::kStartedCollectives, row->opcode) ||
        absl::c_linear_search(mlir::kStartedSlices, row->opcode))) {
    return op->Fail("region must contain a collective or slice operation");
  }
  const size_t values = ir.operands(ir.op(block->ops[1])).size();
  if (values != 1) {
    return op->Fail(
        absl::StrCat("region must return exactly one value, but got ", values));
  }
  return true;
}

bool OperandsAreArguments(OpImport* op) {
  const Block* block = BlockOf(op, 0);
  if (block == nullptr) return true;
  if (block->arguments.size() != op->operand_count()) {
    return op->Fail(absl::StrCat("number of operands (", op->operand_count(),
                                 ") must match number of region arguments (",
                                 block->arguments.size(), ")"));
  }
  for (size_t i = 0; i < op->operand_count(); ++i) {
    const TypeId given = op->ir().type_of(op->operand_value(i));
    const TypeId argument = op->ir().type_of(block->arguments[i]);
    if (given == argument) continue;
    return op->Fail(absl::StrCat(
        "operand type ", ShapeOf(op, op->operand_value(i)).ToString(),
        " at index ", i, " must match the region's argument type ",
        ShapeOf(op, block->arguments[i]).ToString()));
  }
  return true;
}

// The scale, the offset, the mean and the variance.
bool VectorsAgree(OpImport* op) {
  Dim size = Dim::Unknown();
  for (size_t i = 1; i < op->operand_count(); ++i) {
    const Shape& shape = ShapeOf(op, op->operand_value(i));
    if (!shape.is_array() || shape.rank() != 1) continue;  // HLO refuses it
    if (!size.is_static()) size = shape.dim(0);
    if (!size.is_static() || !shape.dim(0).is_static()) continue;
    if (shape.dim(0) == size) continue;
    return op->Fail(
        "expects single-dimensional operands to have compatible shapes.");
  }
  return true;
}

// i1 has one bit here, pred of HLO has eight.
bool BitsAgree(OpImport* op) {
  const Shape* less = &op->operand_shape(0);
  const Shape* more = &op->result_shape();
  if (more->element_type() == ElementType::kPred) std::swap(less, more);
  if (less->element_type() != ElementType::kPred ||
      more->element_type() == ElementType::kPred) {
    return true;
  }
  const int bits = Info(more->element_type()).bits;
  if (bits > 1 && less->rank() == more->rank() + 1 &&
      (!less->dims().back().is_static() || less->dims().back().is(bits))) {
    return true;
  }
  return op->Fail(
      absl::StrCat("requires compatible bit widths: i1 has one bit, so the "
                   "last dimension of ",
                   less->ToString(), " must be the ", bits,
                   " bits of an element of ", more->ToString()));
}

// Both are ranked, or neither is.
bool RanksAgree(OpImport* op) {
  const auto is_ranked = [op](ValueId value) {
    return op->ir().type(op->ir().type_of(value)).kind !=
           TypeKind::kUnrankedTensor;
  };
  return is_ranked(op->operand_value(0)) == is_ranked(op->result(0)) ||
         op->Fail("operand and result must both be ranked, or neither");
}

// The encodings count, too.
bool ValueHasTheType(OpImport* op) {
  const TypeId value = op->ir().attr(op->Find("value")).type;
  return value == op->ir().type_of(op->result(0)) ||
         op->Fail("the types of the value and of the result differ");
}

// Equal types: an unknown size fits no other.
bool CalleeHasTheTypes(OpImport* op) {
  const Ir& ir = op->ir();
  const AttrId symbol =
      op->Find(op->name() == "func.call" ? "callee" : "decomposition");
  const OpId function = op->importer().functions().Find(ir.attr(symbol).text);
  const AttrId declared = ir.Find(ir.op(function), note::kFunctionType);
  if (!declared.valid()) return true;  // the function is refused
  const Type& type = ir.type(ir.attr(declared).type);
  std::vector<ValueId> values(ir.operands(op->op()).begin(),
                              ir.operands(op->op()).end());
  const std::vector<ValueId> results = ir.results(op->op());
  values.insert(values.end(), results.begin(), results.end());
  bool equal = op->operand_count() == type.input_count &&
               values.size() == type.parts.size();
  std::string wanted;
  for (size_t i = 0; i < type.parts.size(); ++i) {
    absl::StrAppend(&wanted, i == 0 ? "" : ", ",
                    op->importer().shapes().Of(type.parts[i]).ToString());
    equal = equal && ir.type_of(values[i]) == type.parts[i];
  }
  return equal || op->Fail(absl::StrCat(
                      "has operands and results of the types ",
                      Texts(op, values), ", but its function's are ", wanted));
}

bool ConfigIsOfItsVersion(OpImport* op) {
  constexpr int64_t kLastVersion = 4;
  const int64_t version = op->Number("api_version", 1);
  if (op->failed()) return false;
  if (version < 0 || version > kLastVersion) {
    return op->Fail(absl::StrCat("Invalid attribute `api_version`: ", version));
  }
  const AttrId config = op->Find("backend_config");
  if (!config.valid()) return true;
  const bool typed = version == kLastVersion;
  const AttrKind kind = op->ir().attr(config).kind;
  if (kind == (typed ? AttrKind::kDictionary : AttrKind::kString)) return true;
  return op->Fail(absl::StrCat("backend_config for api_version ", version,
                               " must be a ", typed ? "dictionary" : "string",
                               " attribute."));
}

bool AliasesHaveOneType(OpImport* op) {
  const Ir& ir = op->ir();
  const AttrId list = op->Find("output_operand_aliases");
  if (!list.valid()) return true;
  for (const AttrId element : ir.attr(list).elements) {
    OutputOperandAliasing alias;
    if (!ReadFields(ir, element, &alias)) return true;  // refused where read
    const auto operands = static_cast<int64_t>(op->operand_count());
    if (alias.operand < 0 || alias.operand >= operands) {
      return op->Fail(
          absl::StrCat("expects operandIndex in the output_operand_alias "
                       "attribute to be in range [0, ",
                       operands, "); got: ", alias.operand));
    }
    const TypeId operand = PartOf(
        ir, ir.type_of(op->operand_value(static_cast<size_t>(alias.operand))),
        alias.operand_index);
    absl::Span<const int64_t> path = alias.output_index;
    size_t result = 0;
    if (op->result_count() > 1 && !path.empty()) {
      result = static_cast<size_t>(path[0]);
      path.remove_prefix(1);
    }
    const TypeId output =
        result < op->result_count() &&
                (op->result_count() == 1 || !alias.output_index.empty())
            ? PartOf(ir, ir.type_of(op->result(result)), path)
            : TypeId();
    if (!operand.valid() || !output.valid()) {
      return op->Fail(
          "tuple indices in the output_operand_alias attribute out of bounds");
    }
    if (operand == output) continue;
    Shapes& shapes = op->importer().shapes();
    return op->Fail(absl::StrCat(
        "shapes mismatch in the output_operand_alias attribute: operand part "
        "has type ",
        shapes.Of(operand).ToString(), " and output part has type ",
        shapes.Of(output).ToString()));
  }
  return true;
}

bool ResultsAreOperands(OpImport* op) {
  for (size_t i = 0; i < op->operand_count() && i < op->result_count(); ++i) {
    if (op->ir().type_of(op->operand_value(i)) ==
        op->ir().type_of(op->result(i))) {
      continue;
    }
    return op->Fail(absl::StrCat(
        "requires the same type for operand and result at index ", i));
  }
  return true;
}

bool ShapesAgree(OpImport* op) {
  std::vector<ValueId> values(op->ir().operands(op->op()).begin(),
                              op->ir().operands(op->op()).end());
  const std::vector<ValueId> results = op->ir().results(op->op());
  values.insert(values.end(), results.begin(), results.end());
  Shape known;  // what all of them say of their sizes
  for (const ValueId value : values) {
    Shape shape = ShapeOf(op, value);
    if (!shape.is_array()) continue;  // HLO refuses it
    if (known.is_none()) known = shape;
    shape.set_element_type(known.element_type());
    if (!CompatibleTypes(shape, known)) {
      return op->Fail("requires the same shape for all operands and results");
    }
    known = OpImport::Refined(known, shape);
  }
  return true;
}

// HLO's comparator may take other floats.
bool ComparatorTakesElements(OpImport* op) {
  const Block* block = BlockOf(op, 0);
  if (block == nullptr) return true;
  for (size_t i = 0; i < block->arguments.size(); ++i) {
    if (i / 2 >= op->operand_count()) break;  // HLO refuses more
    const Shape& operand = ShapeOf(op, op->operand_value(i / 2));
    const Shape& argument = ShapeOf(op, block->arguments[i]);
    if (!operand.is_array() || !argument.is_array() ||
        operand.element_type() == argument.element_type()) {
      continue;
    }
    return op->Fail(absl::StrCat(
        "comparator block argument #", i, " should be of type ",
        Info(operand.element_type()).name, "[] but got ", argument.ToString()));
  }
  return true;
}

bool ElementTypesAgree(OpImport* op) {
  for (size_t i = 1; i < op->operand_count(); ++i) {
    if (op->operand_shape(i).element_type() ==
        op->operand_shape(0).element_type()) {
      continue;
    }
    return op->Fail(
        "requires the same element type for all operands and results");
  }
  return true;
}

bool TupleIsOfOperands(OpImport* op) {
  const Type& tuple = op->ir().type(op->ir().type_of(op->result(0)));
  bool good = tuple.kind == TypeKind::kTuple &&
              tuple.parts.size() == op->operand_count();
  for (size_t i = 0; good && i < op->operand_count(); ++i) {
    good = op->ir().type_of(op->operand_value(i)) == tuple.parts[i];
  }
  if (good) return true;
  return op->Fail(absl::StrCat("inferred type (",
                               Texts(op, op->ir().operands(op->op())),
                               ") is incompatible with the return type ",
                               op->result_shape().ToString()));
}

// The operands, the arguments of both regions and the results have the same
// types, but for unknown sizes.
bool StateKeepsItsTypes(OpImport* op) {
  const Ir& ir = op->ir();
  const absl::Span<const ValueId> operands = ir.operands(op->op());
  for (size_t i = 0; i < 2; ++i) {
    const Block* block = BlockOf(op, i);
    if (block == nullptr || AreCompatible(op, operands, block->arguments)) {
      continue;
    }
    return op->Fail(
        absl::StrCat("expect operands to be compatible with ",
                     i == 0 ? "condition" : "body", " block arguments but got ",
                     Texts(op, operands), " vs ", Texts(op, block->arguments)));
  }
  const std::vector<ValueId> results = ir.results(op->op());
  if (AreCompatible(op, operands, results)) return true;
  return op->Fail(absl::StrCat("inferred types ", Texts(op, operands),
                               " are incompatible with return types ",
                               Texts(op, results)));
}

}  // namespace indim::stablehlo_import
