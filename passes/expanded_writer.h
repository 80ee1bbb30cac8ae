// Verification, expansion and writing in one sweep: what most exports are. A
// node like one before costs a look-up and a copy of bytes; no expanded graph
// is made.

#ifndef INDIM_PASSES_EXPANDED_WRITER_H_
#define INDIM_PASSES_EXPANDED_WRITER_H_

#include <optional>
#include <string>

#include "indim/ir/module.h"

namespace indim {

// The bytes that SerializeModule gives for what ExpandForXla makes of a module
// that a builder recorded. nullopt where there is something to say (an error of
// any stage, 2 GiB) or to settle about the module as a whole (shapes that are
// missing, names that clash, spellings of a file): the stages one by one see to
// it then.
std::optional<std::string> VerifyExpandAndWrite(const Module& module);

}  // namespace indim

#endif  // INDIM_PASSES_EXPANDED_WRITER_H_
