// The codes of this folder's diagnostics.

#ifndef INDIM_STABLEHLO_EXPORT_CODES_H_
#define INDIM_STABLEHLO_EXPORT_CODES_H_

#include "indim/shape/diagnostics/diagnostic.h"

namespace indim {
namespace stablehlo_export {

inline constexpr Code kNoStablehloForm = static_cast<Code>(1280);

}  // namespace stablehlo_export
}  // namespace indim

#endif  // INDIM_STABLEHLO_EXPORT_CODES_H_
