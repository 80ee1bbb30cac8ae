// SPDX-License-Identifier: Apache-2.0
// Errors, diagnostics and bytes.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/types/version.h"

struct indim_error {
  int32_t status = INDIM_OK;
  std::string message;
  indim_diagnostics diagnostics;
};

namespace indim::capi {
namespace {

// Made before the first call can fail.
indim_error* const kOutOfMemory = [] {
  auto* const error = new indim_error;
  error->status = INDIM_RESOURCE_EXHAUSTED;
  error->message = "there is not enough memory for this";
  return error;
}();

// Who calls these functions can't call the C++ builder's.
[[maybe_unused]] const bool kLanguageIsSet = [] {
  SetCallLanguage(CallLanguage::kC);
  return true;
}();

const indim_diagnostics& NoDiagnostics() {
  static const auto* const kNone = new indim_diagnostics;
  return *kNone;
}

indim_text TextOf(absl::string_view text) { return {text.data(), text.size()}; }

// "IND0007", for as long as the program runs.
indim_text TextOf(Code code) {
  static const auto* const kTexts = [] {
    auto* const texts = new absl::flat_hash_map<Code, std::string>;
    for (const CodeInfo& info : AllCodes()) {
      texts->emplace(info.code, CodeText(info.code));
    }
    return texts;
  }();
  const auto found = kTexts->find(code);
  return found == kTexts->end() ? indim_text{} : TextOf(found->second);
}

indim_diagnostic ViewOf(const RenderedDiagnostic& r) {
  const Diagnostic& d = r.diagnostic;
  indim_diagnostic view = {};
  view.code = static_cast<int32_t>(d.code);
  view.severity = d.severity() == Severity::kError ? INDIM_SEVERITY_ERROR
                                                   : INDIM_SEVERITY_WARNING;
  view.operand = d.operand;
  view.dim = d.dim;
  view.other_operand = d.other_operand;
  view.other_dim = d.other_dim;
  view.computation = r.computation;
  view.instruction = r.instruction;
  view.line = r.line;
  view.text_line = r.text_position.line;
  view.text_column = r.text_position.column;
  view.file = TextOf(r.file);
  view.text_file = TextOf(r.text_file);
  view.code_text = TextOf(d.code);
  view.slug = TextOf(Info(d.code).slug);
  view.message = TextOf(r.message);
  view.fix = TextOf(r.fix);
  view.text = TextOf(r.text);
  if (d.fix_broadcast_dimensions && !d.fix_broadcast_dimensions->empty()) {
    view.fix_dimensions = d.fix_broadcast_dimensions->data();
    view.fix_dimensions_count = d.fix_broadcast_dimensions->size();
  }
  return view;
}

}  // namespace

indim_error* OutOfMemory() noexcept { return kOutOfMemory; }

indim_error* ErrorOf(const absl::Status& status, DiagnosticList diagnostics) {
  if (status.ok()) return nullptr;
  auto error = std::make_unique<indim_error>();
  error->status = static_cast<int32_t>(status.code());
  error->message = ErrorText(status);
  error->diagnostics.list = std::move(diagnostics);
  return error.release();
}

indim_error* ErrorOf(const absl::Status& status) {
  return status.ok() ? nullptr : ErrorOf(status, FromStatus(status));
}

indim_error* ErrorOf(DiagnosticList diagnostics) {
  const absl::Status status =
      absl::InvalidArgumentError(capi::TextOf(diagnostics));
  return ErrorOf(status, std::move(diagnostics));
}

indim_error* RefinementError(const Module& before,
                             const RefineResult& refined) {
  return ErrorOf(absl::InvalidArgumentError(RenderRefinement(before, refined)),
                 FromReport(refined.module, refined.report));
}

absl::Status MisuseStatus(absl::string_view what) {
  return ErrorWithCode(absl::StatusCode::kInvalidArgument,
                       Code::kInterfaceMisuse, what);
}

indim_error* Misuse(absl::string_view what) {
  return ErrorOf(MisuseStatus(what));
}

indim_error* NullArgument(absl::string_view what) {
  return Misuse(absl::StrCat(what, " is null"));
}

indim_error* NoStructSize(absl::string_view name) {
  return Misuse(absl::StrCat(name, absl::EndsWith(name, "s") ? "'" : "'s",
                             " struct_size isn't set"));
}

extern "C" {

const char* indim_version(size_t* size) { return Give(Version(), size); }

void indim_error_release(indim_error* error) {
  if (error != kOutOfMemory) delete error;
}

int32_t indim_error_status(const indim_error* error) {
  return error == nullptr ? INDIM_OK : error->status;
}

const char* indim_error_message(const indim_error* error, size_t* size) {
  return error == nullptr ? GiveNothing(size) : Give(error->message, size);
}

const indim_diagnostics* indim_error_diagnostics(const indim_error* error) {
  return error == nullptr ? &NoDiagnostics() : &error->diagnostics;
}

void indim_set_language(int32_t language) {
  if (language < INDIM_LANGUAGE_CPP || language > INDIM_LANGUAGE_C) return;
  SetCallLanguage(static_cast<CallLanguage>(language));
}

indim_error* indim_refuse(const indim_refusal* refusal) {
  return GuardOptions(
      {{"refusal", refusal}}, "indim_refusal", refusal,
      [&](const indim_refusal& given) {
        for (const indim_text& text :
             {given.file, given.code, given.what, given.fix}) {
          if (!IsList(text.data, text.size)) {
            return NullArgument("a text of the refusal");
          }
        }
        if (!IsList(given.arguments, given.argument_count)) {
          return NullArgument("arguments");
        }
        const auto text = [](const indim_text& of) {
          return Text(of.data, of.size);
        };
        const std::optional<Code> code = FindCode(text(given.code));
        if (!code || given.status <= INDIM_OK ||
            given.status > INDIM_UNAUTHENTICATED) {
          return Misuse("the refusal has no code, or no status of an error");
        }
        std::vector<absl::string_view> arguments;
        for (const indim_text& argument :
             List(given.arguments, given.argument_count)) {
          if (!IsList(argument.data, argument.size)) {
            return NullArgument("an argument");
          }
          arguments.push_back(text(argument));
        }
        DiagnosticList list;
        list.push_back(OfBinding(*code, text(given.what), arguments,
                                 text(given.file), given.line,
                                 std::string(text(given.fix))));
        list[0].diagnostic.operand = static_cast<int32_t>(given.operand);
        list[0].diagnostic.dim = static_cast<int32_t>(given.dim);
        const absl::Status status(static_cast<absl::StatusCode>(given.status),
                                  TextOf(list));
        return ErrorOf(status, std::move(list));
      });
}

void indim_diagnostics_release(indim_diagnostics* diagnostics) {
  delete diagnostics;
}

size_t indim_diagnostics_count(const indim_diagnostics* diagnostics) {
  return diagnostics == nullptr ? 0 : diagnostics->list.size();
}

size_t indim_diagnostics_error_count(const indim_diagnostics* diagnostics) {
  if (diagnostics == nullptr) return 0;
  return static_cast<size_t>(
      std::count_if(diagnostics->list.begin(), diagnostics->list.end(),
                    [](const RenderedDiagnostic& d) {
                      return d.diagnostic.severity() == Severity::kError;
                    }));
}

indim_error* indim_diagnostics_get(const indim_diagnostics* diagnostics,
                                   size_t index, indim_diagnostic* diagnostic) {
  return Guard({{"diagnostics", diagnostics}, {"diagnostic", diagnostic}}, [&] {
    if (index >= diagnostics->list.size()) {
      return ErrorOf(absl::OutOfRangeError(
          absl::StrCat("there are ", diagnostics->list.size(),
                       " diagnostics, and no number ", index)));
    }
    return WriteStruct(ViewOf(diagnostics->list[index]), diagnostic)
               ? kOk
               : NoStructSize("indim_diagnostic");
  });
}

void indim_bytes_release(indim_bytes* bytes) { delete bytes; }

const char* indim_bytes_data(const indim_bytes* bytes, size_t* size) {
  return bytes == nullptr ? GiveNothing(size) : Give(bytes->text, size);
}

}  // extern "C"
}  // namespace indim::capi
