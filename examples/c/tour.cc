// SPDX-License-Identifier: Apache-2.0
// A tour of indim.hpp (docs/cpp.md): builds a graph, shows an error, computes,
// writes, reads, checks, gives sizes values, and differentiates.

#include <indim.hpp>
#include <iostream>

using indim_api::Literal;
using indim_api::Module;

// A layer: relu(x w + bias), for any number of rows.
Module Layer() {
  indim_api::Builder b("layer");
  const auto x = b.Parameter("f32[n,2]", "x");
  const auto w = b.Parameter("f32[2,3]", "w");
  const auto bias = b.Parameter("f32[3]", "bias");
  const auto product = b.Composite("mat_mul", {x, w})[0];
  try {
    b.Add("add", {product, bias});
  } catch (const indim_api::Error& error) {
    std::cout << error.what() << "\n";
  }
  indim_api::Attributes rows;
  rows.broadcast_dimensions = {1};
  const auto sum = b.Add("add", {product, bias}, rows);
  return b.Build(b.Composite("relu", {sum})[0]);
}

void Tour() {
  const Module layer = Layer();
  const Literal x("f32", {2, 2}, {1, 2, 3, 4});
  const Literal w("f32", {2, 3}, {1, 0, -1, 0, 1, 0});
  const Literal bias("f32", {3}, {10, 20, 0});
  std::cout << layer.Evaluate({x, w, bias}).text() << "\n";

  const Module two_rows = layer.Refine({"n=2"});
  two_rows.WriteFile("layer.pb", /*for_xla=*/true);
  two_rows.WriteFile("layer.mlir");
  const Module read = Module::ReadFile("layer.pb");
  std::cout << read.Check().size() << " findings\n"
            << two_rows.Write(INDIM_FORMAT_HLO_TEXT);

  const Module gradient = two_rows.Derivative({1});  // by w
  const Literal ones("f32", {2, 3}, {1, 1, 1, 1, 1, 1});
  std::cout << gradient.Evaluate({x, w, bias, ones}).text() << "\n";

  std::cout << indim_api::Explain("f32[4] + f32[1,2] {0}");
}

int main() {
  try {
    Tour();
  } catch (const indim_api::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
