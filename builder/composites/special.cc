// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/composites/special.h"

#include <cmath>
#include <limits>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "indim/builder/composites/composite.h"
#include "indim/builder/computation_builder.h"

namespace indim {
namespace {

using internal::Composite;
using internal::kInfinity;
using internal::kPi;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The calls of a function on values of one type, with at least 32 bits.
struct Calls {
  Composite& c;
  ComputationBuilder& b;
  ElementType type;

  Op Number(double value) { return c.Scalar(type, value); }
};

// A function of one array of floats.
Op OnFloats(const char* name, Op x, Caller caller,
            absl::FunctionRef<Op(Calls&, Op)> body) {
  Composite c(name, {x}, caller);
  if (!c.Elements(0, TypeMask::kFloat)) return c.failed();
  const Op wide = c.Widen(x);
  Calls calls{c, c.b(), c.ShapeOf(wide).element_type()};
  return c.Done(c.Narrow(body(calls, wide), c.type(0)));
}
// A function of two.
Op OnFloats(const char* name, Op x, Op y, Caller caller,
            absl::FunctionRef<Op(Calls&, Op, Op)> body) {
  Composite c(name, {x, y}, caller);
  if (!c.Elements(0, TypeMask::kFloat) || !c.Elements(1, TypeMask::kFloat)) {
    return c.failed();
  }
  const Op wide_x = c.Widen(x), wide_y = c.Widen(y);
  Calls calls{c, c.b(), c.ShapeOf(wide_x).element_type()};
  return c.Done(c.Narrow(body(calls, wide_x, wide_y), c.type(0)));
}

// --- Series ------------------------------------------------------------------

// A polynomial in x; its coefficients from the highest power down.
Op Polynomial(Calls& f, Op x, absl::Span<const double> coefficients) {
  Op sum = f.Number(coefficients[0]);
  for (const double c : coefficients.subspan(1)) sum = sum * x + f.Number(c);
  return sum;
}

// A Chebyshev series in x / 2.
Op Chebyshev(Calls& f, Op x, absl::Span<const double> coefficients) {
  Op b0 = f.Number(coefficients[0]), b1 = f.Number(0), b2 = b1;
  for (const double c : coefficients.subspan(1)) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2 + f.Number(c);
  }
  return f.Number(0.5) * (b0 - b2);
}

// --- Gamma -------------------------------------------------------------------

constexpr double kLanczosG = 7;
constexpr double kLanczosBase = 0.99999999999980993227684700473478;
constexpr double kLanczos[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};

// log(t) for t = z + g + 1/2.
Op LogOfT(Calls& f, Op z) {
  const double constant = kLanczosG + 0.5;
  return f.Number(std::log(constant)) + f.b.Log1p(z / f.Number(constant));
}

Op LgammaOf(Calls& f, Op x) {
  ComputationBuilder& b = f.b;
  const Op half = f.Number(0.5), one = f.Number(1);
  // Below 1/2 the function follows from its value at 1 - x.
  const Op reflects = b.Lt(x, half);
  const Op z = b.Select(reflects, -x, x - one);
  Op sum = f.Number(kLanczosBase);
  for (int i = 0; i < 8; ++i) {
    sum = sum + f.Number(kLanczos[i]) / (z + f.Number(i) + one);
  }
  const Op t = f.Number(kLanczosG + 0.5) + z;
  const Op log_t = LogOfT(f, z);
  const Op log_y = (z + half - t / log_t) * log_t +
                   (f.Number((std::log(2.0) + std::log(kPi)) / 2) + b.Log(sum));
  const Op magnitude = b.Abs(x);
  const Op fraction = magnitude - b.Floor(magnitude);
  const Op reduced = b.Select(b.Gt(fraction, half), one - fraction, fraction);
  const Op log_sine = b.Log(b.Sin(f.Number(kPi) * reduced));
  const Op reflected =
      b.Select(b.IsFinite(log_sine), f.Number(std::log(kPi)) - log_sine - log_y,
               -log_sine);
  const Op result = b.Select(reflects, reflected, log_y);
  const Op infinity = f.Number(kInfinity);
  return b.Select(b.Eq(magnitude, infinity), infinity, result);
}

Op DigammaOf(Calls& f, Op x) {
  ComputationBuilder& b = f.b;
  const Op half = f.Number(0.5), one = f.Number(1), zero = f.Number(0);
  const Op reflects = b.Lt(x, half);
  const Op z = b.Select(reflects, -x, x - one);
  Op numerator = zero;
  Op denominator = f.Number(kLanczosBase);
  for (int i = 0; i < 8; ++i) {
    const Op at = z + f.Number(i) + one;
    numerator = numerator - f.Number(kLanczos[i]) / (at * at);
    denominator = denominator + f.Number(kLanczos[i]) / at;
  }
  const Op t = f.Number(kLanczosG + 0.5) + z;
  const Op y = LogOfT(f, z) + numerator / denominator - f.Number(kLanczosG) / t;
  const Op pi = f.Number(kPi);
  const Op reduced = x + b.Abs(b.Floor(x + half));
  const Op angle = pi * reduced;
  const Op reflected = y - pi * b.Cos(angle) / b.Sin(angle);
  const Op result = b.Select(reflects, reflected, y);
  const Op is_pole = b.And(b.Le(x, zero), b.Eq(x, b.Floor(x)));
  return b.Select(is_pole, f.Number(kNan), result);
}

// The terms before the rest of the series is taken as an integral.
constexpr int kZetaTerms = 9;
// (2k)! / B(2k), the inverse factors of Euler and Maclaurin's correction.
constexpr double kZetaFactors[] = {12.0,
                                   -720.0,
                                   30240.0,
                                   -1209600.0,
                                   47900160.0,
                                   -1.8924375803183791606e9,
                                   7.47242496e10,
                                   -2.950130727918164224e12,
                                   1.1646782814350067249e14,
                                   -4.5979787224074726105e15,
                                   1.8152105401943546773e17,
                                   -7.1661652561756670113e18};

Op ZetaOf(Calls& f, Op x, Op q) {
  ComputationBuilder& b = f.b;
  const Op zero = f.Number(0), one = f.Number(1);
  Op at = q;
  Op power = b.Pow(at, -x);
  Op sum = power;
  for (int i = 0; i < kZetaTerms; ++i) {
    at = at + one;
    power = b.Pow(at, -x);
    sum = sum + power;
  }
  at = at + one;
  power = b.Pow(at, -x);
  sum = sum + power * at / (x - one) + power * f.Number(0.5);
  // Terms x (x+1) ... (x+2k) / at^(2k+1).
  Op factor = x;
  Op falling = power / at;
  for (int k = 0; k < 12; ++k) {
    sum = sum + factor * falling / f.Number(kZetaFactors[k]);
    factor = factor * (x + f.Number(2 * k + 1)) * (x + f.Number(2 * k + 2));
    falling = falling / (at * at);
  }
  const Op nan = f.Number(kNan), infinity = f.Number(kInfinity);
  const Op q_is_pole = b.And(b.Le(q, zero), b.Eq(q, b.Floor(q)));
  const Op undefined =
      b.And(b.Le(q, zero), b.And(b.Ne(q, b.Floor(q)), b.Ne(x, b.Floor(x))));
  Op result = b.Select(q_is_pole, infinity, sum);
  result = b.Select(undefined, nan, result);
  result = b.Select(b.Lt(x, one), nan, result);
  return b.Select(b.Eq(x, one), infinity, result);
}

Op PolygammaOf(Calls& f, Op n, Op x) {
  ComputationBuilder& b = f.b;
  const Op zero = f.Number(0), one = f.Number(1), two = f.Number(2);
  const Op next = n + one;
  const Op sign = two * b.Rem(n, two) - one;  // -(-1)^n
  const Op value = sign * b.Exp(LgammaOf(f, next)) * ZetaOf(f, next, x);
  const Op result = b.Select(b.Eq(n, zero), DigammaOf(f, x), value);
  const Op wrong = b.Or(b.Ne(n, b.Floor(n)), b.Lt(n, zero));
  return b.Select(wrong, f.Number(kNan), result);
}

Op ErfInv32(Calls& f, Op x) {
  constexpr double kNear[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                              -4.39150654e-06, 0.00021858087,  -0.00125372503,
                              -0.00417768164,  0.246640727,    1.50140941};
  constexpr double kFar[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                             -0.00367342844,  0.00573950773,  -0.0076224613,
                             0.00943887047,   1.00167406,     2.83297682};
  ComputationBuilder& b = f.b;
  const Op w = -b.Log1p(-x * x);
  const Op near = b.Lt(w, f.Number(5));
  const Op at = b.Select(near, w - f.Number(2.5), b.Sqrt(w) - f.Number(3));
  Op sum = b.Select(near, f.Number(kNear[0]), f.Number(kFar[0]));
  for (int i = 1; i < 9; ++i) {
    sum = b.Select(near, f.Number(kNear[i]), f.Number(kFar[i])) + sum * at;
  }
  return sum * x;
}

Op ErfInv64(Calls& f, Op x) {
  constexpr double kNear[] = {
      -3.6444120640178196996e-21, -1.685059138182016589e-19,
      1.2858480715256400167e-18,  1.115787767802518096e-17,
      -1.333171662854620906e-16,  2.0972767875968561637e-17,
      6.6376381343583238325e-15,  -4.0545662729752068639e-14,
      -8.1519341976054721522e-14, 2.6335093153082322977e-12,
      -1.2975133253453532498e-11, -5.4154120542946279317e-11,
      1.051212273321532285e-09,   -4.1126339803469836976e-09,
      -2.9070369957882005086e-08, 4.2347877827932403518e-07,
      -1.3654692000834678645e-06, -1.3882523362786468719e-05,
      0.0001867342080340571352,   -0.00074070253416626697512,
      -0.0060336708714301490533,  0.24015818242558961693,
      1.6536545626831027356};
  constexpr double kMiddle[] = {
      2.2137376921775787049e-09,  9.0756561938885390979e-08,
      -2.7517406297064545428e-07, 1.8239629214389227755e-08,
      1.5027403968909827627e-06,  -4.013867526981545969e-06,
      2.9234449089955446044e-06,  1.2475304481671778723e-05,
      -4.7318229009055733981e-05, 6.8284851459573175448e-05,
      2.4031110387097893999e-05,  -0.0003550375203628474796,
      0.00095328937973738049703,  -0.0016882755560235047313,
      0.0024914420961078508066,   -0.0037512085075692412107,
      0.005370914553590063617,    1.0052589676941592334,
      3.0838856104922207635};
  constexpr double kFar[] = {
      -2.7109920616438573243e-11, -2.5556418169965252055e-10,
      1.5076572693500548083e-09,  -3.7894654401267369937e-09,
      7.6157012080783393804e-09,  -1.4960026627149240478e-08,
      2.9147953450901080826e-08,  -6.7711997758452339498e-08,
      2.2900482228026654717e-07,  -9.9298272942317002539e-07,
      4.5260625972231537039e-06,  -1.9681778105531670567e-05,
      7.5995277030017761139e-05,  -0.00021503011930044477347,
      -0.00013871931833623122026, 1.0103004648645343977,
      4.8499064014085844221};
  ComputationBuilder& b = f.b;
  const Op w = -b.Log1p(-x * x);
  const Op root = b.Sqrt(w);
  const Op near = Polynomial(f, w - f.Number(3.125), kNear);
  const Op middle = Polynomial(f, root - f.Number(3.25), kMiddle);
  const Op far = Polynomial(f, root - f.Number(5), kFar);
  const Op sum = b.Select(b.Lt(w, f.Number(6.25)), near,
                          b.Select(b.Lt(w, f.Number(16)), middle, far));
  return sum * x;
}

// Erfc for |x| >= 1.
Op FarErfc32(Calls& f, Op x) {
  constexpr double kNear[] = {
      2.326819970068386E-2,  -1.387039388740657E-1, 3.687424674597105E-1,
      -5.824733027278666E-1, 6.210004621745983E-1,  -4.944515323274145E-1,
      3.404879937665872E-1,  -2.741127028184656E-1, 5.638259427386472E-1};
  constexpr double kFar[] = {-1.047766399936249E+1, 1.297719955372516E+1,
                             -7.495518717768503E+0, 2.921019019210786E+0,
                             -1.015265279202700E+0, 4.218463358204948E-1,
                             -2.820767439740514E-1, 5.641895067754075E-1};
  ComputationBuilder& b = f.b;
  const Op magnitude = b.Abs(x);
  const Op q = f.Number(1) / magnitude;
  const Op y = q * q;
  const Op p = b.Select(b.Lt(magnitude, f.Number(2)), Polynomial(f, y, kNear),
                        Polynomial(f, y, kFar));
  return b.Exp(-x * x) * q * p;
}
Op FarErfc64(Calls& f, Op x) {
  constexpr double kP[] = {
      2.46196981473530512524E-10, 5.64189564831068821977E-1,
      7.46321056442269912687E0,   4.86371970985681366614E1,
      1.96520832956077098242E2,   5.26445194995477358631E2,
      9.34528527171957607540E2,   1.02755188689515710272E3,
      5.57535335369399327526E2};
  constexpr double kQ[] = {1.0,
                           1.32281951154744992508E1,
                           8.67072140885989742329E1,
                           3.54937778887819891062E2,
                           9.75708501743205489753E2,
                           1.82390916687909736289E3,
                           2.24633760818710981792E3,
                           1.65666309194161350182E3,
                           5.57535340817727675546E2};
  constexpr double kR[] = {5.64189583547755073984E-1, 1.27536670759978104416E0,
                           5.01905042251180477414E0,  6.16021097993053585195E0,
                           7.40974269950448939160E0,  2.97886665372100240670E0};
  constexpr double kS[] = {1.0,
                           2.26052863220117276590E0,
                           9.39603524938001434673E0,
                           1.20489539808096656605E1,
                           1.70814450747565897222E1,
                           9.60896809063285878198E0,
                           3.36907645100081516050E0};
  ComputationBuilder& b = f.b;
  const Op magnitude = b.Abs(x);
  const Op ratio =
      b.Select(b.Lt(magnitude, f.Number(8)),
               Polynomial(f, magnitude, kP) / Polynomial(f, magnitude, kQ),
               Polynomial(f, magnitude, kR) / Polynomial(f, magnitude, kS));
  return b.Exp(-x * x) * ratio;
}

// The series of i1e(x) / x for |x| <= 8, and of i1e(x) sqrt(x) above. Those of
// f32 are their ends, with a last digit of their own.
constexpr double kI1eNear[] = {
    2.77791411276104639959E-18, -2.11142121435816608115E-17,
    1.55363195773620046921E-16, -1.10559694773538630805E-15,
    7.60068429473540693410E-15, -5.04218550472791168711E-14,
    3.22379336594557470981E-13, -1.98397439776494371520E-12,
    1.17361862988909016308E-11, -6.66348972350202774223E-11,
    3.62559028155211703701E-10, -1.88724975172282928790E-9,
    9.38153738649577178388E-9,  -4.44505912879632808065E-8,
    2.00329475355213526229E-7,  -8.56872026469545474066E-7,
    3.47025130813767847674E-6,  -1.32731636560394358279E-5,
    4.78156510755005422638E-5,  -1.61760815825896745588E-4,
    5.12285956168575772895E-4,  -1.51357245063125314899E-3,
    4.15642294431288815669E-3,  -1.05640848946261981558E-2,
    2.47264490306265168283E-2,  -5.29459812080949914269E-2,
    1.02643658689847095384E-1,  -1.76416518357834055153E-1,
    2.52587186443633654823E-1};
constexpr double kI1eFar[] = {
    7.51729631084210481353E-18,  4.41434832307170791151E-18,
    -4.65030536848935832153E-17, -3.20952592199342395980E-17,
    2.96262899764595013876E-16,  3.30820231092092828324E-16,
    -1.88035477551078244854E-15, -3.81440307243700780478E-15,
    1.04202769841288027642E-14,  4.27244001671195135429E-14,
    -2.10154184277266431302E-14, -4.08355111109219731823E-13,
    -7.19855177624590851209E-13, 2.03562854414708950722E-12,
    1.41258074366137813316E-11,  3.25260358301548823856E-11,
    -1.89749581235054123450E-11, -5.58974346219658380687E-10,
    -3.83538038596423702205E-9,  -2.63146884688951950684E-8,
    -2.51223623787020892529E-7,  -3.88256480887769039346E-6,
    -1.10588938762623716291E-4,  -9.76109749136146840777E-3,
    7.78576235018280120474E-1};
constexpr size_t kNear32 = 17, kFar32 = 7;

ElementType BitsOf(int bits) {
  if (bits == 64) return ElementType::kU64;
  if (bits == 32) return ElementType::kU32;
  return bits == 16 ? ElementType::kU16 : ElementType::kU8;
}

}  // namespace

