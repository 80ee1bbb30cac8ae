// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/decompose.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/stablehlo/export/attr_text.h"
#include "indim/stablehlo/mlir/spelling.h"
#include "indim/stablehlo/ops/op_table.h"
#include "indim/stablehlo/text/parse_mlir_text.h"

namespace indim::stablehlo_export {
namespace {

struct Decomposition {
  absl::string_view op;
  absl::string_view result;
  absl::string_view body;
};
constexpr Decomposition kDecompositions[] = {
#define INDIM_DECOMPOSITION(name, result, body) {name, result, body},
#include "indim/stablehlo/export/decompositions.def"
};

// "tensor<2xf32>".
std::string TypeOf(absl::Span<const int64_t> sizes, ElementType type) {
  std::string text = "tensor<";
  for (const int64_t size : sizes) absl::StrAppend(&text, size, "x");
  return absl::StrCat(text, mlir::NameOf(type), ">");
}

std::string TypeOf(const Shape& shape, ElementType type) {
  return TypeOf(SizesOf(shape), type);
}

bool IsStatic(const Shape& shape) {
  return shape.has_rank() && shape.is_static();
}

// Copies operations with their regions from one Ir to another.
class Copier {
 public:
  Copier(const Ir& from, Ir* to) : from_(from), to_(*to) {}

  void Copy(OpId id, BlockId block) {
    const mlir::Op& op = from_.op(id);
    Ir::OpParts parts;
    parts.name = to_.Intern(from_.name(op));
    std::vector<ValueId> operands;
    for (const ValueId value : from_.operands(op)) {
      operands.push_back(values_[value.index]);
    }
    std::vector<TypeId> results;
    for (uint32_t i = 0; i < op.result_count; ++i) {
      results.push_back(
          CopyType(from_, from_.type_of(from_.result(op, i)), &to_));
    }
    for (const NamedAttr& attr : from_.properties(op)) {
      parts.properties.push_back({to_.Intern(from_.text(attr.name)),
                                  CopyAttr(from_, attr.value, &to_)});
    }
    for (const RegionId region : from_.regions(op)) {
      parts.regions.push_back(Copy(region));
    }
    parts.operands = operands;
    parts.results = results;
    const OpId copy = to_.AddOp(block, std::move(parts));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      values_[from_.result(op, i).index] = to_.result(to_.op(copy), i);
    }
  }

 private:
  RegionId Copy(RegionId id) {
    const RegionId region = to_.AddRegion();
    for (const BlockId from : from_.region(id).blocks) {
      const BlockId block = to_.AddBlock(region);
      for (const ValueId argument : from_.block(from).arguments) {
        values_[argument.index] = to_.AddArgument(
            block, CopyType(from_, from_.type_of(argument), &to_));
      }
      for (const OpId op : from_.block(from).ops) Copy(op, block);
    }
    return region;
  }

