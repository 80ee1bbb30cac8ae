// SPDX-License-Identifier: Apache-2.0
// Modules: reading, writing, checking and changing them as a whole.

#include "indim/ir/module.h"

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/io/read.h"
#include "indim/io/write.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/export/export.h"
#include "indim/passes/sizes/refine.h"
#include "indim/passes/structure/fingerprint.h"
#include "indim/tools/check/check_module.h"
#include "indim/tools/check/check_output.h"
#include "indim/tools/commands.h"
#include "indim/tools/diff/module_diff.h"
#include "indim/tools/run_program.h"

namespace indim::capi {
namespace {

// An indim_format by number.
struct FormatRow {
  ModuleFormat format;
  StablehloForm form;
};
constexpr FormatRow kFormats[] = {
    {ModuleFormat::kUnknown, StablehloForm::kText},
    {ModuleFormat::kProto, StablehloForm::kText},
    {ModuleFormat::kProtoText, StablehloForm::kText},
    {ModuleFormat::kHloText, StablehloForm::kText},
    {ModuleFormat::kMlir, StablehloForm::kText},
    {ModuleFormat::kMlir, StablehloForm::kArtifact},
};

const FormatRow* FormatOf(int32_t number) {
  return number < 0 || static_cast<size_t>(number) >= std::size(kFormats)
             ? nullptr
             : &kFormats[number];
}

indim_error* NoFormat(int32_t number) {
  return Misuse(absl::StrCat(number, " is no indim_format of this kind"));
}

indim_error* ReadReadOptions(const indim_read_options* given,
                             indim::ReadOptions* options) {
  indim_read_options all;
  if (!ReadOptions(given, &all)) return NoStructSize("indim_read_options");
  const FormatRow* const format = FormatOf(all.format);
  if (format == nullptr) return NoFormat(all.format);
  if (!IsList(all.name, all.name_size)) return NullArgument("the name");
  options->format = format->format;
  options->name = std::string(Text(all.name, all.name_size));
  options->allow_elided_constants = all.allow_elided_constants != 0;
  options->symbols = all.symbols != 0;
  return nullptr;
}

indim_error* ReadWriteOptions(const indim_write_options* given,
                              WriteOptions* options) {
  indim_write_options all;
  if (!ReadOptions(given, &all)) return NoStructSize("indim_write_options");
  const FormatRow* const format = FormatOf(all.format);
  if (format == nullptr) return NoFormat(all.format);
  if (!IsList(all.release, all.release_size)) {
    return NullArgument("the release");
  }
  options->form =
      all.for_xla != 0 ? ModuleForm::kForXla : ModuleForm::kRecorded;
  options->format = format->format;
  options->verify = all.omit_checks == 0;
  if (all.elide_constants != 0) options->hlo_text = PrintOptions::Default();
  options->stablehlo.form = format->form;
  if (all.generic != 0 && format->form == StablehloForm::kText) {
    options->stablehlo.form = StablehloForm::kGenericText;
  }
  options->stablehlo.locations = all.locations != 0;
  options->stablehlo.release = std::string(Text(all.release, all.release_size));
  return nullptr;
}

indim_error* ReadCheckOptions(const indim_module& module,
                              const indim_check_options* given,
                              VerifyOptions* options) {
  indim_check_options all;
  if (!ReadOptions(given, &all)) return NoStructSize("indim_check_options");
  if (all.max_per_code < -1) return Misuse("max_per_code is below -1");
  if (all.max_per_code != 0) {
    options->max_per_code =
        all.max_per_code == -1 ? kAllDiagnostics : all.max_per_code;
  }
  options->devices = module.devices;
  return nullptr;
}

indim_error* GiveModule(absl::StatusOr<WrappedModule> read,
                        indim_module** module) {
  if (!read.ok()) return ErrorOf(read.status());
  *module = new indim_module(std::move(read->module), read->wrapper.devices());
  return kOk;
}

// A module that a pass made of `from`; an error where its report has one.
indim_error* GiveModule(const indim_module& from, Module made,
                        const Report& report, indim_module** to) {
  if (!report.ok()) return ErrorOf(FromReport(made, report));
  *to = new indim_module(std::move(made), from.devices);
  return kOk;
}

std::string CheckJson(absl::string_view path, const CheckedModule& checked) {
  std::ostringstream out;
  const std::unique_ptr<CheckOutput> output =
      MakeCheckOutput(CheckFormat::kJson, CheckOutputOptions(), out);
  output->Begin();
  CheckedFile file;
  file.path = std::string(path);
  file.module = &checked.module;
  file.result = &checked.result;
  output->Add(file);
  output->End(checked.result.ok() ? kExitOk : kExitErrors);
  std::string json = out.str();
  while (!json.empty() && json.back() == '\n') json.pop_back();
  return json;
}

}  // namespace
extern "C" {

void indim_module_release(indim_module* module) { delete module; }

indim_error* indim_module_read(const void* data, size_t size,
                               const indim_read_options* options,
                               indim_module** module) {
  return Guard({{"data", data, size}, {"module", module}}, [&] {
    indim::ReadOptions given;
    if (indim_error* error = ReadReadOptions(options, &given)) return error;
    return GiveModule(ReadWrappedModuleBytes(
                          Text(static_cast<const char*>(data), size), given),
                      module);
  });
}

indim_error* indim_module_read_file(const char* path, size_t path_size,
                                    const indim_read_options* options,
                                    indim_module** module) {
  return Guard({{"path", path, path_size}, {"module", module}}, [&] {
    indim::ReadOptions given;
    if (indim_error* error = ReadReadOptions(options, &given)) return error;
    return GiveModule(ReadWrappedModuleFile(Text(path, path_size), given),
                      module);
  });
}

indim_error* indim_module_write(const indim_module* module,
                                const indim_write_options* options,
                                indim_bytes** bytes) {
  return Guard({{"module", module}, {"bytes", bytes}}, [&] {
    WriteOptions given(ModuleForm::kRecorded);
    if (indim_error* error = ReadWriteOptions(options, &given)) return error;
    if (given.format == ModuleFormat::kUnknown) {
      given.format = ModuleFormat::kHloText;
    }
    return GiveNew(WriteModuleBytes(module->module, given), bytes);
  });
}

indim_error* indim_module_write_file(const indim_module* module,
                                     const char* path, size_t path_size,
                                     const indim_write_options* options) {
  return Guard({{"module", module}, {"path", path, path_size}}, [&] {
    WriteOptions given(ModuleForm::kRecorded);
    if (indim_error* error = ReadWriteOptions(options, &given)) return error;
    return ErrorOf(
        WriteModuleFile(module->module, Text(path, path_size), given));
  });
}

indim_error* indim_module_check(const indim_module* module,
                                const indim_check_options* options,
                                indim_diagnostics** diagnostics) {
  return Guard({{"module", module}, {"diagnostics", diagnostics}}, [&] {
    VerifyOptions given;
    if (indim_error* error = ReadCheckOptions(*module, options, &given)) {
      return error;
    }
    const CheckedModule checked = CheckModule(module->module, given);
    return GiveNew(FromReport(checked.module, checked.result.report),
                   diagnostics);
  });
}

indim_error* indim_module_check_json(const indim_module* module,
                                     const char* path, size_t path_size,
                                     const indim_check_options* options,
                                     indim_bytes** json) {
  return Guard(
      {{"module", module}, {"path", path, path_size}, {"json", json}}, [&] {
        VerifyOptions given;
        if (indim_error* error = ReadCheckOptions(*module, options, &given)) {
          return error;
        }
        return GiveNew(CheckJson(Text(path, path_size),
                                 CheckModule(module->module, given)),
                       json);
      });
}

indim_error* indim_module_infer(const indim_module* module,
                                const indim_infer_options* options,
                                indim_module** inferred) {
  return Guard({{"module", module}, {"inferred", inferred}}, [&] {
    indim_infer_options given;
    if (!ReadOptions(options, &given))
      return NoStructSize("indim_infer_options");
    InferOptions infer;
    infer.drop = given.drop != 0;
    infer.only_missing = given.only_missing != 0;
    InferResult result = InferShapes(module->module, infer);
    return GiveModule(*module, std::move(result.module), result.report,
                      inferred);
  });
}

indim_error* indim_module_refine(const indim_module* module,
                                 const indim_text* settings, size_t count,
                                 indim_module** refined) {
  return Guard(
      {{"module", module}, {"settings", settings, count}, {"refined", refined}},
      [&] {
        RefineOptions options;
        for (const indim_text& setting : List(settings, count)) {
          if (!IsList(setting.data, setting.size)) {
            return NullArgument("a setting");
          }
          const absl::Status added =
              AddSetting(Text(setting.data, setting.size), &options);
          if (!added.ok()) {
            return ErrorOf(absl::InvalidArgumentError(
                absl::StrCat("the setting ", Text(setting.data, setting.size),
                             ": ", added.message())));
          }
        }
        RefineResult result = Refine(module->module, options);
        if (!result.ok()) {
          return RefinementError(module->module, result);
        }
        *refined = new indim_module(std::move(result.module), module->devices);
        return kOk;
      });
}

indim_error* indim_module_expand(const indim_module* module,
                                 indim_module** expanded) {
  return Guard({{"module", module}, {"expanded", expanded}}, [&] {
    ExpandedModule result = ExpandForXla(module->module);
    return GiveModule(*module, std::move(result.module), result.report,
                      expanded);
  });
}

indim_error* indim_module_fingerprint(const indim_module* module,
                                      indim_bytes** text) {
  return Guard({{"module", module}, {"text", text}},
               [&] { return GiveNew(Fingerprint(module->module), text); });
}

indim_error* indim_module_diff(const indim_module* a, const indim_module* b,
                               indim_bytes** text) {
  return Guard({{"a", a}, {"b", b}, {"text", text}}, [&] {
    return GiveNew(DiffModules(a->module, b->module).text, text);
  });
}

indim_error* indim_module_compare(const indim_module* a, const indim_module* b,
                                  const indim_compare_options* options,
                                  int32_t* same, indim_bytes** text) {
  return GuardOptions(
      {{"a", a}, {"b", b}, {"same", same}, {"text", text}},
      "indim_compare_options", options,
      [&](const indim_compare_options& given) {
        FingerprintOptions counts;
        counts.layouts = given.layouts != 0;
        DiffOptions shown;
        shown.layouts = counts.layouts;
        *same =
            Fingerprint(a->module, counts) == Fingerprint(b->module, counts);
        return GiveNew(DiffModules(a->module, b->module, shown).text, text);
      });
}

int32_t indim_command(const char* const* words, size_t count) {
  if (!IsList(words, count)) return kExitUsage;
  return GuardValue(kExitUsage, [&] {
    std::vector<std::string> owned;
    for (size_t i = 0; i < count; ++i) {
      if (words[i] == nullptr) return kExitUsage;
      owned.emplace_back(words[i]);
    }
    std::vector<char*> arguments;
    for (std::string& word : owned) arguments.push_back(word.data());
    return RunProgram(arguments);
  });
}

}  // extern "C"
}  // namespace indim::capi
