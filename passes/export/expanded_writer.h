// Verifies, expands and writes a module in one sweep, which suffices for most
// exports. A node that repeats an earlier one takes a look-up and a copy of
// bytes; no expanded graph is made.

#ifndef INDIM_PASSES_EXPORT_EXPANDED_WRITER_H_
#define INDIM_PASSES_EXPORT_EXPANDED_WRITER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"

namespace indim {

// What the sweep verifies: everything, or only each node's shape, which
// expansion needs (passes/export/export.h).
enum class ExportCheck : uint8_t { kAll, kShapes };

// The bytes of SerializeModule(ExpandForXla(module)) for a module that a
// builder recorded. nullopt: there is a diagnostic of any stage, more than 2
// GiB, or a property of the whole module to handle (missing shapes, names that
// clash, spellings of a file); the caller then runs the stages one by one.
std::optional<std::string> VerifyExpandAndWrite(const Module& module,
                                                ExportCheck check);

// VerifyExpandAndWrite in two sweeps, without keeping the bytes. The first
// sweep checks everything and counts bytes. Then it calls `begin`, and `sink`
// with the bytes in order, and returns the first error of either. nullopt: it
// called neither.
std::optional<absl::Status> VerifyExpandAndWriteTo(
    const Module& module, ExportCheck check,
    const std::function<absl::Status()>& begin,
    const std::function<absl::Status(absl::string_view)>& sink);

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_EXPANDED_WRITER_H_
