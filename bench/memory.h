// SPDX-License-Identifier: Apache-2.0
// Measures memory, in a separate process for each row: how much a graph adds to
// the peak of the resident set.

#ifndef INDIM_BENCH_MEMORY_H_
#define INDIM_BENCH_MEMORY_H_

#include <string>
#include <vector>

namespace indim::bench {

// Prints a table. For each graph of the peers: bytes per instruction at the
// peak of recording, of recording and export (with the resulting bytes), and of
// recording and writing a file; an export's instructions are those that it
// writes. For each file: the memory of import beyond the file itself, as a
// share of the file.
void PrintMemory(const std::vector<std::string>& files);

}  // namespace indim::bench

#endif  // INDIM_BENCH_MEMORY_H_
