// Calls of LAPACK's functions from custom calls, for the files of this example.

#ifndef INDIM_EXAMPLES_LAPACK_CALLS_H_
#define INDIM_EXAMPLES_LAPACK_CALLS_H_

#include <dlfcn.h>

#include <complex>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "indim/proto/codec/literal.h"
#include "indim/run/custom_call.h"
#include "indim/run/plugin.h"

namespace indim {
namespace lapack {

// A function of LAPACK by its name, as Fortran calls it; null: it isn't there.
// Sizes of texts come behind the other arguments.
inline void* Lapack(const char* name) {
  static void* const library = dlopen("liblapack.so.3", RTLD_NOW);
  return library == nullptr ? nullptr : dlsym(library, name);
}

template <typename... Args>
void Call(const char* name, Args... args) {
  reinterpret_cast<void (*)(Args...)>(Lapack(name))(args...);
}

// A letter that JAX gives as a number of 8 bits: 'L', 'V'.
inline char Letter(const pjrt::CustomCall& call, const std::string& name) {
  const Literal* const letter = call.attribute<Literal>(name);
  return letter == nullptr ? ' ' : static_cast<char>(letter->AsDouble(0));
}

// The sizes of the matrices, and how many there are. Columns come one after
// the other, since the calls constrain their layouts so.
struct Matrices {
  int rows = 0;
  int columns = 0;
  int64_t count = 1;
};
inline Matrices MatricesOf(const Shape& shape) {
  Matrices m;
  const int rank = shape.rank();
  m.rows = static_cast<int>(shape.dim(rank - 2).size());
  m.columns = static_cast<int>(shape.dim(rank - 1).size());
  for (int d = 0; d < rank - 2; ++d) m.count *= shape.dim(d).size();
  return m;
}

inline float* Floats(const pjrt::CallArray& array) {
  return static_cast<float*>(array.data);
}
inline std::complex<float>* Complexes(const pjrt::CallArray& array) {
  return static_cast<std::complex<float>*>(array.data);
}
inline int* Integers(const pjrt::CallArray& array) {
  return static_cast<int*>(array.data);
}

// What LAPACK overwrites begins as an argument; XLA may have put both in one
// place.
inline void CopyArgument(const pjrt::CustomCall& call, size_t number) {
  const pjrt::CallArray& argument = call.arguments[number];
  const size_t size =
      static_cast<size_t>(argument.shape.ElementCount().value_or(0)) *
      static_cast<size_t>(ElementBytes(argument.shape.element_type()));
  if (call.results[0].data == argument.data) return;
  std::memcpy(call.results[0].data, argument.data, size);
}
inline void CopyFirst(const pjrt::CustomCall& call) { CopyArgument(call, 0); }

// Factors and triangular solves of f32.
absl::Status RegisterFactors(const pjrt::Plugin& plugin);
// Eigenvalues, Schur and Hessenberg forms.
absl::Status RegisterEigen(const pjrt::Plugin& plugin);

}  // namespace lapack
}  // namespace indim

#endif  // INDIM_EXAMPLES_LAPACK_CALLS_H_