Op Lgamma(Op x, Caller caller) {
  return OnFloats("Lgamma", x, caller, LgammaOf);
}
Op Digamma(Op x, Caller caller) {
  return OnFloats("Digamma", x, caller, DigammaOf);
}
Op Zeta(Op x, Op q, Caller caller) {
  return OnFloats("Zeta", x, q, caller, ZetaOf);
}
Op Polygamma(Op n, Op x, Caller caller) {
  return OnFloats("Polygamma", n, x, caller, PolygammaOf);
}

// --- Error functions ---------------------------------------------------------

Op ErfInv(Op x, Caller caller) {
  return OnFloats("ErfInv", x, caller, [](Calls& f, Op wide) {
    const Op result =
        f.type == ElementType::kF64 ? ErfInv64(f, wide) : ErfInv32(f, wide);
    // The polynomials don't reach infinity.
    return f.b.Select(f.b.Eq(f.b.Abs(wide), f.Number(1)),
                      wide * f.Number(kInfinity), result);
  });
}

Op Erfc(Op x, Caller caller) {
  return OnFloats("Erfc", x, caller, [](Calls& f, Op wide) {
    ComputationBuilder& b = f.b;
    const bool is_double = f.type == ElementType::kF64;
    const Op far = is_double ? FarErfc64(f, wide) : FarErfc32(f, wide);
    // The exponential would be denormal.
    const double least =
        is_double ? -7.09782712893383996843E2 : -88.72283905206835305366;
    const Op kept =
        b.Select(b.Lt(-wide * wide, f.Number(least)), f.Number(0), far);
    const Op far_result =
        b.Select(b.Lt(wide, f.Number(0)), f.Number(2) - kept, kept);
    return b.Select(b.Gt(b.Abs(wide), f.Number(1)), far_result,
                    f.Number(1) - b.Erf(wide));
  });
}

