// SPDX-License-Identifier: Apache-2.0
// What tests on plugins share: the plugins, inputs, and results compared with
// the evaluator's.

#ifndef INDIM_TESTS_RUN_COMPARED_RUNS_H_
#define INDIM_TESTS_RUN_COMPARED_RUNS_H_

#include <optional>
#include <string>
#include <vector>

#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"

namespace indim {

// The paths in INDIM_PJRT_PLUGINS, with ':' between.
std::vector<std::string> PluginPaths();

// A value for each parameter; nullopt: there is none that a plugin takes.
std::optional<std::vector<Literal>> MakeInputs(const Module& module);

// Fails where a result of a plugin is farther from the evaluator's than
// rounding explains.
void ExpectClose(const Literal& ours, const Literal& said);

}  // namespace indim

#endif  // INDIM_TESTS_RUN_COMPARED_RUNS_H_
