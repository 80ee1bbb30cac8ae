// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/run/fake_plugin.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "indim/run/abi/abi.h"
#include "indim/tests/run/fake_objects.h"

namespace indim {
namespace {

using namespace fake;       // NOLINT: the whole file is about these
using namespace pjrt::abi;  // NOLINT

template <typename T>
T* As(void* object) {
  return static_cast<T*>(object);
}

// --- Functions --------------------------------------------------------------

// Each takes its argument struct and returns null or an error.
void* Do(PluginInitializeArgs*) { return nullptr; }

void* Do(PluginAttributesArgs* args) {
  static NamedValue* const value = [] {
    auto* const made = new NamedValue();
    made->name = "made_for";
    made->name_size = 8;
    made->type = kString;
    made->value.text = "tests";
    made->value_size = 5;
    return made;
  }();
  args->attributes = value;
  args->attribute_count = 1;
  return nullptr;
}

void* Do(EventDestroyArgs* args) {
  delete As<Event>(args->event);
  return nullptr;
}

void* Do(EventIsReadyArgs* args) {
  Promise& promise = *As<Event>(args->event)->promise;
  const std::lock_guard<std::mutex> lock(promise.mutex);
  args->is_ready = promise.is_ready;
  return nullptr;
}

void* Do(EventAwaitArgs* args) {
  Promise& promise = *As<Event>(args->event)->promise;
  std::unique_lock<std::mutex> lock(promise.mutex);
  promise.changed.wait(lock, [&promise] { return promise.is_ready; });
  return nullptr;
}

void* Do(EventOnReadyArgs* args) {
  Promise& promise = *As<Event>(args->event)->promise;
  const std::function<void()> call = [callback = args->callback,
                                      user = args->user] {
    callback(nullptr, user);
  };
  {
    const std::lock_guard<std::mutex> lock(promise.mutex);
    if (!promise.is_ready) {
      promise.waiters.push_back(call);
      return nullptr;
    }
  }
  call();
  return nullptr;
}

void* Do(ClientCreateArgs* args) {
  int count = 2;
  for (size_t i = 0; i < args->option_count; ++i) {
    const NamedValue& option = args->options[i];
    if (std::string(option.name, option.name_size) == "cpu_device_count") {
      count = static_cast<int>(option.value.integer);
    }
  }
  auto* const client = new Client();
  for (int i = 0; i < count; ++i) client->devices.push_back({i});
  for (Device& device : client->devices) client->pointers.push_back(&device);
  args->client = client;
  return nullptr;
}

void* Do(ClientDestroyArgs* args) {
  delete As<Client>(args->client);
  return nullptr;
}

void* Do(ClientPlatformNameArgs* args) {
  args->text = "cpu";
  args->text_size = 3;
  return nullptr;
}
void* Do(ClientPlatformVersionArgs* args) {
  args->text = "fake 1";
  args->text_size = 6;
  return nullptr;
}
void* Do(ClientProcessIndexArgs* args) {
  args->process_index = 0;
  return nullptr;
}
void* Do(ClientDevicesArgs* args) {
  args->devices = As<Client>(args->client)->pointers.data();
  args->device_count = As<Client>(args->client)->pointers.size();
  return nullptr;
}

// A device describes itself.
void* Do(DeviceGetDescriptionArgs* args) {
  args->description = args->device;
  return nullptr;
}
void* Do(DeviceDescriptionIdArgs* args) {
  args->id = As<Device>(args->description)->id;
  return nullptr;
}
void* Do(DeviceDescriptionProcessIndexArgs* args) {
  args->process_index = 0;
  return nullptr;
}
void* Do(DeviceDescriptionAttributesArgs* args) {
  args->attribute_count = 0;
  return nullptr;
}
void* Do(DeviceDescriptionKindArgs* args) {
  args->text = "fake";
  args->text_size = 4;
  return nullptr;
}
void* Do(DeviceDescriptionToStringArgs* args) {
  args->text = "FAKE";
  args->text_size = 4;
  return nullptr;
}
void* Do(DeviceIsAddressableArgs* args) {
  args->is_addressable = true;
  return nullptr;
}
void* Do(DeviceMemoryStatsArgs* args) {
  args->bytes_in_use = 1;
  args->bytes_limit = {100, true};
  return nullptr;
}

// A module may ask for one of these by its name.
void* Misbehave(const std::string& code) {
  const auto asks = [&code](const char* name) {
    return code.find(name) != std::string::npos;
  };
  if (asks("fake_abort")) {
    std::fputs("the fake plugin ends the process\n", stderr);
    std::abort();
  }
  if (asks("fake_throw")) throw std::runtime_error("thrown on demand");
  if (asks("fake_exit")) std::_Exit(3);
  if (asks("fake_sleep")) std::this_thread::sleep_for(std::chrono::minutes(5));
  if (asks("fake_refuse")) return new Error("it refuses on demand");
  return nullptr;
}

void* Do(ClientCompileArgs* args) {
  void* const refused =
      Misbehave(std::string(args->program->code, args->program->code_size));
  if (refused != nullptr) return refused;
  const std::string format(args->program->format, args->program->format_size);
  auto executable = std::make_unique<Executable>();
  executable->client = As<Client>(args->client);
  if (format == "fake") {
    executable->outputs = static_cast<size_t>(std::atoi(
        std::string(args->program->code, args->program->code_size).c_str()));
  }
  args->executable = executable.release();
  return nullptr;
}

void* Do(LoadedExecutableDestroyArgs* args) {
  delete As<Executable>(args->executable);
  return nullptr;
}
void* Do(LoadedExecutableGetExecutableArgs* args) {
  auto* const copy = new Executable();
  copy->outputs = As<Executable>(args->loaded)->outputs;
  args->executable = copy;
  return nullptr;
}
void* Do(LoadedExecutableAddressableDevicesArgs* args) {
  args->devices = As<Executable>(args->executable)->client->pointers.data();
  args->device_count = 1;
  return nullptr;
}
void* Do(ExecutableDestroyArgs* args) {
  delete As<Executable>(args->executable);
  return nullptr;
}
void* Do(ExecutableNumOutputsArgs* args) {
  args->output_count = As<Executable>(args->executable)->outputs;
  return nullptr;
}
void* Do(ExecutableOptimizedProgramArgs* args) {
  args->program->code_size = 0;
  return nullptr;
}

void* Do(ExecutableSerializeArgs* args) {
  auto* const serialized = new Serialized();
  serialized->bytes =
      std::to_string(static_cast<const Executable*>(args->executable)->outputs);
  args->bytes = serialized->bytes.data();
  args->bytes_size = serialized->bytes.size();
  args->serialized = serialized;
  args->deleter = [](void* object) { delete As<Serialized>(object); };
  return nullptr;
}
void* Do(ExecutableDeserializeAndLoadArgs* args) {
  auto* const executable = new Executable();
  executable->client = As<Client>(args->client);
  executable->outputs = static_cast<size_t>(
      std::atoi(std::string(args->bytes, args->bytes_size).c_str()));
  args->executable = executable;
  return nullptr;
}

Buffer* CopyOf(const Buffer& from, Device* device) {
  auto* const copy = new Buffer();
  copy->type = from.type;
  copy->dims = from.dims;
  copy->bytes = from.bytes;
  copy->device = device;
  return copy;
}

void* Do(LoadedExecutableExecuteArgs* args) {
  const auto& executable = *As<Executable>(args->executable);
  for (size_t i = 0; i < executable.outputs; ++i) {
    const auto& input =
        *As<Buffer>(args->arguments[0][i % args->argument_count]);
    args->outputs[0][i] = CopyOf(input, input.device);
  }
  args->done_events[0] = MakeEvent();
  return nullptr;
}

// The elements of the tests are of four bytes.
void* Do(ClientBufferFromHostBufferArgs* args) {
  auto* const buffer = new Buffer();
  buffer->type = args->type;
  buffer->dims.assign(args->dims, args->dims + args->dim_count);
  int64_t count = 1;
  for (const int64_t dim : buffer->dims) count *= dim;
  buffer->bytes.assign(static_cast<const char*>(args->data),
                       static_cast<size_t>(count) * 4);
  buffer->device = As<Device>(args->device);
  args->buffer = buffer;
  args->done_event = MakeEvent();
  return nullptr;
}
void* Do(BufferDestroyArgs* args) {
  delete As<Buffer>(args->buffer);
  return nullptr;
}
void* Do(BufferElementTypeArgs* args) {
  args->type = As<Buffer>(args->buffer)->type;
  return nullptr;
}
void* Do(BufferDimensionsArgs* args) {
  args->dims = As<Buffer>(args->buffer)->dims.data();
  args->dim_count = As<Buffer>(args->buffer)->dims.size();
  return nullptr;
}
void* Do(BufferUnpaddedDimensionsArgs* args) {
  args->dims = As<Buffer>(args->buffer)->dims.data();
  args->dim_count = As<Buffer>(args->buffer)->dims.size();
  return nullptr;
}
void* Do(BufferOnDeviceSizeInBytesArgs* args) {
  args->size = As<Buffer>(args->buffer)->bytes.size();
  return nullptr;
}
void* Do(BufferDeviceArgs* args) {
  args->device = As<Buffer>(args->buffer)->device;
  return nullptr;
}
void* Do(BufferDeleteArgs* args) {
  As<Buffer>(args->buffer)->is_deleted = true;
  return nullptr;
}
void* Do(BufferIsDeletedArgs* args) {
  args->is_deleted = As<Buffer>(args->buffer)->is_deleted;
  return nullptr;
}
void* Do(BufferCopyToDeviceArgs* args) {
  args->copy = CopyOf(*As<Buffer>(args->buffer), As<Device>(args->device));
  return nullptr;
}
void* Do(BufferToHostBufferArgs* args) {
  const std::string& bytes = As<Buffer>(args->buffer)->bytes;
  if (As<Buffer>(args->buffer)->is_deleted) {
    return new Error("the buffer was deleted");
  }
  if (args->data == nullptr) {
    args->size = bytes.size();
    return nullptr;
  }
  args->event = MakeEvent();
  std::memcpy(args->data, bytes.data(), bytes.size());
  return nullptr;
}
void* Do(BufferIsOnCpuArgs* args) {
  args->is_on_cpu = true;
  return nullptr;
}
void* Do(BufferReadyEventArgs* args) {
  args->event = MakeEvent();
  return nullptr;
}
// A reference counts as an object.
void* Do(BufferIncreaseExternalReferenceCountArgs*) {
  ++live;
  return nullptr;
}
void* Do(BufferDecreaseExternalReferenceCountArgs*) {
  --live;
  return nullptr;
}
void* Do(BufferOpaqueDeviceMemoryDataPointerArgs* args) {
  args->data = const_cast<char*>(As<Buffer>(args->buffer)->bytes.data());
  return nullptr;
}
void* Do(ClientDefaultDeviceAssignmentArgs* args) {
  for (size_t i = 0; i < args->size; ++i) args->ids[i] = static_cast<int>(i);
  return nullptr;
}
void* Do(ClientCreateViewOfDeviceBufferArgs*) { return nullptr; }

// --- Errors -----------------------------------------------------------------

void* Do(ErrorDestroyArgs* args) {
  delete As<Error>(args->error);
  return nullptr;
}
void* Do(ErrorMessageArgs* args) {
  const std::string& text = static_cast<const Error*>(args->error)->text;
  args->text = text.data();
  args->text_size = text.size();
  return nullptr;
}
void* Do(ErrorGetCodeArgs* args) {
  args->code = 13;  // internal
  return nullptr;
}

// --- The table --------------------------------------------------------------

constexpr bool IsOfErrors(size_t slot) { return slot < 3; }

// Calls that destroy or give back do so even if they fail.
bool IsDestroying(const char* name) {
  return std::strstr(name, "Destroy") != nullptr ||
         std::strstr(name, "Decrease") != nullptr;
}

template <typename Args>
void* Call(void* pointer) {
  auto* const args = static_cast<Args*>(pointer);
  if (args->head.size < Args::Size()) return new Error("too small a struct");
  if (IsOfErrors(Args::kSlot)) return Do(args);
  void* const error = Enter(Args::kName);
  if (error != nullptr && !IsDestroying(Args::kName)) return error;
  void* const own = Do(args);
  return error != nullptr ? error : own;
}

// Two of them give nothing back.
template <typename Args>
void CallOfErrors(void* pointer) {
  Call<Args>(pointer);
}

Function FromSilent(SilentFunction function) {
  return reinterpret_cast<Function>(reinterpret_cast<void (*)()>(function));
}

constexpr size_t kFunctionCount = 118;

struct FullTable {
  Api api;
  Function more[kFunctionCount - 1] = {};
};

Function* FunctionsOf(FullTable* table) { return table->api.functions; }

FullTable* MakeTable() {
  auto* const table = new FullTable();
  table->api.head.size = EndOfFunctions(kFunctionCount);
  table->api.minor_version = 81;
  Function* const functions = FunctionsOf(table);
#define INDIM_PJRT_STRUCT(name, xla)
#define INDIM_PJRT_FUNCTION(slot, name, xla) functions[slot] = Call<name##Args>;
#define INDIM_PJRT_FIELD(type, name, xla)
#define INDIM_PJRT_END(name, last)
#include "indim/run/abi/abi.def"
#undef INDIM_PJRT_STRUCT
#undef INDIM_PJRT_FUNCTION
#undef INDIM_PJRT_FIELD
#undef INDIM_PJRT_END
  functions[ErrorDestroyArgs::kSlot] =
      FromSilent(CallOfErrors<ErrorDestroyArgs>);
  functions[ErrorMessageArgs::kSlot] =
      FromSilent(CallOfErrors<ErrorMessageArgs>);
  return table;
}

FullTable* Table() {
  static FullTable* const table = MakeTable();
  return table;
}

void Finish() {
  std::vector<std::thread> running;
  {
    const std::lock_guard<std::mutex> lock(threads_mutex);
    running.swap(*threads);
  }
  for (std::thread& thread : running) thread.join();
}

}  // namespace

extern "C" {

const pjrt::abi::Api* GetPjrtApi() { return &Table()->api; }

extern const FakePluginControl kFakePluginControl;
const FakePluginControl kFakePluginControl = {
    [](int n) {
      fail_at = n;
      calls = 0;
    },
    [] { return calls.load(); },
    [] { return fail_at > 0 && calls >= fail_at; },
    [] { return live.load(); },
    Finish,
    [](int count) {
      Table()->api.head.size = EndOfFunctions(
          count == 0 ? kFunctionCount : static_cast<size_t>(count));
    }};

}  // extern "C"

}  // namespace indim