// --- Bessel ------------------------------------------------------------------

Op BesselI1e(Op x, Caller caller) {
  return OnFloats("BesselI1e", x, caller, [](Calls& f, Op wide) {
    ComputationBuilder& b = f.b;
    absl::Span<const double> near = kI1eNear, far = kI1eFar;
    if (f.type != ElementType::kF64) {
      near = near.last(kNear32);
      far = far.last(kFar32);
    }
    const Op magnitude = b.Abs(wide);
    const Op small =
        magnitude * Chebyshev(f, f.Number(0.5) * magnitude - f.Number(2), near);
    const Op large = Chebyshev(f, f.Number(32) / magnitude - f.Number(2), far) /
                     b.Sqrt(magnitude);
    const Op result = b.Select(b.Le(magnitude, f.Number(8)), small, large);
    return b.Sign(wide) * result;
  });
}

// --- Neighbours --------------------------------------------------------------

Op NextAfter(Op x, Op y, Caller caller) {
  Composite c("NextAfter", {x, y}, caller);
  if (!c.Elements(0, TypeMask::kFloat) || !c.Elements(1, TypeMask::kFloat) ||
      !c.HasTypeOf(1, 0)) {
    return c.failed();
  }
  ComputationBuilder& b = c.b();
  const ElementType type = c.type(0);
  const int width = Info(type).bits;
  const ElementType bits = BitsOf(width);
  const auto number = [&](uint64_t n) { return c.Scalar(bits, n); };
  const uint64_t sign_bit = uint64_t{1} << (width - 1);
  const Op from = b.BitcastConvertType(x, bits);
  const Op to = b.BitcastConvertType(y, bits);
  const Op from_magnitude = b.And(from, number(sign_bit - 1));
  const Op to_magnitude = b.And(to, number(sign_bit - 1));
  const Op from_sign = b.And(from, number(sign_bit));
  const Op to_sign = b.And(to, number(sign_bit));
  // From zero, the least number of the sign of y.
  const Op from_zero = b.Or(to_sign, number(1));
  // Bits of a float count its magnitude.
  const Op away =
      b.And(b.Eq(from_sign, to_sign), b.Le(from_magnitude, to_magnitude));
  const Op step = b.Select(away, number(1), number(sign_bit * 2 - 1));
  Op result = b.Select(b.Eq(from_magnitude, number(0)), from_zero, from + step);
  const Op both_zero =
      b.And(b.Eq(from_magnitude, number(0)), b.Eq(to_magnitude, number(0)));
  result = b.Select(b.Or(both_zero, b.Eq(x, y)), to, result);
  const Op value = b.BitcastConvertType(result, type);
  const Op is_nan = b.Or(b.Ne(x, x), b.Ne(y, y));
  return c.Done(b.Select(is_nan, c.Scalar(type, kNan), value));
}

}  // namespace indim
