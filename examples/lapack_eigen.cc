// Eigenvalues, Schur and Hessenberg forms of f32, and of c64 those of Hermitian
// matrices and the Schur form.

#include <type_traits>

#include "indim/examples/lapack_calls.h"

namespace indim {
namespace lapack {
namespace {

using Complex = std::complex<float>;

// The number of an attribute, as JAX gives sizes.
int Size(const pjrt::CustomCall& call, const std::string& name) {
  for (const pjrt::CallAttribute& attribute : call.attributes) {
    if (attribute.name != name) continue;
    return static_cast<int>(std::get<Literal>(attribute.value).AsDouble(0));
  }
  return 0;
}

// LAPACK gives a pair of conjugate vectors as two columns: the real parts, then
// the imaginary parts of the first.
void Unpack(int n, const float* imaginary, const std::vector<float>& packed,
            Complex* vectors) {
  for (int j = 0; j < n; ++j) {
    const float* const column = &packed[static_cast<size_t>(j * n)];
    const bool is_pair = imaginary[j] != 0 && j + 1 < n;
    for (int i = 0; i < n; ++i) {
      const float other = is_pair ? column[n + i] : 0;
      vectors[j * n + i] = Complex(column[i], other);
      if (is_pair) vectors[(j + 1) * n + i] = Complex(column[i], -other);
    }
    if (is_pair) ++j;
  }
}

// Results: real and imaginary parts of the eigenvalues, left and right vectors,
// info.
absl::Status Geev(const pjrt::CustomCall& call) {
  const Matrices m = MatricesOf(call.arguments[0].shape);
  const int n = m.rows, work_size = std::max(34 * n, 1);
  const size_t size = static_cast<size_t>(n * n);
  const char left = Letter(call, "compute_left");
  const char right = Letter(call, "compute_right");
  std::vector<float> work(static_cast<size_t>(work_size));
  std::vector<float> a(size), vl(size), vr(size);
  for (int64_t k = 0; k < m.count; ++k) {
    const float* const given = Floats(call.arguments[0]) + k * n * n;
    std::copy(given, given + size, a.begin());
    float* const imaginary = Floats(call.results[1]) + k * n;
    Call("sgeev_", &left, &right, &n, a.data(), &n,
         Floats(call.results[0]) + k * n, imaginary, vl.data(), &n, vr.data(),
         &n, work.data(), &work_size, Integers(call.results[4]) + k, size_t{1},
         size_t{1});
    if (left == 'V') {
      Unpack(n, imaginary, vl, Complexes(call.results[2]) + k * n * n);
    }
    if (right == 'V') {
      Unpack(n, imaginary, vr, Complexes(call.results[3]) + k * n * n);
    }
  }
  return absl::OkStatus();
}

// The Schur form of f32 or c64. Results: the form, its vectors, the eigenvalues
// (of f32 the real and then the imaginary parts), how many are selected (none:
// they aren't sorted), info.
template <typename T>
absl::Status Gees(const pjrt::CustomCall& call) {
  constexpr bool kReal = std::is_same_v<T, float>;
  CopyFirst(call);
  const Matrices m = MatricesOf(call.results[0].shape);
  const int n = m.rows, work_size = std::max(34 * n, 1);
  const char mode = Letter(call, "mode"), sort = 'N';
  const auto numbers = [&](size_t i) {
    return static_cast<T*>(call.results[i].data);
  };
  constexpr size_t kSelected = kReal ? 4 : 3;
  std::vector<T> work(static_cast<size_t>(work_size));
  std::vector<float> reals(static_cast<size_t>(n));
  void* const select = nullptr;
  int* const order = nullptr;
  for (int64_t k = 0; k < m.count; ++k) {
    T* const form = numbers(0) + k * n * n;
    T* const vectors = numbers(1) + k * n * n;
    T* const values = numbers(2) + k * n;
    int* const selected = Integers(call.results[kSelected]) + k;
    int* const info = Integers(call.results[kSelected + 1]) + k;
    if constexpr (kReal) {
      Call("sgees_", &mode, &sort, select, &n, form, &n, selected, values,
           numbers(3) + k * n, vectors, &n, work.data(), &work_size, order,
           info, size_t{1}, size_t{1});
    } else {
      Call("cgees_", &mode, &sort, select, &n, form, &n, selected, values,
           vectors, &n, work.data(), &work_size, reals.data(), order, info,
           size_t{1}, size_t{1});
    }
  }
  return absl::OkStatus();
}

// Results: the Hessenberg form with what makes its vectors, their scales, info.
absl::Status Gehrd(const pjrt::CustomCall& call) {
  CopyFirst(call);
  const Matrices m = MatricesOf(call.results[0].shape);
  const int n = m.rows, work_size = std::max(64 * n, 1);
  const int low = Size(call, "low"), high = Size(call, "high");
  std::vector<float> work(static_cast<size_t>(work_size));
  for (int64_t k = 0; k < m.count; ++k) {
    Call("sgehrd_", &n, &low, &high, Floats(call.results[0]) + k * n * n, &n,
         Floats(call.results[1]) + k * std::max(n - 1, 0), work.data(),
         &work_size, Integers(call.results[2]) + k);
  }
  return absl::OkStatus();
}

// Results: the vectors, the eigenvalues, info.
absl::Status Heevd(const pjrt::CustomCall& call) {
  CopyFirst(call);
  const Matrices m = MatricesOf(call.results[0].shape);
  const char mode = Letter(call, "mode"), uplo = Letter(call, "uplo");
  const int n = m.rows, work_size = std::max(2 * n + n * n, 1);
  const int real_size = 1 + 5 * n + 2 * n * n, integer_size = 3 + 5 * n;
  std::vector<Complex> work(static_cast<size_t>(work_size));
  std::vector<float> reals(static_cast<size_t>(real_size));
  std::vector<int> integers(static_cast<size_t>(integer_size));
  for (int64_t k = 0; k < m.count; ++k) {
    Call("cheevd_", &mode, &uplo, &n, Complexes(call.results[0]) + k * n * n,
         &n, Floats(call.results[1]) + k * n, work.data(), &work_size,
         reals.data(), &real_size, integers.data(), &integer_size,
         Integers(call.results[2]) + k, size_t{1}, size_t{1});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterEigen(const pjrt::Plugin& plugin) {
  absl::Status status;
  status.Update(pjrt::RegisterCustomCall<Geev>(plugin, "lapack_sgeev_ffi"));
  status.Update(
      pjrt::RegisterCustomCall<Gees<float>>(plugin, "lapack_sgees_ffi"));
  status.Update(
      pjrt::RegisterCustomCall<Gees<Complex>>(plugin, "lapack_cgees_ffi"));
  status.Update(pjrt::RegisterCustomCall<Gehrd>(plugin, "lapack_sgehrd_ffi"));
  status.Update(pjrt::RegisterCustomCall<Heevd>(plugin, "lapack_cheevd_ffi"));
  return status;
}

}  // namespace lapack
}  // namespace indim
