// SPDX-License-Identifier: Apache-2.0
// What the parsers of one text share: the text with its lexer and its errors
// (TextInput), the module as far as it was read (ParsedModule), and the
// instruction that is being read (ParsedInstruction).
//
// For text/ only.

#ifndef INDIM_TEXT_PARSE_PARSED_MODULE_H_
#define INDIM_TEXT_PARSE_PARSED_MODULE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_data.h"
#include "indim/ir/text_positions.h"
#include "indim/shape/infer/infer.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/line_counter.h"
#include "indim/text/base/symbol_facts.h"
#include "indim/text/base/text_errors.h"
#include "indim/text/parse/line_cache.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/parse/shape_cache.h"

namespace indim {

// The position of a broken instruction or computation.
inline constexpr uint32_t kBrokenPosition = ~uint32_t{0};

struct TextInput {
  // `text` and `options` must outlive this. `depth` is the number of texts that
  // this one is inside of (origin_recovery_table).
  TextInput(absl::string_view text, const ParseOptions& options, int depth);

  // Enters a body or an operand; false, with an error: they nest too deep.
  bool Enter();
  void Leave() { --nesting; }
  bool TooManyErrors() const {
    return errors.errors().size() >= TextErrors::kMaxErrors;
  }
  size_t OffsetOf(const char* p) const {
    return static_cast<size_t>(p - text.data());
  }
  // Reads a name that isn't a reserved word.
  bool ReadNewName(absl::string_view* name);

  const absl::string_view text;
  const ParseOptions& options;
  const int depth;
  SymbolScopes scopes;  // of options, and of the header
  TextErrors errors;
  Lexer lexer;
  LineCounter line_counter;
  bool bare = false;  // the text is instructions without a computation
  // A recorded module: shapes and names may be omitted and stay so, sizes may
  // be symbols, and XLA's defaults aren't filled in.
  bool recorded = false;
  int nesting = 0;
};

// Properties of a finished computation that its record lacks.
struct ComputationFacts {
  absl::string_view name;
  bool is_fusion = false;
  bool is_async = false;
  // The offset of its first caller that isn't an async op; npos: none.
  size_t other_caller = absl::string_view::npos;
  std::string thread;
  std::string backend_config;
  std::unique_ptr<Signature> signature;  // made on demand
};

struct ParsedModule {
  explicit ParsedModule(const ParseOptions& options);

  // Records that an instruction at `offset` calls a computation.
  void AddCaller(Opcode opcode, size_t offset, uint32_t callee);
  // XLA numbers computations in the order in which they end; the entry of a
  // bare instruction comes first.
  int64_t ComputationId(const TextInput& in, uint32_t computation) const;

  std::shared_ptr<ModuleData> data = std::make_shared<ModuleData>();
  Pools& pools;
  ShapeCache shapes;
  MetadataId no_metadata;
  uint32_t entry = kBrokenPosition;
  // Whether all instruction names are unique and spelled as XLA would make
  // them.
  bool names_unique = true;
  std::vector<absl::string_view> instruction_names;
  std::shared_ptr<TextPositions> places;  // of the same instructions
  // The computation to which each name currently belongs.
  absl::flat_hash_map<absl::string_view, uint32_t> computation_names;
  std::vector<ComputationFacts> facts;
  // Computation and thread of each async-start, in the order of the text.
  std::vector<std::pair<uint32_t, std::string>> async_starts;
};

struct ParsedInstruction {
  absl::string_view name;  // empty: it gets a made name
  size_t offset = 0;       // of the name, or of the text in its place
  TextPlace place;
  size_t opcode_offset = 0;
  absl::string_view opcode_text;
  Opcode opcode = Opcode::kInvalid;
  // Async sugar, `add-start`: opcode is kAsyncStart, this one kAdd.
  Opcode wrapped = Opcode::kInvalid;
  ShapeId shape;
  size_t first_operand = 0;  // in InstructionParser's operands, up to their end
  bool is_root = false;
  bool nested = false;  // an operand of another one, without attributes
  bool broken = false;  // an operand or a callee is broken
  AttributesRead attributes;
  MetadataId metadata;  // if attributes.has_known_metadata
  std::string literal;  // of a constant: canonical LiteralProto
  std::vector<uint32_t> callees;

  size_t operands_end = 0;    // after their ")"
  size_t last_token_end = 0;  // of the attributes
  size_t attributes_end = 0;  // the beginning of the next token
  // The line for KnownLines; null: the instruction has no line of its own.
  const LineText* line = nullptr;
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_PARSED_MODULE_H_
