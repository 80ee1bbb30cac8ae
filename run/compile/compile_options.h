// SPDX-License-Identifier: Apache-2.0
// How a program is compiled, and the bytes in which plugins take that.

#ifndef INDIM_RUN_COMPILE_COMPILE_OPTIONS_H_
#define INDIM_RUN_COMPILE_COMPILE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace indim::pjrt {

// Who splits a program over the partitions.
enum class Partitioner : uint8_t {
  kByModule,  // what the module needs: none, Shardy's or XLA's first one
  kNone,
  kSpmd,   // XLA's first one (GSPMD), by shardings
  kShardy  // by annotations of xla.sdy.*
};

// A flag of XLA by its name, without dashes: {"xla_cpu_enable_fast_math",
// false}.
struct XlaFlag {
  std::string name;
  std::variant<std::string, bool, int64_t, double> value;
};

struct CompileOptions {
  // How many copies of the program run, and over how many devices each is
  // spread. 0: what the module's configuration says, or 1.
  int64_t replicas = 0;
  int64_t partitions = 0;
  // Where neither these options nor the module give a count: the number of
  // devices, which are partitions for a module with shardings, and replicas for
  // any other.
  int64_t devices = 1;
  // The ids of the devices: replica by replica, the partitions of each. Empty:
  // the plugin's choice.
  std::vector<int64_t> device_ids;
  Partitioner partitioner = Partitioner::kByModule;
  // The plugin refuses names that it doesn't know. Client::Compile adds those
  // of default_flags.def that are named neither here nor in XLA_FLAGS.
  std::vector<XlaFlag> flags;
  // Refuse modules that are known to end this plugin's process (preflight.h).
  bool preflight = true;
};

// `options` as a CompileOptionsProto. Counts of 0 are 1. `tupled`: the one
// parameter is a tuple whose elements come as buffers of their own.
// kByModule is kNone.
std::string EncodeCompileOptions(const CompileOptions& options, bool tupled);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_COMPILE_OPTIONS_H_
