// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/lapack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "indim/eval/ops/factors.h"
#include "indim/eval/ops/interpreter.h"
#include "indim/eval/ops/numbers.h"
#include "indim/shape/ops/lapack.h"

namespace indim {
namespace {

char Letter(const Evaluation& e, absl::string_view name) {
  return LapackLetter(e.attributes_as<CustomCallAttributes>(), name);
}

// The same operation of HLO on the operands.
std::optional<Value> AsOperation(Evaluation& e, Interpreter& machine,
                                 Opcode opcode, const Attributes& attributes) {
  Evaluation inner(&machine, opcode, &attributes, e.operands(), {}, nullptr);
  return machine.RunOp(inner);
}

// LU of one matrix in place. Returns 1 + the first column whose pivot is 0, or
// 0.
int64_t FactorRows(const Matrix& a, const Matrices& all,
                   std::vector<int64_t>* pivots) {
  // What LAPACK compares.
  const auto size = [](Complex z) {
    return std::abs(z.real()) + std::abs(z.imag());
  };
  int64_t info = 0;
  for (int64_t k = 0; k < std::min(all.rows, all.columns); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < all.rows; ++i) {
      if (size(a.At(i, k)) > size(a.At(pivot, k))) pivot = i;
    }
    pivots->push_back(pivot + 1);
    for (int64_t j = 0; j < all.columns; ++j) {
      if (pivot != k) std::swap(a.At(k, j), a.At(pivot, j));
    }
    if (a.At(k, k) == Complex(0)) {
      if (info == 0) info = k + 1;
      continue;
    }
    for (int64_t i = k + 1; i < all.rows; ++i) {
      const Complex factor = a.At(i, k) /= a.At(k, k);
      for (int64_t j = k + 1; j < all.columns; ++j) {
        a.At(i, j) -= factor * a.At(k, j);
      }
    }
  }
  return info;
}

// Columns that have nothing in common, by rotations of two, which it multiplies
// into `vectors`. False after an error.
bool Orthogonalize(Evaluation& e, const OwnMatrix& a,
                   const OwnMatrix& vectors) {
  constexpr int kMostSweeps = 60;
  bool turned = true;
  for (int sweep = 0; turned && sweep < kMostSweeps; ++sweep) {
    turned = false;
    if (!e.Charge(a.rows * a.columns * a.columns)) return false;
    for (int64_t p = 0; p < a.columns; ++p) {
      for (int64_t q = p + 1; q < a.columns; ++q) {
        const double first = a.Product(p, p).real();
        const double second = a.Product(q, q).real();
        const Complex both = a.Product(p, q);
        if (!(std::abs(both) > 1e-16 * std::sqrt(first * second))) continue;
        turned = true;
        const Rotation rotation = RotationOf(first, both, second);
        RotateColumns(a.matrix, a.rows, p, q, rotation);
        RotateColumns(vectors.matrix, vectors.rows, p, q, rotation);
      }
    }
  }
  return true;
}

// Makes column `j` one of length 1 that has nothing in common with those before
// it.
void Complete(const OwnMatrix& a, int64_t j) {
  for (int64_t unit = 0; unit < a.rows; ++unit) {
    for (int64_t i = 0; i < a.rows; ++i) a.At(i, j) = i == unit;
    for (int time = 0; time < 2; ++time) {
      for (int64_t p = 0; p < j; ++p) {
        const Complex product = a.Product(p, j);
        for (int64_t i = 0; i < a.rows; ++i) {
          a.At(i, j) -= product * a.At(i, p);
        }
      }
    }
    const double length = std::sqrt(a.Product(j, j).real());
    for (int64_t i = 0; i < a.rows; ++i) a.At(i, j) /= length;
    // Of `rows` units one has a part of at least that size left.
    if (length * length * static_cast<double>(a.rows) > 0.5) return;
  }
}

// The singular values of one tall matrix, descending, and its vectors: in `u`
// and in `v`. False after an error.
bool Decompose(Evaluation& e, const OwnMatrix& a, const OwnMatrix& u,
               const OwnMatrix& v, std::vector<double>* values) {
  const int64_t n = a.columns;
  const OwnMatrix vectors(n, n);
  for (int64_t i = 0; i < n; ++i) vectors.At(i, i) = 1;
  if (!Orthogonalize(e, a, vectors)) return false;
  std::vector<double> lengths;
  for (int64_t j = 0; j < n; ++j) {
    lengths.push_back(std::sqrt(a.Product(j, j).real()));
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
    return lengths[static_cast<size_t>(x)] > lengths[static_cast<size_t>(y)];
  });
  for (int64_t k = 0; k < u.columns; ++k) {
    if (k >= n) {
      Complete(u, k);
      continue;
    }
    const int64_t from = order[static_cast<size_t>(k)];
    const double length = lengths[static_cast<size_t>(from)];
    values->push_back(length);
    for (int64_t i = 0; i < n; ++i) v.At(i, k) = vectors.At(i, from);
    if (length == 0) Complete(u, k);
    for (int64_t i = 0; length != 0 && i < a.rows; ++i) {
      u.At(i, k) = a.At(i, from) / length;
    }
  }
  return true;
}