  const Ir& from_;
  Ir& to_;
  absl::flat_hash_map<uint32_t, ValueId> values_;
};

// The lines of a function. It numbers the values.
class Body {
 public:
  // Adds "%n = TEXT", and returns "%n".
  template <typename... T>
  std::string Add(const T&... text) {
    const std::string name = absl::StrCat("%", count_++);
    absl::StrAppend(&text_, name, " = ", text..., "\n");
    return name;
  }
  std::string Constant(absl::string_view value, absl::string_view type) {
    return Add("stablehlo.constant dense<", value, "> : ", type);
  }
  std::string Binary(absl::string_view op, absl::string_view a,
                     absl::string_view b, absl::string_view type) {
    return Add("stablehlo.", op, " ", a, ", ", b, " : ", type);
  }
  // An operation of one operand whose form ends with the types of both.
  std::string Unary(absl::string_view op, absl::string_view a,
                    absl::string_view more, absl::string_view from,
                    absl::string_view to) {
    return Add("stablehlo.", op, " ", a, more, " : (", from, ") -> ", to);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int count_ = 0;
};

// " [0:2, 1:3]"; of the dim `at` only [begin, end).
std::string Ranges(absl::Span<const int64_t> sizes, size_t at, int64_t begin,
                   int64_t end) {
  std::vector<std::string> ranges;
  for (size_t i = 0; i < sizes.size(); ++i) {
    ranges.push_back(i == at ? absl::StrCat(begin, ":", end)
                             : absl::StrCat("0:", sizes[i]));
  }
  return absl::StrCat(" [", absl::StrJoin(ranges, ", "), "]");
}

absl::string_view ZeroOf(ElementType type) {
  if (IsComplex(type)) return "(0.0, 0.0)";
  if (IsFloat(type)) return "0.0";
  return type == ElementType::kPred ? "false" : "0";
}

// The dot of a group.
class RaggedDot {
 public:
  RaggedDot(const Shape& lhs, const Shape& rhs, const Shape& sizes,
            const Shape& result, const DotAttributes& dot,
            absl::string_view precision)
      : lhs_(lhs),
        rhs_(rhs),
        sizes_(sizes),
        result_(result),
        dot_(dot),
        precision_(precision),
        ragged_(dot.lhs_ragged_dims[0]),
        lhs_type_(TypeOf(lhs, lhs.element_type())),
        rhs_type_(TypeOf(rhs, rhs.element_type())),
        index_type_(TypeOf(lhs, ElementType::kS64)) {}

  std::string Function() {
    const std::string result = IsIn(dot_.lhs_batch_dims, ragged_)
                                   ? Dot("%l", "%r", result_sizes())
                                   : Groups();
    const std::string type = TypeOf(result_, result_.element_type());
    return absl::StrCat(
        "func.func private @$NAME(%l: ", lhs_type_, ", %r: ", rhs_type_,
        ", %g: ", TypeOf(sizes_, sizes_.element_type()), ") -> ", type, " {\n",
        body_.text(), "return ", result, " : ", type, "\n}\n");
  }

 private:
  static bool IsIn(const DimIndices& dims, int64_t dim) {
    return std::find(dims.begin(), dims.end(), dim) != dims.end();
  }
  DimIndices result_sizes() const { return SizesOf(result_); }

  // The dims of lhs for whose positions there are sizes of their own.
  DimIndices Prefix() const {
    DimIndices prefix = dot_.lhs_batch_dims;
    if (sizes_.rank() == 1) return {};
    for (int64_t dim = 0; dim < lhs_.rank(); ++dim) {
      const bool contracting = IsIn(dot_.lhs_contracting_dims, dim);
      if (dim >= ragged_ || contracting || IsIn(prefix, dim) ||
          IsIn(dot_.lhs_contracting_dims, ragged_)) {
        continue;
      }
      prefix.push_back(dim);
    }
    if (!IsIn(dot_.lhs_contracting_dims, ragged_)) return prefix;
    for (const int64_t dim : dot_.lhs_contracting_dims) {
      if (dim == ragged_) break;
      prefix.push_back(dim);
    }
    return prefix;
  }

  // A dot whose result has these sizes.
  std::string Dot(absl::string_view l, absl::string_view r,
                  absl::Span<const int64_t> sizes) {
    DimIndices rhs_batch = dot_.rhs_batch_dims;
    DimIndices rhs_contracting = dot_.rhs_contracting_dims;
    DimIndices rhs_sizes = SizesOf(rhs_);
    if (!dot_.rhs_group_dims.empty()) {
      const int64_t group = dot_.rhs_group_dims[0];
      rhs_sizes.erase(rhs_sizes.begin() + group);
      for (DimIndices* const dims : {&rhs_batch, &rhs_contracting}) {
        for (int64_t& dim : *dims) dim -= dim > group ? 1 : 0;
      }
    }
    return body_.Add(
        "stablehlo.dot_general ", l, ", ", r, ", ",
        rhs_batch.empty()
            ? ""
            : absl::StrCat("batching_dims = [",
                           absl::StrJoin(dot_.lhs_batch_dims, ", "), "] x [",
                           absl::StrJoin(rhs_batch, ", "), "], "),
        "contracting_dims = [", absl::StrJoin(dot_.lhs_contracting_dims, ", "),
        "] x [", absl::StrJoin(rhs_contracting, ", "), "]", precision_, " : (",
        lhs_type_, ", ", TypeOf(rhs_sizes, rhs_.element_type()), ") -> ",
        TypeOf(sizes, result_.element_type()));
  }

