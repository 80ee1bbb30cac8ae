// LAPACK for XLA's CPU, outside of JAX: registers functions for the custom
// calls by which JAX factors matrices, over the LAPACK of the system, and runs
// a module with each. A program that registers these runs JAX's exported
// modules that have Cholesky, LU, QR, eigh, SVD or triangular solves of f32.
//
//   apt-get install liblapack3
//   ./bazelw run //examples:lapack -- --plugin=cpu
//   bazel-bin/examples/lapack run FILE X.npy... --plugin=PLUGIN --output=Y.npy
//
// The last one runs a module as `indim run` does.

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "indim/codec/literal.h"
#include "indim/eval/values/npy.h"
#include "indim/eval/values/random_literal.h"
#include "indim/io/read.h"
#include "indim/pjrt/client.h"
#include "indim/pjrt/custom_call.h"
#include "indim/pjrt/plugin.h"

namespace indim {
namespace {

// A function of LAPACK by its name, as Fortran calls it; null: it isn't there.
// Sizes of texts come behind the other arguments.
void* Lapack(const char* name) {
  static void* const library = dlopen("liblapack.so.3", RTLD_NOW);
  return library == nullptr ? nullptr : dlsym(library, name);
}

template <typename... Args>
void Call(const char* name, Args... args) {
  reinterpret_cast<void (*)(Args...)>(Lapack(name))(args...);
}

// A letter that JAX gives as a number of 8 bits: 'L', 'V'.
char Letter(const pjrt::CustomCall& call, const std::string& name) {
  for (const pjrt::CallAttribute& attribute : call.attributes) {
    if (attribute.name != name) continue;
    return static_cast<char>(std::get<Literal>(attribute.value).AsDouble(0));
  }
  return ' ';
}

// The sizes of the matrices, and how many there are. Columns come one after
// the other, since the calls constrain their layouts so.
struct Matrices {
  int rows = 0;
  int columns = 0;
  int64_t count = 1;
};
Matrices MatricesOf(const Shape& shape) {
  Matrices m;
  const int rank = shape.rank();
  m.rows = static_cast<int>(shape.dim(rank - 2).size());
  m.columns = static_cast<int>(shape.dim(rank - 1).size());
  for (int d = 0; d < rank - 2; ++d) m.count *= shape.dim(d).size();
  return m;
}

float* Floats(const pjrt::CallArray& array) {
  return static_cast<float*>(array.data);
}
int* Integers(const pjrt::CallArray& array) {
  return static_cast<int*>(array.data);
}

// What LAPACK overwrites begins as an argument; XLA may have put both in one
// place.
void CopyArgument(const pjrt::CustomCall& call, size_t number) {
  const pjrt::CallArray& argument = call.arguments[number];
  const size_t size =
      static_cast<size_t>(argument.shape.ElementCount().value_or(0)) *
      sizeof(float);
  if (call.results[0].data == argument.data) return;
  std::memcpy(call.results[0].data, argument.data, size);
}
void CopyFirst(const pjrt::CustomCall& call) { CopyArgument(call, 0); }

absl::Status Potrf(const pjrt::CustomCall& call) {
  CopyFirst(call);
  const Matrices m = MatricesOf(call.results[0].shape);
  const char uplo = Letter(call, "uplo");
  for (int64_t k = 0; k < m.count; ++k) {
    Call("spotrf_", &uplo, &m.rows,
         Floats(call.results[0]) + k * m.rows * m.columns, &m.rows,
         Integers(call.results[1]) + k, size_t{1});
  }
  return absl::OkStatus();
}

absl::Status Getrf(const pjrt::CustomCall& call) {
  CopyFirst(call);
  const Matrices m = MatricesOf(call.results[0].shape);
  const int pivots = std::min(m.rows, m.columns);
  for (int64_t k = 0; k < m.count; ++k) {
    Call("sgetrf_", &m.rows, &m.columns,
         Floats(call.results[0]) + k * m.rows * m.columns, &m.rows,
         Integers(call.results[1]) + k * pivots, Integers(call.results[2]) + k);
  }
  return absl::OkStatus();
}

absl::Status Geqrf(const pjrt::CustomCall& call) {
  CopyFirst(call);
  const Matrices m = MatricesOf(call.results[0].shape);
  const int factors = std::min(m.rows, m.columns);
  const int work_size = 64 * std::max(m.columns, 1);
  std::vector<float> work(static_cast<size_t>(work_size));
  for (int64_t k = 0; k < m.count; ++k) {
    int info = 0;
    Call("sgeqrf_", &m.rows, &m.columns,
         Floats(call.results[0]) + k * m.rows * m.columns, &m.rows,
         Floats(call.results[1]) + k * factors, work.data(), &work_size, &info);
    if (info != 0) return absl::InternalError("sgeqrf failed");
  }
  return absl::OkStatus();
}

absl::Status Syevd(const pjrt::CustomCall& call) {
  CopyFirst(call);
  const Matrices m = MatricesOf(call.results[0].shape);
  const char mode = Letter(call, "mode"), uplo = Letter(call, "uplo");
  const int n = m.rows;
  const int work_size = 1 + 6 * n + 2 * n * n, integer_size = 3 + 5 * n;
  std::vector<float> work(static_cast<size_t>(work_size));
  std::vector<int> integers(static_cast<size_t>(integer_size));
  for (int64_t k = 0; k < m.count; ++k) {
    Call("ssyevd_", &mode, &uplo, &n, Floats(call.results[0]) + k * n * n, &n,
         Floats(call.results[1]) + k * n, work.data(), &work_size,
         integers.data(), &integer_size, Integers(call.results[2]) + k,
         size_t{1}, size_t{1});
  }
  return absl::OkStatus();
}

// Results: what is left of x, s, u, vt, info.
absl::Status Gesdd(const pjrt::CustomCall& call) {
  CopyFirst(call);
  const Matrices m = MatricesOf(call.results[0].shape);
  const Matrices u = MatricesOf(call.results[2].shape);
  const Matrices vt = MatricesOf(call.results[3].shape);
  const char mode = Letter(call, "mode");
  const int least = std::min(m.rows, m.columns);
  const int work_size =
      4 * least * least + 7 * least + 64 * (m.rows + m.columns) + 64;
  std::vector<float> work(static_cast<size_t>(work_size));
  std::vector<int> integers(static_cast<size_t>(8 * least));
  for (int64_t k = 0; k < m.count; ++k) {
    Call("sgesdd_", &mode, &m.rows, &m.columns,
         Floats(call.results[0]) + k * m.rows * m.columns, &m.rows,
         Floats(call.results[1]) + k * least,
         Floats(call.results[2]) + k * u.rows * u.columns, &u.rows,
         Floats(call.results[3]) + k * vt.rows * vt.columns, &vt.rows,
         work.data(), &work_size, integers.data(),
         Integers(call.results[4]) + k, size_t{1});
  }
  return absl::OkStatus();
}

// From the factors of geqrf to the matrix q.
absl::Status Orgqr(const pjrt::CustomCall& call) {
  CopyFirst(call);
  const Matrices m = MatricesOf(call.results[0].shape);
  const Shape& tau = call.arguments[1].shape;
  const int factors = static_cast<int>(tau.dim(tau.rank() - 1).size());
  const int work_size = 64 * std::max(m.columns, 1);
  std::vector<float> work(static_cast<size_t>(work_size));
  for (int64_t k = 0; k < m.count; ++k) {
    int info = 0;
    Call("sorgqr_", &m.rows, &m.columns, &factors,
         Floats(call.results[0]) + k * m.rows * m.columns, &m.rows,
         Floats(call.arguments[1]) + k * factors, work.data(), &work_size,
         &info);
    if (info != 0) return absl::InternalError("sorgqr failed");
  }
  return absl::OkStatus();
}

// a . x = b, or x . a = b; the result is x.
absl::Status Trsm(const pjrt::CustomCall& call) {
  CopyArgument(call, 1);
  const Matrices a = MatricesOf(call.arguments[0].shape);
  const Matrices b = MatricesOf(call.results[0].shape);
  const char side = Letter(call, "side"), uplo = Letter(call, "uplo");
  const char trans = Letter(call, "trans_x"), diag = Letter(call, "diag");
  const float one = 1;
  for (int64_t k = 0; k < b.count; ++k) {
    Call("strsm_", &side, &uplo, &trans, &diag, &b.rows, &b.columns, &one,
         Floats(call.arguments[0]) + k * a.rows * a.columns, &a.rows,
         Floats(call.results[0]) + k * b.rows * b.columns, &b.rows, size_t{1},
         size_t{1}, size_t{1}, size_t{1});
  }
  return absl::OkStatus();
}

absl::Status RegisterAll(const pjrt::Plugin& plugin) {
  absl::Status status;
  status.Update(pjrt::RegisterCustomCall<Potrf>(plugin, "lapack_spotrf_ffi"));
  status.Update(pjrt::RegisterCustomCall<Getrf>(plugin, "lapack_sgetrf_ffi"));
  status.Update(pjrt::RegisterCustomCall<Geqrf>(plugin, "lapack_sgeqrf_ffi"));
  status.Update(pjrt::RegisterCustomCall<Syevd>(plugin, "lapack_ssyevd_ffi"));
  status.Update(pjrt::RegisterCustomCall<Gesdd>(plugin, "lapack_sgesdd_ffi"));
  status.Update(pjrt::RegisterCustomCall<Orgqr>(plugin, "lapack_sorgqr_ffi"));
  status.Update(pjrt::RegisterCustomCall<Trsm>(plugin, "lapack_strsm_ffi"));
  return status;
}

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
  if (Lapack("spotrf_") == nullptr) {
    return absl::NotFoundError(
        "liblapack.so.3 isn't there; to fix: apt-get install liblapack3");
  }
  const absl::StatusOr<pjrt::Plugin> plugin = pjrt::Plugin::Find(name);
  if (!plugin.ok()) return plugin.status();
  const absl::Status registered = RegisterAll(*plugin);
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
