// Memory, measured in a process of its own per row: what a graph adds to the
// peak of the resident set.

#ifndef INDIM_BENCH_MEMORY_H_
#define INDIM_BENCH_MEMORY_H_

#include <string>
#include <vector>

namespace indim::bench {

// Prints a table: recording, recording and export (the bytes that are made
// included), and recording and writing a file, of each graph of the peers in
// bytes per instruction at the peak, and import of each file beyond the file
// itself, as a share of the file. An export's instructions are those that it
// writes.
void PrintMemory(const std::vector<std::string>& files);

}  // namespace indim::bench

#endif  // INDIM_BENCH_MEMORY_H_
