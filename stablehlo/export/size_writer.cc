// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/size_writer.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/passes/sizes/size_value.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/stablehlo/export/literal_attr.h"
#include "indim/stablehlo/export/node_export.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::stablehlo_export {
namespace {

// Writes scalars of s32 (SizeValue).
class ScalarWriter {
 public:
  using Value = ValueId;

  explicit ScalarWriter(NodeExport* node)
      : node_(*node), scalar_(node->ir().TensorType(ElementType::kS32, {})) {}

  std::optional<Value> Number(int64_t value) {
    if (value < std::numeric_limits<int32_t>::min() ||
        value > std::numeric_limits<int32_t>::max()) {
      return std::nullopt;
    }
    Ir& ir = node_.ir();
    return node_.Constant(ir.DenseAttr(
        {value}, ir.ElementTypeId(ElementType::kS32), /*bytes=*/4, {}));
  }

  Value SizeOf(Value array, int64_t dim) {
    return node_.EmitHelper(
        "stablehlo.get_dimension_size", {array}, scalar_,
        {node_.Named("dimension", node_.ir().IntegerAttr(dim))});
  }

  std::optional<Value> Symbol(const std::string& name) {
    const NamedSizes::Source* source = node_.writer().named_sizes().Find(name);
    if (source == nullptr) {
      missing_ = name;
      return std::nullopt;
    }
    std::optional<Value> value = SizeOf(source->argument, source->dim);
    if (source->offset != 0) {
      value = With(Opcode::kSubtract, *value, source->offset);
    }
    if (source->factor != 1 && value.has_value()) {
      value = With(Opcode::kDivide, *value, source->factor);
    }
    return value;
  }

  Value Binary(Opcode opcode, Value a, Value b) {
    return node_.EmitHelper(mlir::FindOp(opcode)->name, {a, b}, scalar_);
  }

  // A name that no argument gives; "": none.
  const std::string& missing() const { return missing_; }

 private:
  std::optional<Value> With(Opcode opcode, Value a, int64_t number) {
    const std::optional<Value> b = Number(number);
    if (!b.has_value()) return std::nullopt;
    return Binary(opcode, a, *b);
  }

  NodeExport& node_;
  const TypeId scalar_;
  std::string missing_;
};

}  // namespace

void NamedSizes::Add(const Shape& shape, ValueId argument) {
  for (int i = 0; i < shape.rank(); ++i) {
    const std::optional<NamedSize> named = NamedSizeOf(shape.dim(i));
    if (!named.has_value()) continue;
    const Source source = {argument, i, named->offset, named->factor};
    const auto [it, inserted] = sources_.try_emplace(named->name, source);
    // The name alone is simpler to read.
    if (!inserted && source.is_name() && !it->second.is_name()) {
      it->second = source;
    }
  }
}

const NamedSizes::Source* NamedSizes::Find(const std::string& name) const {
  const auto found = sources_.find(name);
  return found == sources_.end() ? nullptr : &found->second;
}

bool HasOpenDims(const Shape& shape) {
  for (const Dim dim : shape.dims()) {
    if (!dim.is_static() && !dim.is_bounded()) return true;
  }
  return false;
}

std::optional<ValueId> SizesOf(const Shape& shape, const KnownSizes& known,
                               NodeExport* node) {
  ScalarWriter writer(node);
  Ir& ir = node->ir();
  const TypeId one = ir.TensorType(ElementType::kS32, {1});
  std::vector<ValueId> sizes;
  for (int i = 0; i < shape.rank(); ++i) {
    const Dim dim = shape.dim(i);
    const std::optional<SizeRef> ref = static_cast<size_t>(i) < known.size()
                                           ? known[static_cast<size_t>(i)]
                                           : std::nullopt;
    std::optional<ValueId> size;
    if (dim.is_static()) {
      size = writer.Number(dim.size());
    } else if (ref.has_value()) {
      size = writer.SizeOf(ref->value, ref->dim);
    } else if (dim.is_symbolic()) {
      size = SizeValue(DimExpr(dim), &writer);
    }
    if (!size.has_value()) {
      node->Refuse(
          writer.missing().empty()
              ? absl::StrCat("has dim ", i, " of size ", dim.ToString(),
                             ", which nothing gives at run time")
              : absl::StrCat(
                    "has dim ", i, " of size ", dim.ToString(),
                    ", but no argument of its function has a dim of size ",
                    writer.missing()),
          absl::StrCat("give the sizes numbers (",
                       SettingText(Setting::kSizeValues),
                       "), or inline the call"));
      return std::nullopt;
    }
    sizes.push_back(node->EmitHelper("stablehlo.reshape", {*size}, one));
  }
  const TypeId vector =
      ir.TensorType(ElementType::kS32, {static_cast<int64_t>(sizes.size())});
  return node->EmitHelper("stablehlo.concatenate", sizes, vector,
                          {node->Named("dimension", ir.IntegerAttr(0))});
}

}  // namespace indim::stablehlo_export