  // What group `g` has of lhs: the positions from `begin` to before `end`, both
  // of index_type_.
  std::string Masked(absl::string_view begin, absl::string_view end) {
    const std::string p = TypeOf(lhs_, ElementType::kPred);
    const auto compare = [&](absl::string_view direction,
                             absl::string_view bound) {
      return body_.Add("stablehlo.compare ", direction, ", ", iota_, ", ",
                       bound, " : (", index_type_, ", ", index_type_, ") -> ",
                       p);
    };
    const std::string after = compare("GE", begin);
    const std::string before = compare("LT", end);
    const std::string in = body_.Binary("and", after, before, p);
    return body_.Add("stablehlo.select ", in, ", %l, ", zero_, " : ", p, ", ",
                     lhs_type_);
  }

  // The size of group `g` at each position of lhs.
  std::string SizeOf(absl::string_view sizes, int64_t g) {
    DimIndices of_sizes = SizesOf(sizes_);
    const std::string all = TypeOf(of_sizes, ElementType::kS64);
    const size_t last = of_sizes.size() - 1;
    const std::string ranges = Ranges(of_sizes, last, g, g + 1);
    of_sizes[last] = 1;
    const std::string one = TypeOf(of_sizes, ElementType::kS64);
    of_sizes.pop_back();
    const std::string dropped = TypeOf(of_sizes, ElementType::kS64);
    const std::string slice = body_.Unary("slice", sizes, ranges, all, one);
    const std::string size = body_.Unary("reshape", slice, "", one, dropped);
    return body_.Unary(
        "broadcast_in_dim", size,
        absl::StrCat(", dims = [", absl::StrJoin(Prefix(), ", "), "]"), dropped,
        index_type_);
  }

  // The right operand of group `g`.
  std::string RhsOf(int64_t g) {
    if (dot_.rhs_group_dims.empty()) return "%r";
    const auto dim = static_cast<size_t>(dot_.rhs_group_dims[0]);
    DimIndices sizes = SizesOf(rhs_);
    const std::string ranges = Ranges(sizes, dim, g, g + 1);
    sizes[dim] = 1;
    const std::string one = TypeOf(sizes, rhs_.element_type());
    sizes.erase(sizes.begin() + dot_.rhs_group_dims[0]);
    const std::string slice =
        body_.Unary("slice", "%r", ranges, rhs_type_, one);
    return body_.Unary("reshape", slice, "", one,
                       TypeOf(sizes, rhs_.element_type()));
  }

