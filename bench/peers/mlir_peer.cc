// SPDX-License-Identifier: Apache-2.0
// MLIR: recording tosa.add, types given or inferred. See ../peers.md.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "timing.h"

namespace {

mlir::Type Inferred(mlir::MLIRContext* context, mlir::Location location,
                    mlir::Value a, mlir::Value b) {
  llvm::SmallVector<mlir::ShapedTypeComponents> results;
  mlir::Value operands[2] = {a, b};
  if (failed(mlir::tosa::AddOp::inferReturnTypeComponents(
          context, location, mlir::ValueShapeRange(mlir::ValueRange(operands)),
          mlir::DictionaryAttr(), mlir::OpaqueProperties(nullptr),
          mlir::RegionRange(), results))) {
    abort();
  }
  return mlir::RankedTensorType::get(
      results[0].getDims(),
      llvm::cast<mlir::RankedTensorType>(a.getType()).getElementType());
}

}  // namespace

int main() {
  peer::WarmHeap();
  constexpr long kOps = 100000;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::func::FuncDialect, mlir::tosa::TosaDialect>();
  mlir::OpBuilder b(&context);
  const mlir::Location location = mlir::UnknownLoc::get(&context);
  const auto type = mlir::RankedTensorType::get({8, 16}, b.getF32Type());
  for (bool infer : {false, true}) {
    peer::Least recording, verifying;
    for (int run = 0; run < 8; ++run) {
      mlir::OwningOpRef<mlir::ModuleOp> module =
          mlir::ModuleOp::create(location);
      recording.Time([&] {
        b.setInsertionPointToEnd(module->getBody());
        auto f = b.create<mlir::func::FuncOp>(
            location, "f", b.getFunctionType({type, type}, {type}));
        b.setInsertionPointToStart(f.addEntryBlock());
        mlir::Value x = f.getArgument(0), y = f.getArgument(1);
        for (long i = 0; i < kOps; ++i) {
          const mlir::Type result =
              infer ? Inferred(&context, location, x, y) : mlir::Type(type);
          x = b.create<mlir::tosa::AddOp>(location, result, x, y);
        }
        b.create<mlir::func::ReturnOp>(location, x);
      });
      verifying.Time([&] { (void)mlir::verify(*module); });
    }
    const std::string kind = infer ? "inferred" : "given";
    peer::Print("record/same-" + kind + "/100000", recording.ns(), kOps);
    peer::Print("verify/same/100000", verifying.ns(), kOps);
  }
}
