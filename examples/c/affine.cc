// affine.c in C++17, with indim.hpp: shows an error, writes the right graph for
// XLA, and computes it (docs/install.md has the commands).

#include <indim.hpp>
#include <iostream>

namespace {

void Run() {
  indim_api::Builder b("affine");
  const auto x = b.Parameter("f32[2,2]", "x");
  const auto bias = b.Parameter("f32[2]", "bias");
  try {
    b.Add("add", {x, bias});
  } catch (const indim_api::Error& error) {
    std::cout << error.what() << "\n";
  }
  indim_api::Attributes rows;
  rows.broadcast_dimensions = {1};
  const indim_api::Module module = b.Build(b.Add("add", {x, bias}, rows));
  module.WriteFile("affine.pb", /*for_xla=*/true);
  std::cout << module
                   .Evaluate(
                       {{"f32", {2, 2}, {1, 2, 3, 4}}, {"f32", {2}, {10, 20}}})
                   .text()
            << "\n";
}

}  // namespace

int main() {
  try {
    Run();
  } catch (const indim_api::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
