// A program in MLIR's generic form, to show it where the real printer can't be
// used.
#ifndef INDIM_TESTS_STABLEHLO_EXPORT_DEBUG_TEXT_H_
#define INDIM_TESTS_STABLEHLO_EXPORT_DEBUG_TEXT_H_
#include <string>
#include "indim/stablehlo/mlir/ir.h"
namespace indim {
std::string DebugText(const mlir::Ir& ir);
}
#endif
