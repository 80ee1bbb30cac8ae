// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/value_names.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "indim/stablehlo/mlir/spelling.h"

namespace indim::mlir {

ValueNames::ValueNames(const Ir& ir, bool generic)
    : ir_(ir), generic_(generic), names_(ir.value_count()) {
  std::vector<Waiting> waiting;
  const auto add_regions = [&](OpId id) {
    for (const RegionId region : ir_.regions(ir_.op(id))) {
      waiting.push_back({region, id, counters_, scopes_.size()});
    }
  };
  FindRow(ir_.op(ir_.module_op()));
  add_regions(ir_.module_op());
  // The last that waits comes first, as MLIR does it.
  while (!waiting.empty()) {
    const Waiting next = waiting.back();
    waiting.pop_back();
    if (!generic_) counters_ = next.counters;
    while (scopes_.size() > next.depth) {
      while (used_order_.size() > scopes_.back()) {
        used_.erase(used_order_.back());
        used_order_.pop_back();
      }
      scopes_.pop_back();
    }
    scopes_.push_back(used_order_.size());
    NameRegion(next.region, ir_.op(next.op));
    for (const BlockId block : ir_.region(next.region).blocks) {
      for (const OpId op : ir_.block(block).ops) add_regions(op);
    }
  }
}

void ValueNames::AppendNumber(uint32_t number, std::string* out) {
  char buffer[12];
  out->append(buffer,
              std::to_chars(buffer, buffer + sizeof(buffer), number).ptr);
}

const OpRow* ValueNames::FindRow(const Op& op) {
  constexpr int32_t kUnknown = -2;
  if (op.name.index >= rows_.size()) {
    rows_.resize(op.name.index + 1, kUnknown);
  }
  int32_t& row = rows_[op.name.index];
  if (row == kUnknown) {
    const OpRow* const found = FindOp(ir_.name(op));
    row = found == nullptr ? -1 : static_cast<int32_t>(IndexOf(*found));
  }
  return Row(op);
}

void ValueNames::NameRegion(RegionId region, const Op& op) {
  if (!generic_) NameArguments(region, op);
  bool first = true;
  for (const BlockId id : ir_.region(region).blocks) {
    const Block& block = ir_.block(id);
    for (const ValueId argument : block.arguments) {
      if (!names_[argument.index].text.empty()) continue;
      if (first) {
        Set(argument, absl::StrCat("arg", counters_.argument++));
      } else {
        names_[argument.index].number = counters_.value++;
      }
    }
    first = false;
    for (const OpId inner : block.ops) NameResults(ir_.op(inner));
  }
}

// The operations that name the arguments of their regions.
void ValueNames::NameArguments(RegionId region, const Op& op) {
  const OpRow* const row = Row(op);
  const bool is_while = row != nullptr && row->name == "stablehlo.while";
  const bool is_scan = row != nullptr && row->name == "chlo.scan";
  if ((!is_while && !is_scan) || ir_.region(region).blocks.empty()) return;
  std::vector<int64_t> segments;
  if (is_scan) ir_.Integers(ir_.Find(op, "operandSegmentSizes"), &segments);
  const int64_t inputs = segments.empty() ? 0 : segments[0];
  int64_t i = 0;
  for (const ValueId argument :
       ir_.block(ir_.region(region).blocks[0]).arguments) {
    Set(argument, is_while ? "iterArg" : i++ < inputs ? "input" : "carry");
  }
}

void ValueNames::NameResults(const Op& op) {
  const OpRow* const row = FindRow(op);
  if (op.result_count == 0) return;
  if (generic_ || row == nullptr || row->names.empty()) {
    names_[op.first_result.index].number = counters_.value++;
    return;
  }
  if (row->names == "{constant}") {
    const Type& type = ir_.type(ir_.type_of(op.first_result));
    const ElementTypeInfo& element = Info(ir_.type(type.element).element_type);
    const bool integers = element.kind == ElementKind::kPred ||
                          element.kind == ElementKind::kSigned ||
                          element.kind == ElementKind::kUnsigned;
    return Set(op.first_result, integers ? "c" : "cst");
  }
  if (row->names == "{scalar}") return Set(op.first_result, ScalarName(op));
  absl::string_view names = row->names;
  for (uint32_t i = 0; i < op.result_count && !names.empty(); ++i) {
    const size_t end = names.find(' ');
    Set(ir_.result(op, i), names.substr(0, end));
    names = end == absl::string_view::npos ? "" : names.substr(end + 1);
  }
}

// c4_i32, c4 of type index, true; cst for what isn't an integer.
std::string ValueNames::ScalarName(const Op& op) const {
  const Attribute& value = ir_.attr(ir_.Find(op, "value"));
  if (value.kind == AttrKind::kBool) return value.integer ? "true" : "false";
  if (value.kind != AttrKind::kInteger) return "cst";
  const Type& type = ir_.type(value.type);
  if (type.kind == TypeKind::kIndex) return absl::StrCat("c", value.integer);
  return absl::StrCat("c", value.integer, "_",
                      indim::mlir::NameOf(type.element_type));
}

// Names a value; a name in use gets a number.
void ValueNames::Set(ValueId value, absl::string_view name) {
  made_.emplace_back(name);
  std::string& text = made_.back();
  if (used_.contains(name)) {
    text.push_back('_');
    const size_t size = text.size();
    do {
      text.resize(size);
      AppendNumber(counters_.conflict++, &text);
    } while (used_.contains(text));
  }
  used_.insert(text);
  used_order_.push_back(text);
  names_[value.index].text = text;
}

}  // namespace indim::mlir
