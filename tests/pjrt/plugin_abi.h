// The part of the PJRT C API that the test client uses, in our own words: the
// layout of its structs and the order of its functions, which no version from
// 0.81 to 0.115 changed. Names in comments are XLA's.

#ifndef INDIM_TESTS_PJRT_PLUGIN_ABI_H_
#define INDIM_TESTS_PJRT_PLUGIN_ABI_H_

#include <cstddef>
#include <cstdint>

namespace indim {
namespace pjrt {

// Every argument struct begins with it. `size` is that of the struct.
struct Head {
  size_t size = 0;
  void* extensions = nullptr;
};

// Positions in the table of functions.
enum Slot : size_t {
  kErrorDestroy = 0,
  kErrorMessage = 1,
  kPluginInitialize = 3,
  kEventDestroy = 5,
  kEventAwait = 8,
  kClientCreate = 10,
  kClientAddressableDevices = 16,
  kClientCompile = 20,
  kClientBufferFromHostBuffer = 22,
  kExecutableDestroy = 40,
  kExecutableNumOutputs = 44,
  kLoadedExecutableDestroy = 50,
  kLoadedExecutableGetExecutable = 51,
  kLoadedExecutableExecute = 55,
  kBufferDestroy = 58,
  kBufferToHostBuffer = 70,
};

// Takes an argument struct; null or an error, or nothing for those that destroy
// one or read its message.
using Function = void* (*)(void*);

// PJRT_Api.
struct Api {
  Head head;
  Head version_head;
  int major_version = 0, minor_version = 0;
  Function functions[1];  // as many as head.size says
};

// Of what takes or gives one thing: Destroy, Await, GetExecutable ...
struct OneArg {
  Head head{sizeof(OneArg), nullptr};
  void* object = nullptr;
};
struct InOutArg {
  Head head{sizeof(InOutArg), nullptr};
  void* object = nullptr;
  void* out = nullptr;
};
struct CountArg {
  Head head{sizeof(CountArg), nullptr};
  void* object = nullptr;
  size_t count = 0;
};
struct MessageArg {
  Head head{sizeof(MessageArg), nullptr};
  const void* error = nullptr;
  const char* message = nullptr;
  size_t size = 0;
};
struct InitializeArg {
  Head head{sizeof(InitializeArg), nullptr};
};

// PJRT_Client_Create_Args.
struct ClientCreateArg {
  Head head{sizeof(ClientCreateArg), nullptr};
  const void* options = nullptr;
  size_t option_count = 0;
  void* get_callback = nullptr;
  void* get_user = nullptr;
  void* put_callback = nullptr;
  void* put_user = nullptr;
  void* client = nullptr;  // out
  void* try_get_callback = nullptr;
  void* try_get_user = nullptr;
};

struct DevicesArg {
  Head head{sizeof(DevicesArg), nullptr};
  void* client = nullptr;
  void* const* devices = nullptr;  // out
  size_t count = 0;                // out
};

struct Program {
  Head head{sizeof(Program), nullptr};
  const char* code = nullptr;
  size_t code_size = 0;
  const char* format = nullptr;
  size_t format_size = 0;
};

struct CompileArg {
  Head head{sizeof(CompileArg), nullptr};
  void* client = nullptr;
  const Program* program = nullptr;
  const char* options = nullptr;  // a CompileOptionsProto
  size_t options_size = 0;
  void* executable = nullptr;  // out
};

// PJRT_Client_BufferFromHostBuffer_Args.
struct UploadArg {
  Head head{sizeof(UploadArg), nullptr};
  void* client = nullptr;
  const void* data = nullptr;
  int type = 0;
  const int64_t* dims = nullptr;
  size_t dim_count = 0;
  const int64_t* strides = nullptr;
  size_t stride_count = 0;
  int semantics = 0;  // 0: the data are copied during the call
  void* device = nullptr;
  void* memory = nullptr;
  void* layout = nullptr;
  void* done_event = nullptr;  // out
  void* buffer = nullptr;      // out
};

// PJRT_ExecuteOptions.
struct ExecuteOptions {
  Head head{sizeof(ExecuteOptions), nullptr};
  void* send_callbacks = nullptr;
  void* recv_callbacks = nullptr;
  size_t send_count = 0;
  size_t recv_count = 0;
  int launch_id = 0;
  const int64_t* kept_inputs = nullptr;
  size_t kept_input_count = 0;
  void* context = nullptr;
  const char* call_location = nullptr;
  size_t task_count = 0;
  int* task_ids = nullptr;
  int64_t* incarnation_ids = nullptr;
};

// PJRT_LoadedExecutable_Execute_Args.
struct ExecuteArg {
  Head head{sizeof(ExecuteArg), nullptr};
  void* executable = nullptr;
  ExecuteOptions* options = nullptr;
  void* const* const* arguments = nullptr;  // by device
  size_t device_count = 0;
  size_t argument_count = 0;
  void** const* outputs = nullptr;  // by device
  void** done_events = nullptr;     // by device, out
  void* device = nullptr;
};

// PJRT_Buffer_ToHostBuffer_Args.
struct DownloadArg {
  Head head{sizeof(DownloadArg), nullptr};
  void* buffer = nullptr;
  void* layout = nullptr;
  void* data = nullptr;  // null: only the size is asked for
  size_t size = 0;
  void* event = nullptr;  // out
};

}  // namespace pjrt
}  // namespace indim

#endif  // INDIM_TESTS_PJRT_PLUGIN_ABI_H_
