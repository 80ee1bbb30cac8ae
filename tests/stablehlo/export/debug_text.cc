#include "tests/stablehlo/export/debug_text.h"
#include <cstring>
#include <functional>
#include <vector>
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
namespace indim {
namespace {
using namespace mlir;
std::string Quote(absl::string_view s) {
  std::string o = "\"";
  for (unsigned char c : s) {
    if (c == '"' || c == '\\' || c < 32 || c > 126)
      absl::StrAppend(&o, "\\", absl::Hex(c, absl::kZeroPad2));
    else
      o.push_back(static_cast<char>(c));
  }
  return o + "\"";
}
std::string ElemName(ElementType t) {
  switch (t) {
    case ElementType::kPred: return "i1";
    case ElementType::kC64: return "complex<f32>";
    case ElementType::kC128: return "complex<f64>";
    default: break;
  }
  std::string n(Name(t));
  if (n[0] == 's') return "i" + n.substr(1);
  if (n[0] == 'u') return "ui" + n.substr(1);
  if (n.size() > 3 && n[0] == 'f' && (n[1] == '8' || n[1] == '6' || n[1] == '4') && n[2] == 'e') {
    for (char& c : n) c = static_cast<char>(toupper(c));
    n[0] = 'f';
    return n;
  }
  return n;
}
struct P {
  const Ir& ir;
  std::string o;
  int n = 0;
  std::vector<int> num;
  std::string Type_(TypeId id) {
    const Type& t = ir.type(id);
    switch (t.kind) {
      case TypeKind::kNone: return "none";
      case TypeKind::kIndex: return "index";
      case TypeKind::kElement: return ElemName(t.element_type);
      case TypeKind::kUnrankedTensor: return "tensor<*x" + Type_(t.element) + ">";
      case TypeKind::kTensor: case TypeKind::kMemRef: {
        std::string s = t.kind == TypeKind::kTensor ? "tensor<" : "memref<";
        for (int64_t d : t.dims) s += (d == kDynamic ? "?" : absl::StrCat(d)) + "x";
        s += Type_(t.element);
        if (!t.bounds.empty()) {
          s += ", #stablehlo.bounds<";
          bool f = true;
          for (int64_t d : t.bounds) { if (!f) s += ", "; f = false; s += d == kDynamic ? "?" : absl::StrCat(d); }
          s += ">";
        }
        return s + ">";
      }
      case TypeKind::kTuple: case TypeKind::kFuture: {
        std::string s = t.kind == TypeKind::kTuple ? "tuple<" : "!stablehlo.future<";
        for (size_t i = 0; i < t.parts.size(); ++i) s += (i ? ", " : "") + Type_(t.parts[i]);
        return s + ">";
      }
      case TypeKind::kToken: return "!stablehlo.token";
      case TypeKind::kFunction: {
        std::string s = "(";
        for (size_t i = 0; i < t.input_count; ++i) s += (i ? ", " : "") + Type_(t.parts[i]);
        s += ") -> (";
        for (size_t i = t.input_count; i < t.parts.size(); ++i) s += (i > t.input_count ? ", " : "") + Type_(t.parts[i]);
        return s + ")";
      }
      default: return t.text;
    }
  }
  std::string Attr(AttrId id) {
    const Attribute& a = ir.attr(id);
    switch (a.kind) {
      case AttrKind::kUnit: return "unit";
      case AttrKind::kBool: return a.integer ? "true" : "false";
      case AttrKind::kInteger: return absl::StrCat(a.integer, " : ", Type_(a.type));
      case AttrKind::kFloat: return absl::StrCat("0x", absl::Hex(a.integer, ir.type(a.type).element_type == ElementType::kF64 ? absl::kZeroPad16 : absl::kZeroPad8), " : ", Type_(a.type));
      case AttrKind::kString: return Quote(a.text);
      case AttrKind::kSymbol: return "@" + Quote(a.text);
      case AttrKind::kType: return Type_(a.type);
      case AttrKind::kArray: { std::string s = "["; for (size_t i = 0; i < a.elements.size(); ++i) s += (i ? ", " : "") + Attr(a.elements[i]); return s + "]"; }
      case AttrKind::kDictionary: { std::string s = "{"; bool f = true; for (auto& x : a.fields) { s += (f ? "" : ", ") + Quote(ir.text(x.name)) + " = " + Attr(x.value); f = false; } return s + "}"; }
      case AttrKind::kDense: {
        const Type& e = ir.type(ir.type(a.type).element);
        if (a.text.empty()) return "dense<> : " + Type_(a.type);
        const bool index = e.kind == TypeKind::kIndex;
        const bool pred = e.element_type == ElementType::kPred && !index;
        if (a.splat && pred) return std::string("dense<") + (a.text[0] ? "true" : "false") + "> : " + Type_(a.type);
        if (index || a.text.size() <= 64) {
          // lists of integers
          const auto& dims = ir.type(a.type).dims;

          const bool isint = index || Info(e.element_type).kind == ElementKind::kSigned || Info(e.element_type).kind == ElementKind::kUnsigned;
          if (isint) {
            size_t sz = index ? 8 : std::max(1, Info(e.element_type).bits / 8);
            auto at = [&](size_t i) { int64_t v = 0; memcpy(&v, a.text.data() + i * sz, sz); if (sz < 8 && (index || Info(e.element_type).kind == ElementKind::kSigned)) { v = (v << (64 - 8 * sz)) >> (64 - 8 * sz); } return v; };
            if (a.splat) return absl::StrCat("dense<", at(0), "> : ", Type_(a.type));
            size_t k = 0;
            std::function<std::string(size_t)> rec = [&](size_t d) -> std::string { if (d == dims.size()) return absl::StrCat(at(k++)); std::string s = "["; for (int64_t i = 0; i < dims[d]; ++i) s += (i ? ", " : "") + rec(d + 1); return s + "]"; };
            return "dense<" + rec(0) + "> : " + Type_(a.type);
          }
        }
        return "dense<\"0x" + absl::BytesToHexString(a.text) + "\"> : " + Type_(a.type);
      }
      case AttrKind::kDenseArray: {
        std::string s = "array<" + Type_(a.type);
        const ElementType e = ir.type(a.type).element_type;
        size_t sz = static_cast<size_t>(std::max(1, Info(e).bits / 8));
        for (size_t i = 0; i < a.text.size(); i += sz) {
          int64_t v = 0; memcpy(&v, a.text.data() + i, sz); if (sz < 8) v = (v << (64 - 8 * sz)) >> (64 - 8 * sz);
          absl::StrAppend(&s, i ? ", " : ": ");
          if (e == ElementType::kPred) absl::StrAppend(&s, v ? "true" : "false"); else absl::StrAppend(&s, v);
        }
        return s + ">";
      }
      case AttrKind::kDialect: {
        if (a.fields.size() == 1 && ir.text(a.fields[0].name).empty()) {
          const auto dot = a.text.find('.');
          return "#" + a.text.substr(0, dot) + "<" + a.text.substr(dot + 1) + " " + ir.attr(a.fields[0].value).text + ">";
        }
        if (a.text == "stablehlo.conv") return Conv(a);
        std::string s = "#" + a.text + "<"; bool f = true;
        for (auto& x : a.fields) { s += absl::StrCat(f ? "" : ", ", ir.text(x.name), " = ", Short(x.value)); f = false; }
        return s + ">";
      }
      default: return "unit";
    }
  }
  std::string Short(AttrId id) {
    const Attribute& a = ir.attr(id);
    if (a.kind == AttrKind::kInteger) return absl::StrCat(a.integer);
    if (a.kind == AttrKind::kFloat) { double d; memcpy(&d, &a.integer, 8); std::string s = absl::StrCat(d); if (s.find_first_of(".e") == s.npos) s += ".0"; if (s.find('.') == s.npos) s.insert(s.find('e'), ".0"); return s; }
    if (a.kind == AttrKind::kDenseArray) { std::string s = Attr(id); auto p = s.find(": "); return p == s.npos ? "[]" : "[" + s.substr(p + 2, s.size() - p - 3) + "]"; }
    if (a.kind == AttrKind::kDialect && a.fields.size() == 1) { std::string s = Attr(id); if (a.text == "stablehlo.result_accuracy_mode") return "#stablehlo.result_accuracy_mode<" + ir.attr(a.fields[0].value).text + ">"; return s; }
    return Attr(id);
  }
  std::string Conv(const Attribute& a) {
    auto num_ = [&](const char* n) { return ir.attr(ir.Find(a, n)).integer; };
    auto list = [&](const char* n) { std::vector<int64_t> v; AttrId i = ir.Find(a, n); if (i.valid()) ir.Integers(i, &v); return v; };
    auto side = [&](int64_t b, int64_t f, std::vector<int64_t> sp, const char* bn, const char* fn) {
      std::vector<std::string> s(sp.size() + 2);
      s[b] = bn; s[f] = fn; for (size_t i = 0; i < sp.size(); ++i) s[sp[i]] = absl::StrCat(i);
      std::string o = "["; for (size_t i = 0; i < s.size(); ++i) o += (i ? ", " : "") + s[i]; return o + "]"; };
    return "#stablehlo.conv<" + side(num_("input_batch_dimension"), num_("input_feature_dimension"), list("input_spatial_dimensions"), "b", "f") + "x" +
      side(num_("kernel_input_feature_dimension"), num_("kernel_output_feature_dimension"), list("kernel_spatial_dimensions"), "i", "o") + "->" +
      side(num_("output_batch_dimension"), num_("output_feature_dimension"), list("output_spatial_dimensions"), "b", "f") + ">";
  }
  void Op_(OpId id) {
    const Op& op = ir.op(id);
    for (uint32_t i = 0; i < op.result_count; ++i) { num[op.first_result.index + i] = n++; absl::StrAppend(&o, i ? ", " : "", "%v", num[op.first_result.index + i]); }
    if (op.result_count) o += " = ";
    o += Quote(ir.name(op)) + "(";
    bool f = true;
    for (ValueId v : ir.operands(op)) { absl::StrAppend(&o, f ? "" : ", ", "%v", num[v.index]); f = false; }
    o += ")";
    auto list = [&](absl::Span<const NamedAttr> l, const char* a, const char* b) { if (l.empty()) return; o += a; bool g = true; for (auto& x : l) { absl::StrAppend(&o, g ? "" : ", ", Quote(ir.text(x.name))); if (ir.attr(x.value).kind != AttrKind::kUnit) o += " = " + Attr(x.value); g = false; } o += b; };
    list(ir.properties(op), " <{", "}>");
    if (op.region_count) {
      o += " (";
      bool g = true;
      for (RegionId r : ir.regions(op)) {
        o += g ? "{\n" : ", {\n"; g = false;
        int k = 0;
        for (BlockId b : ir.region(r).blocks) {
          const Block& bl = ir.block(b);
          if (!bl.arguments.empty()) { absl::StrAppend(&o, "^bb", k++, "("); bool h = true; for (ValueId v : bl.arguments) { num[v.index] = n++; absl::StrAppend(&o, h ? "" : ", ", "%v", num[v.index], ": ", Type_(ir.type_of(v))); h = false; } o += "):\n"; }
          for (OpId x : bl.ops) { Op_(x); o += "\n"; }
        }
        o += "}";
      }
      o += ")";
    }
    list(ir.discardable(op), " {", "}");
    o += " : (";
    f = true;
    for (ValueId v : ir.operands(op)) { o += (f ? "" : ", ") + Type_(ir.type_of(v)); f = false; }
    o += ") -> (";
    for (uint32_t i = 0; i < op.result_count; ++i) o += (i ? ", " : "") + Type_(ir.type_of(ir.result(op, i)));
    o += ")";
  }
};
}  // namespace
std::string DebugText(const mlir::Ir& ir) {
  P p{ir, "", 0, {}};
  p.num.resize(ir.value_count());
  p.Op_(ir.module_op());
  return p.o + "\n";
}
}  // namespace indim
