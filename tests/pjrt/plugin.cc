#include "indim/tests/pjrt/plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/types/element_type.h"

namespace indim {
namespace {

using pjrt::Slot;

// PJRT_Buffer_Type of each element type.
struct TypeRow {
  ElementType type;
  int number;
};
constexpr TypeRow kTypes[] = {
    {ElementType::kPred, 1},        {ElementType::kS8, 2},
    {ElementType::kS16, 3},         {ElementType::kS32, 4},
    {ElementType::kS64, 5},         {ElementType::kU8, 6},
    {ElementType::kU16, 7},         {ElementType::kU32, 8},
    {ElementType::kU64, 9},         {ElementType::kF16, 10},
    {ElementType::kF32, 11},        {ElementType::kF64, 12},
    {ElementType::kBF16, 13},       {ElementType::kC64, 14},
    {ElementType::kC128, 15},       {ElementType::kF8E5M2, 16},
    {ElementType::kF8E4M3FN, 17},   {ElementType::kF8E4M3B11FNUZ, 18},
    {ElementType::kF8E5M2FNUZ, 19}, {ElementType::kF8E4M3FNUZ, 20},
    {ElementType::kS4, 21},         {ElementType::kU4, 22},
    {ElementType::kS2, 24},         {ElementType::kU2, 25},
    {ElementType::kF8E4M3, 26},     {ElementType::kF8E3M4, 27},
    {ElementType::kF8E8M0FNU, 28},  {ElementType::kF4E2M1FN, 29},
};

int PjrtType(ElementType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.number;
  }
  return 0;
}

// One replica, one partition: CompileOptionsProto.executable_build_options.
// Without them a plugin aborts.
constexpr absl::string_view kOptions("\x1a\x04\x20\x01\x28\x01", 6);
// parameter_is_tupled_arguments.
constexpr absl::string_view kTupled("\x10\x01", 2);

}  // namespace

bool HasPjrtType(ElementType type) { return PjrtType(type) != 0; }

absl::Status Plugin::Call(Slot slot, void* argument) const {
  const size_t end = offsetof(pjrt::Api, functions) +
                     (static_cast<size_t>(slot) + 1) * sizeof(pjrt::Function);
  if (api_->head.size < end || api_->functions[slot] == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("the plugin has no function ", slot));
  }
  void* const error = api_->functions[slot](argument);
  if (error == nullptr) return absl::OkStatus();
  pjrt::MessageArg message;
  message.error = error;
  api_->functions[pjrt::kErrorMessage](&message);
  const absl::Status status =
      absl::UnknownError(absl::string_view(message.message, message.size));
  pjrt::OneArg destroy;
  destroy.object = error;
  api_->functions[pjrt::kErrorDestroy](&destroy);
  return status;
}

absl::Status Plugin::Destroy(Slot slot, void* object) const {
  if (object == nullptr) return absl::OkStatus();
  pjrt::OneArg destroy;
  destroy.object = object;
  return Call(slot, &destroy);
}

absl::Status Plugin::Await(void* event) const {
  if (event == nullptr) return absl::OkStatus();
  pjrt::OneArg await;
  await.object = event;
  const absl::Status done = Call(pjrt::kEventAwait, &await);
  const absl::Status destroyed = Destroy(pjrt::kEventDestroy, event);
  return done.ok() ? destroyed : done;
}

absl::StatusOr<std::unique_ptr<Plugin>> Plugin::Load(const std::string& path) {
  // Or it writes to stderr what it thinks of the machine.
  setenv("TF_CPP_MIN_LOG_LEVEL", "1", /*overwrite=*/0);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return absl::NotFoundError(dlerror());
  const auto get_api =
      reinterpret_cast<const pjrt::Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr) return absl::NotFoundError(dlerror());
  std::unique_ptr<Plugin> plugin(new Plugin(get_api()));
  const absl::Status started = plugin->Start();
  if (!started.ok()) return started;
  return plugin;
}

absl::Status Plugin::Start() {
  pjrt::InitializeArg initialize;
  absl::Status status = Call(pjrt::kPluginInitialize, &initialize);
  if (!status.ok()) return status;
  pjrt::ClientCreateArg create;
  status = Call(pjrt::kClientCreate, &create);
  if (!status.ok()) return status;
  client_ = create.client;
  pjrt::DevicesArg devices;
  devices.client = client_;
  status = Call(pjrt::kClientAddressableDevices, &devices);
  if (!status.ok()) return status;
  if (devices.count == 0) return absl::NotFoundError("it has no device");
  device_ = devices.devices[0];
  return absl::OkStatus();
}

