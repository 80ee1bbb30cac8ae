// SPDX-License-Identifier: Apache-2.0
// Values through the evaluator and through PJRT plugins.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/bindings/c/plugins.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/value.h"
#include "indim/passes/sizes/refine.h"
#include "indim/run/client.h"
#include "indim/run/pass.h"
#include "indim/run/plugin.h"
#include "indim/tools/values/settings.h"

namespace indim::capi {
namespace {

// What was computed, in the sizes that it has: no function of the interface
// tells how much of a bounded array there is.
indim_error* GiveResult(const absl::StatusOr<Literal>& result,
                        indim_literal** to) {
  if (!result.ok()) return ErrorOf(result.status());
  return GiveNew(AtRunTimeSizes(*result), to);
}

// Gives sizes that the module leaves open those of the values. A module of
// another number of parameters stays as it is, and whoever takes it says so.
indim_error* TakeSizes(absl::Span<const Literal> values, Module* module) {
  if (module->computation_count() == 0 || !HasOpenSizes(*module) ||
      module->entry().signature().parameters.size() != values.size()) {
    return kOk;
  }
  RefineResult refined = Refine(*module, SettingsOf(values));
  if (!refined.ok()) return RefinementError(*module, refined);
  *module = std::move(refined.module);
  return kOk;
}

// "name=value", where the value is true, false, an integer, a number or a text.
template <typename Value>
indim_error* ReadSetting(const indim_text& text, std::string* name,
                         Value* value) {
  if (!IsList(text.data, text.size)) return NullArgument("an option");
  const absl::string_view whole = Text(text.data, text.size);
  const size_t equal = whole.find('=');
  if (equal == absl::string_view::npos || equal == 0) {
    return Misuse(absl::StrCat("\"", whole, "\" is no name=value"));
  }
  *name = std::string(whole.substr(0, equal));
  const absl::string_view word = whole.substr(equal + 1);
  int64_t integer;
  if (word == "true" || word == "false") {
    *value = word == "true";
  } else if (absl::SimpleAtoi(word, &integer)) {
    *value = integer;
  } else if (float number; absl::SimpleAtof(word, &number)) {
    *value = number;
  } else {
    *value = std::string(word);
  }
  return nullptr;
}

indim_error* ReadCompileOptions(const indim_compile_options& given,
                                pjrt::CompileOptions* options) {
  options->replicas = given.replicas;
  options->partitions = given.partitions;
  if (!IsList(given.flags, given.flag_count)) return NullArgument("the flags");
  for (const indim_text& text : List(given.flags, given.flag_count)) {
    pjrt::XlaFlag flag;
    std::variant<std::string, bool, int64_t, float> value;
    if (indim_error* error = ReadSetting(text, &flag.name, &value)) {
      return error;
    }
    std::visit([&](auto held) { flag.value = held; }, value);
    options->flags.push_back(std::move(flag));
  }
  return nullptr;
}

indim_error* CreateClient(absl::string_view name,
                          absl::Span<const indim_text> settings,
                          indim_client** client) {
  pjrt::ClientOptions options;
  for (const indim_text& text : settings) {
    pjrt::NamedValue& value = options.values.emplace_back();
    if (indim_error* error = ReadSetting(text, &value.name, &value.value)) {
      return error;
    }
  }
  const absl::StatusOr<pjrt::Plugin> plugin = pjrt::Plugin::Find(name);
  if (!plugin.ok()) return ErrorOf(plugin.status());
  absl::StatusOr<pjrt::Client> made = pjrt::Client::Create(*plugin, options);
  return GiveNew(std::move(made), client);
}

indim_error* Execute(const pjrt::Executable& executable,
                     absl::Span<const indim_buffer* const> inputs,
                     indim_buffer** outputs, size_t capacity,
                     size_t* output_count) {
  std::vector<pjrt::Buffer> buffers;
  for (const indim_buffer* input : inputs) {
    if (input == nullptr) return NullArgument("an input");
    buffers.push_back(input->buffer);
  }
  const size_t count = executable.outputs().size();
  if (count > capacity) {
    return ErrorOf(absl::OutOfRangeError(absl::StrCat(
        "there are ", count, " outputs, but room for ", capacity)));
  }
  absl::StatusOr<pjrt::Execution> run = executable.Execute(buffers);
  if (!run.ok()) return ErrorOf(run.status());
  std::vector<std::unique_ptr<indim_buffer>> made;
  for (pjrt::Buffer& buffer : run->results) {
    made.push_back(std::make_unique<indim_buffer>(std::move(buffer)));
  }
  for (size_t i = 0; i < made.size() && i < capacity; ++i) {
    outputs[i] = made[i].release();
  }
  if (output_count != nullptr) *output_count = count;
  return nullptr;
}

}  // namespace

extern "C" {

indim_error* indim_evaluate(const indim_module* module,
                            const indim_literal* const* arguments, size_t count,
                            const indim_eval_options* options,
                            indim_literal** result) {
  return GuardOptions(
      {{"module", module}, {"arguments", arguments, count}, {"result", result}},
      "indim_eval_options", options, [&](const indim_eval_options& given) {
        EvalOptions limits;
        if (given.max_steps != 0) limits.max_steps = given.max_steps;
        if (given.max_bytes != 0) limits.max_bytes = given.max_bytes;
        std::vector<Literal> values;
        if (!LiteralsOf(arguments, count, &values)) {
          return NullArgument("an argument");
        }
        Module refined = module->module;
        indim_error* const error = TakeSizes(values, &refined);
        if (error != kOk) return error;
        return GiveResult(Evaluate(refined, values, limits), result);
      });
}

indim_error* indim_module_refine_for(const indim_module* module,
                                     const indim_literal* const* arguments,
                                     size_t count, indim_module** refined) {
  return Guard({{"module", module},
                {"arguments", arguments, count},
                {"refined", refined}},
               [&] {
                 std::vector<Literal> values;
                 if (!LiteralsOf(arguments, count, &values)) {
                   return NullArgument("an argument");
                 }
                 Module made = module->module;
                 indim_error* const error = TakeSizes(values, &made);
                 if (error != kOk) return error;
                 *refined = new indim_module(std::move(made), module->devices);
                 return kOk;
               });
}

indim_error* indim_client_create(const char* plugin, size_t plugin_size,
                                 const indim_text* options, size_t option_count,
                                 indim_client** client) {
  return Guard({{"plugin", plugin, plugin_size},
                {"options", options, option_count},
                {"client", client}},
               [&] {
                 return CreateClient(Text(plugin, plugin_size),
                                     List(options, option_count), client);
               });
}

void indim_client_release(indim_client* client) { delete client; }

const char* indim_client_platform(const indim_client* client, size_t* size) {
  return client == nullptr ? GiveNothing(size)
                           : Give(client->client.platform_name(), size);
}

size_t indim_client_device_count(const indim_client* client) {
  return GuardValue(size_t{0}, [&]() -> size_t {
    return client == nullptr ? 0 : client->client.addressable_devices().size();
  });
}

indim_error* indim_compile(const indim_client* client,
                           const indim_module* module,
                           const indim_compile_options* options,
                           indim_executable** executable) {
  return GuardOptions(
      {{"client", client}, {"module", module}, {"executable", executable}},
      "indim_compile_options", options, [&](const indim_compile_options& all) {
        pjrt::CompileOptions given;
        if (indim_error* error = ReadCompileOptions(all, &given)) return error;
        absl::StatusOr<pjrt::Executable> made =
            client->client.Compile(module->module, given);
        return GiveNew(std::move(made), executable);
      });
}

void indim_executable_release(indim_executable* executable) {
  delete executable;
}

indim_error* indim_run(const indim_executable* executable,
                       const indim_literal* const* arguments, size_t count,
                       indim_literal** result) {
  return Guard({{"executable", executable},
                {"arguments", arguments, count},
                {"result", result}},
               [&] {
                 std::vector<Literal> values;
                 if (!LiteralsOf(arguments, count, &values)) {
                   return NullArgument("an argument");
                 }
                 return GiveResult(executable->executable.Run(values), result);
               });
}

indim_error* indim_execute(const indim_executable* executable,
                           const indim_buffer* const* inputs, size_t count,
                           indim_buffer** outputs, size_t capacity,
                           size_t* output_count) {
  return Guard({{"executable", executable},
                {"inputs", inputs, count},
                {"outputs", outputs, capacity}},
               [&] {
                 return Execute(executable->executable, List(inputs, count),
                                outputs, capacity, output_count);
               });
}

size_t indim_executable_input_count(const indim_executable* executable) {
  return executable == nullptr ? 0 : executable->executable.inputs().size();
}

size_t indim_executable_output_count(const indim_executable* executable) {
  return executable == nullptr ? 0 : executable->executable.outputs().size();
}

indim_error* indim_buffer_from_literal(const indim_client* client,
                                       const indim_literal* literal,
                                       int64_t device, indim_buffer** buffer) {
  return Guard(
      {{"client", client}, {"literal", literal}, {"buffer", buffer}}, [&] {
        const std::vector<pjrt::Device> devices =
            client->client.addressable_devices();
        if (device < 0 || static_cast<size_t>(device) >= devices.size()) {
          return ErrorOf(absl::OutOfRangeError(
              absl::StrCat("the client has ", devices.size(),
                           " devices, and no number ", device)));
        }
        return GiveNew(
            client->client.ToDevice(literal->literal,
                                    devices[static_cast<size_t>(device)]),
            buffer);
      });
}

indim_error* indim_buffer_to_literal(const indim_buffer* buffer,
                                     indim_literal** literal) {
  return Guard({{"buffer", buffer}, {"literal", literal}},
               [&] { return GiveResult(buffer->buffer.ToLiteral(), literal); });
}

void indim_buffer_release(indim_buffer* buffer) { delete buffer; }

indim_error* indim_pass_check_border(const indim_module* before,
                                     const indim_module* after) {
  return Guard({{"before", before}, {"after", after}}, [&] {
    return ErrorOf(pjrt::CheckPassBorder(before->module, after->module));
  });
}

}  // extern "C"
}  // namespace indim::capi
