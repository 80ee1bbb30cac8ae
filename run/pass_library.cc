// SPDX-License-Identifier: Apache-2.0
#include "indim/run/pass_library.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/run/abi/shared_library.h"
#include "indim/run/pass_entry.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

static_assert(INDIM_PASS_PRE_SCHEDULER ==
              static_cast<int>(PassStage::kPreScheduler));
static_assert(INDIM_PASS_POST_SCHEDULER ==
              static_cast<int>(PassStage::kPostScheduler));

absl::Status PassError(absl::StatusCode kind, absl::string_view message) {
  return ErrorWithCode(kind, Code::kPjrtPass, message);
}

// What a call was given.
struct PassAnswer {
  std::optional<std::string> module, error;
};

absl::string_view ViewOf(const char* data, size_t size) {
  return data == nullptr ? absl::string_view() : absl::string_view(data, size);
}

absl::StatusOr<std::optional<Module>> RunEntry(const indim_pass& pass,
                                               const Module& module) {
  const absl::StatusOr<std::string> bytes = SerializeModule(module);
  if (!bytes.ok()) return bytes.status();
  PassAnswer given;
  indim_pass_call call = {};
  call.size = sizeof(call);
  call.module = bytes->data();
  call.module_size = bytes->size();
  call.context = &given;
  call.replace = [](const indim_pass_call* of, const char* data, size_t size) {
    static_cast<PassAnswer*>(of->context)->module =
        std::string(ViewOf(data, size));
  };
  call.fail = [](const indim_pass_call* of, const char* data, size_t size) {
    static_cast<PassAnswer*>(of->context)->error =
        std::string(ViewOf(data, size));
  };
  pass.run(&call);
  if (given.error) {
    return PassError(absl::StatusCode::kInvalidArgument, *given.error);
  }
  if (!given.module || *given.module == *bytes) return std::nullopt;
  absl::StatusOr<Module> made = ReadHloModuleProto(*given.module);
  if (made.ok()) return *std::move(made);
  return PassError(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat("what it gives is no module: ", ErrorText(made.status())));
}

}  // namespace

absl::StatusOr<RegisteredPass> RegisterPassLibrary(const Plugin& plugin,
                                                   const std::string& path) {
  const absl::StatusOr<void*> entry = LoadSymbol(path, "indim_pass_1");
  if (!entry.ok()) {
    return PassError(absl::StatusCode::kNotFound,
                     absl::StrCat("there is no pass in ", path, ": ",
                                  entry.status().message()));
  }
  const auto& pass = *static_cast<const indim_pass*>(*entry);
  if (pass.name == nullptr || pass.run == nullptr ||
      pass.stage < INDIM_PASS_PRE_SCHEDULER ||
      pass.stage > INDIM_PASS_POST_SCHEDULER) {
    return PassError(absl::StatusCode::kInvalidArgument,
                     absl::StrCat("indim_pass_1 of ", path,
                                  " has no name, no function, or a stage that "
                                  "there isn't: ",
                                  pass.stage));
  }
  return RegisterPass(
      plugin, pass.name, static_cast<PassStage>(pass.stage),
      [&pass](const Module& module) { return RunEntry(pass, module); });
}

void AnswerPassCall(const indim_pass_call& call, const PassFunction& function) {
  const auto fail = [&call](const absl::Status& status) {
    const std::string text = ErrorText(status);
    call.fail(&call, text.data(), text.size());
  };
  const absl::StatusOr<Module> module =
      ReadHloModuleProto(ViewOf(call.module, call.module_size));
  if (!module.ok()) return fail(module.status());
  const absl::StatusOr<std::optional<Module>> made = function(*module);
  if (!made.ok()) return fail(made.status());
  if (!*made) return;
  const absl::StatusOr<std::string> bytes = SerializeModule(**made);
  if (!bytes.ok()) return fail(bytes.status());
  call.replace(&call, bytes->data(), bytes->size());
}

}  // namespace indim::pjrt
