#include "indim/stablehlo/export/result_accuracy.h"

#include <cstring>
#include <utility>
#include <vector>

#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/stablehlo/export/members.h"

namespace indim::stablehlo_export {
namespace {

namespace accuracy = field::ResultAccuracy;
namespace tolerance = field::ResultAccuracy_Tolerance;

constexpr absl::string_view kMode = "stablehlo.result_accuracy_mode";
constexpr int64_t kTolerance = 2;  // the number of the word TOLERANCE

AttrId DoubleAttr(double value, Ir* ir) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return ir->FloatAttr(ir->ElementTypeId(ElementType::kF64), bits);
}

}  // namespace

void SetResultAccuracy(const mlir::OpRow& row, NodeExport* node) {
  const absl::string_view wire =
      node->fields().Text(field::HloInstructionProto::kResultAccuracy);
  if (wire.empty()) return;
  if (mlir::FindAttribute(row, "result_accuracy") == nullptr) {
    node->Refuse("asks for an accuracy, which StableHLO's operation can't",
                 "remove result_accuracy");
    return;
  }
  Ir& ir = node->ir();
  FieldList fields(WireMessage::kResultAccuracy);
  fields.Append(wire);
  std::vector<NamedAttr> parts;
  int64_t mode = fields.Number(accuracy::kMode);
  if (fields.has(accuracy::kTolerance)) {
    mode = kTolerance;
    FieldList bounds(WireMessage::kResultAccuracy_Tolerance);
    bounds.Append(fields.Text(accuracy::kTolerance));
    const double atol = bounds.Double(tolerance::kAtol);
    const double rtol = bounds.Double(tolerance::kRtol);
    const int64_t ulps = bounds.Number(tolerance::kUlps);
    if (atol != 0) parts.push_back(node->Named("atol", DoubleAttr(atol, &ir)));
    if (rtol != 0) parts.push_back(node->Named("rtol", DoubleAttr(rtol, &ir)));
    if (ulps != 0) parts.push_back(node->Named("ulps", ir.IntegerAttr(ulps)));
  } else if (mode == 0) {
    return;
  }
  const AttrId word = NumberedWord(kMode, mode, &ir);
  if (!word.valid()) {
    node->Refuse("asks for an accuracy that StableHLO doesn't have",
                 "use the mode default or highest, or a tolerance");
    return;
  }
  parts.push_back(node->Named("mode", word));
  node->Set("result_accuracy",
            ir.DialectAttr("stablehlo.result_accuracy", std::move(parts)));
}

}  // namespace indim::stablehlo_export
