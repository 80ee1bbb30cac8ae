// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/op_forms.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"

namespace indim::mlir {
namespace {

struct NamedPart {
  absl::string_view name;
  Part part;
  // The attributes that it shows, with blanks between.
  absl::string_view shows;
};

constexpr NamedPart kParts[] = {
    {"operands", Part::kOperands, ""},
    {"attrs", Part::kAttrs, ""},
    {"properties", Part::kProperties, ""},
    {"discardable", Part::kDiscardable, ""},
    {"types", Part::kTypes, ""},
    {"results", Part::kResults, ""},
    {"an_index", Part::kIndex, ""},
    {"function", Part::kFunction, ""},
    {"same", Part::kSame, ""},
    {"complex", Part::kComplex, ""},
    {"select", Part::kSelect, ""},
    {"tuple", Part::kTuple, ""},
    {"pairwise", Part::kPairwise, ""},
    {"regions", Part::kRegions, ""},
    {"region", Part::kRegion, ""},
    {"constant", Part::kConstant, "value"},
    {"ranges", Part::kRanges, "start_indices limit_indices strides"},
    {"extents", Part::kExtents, "shape"},
    {"exponent_mantissa", Part::kExponentMantissa,
     "exponent_bits mantissa_bits"},
    {"dot_dims", Part::kDotDims, "dot_dimension_numbers"},
    {"precision", Part::kPrecision, "precision_config"},
    {"precision_algorithm", Part::kPrecisionAlgorithm,
     "precision_config algorithm"},
    {"conv_dims", Part::kConvDims, "dimension_numbers"},
    {"window", Part::kWindow,
     "window_strides padding lhs_dilation rhs_dilation window_reversal"},
    {"while", Part::kWhile, ""},
    {"reduce", Part::kReduce, "dimensions"},
    {"reducer", Part::kReducer, ""},
    {"scan", Part::kScan, "dimension operandSegmentSizes resultSegmentSizes"},
    {"func", Part::kFunc,
     "sym_name sym_visibility function_type arg_attrs res_attrs"},
    {"module", Part::kModule, "sym_name"},
    {"manual_computation", Part::kManualComputation,
     "in_shardings out_shardings manual_axes"},
    {"named_computation", Part::kManualComputation,
     "name in_shardings out_shardings"},
    {"direction", Part::kDirection, "allowed_direction"},
};

bool IsWordPart(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::vector<FormWord> LiteralsOf(absl::string_view text) {
  std::vector<FormWord> literals;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsWordPart(text[end])) ++end;
    if (end > i) {
      literals.push_back({0, text.substr(i, end - i)});
      i = end;
    } else if (text.substr(i, 2) == "->") {
      literals.push_back({0, "->"});
      i += 2;
    } else {
      if (text[i] != ' ' && text[i] != '\n') literals.push_back({text[i], ""});
      ++i;
    }
  }
  return literals;
}

class Compiler {
 public:
  explicit Compiler(const OpRow* row) : row_(row) {}

  Form Compile(absl::string_view form) {
    size_t begin = 0;
    for (size_t i = 0; i < form.size(); ++i) {
      const char c = form[i];
      const bool arrow = c == '>' && i > 0 && form[i - 1] == '-';
      if (arrow || (c != '{' && c != '<' && c != '>' && c != '|')) continue;
      AddText(form.substr(begin, i - begin));
      if (c == '{') {
        const size_t end = form.find('}', i);
        AddPart(form.substr(i + 1, end - i - 1));
        i = end;
      } else {
        AddGroup(c);
      }
      begin = i + 1;
    }
    AddText(form.substr(begin));
    form_.complete = IsComplete();
    return std::move(form_);
  }

 private:
  bool IsComplete() const {
    if (row_ == nullptr) return false;
    for (const AttributeRow& attribute : row_->attributes) {
      const bool shown = std::find(form_.shown.begin(), form_.shown.end(),
                                   attribute.name) != form_.shown.end();
      if (attribute.required && !shown) return false;
    }
    return true;
  }

  Step& Add(Part part) {
    form_.steps.emplace_back();
    form_.steps.back().part = part;
    return form_.steps.back();
  }

  void AddText(absl::string_view text) {
    if (text.empty()) return;
    Step& step = Add(Part::kText);
    step.text = text;
    step.literals = LiteralsOf(text);
  }

  void AddGroup(char c) {
    if (c == '<') {
      open_ = form_.steps.size();
      Add(Part::kOptional);
      return;
    }
    if (c == '|') {
      Add(Part::kElse);
      form_.steps[open_].jump = form_.steps.size();
      open_ = form_.steps.size() - 1;
      return;
    }
    form_.steps[open_].jump = form_.steps.size();
  }

  void AddPart(absl::string_view name) {
    for (const NamedPart& named : kParts) {
      if (named.name != name) continue;
      Add(named.part);
      for (absl::string_view rest = named.shows; !rest.empty();) {
        const size_t end = rest.find(' ');
        form_.shown.push_back(rest.substr(0, end));
        rest = end == absl::string_view::npos ? "" : rest.substr(end + 1);
      }
      return;
    }
    if (name[0] == ':') {
      Add(Part::kTypeOfOperand).index = static_cast<size_t>(name[1] - '0');
      return;
    }
    if (absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) {
      Step& step = Add(name.size() > 1 ? Part::kOperandsComma : Part::kOperand);
      step.index = static_cast<size_t>(name[0] - '0');
      return;
    }
    const bool symbol = name[0] == '@';
    if (symbol) name = name.substr(1);
    const AttributeRow* const attribute = FindAttribute(*row_, name);
    const bool typed = name == "value";
    Step& step = Add(symbol  ? Part::kSymbolName
                     : typed ? Part::kTypedValue
                             : Part::kAttribute);
    step.attribute = attribute;
    form_.shown.push_back(attribute->name);
  }

  const OpRow* row_;
  Form form_;
  size_t open_ = 0;  // the step whose `jump` the end of its part decides
};

std::vector<Form> MakeForms() {
  std::vector<Form> forms;
  for (const OpRow& row : Ops()) {
    forms.push_back(Compiler(&row).Compile(row.form));
  }
  return forms;
}

}  // namespace

const Form& FormOf(const OpRow& row) {
  static const auto* const forms = new std::vector<Form>(MakeForms());
  return (*forms)[IndexOf(row)];
}

const Form& GenericForm() {
  static const auto* const form = new Form(Compiler(nullptr).Compile(
      "({operands}){properties}< ({regions})>{discardable} : {function}"));
  return *form;
}

}  // namespace indim::mlir
