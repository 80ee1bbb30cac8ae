// A PJRT plugin, loaded, and one program run on its first device. For tests: a
// module that a plugin doesn't like may abort the process (plugin_process.h).

#ifndef INDIM_TESTS_PJRT_PLUGIN_H_
#define INDIM_TESTS_PJRT_PLUGIN_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/codec/literal.h"
#include "indim/tests/pjrt/plugin_abi.h"

namespace indim {

class Plugin {
 public:
  // Loads the shared library `path`, which is never unloaded (that crashes
  // some), and makes a client.
  static absl::StatusOr<std::unique_ptr<Plugin>> Load(const std::string& path);

  // Compiles an HloModuleProto and runs it. `arguments`: dense arrays, the
  // parameters, or the elements of the one parameter if `tupled`. The bytes of
  // each result; those of a tuple come one by one. Without `fetch` none.
  absl::StatusOr<std::vector<std::string>> Run(
      absl::string_view hlo, absl::Span<const Literal> arguments, bool tupled,
      bool fetch);

  int minor_version() const { return api_->minor_version; }

 private:
  explicit Plugin(const pjrt::Api* api) : api_(api) {}
  absl::Status Call(pjrt::Slot slot, void* argument) const;
  absl::Status Await(void* event) const;
  absl::Status Destroy(pjrt::Slot slot, void* object) const;
  absl::Status Start();
  absl::StatusOr<void*> Compile(absl::string_view hlo, bool tupled) const;
  absl::StatusOr<void*> Upload(const Literal& literal) const;
  absl::StatusOr<std::string> Download(void* buffer) const;
  absl::StatusOr<size_t> CountOutputs(void* executable) const;

  const pjrt::Api* const api_;
  void* client_ = nullptr;
  void* device_ = nullptr;
};

// Whether a host buffer can be of this type.
bool HasPjrtType(ElementType type);

}  // namespace indim

#endif  // INDIM_TESTS_PJRT_PLUGIN_H_
