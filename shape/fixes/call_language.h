// SPDX-License-Identifier: Apache-2.0
// The language of the calls that fixes and messages name: those of the C++
// builder, of the Python package, of indim.hpp, which is the C interface for
// C++, or the instructions of HLO text, for who has a file and no program. Who
// uses one can't call the others. For a file of StableHLO, whose operations are
// written otherwise, fixes name shapes and no calls.
//
//   SetCallLanguage(CallLanguage::kPython);
//   CallText(FixCall::kReshape, {"x", "2,3"});  // "x.reshape(2,3)"

#ifndef INDIM_SHAPE_FIXES_CALL_LANGUAGE_H_
#define INDIM_SHAPE_FIXES_CALL_LANGUAGE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

enum class CallLanguage : uint8_t { kCpp, kPython, kC, kHlo, kStablehlo };

// Whether it has HLO's operations and attributes by their names there.
bool HasHloNames(CallLanguage language);

// Of all messages of the process, since only the program around the library
// knows it. At first kCpp. Any thread may call these.
void SetCallLanguage(CallLanguage language);
CallLanguage GetCallLanguage();

enum class FixCall : uint8_t {
#define INDIM_FIX_CALL(name, ...) k##name,
#include "indim/shape/fixes/fix_calls.def"
};

// The call with its arguments (fix_calls.def), in the process's language.
std::string CallText(FixCall call, absl::Span<const absl::string_view> args);

// The name of the function for an operation: Max, or maximum. `attributes` tell
// C++'s comparisons apart.
std::string CallName(CallLanguage language, Opcode opcode,
                     const Attributes& attributes);

enum class Setting : uint8_t {
#define INDIM_SETTING(name, ...) k##name,
#include "indim/shape/fixes/settings.def"
#undef INDIM_SETTING
};

// What the process's language calls it: "--max-steps=N", "max_steps=N". `size`
// stands for n, the name of a size.
std::string SettingText(Setting setting, absl::string_view size = "n");

// What the process's language calls a composite that C++ calls MatMul: mat_mul
// in C. The Python package has its methods' names, which it puts in itself.
std::string CompositeName(absl::string_view cpp);

}  // namespace indim

#endif  // INDIM_SHAPE_FIXES_CALL_LANGUAGE_H_