// The system of one tridiagonal matrix, as LAPACK's gtsv solves it: each column
// of `x` becomes the solution, and the diagonals become the factors. dl[k] is
// left of d[k]. Returns 1 + the first row whose pivot is 0, or 0.
int64_t SolveTridiagonal(Complex* dl, Complex* d, Complex* du, const Matrix& x,
                         int64_t n, int64_t columns) {
  const auto size = [](Complex z) {
    return std::abs(z.real()) + std::abs(z.imag());
  };
  ++dl;  // as LAPACK counts
  for (int64_t k = 0; k + 1 < n; ++k) {
    if (dl[k] == Complex(0)) {
      if (d[k] == Complex(0)) return k + 1;
      continue;
    }
    const bool swap = size(d[k]) < size(dl[k]);
    const Complex factor = swap ? d[k] / dl[k] : dl[k] / d[k];
    for (int64_t j = 0; j < columns; ++j) {
      if (swap) std::swap(x.At(k, j), x.At(k + 1, j));
      x.At(k + 1, j) -= factor * x.At(k, j);
    }
    Complex above = 0;  // two places right of the diagonal
    if (swap) {
      d[k] = dl[k];
      std::swap(du[k], d[k + 1]);
      if (k + 2 < n) {
        above = du[k + 1];
        du[k + 1] *= -factor;
      }
    }
    d[k + 1] -= factor * du[k];
    if (k + 2 < n) dl[k] = above;
  }
  if (n > 0 && d[n - 1] == Complex(0)) return n;
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t k = n - 1; k >= 0; --k) {
      Complex& value = x.At(k, j);
      if (k + 1 < n) value -= du[k] * x.At(k + 1, j);
      if (k + 2 < n) value -= dl[k] * x.At(k + 2, j);
      value /= d[k];
    }
  }
  return 0;
}

// Whether matrix `element` of the recorded result has `size` columns (rows).
bool HasRecordedDim(const Evaluation& e, int element, bool columns,
                    int64_t size) {
  const Shape* const declared = e.declared();
  if (declared == nullptr || declared->tuple_size() <= element) return false;
  const Shape& shape = declared->elements()[static_cast<size_t>(element)];
  const int dim = shape.rank() - (columns ? 1 : 2);
  return dim >= 0 && shape.dim(dim) == Dim::Static(size);
}

}  // namespace

std::optional<Value> LapackPotrf(Evaluation& e, Interpreter& machine) {
  const Matrices all = MatricesOf(e, 1);
  if (all.rows < 0) return std::nullopt;
  const bool lower = Letter(e, "uplo") == 'L';
  const auto factor =
      AsOperation(e, machine, Opcode::kCholesky, CholeskyAttributes{lower});
  if (!factor) return std::nullopt;
  Numbers result = ReadNumbers(e.operand(0));
  Numbers factors = ReadNumbers(*factor);
  std::vector<int64_t> info;
  for (int64_t m = 0; m < all.count; ++m) {
    const int64_t n = all.rows, first = m * n * n;
    const Matrix to(&result, first, n), from(&factors, first, n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        (lower ? to.At(i, j) : to.At(j, i)) =
            lower ? from.At(i, j) : from.At(j, i);
      }
    }
    info.push_back(n > 0 && std::isnan(from.At(0, 0).real()) ? 1 : 0);
  }
  return TupleOf({WriteNumbers(e, e.operand(0).type(), all.sizes, result),
                  IntegersOf(e, all.sizes, {}, info)});
}

std::optional<Value> LapackTrsm(Evaluation& e, Interpreter& machine) {
  if (e.operand_count() != 2) return e.Fail("it needs a triangle and a system");
  return AsOperation(e, machine, Opcode::kTriangularSolve,
                     LapackSolve(e.attributes_as<CustomCallAttributes>()));
}

