// SPDX-License-Identifier: Apache-2.0
// Random graphs: both modes beside the numerical derivative. More of them than
// in the suite: INDIM_RANDOM_GRAPHS=1000.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "indim/grad/gradient.h"
#include "indim/passes/check/verify_module.h"
#include "indim/tests/grad/probe.h"
#include "indim/tests/grad/random_graph.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

int GraphCount() {
  const char* const count = std::getenv("INDIM_RANDOM_GRAPHS");
  return count == nullptr ? 72 : std::atoi(count);
}

// Whether the two are equal, up to what five points can tell.
bool Near(double a, double b) {
  return std::abs(a - b) <= 2e-6 * (1 + std::abs(a) + std::abs(b));
}

TEST(RandomGraphTest, AgreesWithNumericalDerivatives) {
  int rough = 0;
  for (int i = 0; i < GraphCount(); ++i) {
    SCOPED_TRACE(i);
    const absl::StatusOr<Module> graph = RandomGraph(static_cast<uint64_t>(i));
    ASSERT_TRUE(graph.ok()) << graph.status();
    const Probe probe(*graph);
    const double numeric = probe.Numeric();
    // At a kink between the points there is no derivative to find.
    if (!Near(numeric, probe.Numeric(4e-4))) {
      ++rough;
      continue;
    }
    const std::string text = PrintHloText(*graph);
    const absl::StatusOr<Module> gradient = Gradient(*graph, probe.wrt());
    ASSERT_TRUE(gradient.ok()) << gradient.status() << text;
    EXPECT_TRUE(VerifyModule(*gradient).ok()) << text;
    const double reverse = probe.ByGradient(*gradient);
    EXPECT_TRUE(Near(reverse, numeric)) << reverse << " " << numeric << text;
    const absl::StatusOr<Module> tangents = Tangents(*graph, probe.wrt());
    ASSERT_TRUE(tangents.ok()) << tangents.status() << text;
    EXPECT_TRUE(VerifyModule(*tangents).ok()) << text;
    const double forward = probe.ByTangents(*tangents);
    EXPECT_TRUE(Near(forward, numeric)) << forward << " " << numeric << text;
  }
  EXPECT_LT(rough, GraphCount() / 5 + 1);
}

}  // namespace
}  // namespace indim
