// SPDX-License-Identifier: Apache-2.0
// Peers: times of other libraries for the same graphs, from separate programs
// (peers.md says how to get them). Each prints lines "NAME<TAB>ns per item".

#ifndef INDIM_BENCH_PEERS_H_
#define INDIM_BENCH_PEERS_H_

#include <map>
#include <string>
#include <vector>

namespace indim::bench {

// Runs every peer program in `folder` ("xla_peer", "mlir_peer") with `files` as
// arguments and collects its lines as "xla/NAME", "mlir/NAME". A program that
// is missing or fails adds nothing.
std::map<std::string, double> RunPeers(const std::string& folder,
                                       const std::vector<std::string>& files);

// Runs bench/peers/jaxlib_peer.py, of the folder in which this runs, with the
// Python that INDIM_XLA_PYTHON names on StableHLO texts: "jaxlib/NAME".
std::map<std::string, double> RunJaxlib(const std::vector<std::string>& files);

}  // namespace indim::bench

#endif  // INDIM_BENCH_PEERS_H_
