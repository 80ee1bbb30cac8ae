// LAPACK for XLA's CPU, outside of JAX: registers functions for the custom
// calls by which JAX factors matrices, over the LAPACK of the system, and runs
// a module with each. A program that registers these runs JAX's exported
// modules that have Cholesky, LU, QR, eigh, SVD, triangular solves, eigenvalues
// or Schur and Hessenberg forms of f32, and some of them of c64.
//
//   apt-get install liblapack3
//   ./bazelw run //examples:lapack -- --plugin=cpu
//   bazel-bin/examples/lapack run FILE X.npy... --plugin=PLUGIN --output=Y.npy
//
// The last one runs a module as `indim run` does.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "indim/eval/values/npy.h"
#include "indim/eval/values/random_literal.h"
#include "indim/examples/lapack_calls.h"
#include "indim/io/read.h"
#include "indim/proto/codec/literal.h"
#include "indim/run/client.h"
#include "indim/run/plugin.h"

namespace indim {
namespace {

// A module whose result is near 0: what the factors give, less the matrix. The
// matrix is x times its transpose.
struct Test {
  const char* name;
  const char* text;
};
constexpr Test kTests[] = {
    {"Cholesky, l . l^T", R"(HloModule potrf

ENTRY e {
  x = f32[4,4]{1,0} parameter(0)
  a = f32[4,4]{1,0} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  c = f32[4,4]{0,1} copy(a)
  f = (f32[4,4]{0,1}, s32[]) custom-call(c), custom_call_target="lapack_spotrf_ffi", operand_layout_constraints={f32[4,4]{0,1}}, api_version=API_VERSION_TYPED_FFI, backend_config="{uplo = 76 : ui8}"
  g = f32[4,4]{0,1} get-tuple-element(f), index=0
  i = s32[4,4]{1,0} iota(), iota_dimension=0
  j = s32[4,4]{1,0} iota(), iota_dimension=1
  lower = pred[4,4]{1,0} compare(i, j), direction=GE
  zero = f32[] constant(0)
  zeros = f32[4,4]{1,0} broadcast(zero), dimensions={}
  gc = f32[4,4]{1,0} copy(g)
  l = f32[4,4]{1,0} select(lower, gc, zeros)
  p = f32[4,4]{1,0} dot(l, l), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT r = f32[4,4]{1,0} subtract(p, a)
}
)"},
    {"symmetric eigenvalues, a . v - v . w", R"(HloModule syevd

ENTRY e {
  x = f32[4,4]{1,0} parameter(0)
  a = f32[4,4]{1,0} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  c = f32[4,4]{0,1} copy(a)
  f = (f32[4,4]{0,1}, f32[4]{0}, s32[]) custom-call(c), custom_call_target="lapack_ssyevd_ffi", operand_layout_constraints={f32[4,4]{0,1}}, api_version=API_VERSION_TYPED_FFI, backend_config="{mode = 86 : ui8, uplo = 76 : ui8}"
  g = f32[4,4]{0,1} get-tuple-element(f), index=0
  v = f32[4,4]{1,0} copy(g)
  w = f32[4]{0} get-tuple-element(f), index=1
  ww = f32[4,4]{1,0} broadcast(w), dimensions={1}
  av = f32[4,4]{1,0} dot(a, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  vw = f32[4,4]{1,0} multiply(v, ww)
  ROOT r = f32[4,4]{1,0} subtract(av, vw)
}
)"},
    {"singular values, u . s . vt - a", R"(HloModule gesdd

ENTRY e {
  a = f32[4,4]{1,0} parameter(0)
  c = f32[4,4]{0,1} copy(a)
  f = (f32[4,4]{0,1}, f32[4]{0}, f32[4,4]{0,1}, f32[4,4]{0,1}, s32[]) custom-call(c), custom_call_target="lapack_sgesdd_ffi", operand_layout_constraints={f32[4,4]{0,1}}, api_version=API_VERSION_TYPED_FFI, backend_config="{mode = 83 : ui8}"
  s = f32[4]{0} get-tuple-element(f), index=1
  gu = f32[4,4]{0,1} get-tuple-element(f), index=2
  gv = f32[4,4]{0,1} get-tuple-element(f), index=3
  u = f32[4,4]{1,0} copy(gu)
  vt = f32[4,4]{1,0} copy(gv)
  ss = f32[4,4]{1,0} broadcast(s), dimensions={1}
  us = f32[4,4]{1,0} multiply(u, ss)
  p = f32[4,4]{1,0} dot(us, vt), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[4,4]{1,0} subtract(p, a)
}
)"},
    {"QR, r^T . r - a^T . a", R"(HloModule geqrf

ENTRY e {
  a = f32[4,4]{1,0} parameter(0)
  c = f32[4,4]{0,1} copy(a)
  f = (f32[4,4]{0,1}, f32[4]{0}) custom-call(c), custom_call_target="lapack_sgeqrf_ffi", operand_layout_constraints={f32[4,4]{0,1}}, api_version=API_VERSION_TYPED_FFI, backend_config="{}"
  g = f32[4,4]{0,1} get-tuple-element(f), index=0
  gc = f32[4,4]{1,0} copy(g)
  i = s32[4,4]{1,0} iota(), iota_dimension=0
  j = s32[4,4]{1,0} iota(), iota_dimension=1
  upper = pred[4,4]{1,0} compare(i, j), direction=LE
  zero = f32[] constant(0)
  zeros = f32[4,4]{1,0} broadcast(zero), dimensions={}
  t = f32[4,4]{1,0} select(upper, gc, zeros)
  p = f32[4,4]{1,0} dot(t, t), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  q = f32[4,4]{1,0} dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT r = f32[4,4]{1,0} subtract(p, q)
}
)"},
    {"LU, the rows of l . u - a, as permuted", R"(HloModule getrf

ENTRY e {
  a = f32[2,2]{1,0} parameter(0)
  c = f32[2,2]{0,1} copy(a)
  f = (f32[2,2]{0,1}, s32[2]{0}, s32[]) custom-call(c), custom_call_target="lapack_sgetrf_ffi", operand_layout_constraints={f32[2,2]{0,1}}, api_version=API_VERSION_TYPED_FFI, backend_config="{}"
  g = f32[2,2]{0,1} get-tuple-element(f), index=0
  gc = f32[2,2]{1,0} copy(g)
  pivots = s32[2]{0} get-tuple-element(f), index=1
  first = s32[1]{0} slice(pivots), slice={[0:1]}
  two = s32[] constant(2)
  twos = s32[1]{0} broadcast(two), dimensions={}
  swapped = pred[1]{0} compare(first, twos), direction=EQ
  swap = pred[] reshape(swapped)
  swaps = pred[2,2]{1,0} broadcast(swap), dimensions={}
  reversed = f32[2,2]{1,0} reverse(a), dimensions={0}
  pa = f32[2,2]{1,0} select(swaps, reversed, a)
  i = s32[2,2]{1,0} iota(), iota_dimension=0
  j = s32[2,2]{1,0} iota(), iota_dimension=1
  upper = pred[2,2]{1,0} compare(i, j), direction=LE
  below = pred[2,2]{1,0} compare(i, j), direction=GT
  zero = f32[] constant(0)
  zeros = f32[2,2]{1,0} broadcast(zero), dimensions={}
  one = f32[] constant(1)
  ones = f32[2,2]{1,0} broadcast(one), dimensions={}
  equal = pred[2,2]{1,0} compare(i, j), direction=EQ
  unit = f32[2,2]{1,0} select(equal, ones, zeros)
  l = f32[2,2]{1,0} select(below, gc, unit)
  u = f32[2,2]{1,0} select(upper, gc, zeros)
  p = f32[2,2]{1,0} dot(l, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[2,2]{1,0} subtract(p, pa)
}
)"},
};

absl::StatusOr<double> LargestOf(const pjrt::Client& client, const Test& test) {
  const absl::StatusOr<Module> module = ReadModuleText(test.text);
  if (!module.ok()) return module.status();
  const absl::StatusOr<pjrt::Executable> program = client.Compile(*module);
  if (!program.ok()) return program.status();
  RandomStream random(1);
  const absl::StatusOr<Literal> x =
      RandomLiteral(program->inputs()[0].shape, &random);
  if (!x.ok()) return x.status();
  const absl::StatusOr<Literal> rest = program->Run({*x});
  if (!rest.ok()) return rest.status();
  double largest = 0;
  for (int64_t i = 0; i < rest->element_count(); ++i) {
    largest = std::max(largest, std::abs(rest->AsDouble(i)));
    if (std::isnan(rest->AsDouble(i))) return absl::InternalError("it is NaN");
  }
  return largest;
}

// A client whose programs find the functions above.
absl::StatusOr<pjrt::Client> StartClient(const std::string& name) {
  if (lapack::Lapack("spotrf_") == nullptr) {
    return absl::NotFoundError(
        "liblapack.so.3 isn't there; to fix: apt-get install liblapack3");
  }
  const absl::StatusOr<pjrt::Plugin> plugin = pjrt::Plugin::Find(name);
  if (!plugin.ok()) return plugin.status();
  absl::Status registered = lapack::RegisterFactors(*plugin);
  registered.Update(lapack::RegisterEigen(*plugin));
  if (!registered.ok()) return registered;
  return pjrt::Client::Create(*plugin);
}

absl::Status RunTests(const std::string& name) {
  const absl::StatusOr<pjrt::Client> client = StartClient(name);
  if (!client.ok()) return client.status();
  for (const Test& test : kTests) {
    const absl::StatusOr<double> largest = LargestOf(*client, test);
    if (!largest.ok()) return largest.status();
    std::printf("%-40s at most %.2g\n", test.name, *largest);
    if (*largest > 1e-3) return absl::InternalError("that isn't 0");
  }
  return absl::OkStatus();
}

// Writes a result as `indim run` does: an array, or those of a tuple.
absl::Status Write(const Literal& result, const std::string& path) {
  if (!result.shape().is_tuple()) return WriteNpyFile(result, path);
  const std::string stem = path.substr(0, path.rfind(".npy"));
  for (size_t i = 0; i < result.elements().size(); ++i) {
    const absl::Status written = WriteNpyFile(
        result.elements()[i], stem + "." + std::to_string(i) + ".npy");
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

absl::Status RunFile(const std::string& name,
                     const std::vector<std::string>& files,
                     const std::string& output) {
  const absl::StatusOr<Module> module = ReadModuleFile(files[0]);
  if (!module.ok()) return module.status();
  const absl::StatusOr<pjrt::Client> client = StartClient(name);
  if (!client.ok()) return client.status();
  const absl::StatusOr<pjrt::Executable> program = client->Compile(*module);
  if (!program.ok()) return program.status();
  std::vector<Literal> inputs;
  for (size_t i = 1; i < files.size(); ++i) {
    const ElementType type = i <= program->inputs().size()
                                 ? program->inputs()[i - 1].shape.element_type()
                                 : ElementType::kInvalid;
    absl::StatusOr<Literal> input = ReadNpyFile(files[i], type);
    if (!input.ok()) return input.status();
    inputs.push_back(*std::move(input));
  }
  const absl::StatusOr<Literal> result = program->Run(inputs);
  if (!result.ok()) return result.status();
  if (!output.empty()) return Write(*result, output);
  std::printf("%s\n", result->ToString().c_str());
  return absl::OkStatus();
}

}  // namespace
}  // namespace indim

// The value of a flag; `otherwise` where it isn't given.
std::string Flag(int argc, char** argv, const std::string& flag,
                 const std::string& otherwise) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.compare(0, flag.size(), flag) == 0) {
      return argument.substr(flag.size());
    }
  }
  return otherwise;
}

int main(int argc, char** argv) {
  const std::string plugin = Flag(argc, argv, "--plugin=", "cpu");
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--", 2) != 0) files.push_back(argv[i]);
  }
  const bool runs_file = files.size() > 1 && files[0] == "run";
  if (runs_file) files.erase(files.begin());
  const absl::Status status =
      runs_file
          ? indim::RunFile(plugin, files, Flag(argc, argv, "--output=", ""))
          : indim::RunTests(plugin);
  if (status.ok()) return EXIT_SUCCESS;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return EXIT_FAILURE;
}
