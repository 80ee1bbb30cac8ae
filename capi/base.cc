// Errors, diagnostics and bytes.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/capi/guard.h"
#include "indim/capi/handles.h"
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

const indim_diagnostics& NoDiagnostics() {
  static const auto* const kNone = new indim_diagnostics;
  return *kNone;
}

indim_text TextOf(absl::string_view text) { return {text.data(), text.size()}; }

indim_diagnostic ViewOf(const DiagnosticEntry& entry) {
  indim_diagnostic view = {};
  view.code = static_cast<int32_t>(entry.code);
  view.severity = entry.severity == Severity::kError ? INDIM_SEVERITY_ERROR
                                                     : INDIM_SEVERITY_WARNING;
  view.operand = entry.operand;
  view.dim = entry.dim;
  view.other_operand = entry.other_operand;
  view.other_dim = entry.other_dim;
  view.computation = entry.computation;
  view.instruction = entry.instruction;
  view.line = entry.line;
  view.text_line = entry.text_line;
  view.text_column = entry.text_column;
  view.file = TextOf(entry.file);
  view.text_file = TextOf(entry.text_file);
  view.code_text = TextOf(entry.code_text);
  view.slug = TextOf(Info(entry.code).slug);
  view.message = TextOf(entry.message);
  view.fix = TextOf(entry.fix);
  view.text = TextOf(entry.text);
  if (!entry.fix_dimensions.empty()) {
    view.fix_dimensions = entry.fix_dimensions.data();
    view.fix_dimensions_count = entry.fix_dimensions.size();
  }
  return view;
}

}  // namespace

indim_error* OutOfMemory() noexcept { return kOutOfMemory; }

indim_error* ErrorOf(const absl::Status& status, DiagnosticList diagnostics) {
  if (status.ok()) return nullptr;
  auto error = std::make_unique<indim_error>();
  error->status = static_cast<int32_t>(status.code());
  error->message = std::string(status.message());
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

absl::Status MisuseStatus(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, "  [", CodeText(Code::kInterfaceMisuse), "]"));
}

indim_error* Misuse(absl::string_view what) {
  return ErrorOf(MisuseStatus(what));
}

indim_error* NullArgument(absl::string_view what) {
  return Misuse(absl::StrCat(what, " is null"));
}

}  // namespace indim::capi

using indim::capi::Give;
using indim::capi::GiveNothing;
using indim::capi::Guard;
using indim::capi::Misuse;

const char* indim_version(size_t* size) { return Give(indim::Version(), size); }

void indim_error_release(indim_error* error) {
  if (error != indim::capi::kOutOfMemory) delete error;
}

int32_t indim_error_status(const indim_error* error) {
  return error == nullptr ? INDIM_OK : error->status;
}

const char* indim_error_message(const indim_error* error, size_t* size) {
  return error == nullptr ? GiveNothing(size) : Give(error->message, size);
}

const indim_diagnostics* indim_error_diagnostics(const indim_error* error) {
  return error == nullptr ? &indim::capi::NoDiagnostics() : &error->diagnostics;
}

void indim_set_language(int32_t language) {
  if (language < INDIM_LANGUAGE_CPP || language > INDIM_LANGUAGE_PYTHON) return;
  indim::SetCallLanguage(static_cast<indim::CallLanguage>(language));
}

indim_error* indim_refuse(const indim_refusal* refusal) {
  return Guard({{"refusal", refusal}}, [&]() -> indim_error* {
    indim_refusal given;
    if (!indim::capi::ReadOptions(refusal, &given)) {
      return Misuse("indim_refusal's struct_size isn't set");
    }
    for (const indim_text& text :
         {given.file, given.code, given.what, given.fix}) {
      if (!indim::capi::IsList(text.data, text.size)) {
        return indim::capi::NullArgument("a text of the refusal");
      }
    }
    if (!indim::capi::IsList(given.arguments, given.argument_count)) {
      return indim::capi::NullArgument("arguments");
    }
    const auto text = [](const indim_text& of) {
      return indim::capi::Text(of.data, of.size);
    };
    const std::optional<indim::Code> code = indim::FindCode(text(given.code));
    if (!code || given.status <= INDIM_OK ||
        given.status > INDIM_UNAUTHENTICATED) {
      return Misuse("the refusal has no code, or no status of an error");
    }
    std::vector<absl::string_view> arguments;
    for (const indim_text& argument :
         indim::capi::List(given.arguments, given.argument_count)) {
      if (!indim::capi::IsList(argument.data, argument.size)) {
        return indim::capi::NullArgument("an argument");
      }
      arguments.push_back(text(argument));
    }
    indim::capi::DiagnosticEntry entry = indim::capi::OfBinding(
        *code, text(given.what), arguments,
        given.line > 0 ? absl::StrCat(text(given.file), ":", given.line) : "",
        std::string(text(given.fix)));
    entry.operand = given.operand;
    entry.dim = given.dim;
    entry.line = given.line;
    entry.file = std::string(text(given.file));
    indim::capi::DiagnosticList list;
    list.push_back(std::move(entry));
    const absl::Status status(static_cast<absl::StatusCode>(given.status),
                              indim::capi::TextOf(list));
    return indim::capi::ErrorOf(status, std::move(list));
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
                    [](const indim::capi::DiagnosticEntry& entry) {
                      return entry.severity == indim::Severity::kError;
                    }));
}

indim_error* indim_diagnostics_get(const indim_diagnostics* diagnostics,
                                   size_t index, indim_diagnostic* diagnostic) {
  return Guard(
      {{"diagnostics", diagnostics}, {"diagnostic", diagnostic}},
      [&]() -> indim_error* {
        if (index >= diagnostics->list.size()) {
          return indim::capi::ErrorOf(absl::OutOfRangeError(
              absl::StrCat("there are ", diagnostics->list.size(),
                           " diagnostics, and no number ", index)));
        }
        if (!indim::capi::WriteStruct(
                indim::capi::ViewOf(diagnostics->list[index]), diagnostic)) {
          return Misuse("indim_diagnostic's struct_size isn't set");
        }
        return nullptr;
      });
}

void indim_bytes_release(indim_bytes* bytes) { delete bytes; }

const char* indim_bytes_data(const indim_bytes* bytes, size_t* size) {
  return bytes == nullptr ? GiveNothing(size) : Give(bytes->text, size);
}