absl::StatusOr<void*> Plugin::Compile(absl::string_view hlo,
                                      bool tupled) const {
  constexpr absl::string_view kFormat = "hlo";
  pjrt::Program program;
  program.code = hlo.data();
  program.code_size = hlo.size();
  program.format = kFormat.data();
  program.format_size = kFormat.size();
  const std::string options = absl::StrCat(tupled ? kTupled : "", kOptions);
  pjrt::CompileArg compile;
  compile.client = client_;
  compile.program = &program;
  compile.options = options.data();
  compile.options_size = options.size();
  const absl::Status status = Call(pjrt::kClientCompile, &compile);
  if (!status.ok()) return status;
  return compile.executable;
}

absl::StatusOr<void*> Plugin::Upload(const Literal& literal) const {
  const absl::StatusOr<Literal> dense = literal.Expanded();
  if (!dense.ok()) return dense.status();
  std::vector<int64_t> dims;
  for (const Dim dim : dense->shape().dims()) dims.push_back(dim.size());
  pjrt::UploadArg upload;
  upload.client = client_;
  upload.data = dense->bytes().data();
  upload.type = PjrtType(dense->shape().element_type());
  upload.dims = dims.data();
  upload.dim_count = dims.size();
  upload.device = device_;
  absl::Status status = Call(pjrt::kClientBufferFromHostBuffer, &upload);
  if (status.ok()) status = Await(upload.done_event);
  if (!status.ok()) return status;
  return upload.buffer;
}

absl::StatusOr<std::string> Plugin::Download(void* buffer) const {
  pjrt::DownloadArg download;
  download.buffer = buffer;
  absl::Status status = Call(pjrt::kBufferToHostBuffer, &download);
  if (!status.ok()) return status;
  std::string bytes(download.size, '\0');
  if (bytes.empty()) return bytes;
  download.data = &bytes[0];
  status = Call(pjrt::kBufferToHostBuffer, &download);
  if (status.ok()) status = Await(download.event);
  if (!status.ok()) return status;
  return bytes;
}

absl::StatusOr<size_t> Plugin::CountOutputs(void* executable) const {
  pjrt::InOutArg get;
  get.object = executable;
  absl::Status status = Call(pjrt::kLoadedExecutableGetExecutable, &get);
  if (!status.ok()) return status;
  pjrt::CountArg outputs;
  outputs.object = get.out;
  status = Call(pjrt::kExecutableNumOutputs, &outputs);
  const absl::Status destroyed = Destroy(pjrt::kExecutableDestroy, get.out);
  if (!status.ok() || !destroyed.ok()) return status.ok() ? destroyed : status;
  return outputs.count;
}

absl::StatusOr<std::vector<std::string>> Plugin::Run(
    absl::string_view hlo, absl::Span<const Literal> arguments, bool tupled,
    bool fetch) {
  const absl::StatusOr<void*> executable = Compile(hlo, tupled);
  if (!executable.ok()) return executable.status();
  const absl::StatusOr<size_t> count = CountOutputs(*executable);
  if (!count.ok()) return count.status();
  std::vector<void*> inputs;
  for (const Literal& argument : arguments) {
    const absl::StatusOr<void*> input = Upload(argument);
    if (!input.ok()) return input.status();
    inputs.push_back(*input);
  }
  std::vector<void*> outputs(*count);
  void* const* const inputs_of[] = {inputs.data()};
  void** const outputs_of[] = {outputs.data()};
  void* done[] = {nullptr};
  pjrt::ExecuteOptions options;
  pjrt::ExecuteArg execute;
  execute.executable = *executable;
  execute.options = &options;
  execute.arguments = inputs_of;
  execute.device_count = 1;
  execute.argument_count = inputs.size();
  execute.outputs = outputs_of;
  execute.done_events = done;
  absl::Status status = Call(pjrt::kLoadedExecutableExecute, &execute);
  if (!status.ok()) return status;
  status = Await(done[0]);
  std::vector<std::string> results;
  for (void* const output : outputs) {
    if (status.ok() && fetch) {
      absl::StatusOr<std::string> bytes = Download(output);
      status = bytes.status();
      if (bytes.ok()) results.push_back(*std::move(bytes));
    }
    inputs.push_back(output);
  }
  for (void* const buffer : inputs) {
    const absl::Status freed = Destroy(pjrt::kBufferDestroy, buffer);
    if (status.ok()) status = freed;
  }
  const absl::Status freed =
      Destroy(pjrt::kLoadedExecutableDestroy, *executable);
  if (status.ok()) status = freed;
  if (!status.ok()) return status;
  return results;
}

}  // namespace indim