  std::string Groups() {
    const bool stacked = IsIn(dot_.lhs_contracting_dims, ragged_);
    const ElementType type = result_.element_type();
    const std::string of_result = TypeOf(result_, type);
    DimIndices each = result_sizes();
    if (stacked) each.erase(each.begin());
    DimIndices row = each;
    row.insert(row.begin(), 1);
    zero_ = body_.Constant(ZeroOf(lhs_.element_type()), lhs_type_);
    iota_ = body_.Add("stablehlo.iota dim = ", ragged_, " : ", index_type_);
    std::string sizes = "%g";
    if (sizes_.element_type() != ElementType::kS64) {
      sizes = body_.Unary("convert", "%g", "",
                          TypeOf(sizes_, sizes_.element_type()),
                          TypeOf(sizes_, ElementType::kS64));
    }
    std::string begin = body_.Constant("0", index_type_);
    std::vector<std::string> products;
    for (int64_t g = 0; g < sizes_.dim(sizes_.rank() - 1).size(); ++g) {
      const std::string end =
          body_.Binary("add", begin, SizeOf(sizes, g), index_type_);
      const std::string product = Dot(Masked(begin, end), RhsOf(g), each);
      begin = end;
      products.push_back(
          stacked ? body_.Unary("reshape", product, "", TypeOf(each, type),
                                TypeOf(row, type))
          : products.empty()
              ? product
              : body_.Binary("add", products.back(), product, of_result));
    }
    if (products.empty()) return body_.Constant(ZeroOf(type), of_result);
    if (!stacked) return products.back();
    const std::vector<std::string> types(products.size(), TypeOf(row, type));
    return body_.Add("stablehlo.concatenate ", absl::StrJoin(products, ", "),
                     ", dim = 0 : (", absl::StrJoin(types, ", "), ") -> ",
                     of_result);
  }