std::optional<Value> LapackGtsv(Evaluation& e, Interpreter&) {
  constexpr char kWhy[] = "it needs three diagonals and a system";
  if (e.operand_count() != 4 || !e.ExpectArrays()) return e.Fail(kWhy);
  const Value& system = e.operand(3);
  const ElementType type = system.type();
  if (system.rank() < 2 || !(IsFloat(type) || IsComplex(type))) {
    return e.Fail(kWhy);
  }
  Sizes sizes = system.sizes();
  const int64_t columns = sizes.back();
  sizes.pop_back();
  std::array<Numbers, 3> diagonals;
  for (int i = 0; i < 3; ++i) {
    if (e.operand(i).sizes() != sizes || e.operand(i).type() != type) {
      return e.Fail(kWhy);
    }
  }
  if (!ExpectNumbers(e)) return std::nullopt;
  for (int i = 0; i < 3; ++i) {
    diagonals[static_cast<size_t>(i)] = ReadNumbers(e.operand(i));
  }
  Numbers numbers = ReadNumbers(system);
  const int64_t n = sizes.back();
  std::vector<int64_t> info;
  for (int64_t first = 0; first < e.operand(0).count(); first += n) {
    info.push_back(SolveTridiagonal(
        diagonals[0].data() + first, diagonals[1].data() + first,
        diagonals[2].data() + first, Matrix(&numbers, first * columns, columns),
        n, columns));
  }
  std::vector<std::optional<Value>> results;
  for (const Numbers& diagonal : diagonals) {
    results.push_back(WriteNumbers(e, type, sizes, diagonal));
  }
  results.push_back(WriteNumbers(e, type, system.sizes(), numbers));
  results.push_back(IntegersOf(e, system.sizes(), {}, info));
  return TupleOf(std::move(results));
}

std::optional<Value> LapackGetrf(Evaluation& e, Interpreter&) {
  const Matrices all = MatricesOf(e, 1);
  if (all.rows < 0) return std::nullopt;
  Numbers numbers = ReadNumbers(e.operand(0));
  std::vector<int64_t> pivots, info;
  for (int64_t m = 0; m < all.count; ++m) {
    const Matrix a(&numbers, m * all.rows * all.columns, all.columns);
    info.push_back(FactorRows(a, all, &pivots));
  }
  return TupleOf(
      {WriteNumbers(e, e.operand(0).type(), all.sizes, numbers),
       IntegersOf(e, all.sizes, {std::min(all.rows, all.columns)}, pivots),
       IntegersOf(e, all.sizes, {}, info)});
}

std::optional<Value> LapackSyevd(Evaluation& e, Interpreter&) {
  const auto& call = e.attributes_as<CustomCallAttributes>();
  auto system = EigenSystemOf(e, ReadsLower(call));
  if (!system) return std::nullopt;
  std::vector<std::optional<Value>> results = {std::move(system->vectors),
                                               std::move(system->values)};
  if (!LapackRoutine(call.target).empty()) {
    results.push_back(IntegersOf(e, e.operand(0).sizes(), {}, {}));
  }
  return TupleOf(std::move(results));
}

std::optional<Value> LapackGesdd(Evaluation& e, Interpreter&) {
  const Matrices all = MatricesOf(e, 1);
  if (all.rows < 0) return std::nullopt;
  const bool tall = all.rows >= all.columns;
  const int64_t n = std::min(all.rows, all.columns);
  const int64_t longer = std::max(all.rows, all.columns);
  // Of all vectors of the longer side, or of as many as there are values. In
  // mode N, where nobody reads them, as many as are recorded.
  const char mode = Letter(e, "mode");
  const int64_t count =
      mode == 'S' || (mode == 'N' && HasRecordedDim(e, tall ? 2 : 3, tall, n))
          ? n
          : longer;
  constexpr int64_t kBytes = 4 * sizeof(Complex);
  if (all.count > 0 && (!e.Charge(longer) || !e.Charge(longer * count) ||
                        !e.ExpectRoom(longer * count * kBytes))) {
    return std::nullopt;
  }
  Numbers given = ReadNumbers(e.operand(0)), us, vhs, values;
  for (int64_t m = 0; m < all.count; ++m) {
    const Matrix a(&given, m * all.rows * all.columns, all.columns);
    const OwnMatrix work(longer, n), u(longer, count), v(n, n);
    for (int64_t i = 0; i < longer; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        work.At(i, j) = tall ? a.At(i, j) : std::conj(a.At(j, i));
      }
    }
    std::vector<double> lengths;
    if (!Decompose(e, work, u, v, &lengths)) return std::nullopt;
    values.insert(values.end(), lengths.begin(), lengths.end());
    const OwnMatrix &left = tall ? u : v, &right = tall ? v : u;
    us.insert(us.end(), left.numbers.begin(), left.numbers.end());
    for (int64_t j = 0; j < right.columns; ++j) {
      for (int64_t i = 0; i < right.rows; ++i) {
        vhs.push_back(std::conj(right.At(i, j)));
      }
    }
  }
  const ElementType type = e.operand(0).type();
  Sizes u_sizes = all.sizes, v_sizes = all.sizes;
  u_sizes.back() = tall ? count : n;
  v_sizes[v_sizes.size() - 2] = tall ? n : count;
  return TupleOf(
      {e.operand(0), WriteNumbers(e, RealPart(type), Each(all, n), values),
       WriteNumbers(e, type, u_sizes, us), WriteNumbers(e, type, v_sizes, vhs),
       IntegersOf(e, all.sizes, {}, {})});
}

}  // namespace indim
