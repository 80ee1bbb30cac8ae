// SPDX-License-Identifier: Apache-2.0
// What --set says, for a module: values of its symbols, shapes of its
// parameters, facts.

#ifndef INDIM_TOOLS_VALUES_SETTINGS_H_
#define INDIM_TOOLS_VALUES_SETTINGS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/eval/values/random_literal.h"
#include "indim/ir/module.h"
#include "indim/passes/sizes/refine.h"
#include "indim/proto/codec/literal.h"

namespace indim {

// `text`: settings (passes/sizes/refine.h, AddSetting), one a line or between
// commas outside brackets. InvalidArgument names the setting that can't be
// read, that contradicts another one or what the module says of the symbol, or
// that names a symbol which no size of the module has: "n=k" gives n no value,
// so that it isn't taken for another name of it. A parameter's shape may name
// sizes that are `?` in the module.
absl::StatusOr<RefineOptions> ReadSettings(const Module& module,
                                           absl::string_view text);

// Parameters with the shapes of `inputs`, by number.
RefineOptions SettingsOf(absl::Span<const Literal> inputs);

// Every symbol of the module with a small value: one that its facts allow and
// with which all conditions of the module hold, where some draws find such.
RefineOptions RandomSettings(const Module& module, RandomStream* random);

}  // namespace indim

#endif  // INDIM_TOOLS_VALUES_SETTINGS_H_