  const Shape& lhs_;
  const Shape& rhs_;
  const Shape& sizes_;
  const Shape& result_;
  const DotAttributes& dot_;
  const absl::string_view precision_;
  const int64_t ragged_;
  const std::string lhs_type_;
  const std::string rhs_type_;
  const std::string index_type_;  // of lhs's sizes
  std::string zero_;
  std::string iota_;
  Body body_;
};

}  // namespace

std::string UnaryDecomposition(absl::string_view op, const Shape& operand) {
  const Decomposition* const row =
      mlir::FindRow(kDecompositions, &Decomposition::op, op);
  const ElementType type = operand.element_type();
  if (row == nullptr || !IsStatic(operand) || !IsFloat(type)) return "";
  const bool narrow = type != ElementType::kF64 && type != ElementType::kF32;
  const std::string s = TypeOf(operand, type);
  const std::string t = TypeOf(operand, narrow ? ElementType::kF32 : type);
  const std::string p = TypeOf(operand, ElementType::kPred);
  return absl::StrCat(
      "func.func private @$NAME(%", narrow ? "in" : "x", ": ", s, ") -> ", s,
      " {\n",
      narrow ? absl::StrCat("%x = stablehlo.convert %in : (", s, ") -> ", t)
             : "",
      absl::StrReplaceAll(row->body, {{"$T", t}, {"$P", p}}),
      narrow ? absl::StrCat("%out = stablehlo.convert ", row->result, " : (", t,
                            ") -> ", s, "\n")
             : "",
      "return ", narrow ? "%out" : row->result, " : ", s, "\n}\n");
}

std::string TopKDecomposition(const Shape& operand, int64_t k) {
  if (!IsStatic(operand) || operand.rank() == 0) return "";
  const ElementType type = operand.element_type();
  const DimIndices sizes = SizesOf(operand);
  const size_t last = sizes.size() - 1;
  DimIndices most = sizes;
  most[last] = k;
  const std::string t = TypeOf(sizes, type);
  const std::string i = TypeOf(sizes, ElementType::kS32);
  const std::string values = TypeOf(most, type);
  const std::string indices = TypeOf(most, ElementType::kS32);
  const std::string e = TypeOf(std::vector<int64_t>(), type);
  const std::string slice = Ranges(sizes, last, 0, k);
  return absl::StrCat(
      "func.func private @$NAME(%x: ", t, ") -> (", values, ", ", indices,
      ") {\n%i = stablehlo.iota dim = ", last, " : ", i,
      "\n%s:2 = \"stablehlo.sort\"(%x, %i) <{dimension = ", last,
      " : i64, is_stable = true}> ({\n^bb0(%a: ", e, ", %b: ", e,
      ", %c: tensor<i32>, %d: tensor<i32>):\n"
      "%p = stablehlo.compare GT, %a, %b",
      IsFloat(type) ? ", TOTALORDER" : "", " : (", e, ", ", e,
      ") -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n}) : (", t, ", ", i,
      ") -> (", t, ", ", i, ")\n%v = stablehlo.slice %s#0", slice, " : (", t,
      ") -> ", values, "\n%n = stablehlo.slice %s#1", slice, " : (", i, ") -> ",
      indices, "\nreturn %v, %n : ", values, ", ", indices, "\n}\n");
}

std::string MulhiDecomposition(const Shape& operand) {
  const ElementType type = operand.element_type();
  const int bits = Info(type).bits;
  if (!IsStatic(operand) || !IsIntegral(type)) return "";
  const bool is_signed = Info(type).kind == ElementKind::kSigned;
  const absl::string_view shift =
      is_signed ? "shift_right_arithmetic" : "shift_right_logical";
  const std::string t = TypeOf(operand, type);
  Body body;
  std::string result;
  if (bits < 64) {
    const std::string w =
        TypeOf(operand, is_signed ? ElementType::kS64 : ElementType::kU64);
    const std::string x = body.Unary("convert", "%x", "", t, w);
    const std::string y = body.Unary("convert", "%y", "", t, w);
    const std::string product = body.Binary("multiply", x, y, w);
    const std::string by = body.Constant(absl::StrCat(bits), w);
    result =
        body.Unary("convert", body.Binary(shift, product, by, w), "", w, t);
  } else {
    // x = 2^32 a + b, y = 2^32 c + d; b and d aren't negative. Then the product
    // is 2^64 ac + 2^32 (ad + bc) + bd, of which no term overflows.
    const std::string half = body.Constant("32", t);
    const std::string mask = body.Constant("4294967295", t);
    const auto low = [&](absl::string_view v) {
      return body.Binary("and", v, mask, t);
    };
    const auto high = [&](absl::string_view v) {
      return body.Binary(shift, v, half, t);
    };
    const std::string a = high("%x"), b = low("%x");
    const std::string c = high("%y"), d = low("%y");
    const std::string bd = body.Binary(
        "shift_right_logical", body.Binary("multiply", b, d, t), half, t);
    const std::string ad =
        body.Binary("add", body.Binary("multiply", a, d, t), bd, t);
    const std::string bc =
        body.Binary("add", body.Binary("multiply", b, c, t), low(ad), t);
    const std::string ac =
        body.Binary("add", body.Binary("multiply", a, c, t), high(ad), t);
    result = body.Binary("add", ac, high(bc), t);
  }
  return absl::StrCat("func.func private @$NAME(%x: ", t, ", %y: ", t, ") -> ",
                      t, " {\n", body.text(), "return ", result, " : ", t,
                      "\n}\n");
}

std::string RaggedDotDecomposition(const Shape& lhs, const Shape& rhs,
                                   const Shape& sizes, const Shape& result,
                                   const DotAttributes& dot,
                                   absl::string_view precision) {
  constexpr int64_t kMostGroups = 1000;
  for (const Shape* const shape : {&lhs, &rhs, &sizes, &result}) {
    if (!IsStatic(*shape)) return "";
  }
  if (sizes.dim(sizes.rank() - 1).size() > kMostGroups) return "";
  return RaggedDot(lhs, rhs, sizes, result, dot, precision).Function();
}

void AddDecomposition(absl::string_view function, absl::string_view symbol,
                      Ir* ir) {
  const absl::StatusOr<Ir> read = mlir::ParseMlirText(absl::StrReplaceAll(
      function, {{"$NAME", absl::StrCat("\"", symbol, "\"")}}));
  if (!read.ok()) return;  // decompose_test reads each
  Copier copier(*read, ir);
  for (const OpId id : read->block(read->module_block()).ops) {
    copier.Copy(id, ir->module_block());
  }
}

}  // namespace indim::stablehlo_export
