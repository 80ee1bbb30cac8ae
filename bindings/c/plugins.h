// SPDX-License-Identifier: Apache-2.0
// The objects behind the handles of PJRT plugins.

#ifndef INDIM_BINDINGS_C_PLUGINS_H_
#define INDIM_BINDINGS_C_PLUGINS_H_

#include <indim.h>

#include <utility>

#include "indim/run/buffer.h"
#include "indim/run/client.h"
#include "indim/run/executable.h"

struct indim_client {
  explicit indim_client(indim::pjrt::Client of) : client(std::move(of)) {}
  const indim::pjrt::Client client;
};

struct indim_executable {
  explicit indim_executable(indim::pjrt::Executable of)
      : executable(std::move(of)) {}
  const indim::pjrt::Executable executable;
};

struct indim_buffer {
  explicit indim_buffer(indim::pjrt::Buffer of) : buffer(std::move(of)) {}
  const indim::pjrt::Buffer buffer;
};

#endif  // INDIM_BINDINGS_C_PLUGINS_H_
