// Verification, expansion and writing in one sweep: what most exports are. A
// node like one before costs a look-up and a copy of bytes; no expanded graph
// is made.

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

// What is verified on the way: everything, or what expansion itself needs, each
// node's shape (passes/export/export.h).
enum class ExportCheck : uint8_t { kAll, kShapes };

// The bytes that SerializeModule gives for what ExpandForXla makes of a module
// that a builder recorded. nullopt where there is something to say (an error of
// any stage, 2 GiB) or to settle about the module as a whole (shapes that are
// missing, names that clash, spellings of a file): the stages one by one see to
// it then.
std::optional<std::string> VerifyExpandAndWrite(const Module& module,
                                                ExportCheck check);

// The same in two sweeps, without keeping the bytes. Only when all is known to
// be right and how long it is, `begin` is called, and then `sink` with the
// bytes in order. The first error of either is returned. nullopt: neither was
// called.
std::optional<absl::Status> VerifyExpandAndWriteTo(
    const Module& module, ExportCheck check,
    const std::function<absl::Status()>& begin,
    const std::function<absl::Status(absl::string_view)>& sink);

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_EXPANDED_WRITER_H_
