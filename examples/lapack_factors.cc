// Cholesky, LU, QR, eigh, SVD and triangular solves of f32.

#include "indim/examples/lapack_calls.h"

namespace indim {
namespace lapack {
namespace {

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

}  // namespace

absl::Status RegisterFactors(const pjrt::Plugin& plugin) {
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

}  // namespace lapack
}  // namespace indim
