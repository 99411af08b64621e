// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ruler/ruler.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace percuss::synthesis {
namespace {

using Eigen::Vector3d;

constexpr double kInch = 0.0254, kStroke = 0.0002;      // [m]
constexpr double kBeyond = 0.006, kEdge = 0.001;        // of the strip, at ends and feet [m]
constexpr double kWidth = 0.025;                        // of the strip [m]
constexpr double kCell = 0.0006, kNumbersFrom = 0.012;  // of digits of 3 x 5 cells [m]
constexpr std::array<unsigned, 10> kDigits = {075557, 026227, 071747, 071717, 055711,
                                              074717, 074757, 071111, 075757, 075717};

bool Inches(const RulerSpec& spec) { return spec.unit == RulerSpec::Unit::kInch; }
int MarksPerNumber(const RulerSpec& spec) { return Inches(spec) ? 16 : 10; }

double LengthOfMark(const RulerSpec& spec, int mark) {
  if (!Inches(spec)) return mark % 10 == 0 ? 0.006 : mark % 5 == 0 ? 0.0045 : 0.003;
  double length = 0.0095;
  for (int every = 16; every > 1 && mark % every != 0; every /= 2) length -= 0.0015;
  return length;
}

// Share of [from, to] in a stretch of `width` about `at`.
double Share(double from, double to, double at, double width) {
  const double inside = std::min(to, at + 0.5 * width) - std::max(from, at - 0.5 * width);
  return std::max(inside, 0.0) / width;
}

double ShareOfNumber(int number, double x, double y, double width) {
  const int digits = number > 9 ? 2 : 1;
  double share = 0.0;
  for (int k = 0; k < digits; ++k) {
    const unsigned cells = kDigits[k == digits - 1 ? number % 10 : number / 10 % 10];
    const double left = (4.0 * k - 2.0 * digits + 0.5) * kCell;
    for (int cell = 0; cell < 15; ++cell) {
      if ((cells >> (14 - cell) & 1U) == 0) continue;
      const double from = left + cell % 3 * kCell, low = kNumbersFrom + (4 - cell / 3) * kCell;
      share += Share(from, from + kCell, x, width) * Share(low, low + kCell, y, width);
    }
  }
  return share;
}

}  // namespace

double MarkPitch(const RulerSpec& spec) { return Inches(spec) ? kInch / 16.0 : 0.001; }

int LastMark(const RulerSpec& spec) {
  return static_cast<int>(std::floor(spec.length / MarkPitch(spec) + 1e-6));
}

RulerFace FaceOf(const RulerSpec& spec, const Vector3d& eye) {
  const Vector3d middle = spec.position + 0.5 * spec.length * spec.direction;
  const Vector3d across = spec.direction.cross(middle - eye);
  if (!(across.norm() > 0.05 * (middle - eye).norm()))
    throw std::invalid_argument("ruler: found one that points at the camera, allowed one across");
  RulerFace face{spec, eye, spec.direction, across.normalized(), Vector3d::Zero()};
  face.normal = face.along.cross(face.across);
  return face;
}

RulerPoint SeeRuler(const RulerFace& ruler, const Vector3d& direction, double part) {
  const RulerSpec& spec = ruler.spec;
  const double depth = ruler.normal.dot(spec.position - ruler.eye) / ruler.normal.dot(direction);
  if (!(depth > 0.0) || !(depth < 1e3)) return {};
  RulerPoint point;
  point.place = ruler.eye + depth * direction;
  const Vector3d place = point.place - spec.position;
  const double x = ruler.along.dot(place), y = ruler.across.dot(place), width = depth * part;
  point.covered =
      Share(-kBeyond, spec.length + kBeyond, x, width) * Share(-kEdge, kWidth, y, width);
  if (!(point.covered > 0.0)) return {};
  double marked = 0.0;
  const double pitch = MarkPitch(spec), reach = 0.5 * (width + kStroke);
  const int last =
      static_cast<int>(std::min<double>(std::floor((x + reach) / pitch), LastMark(spec)));
  for (int k = std::max(0, static_cast<int>(std::ceil((x - reach) / pitch))); k <= last; ++k) {
    marked += Share(k * pitch - 0.5 * kStroke, k * pitch + 0.5 * kStroke, x, width) *
              Share(0.0, LengthOfMark(spec, k), y, width);
  }
  if (y > kNumbersFrom - width && y < kNumbersFrom + 5.0 * kCell + width) {
    const double numbered = MarksPerNumber(spec) * pitch;
    const int number = static_cast<int>(std::round(x / numbered));
    if (number > 0) marked += ShareOfNumber(number, x - number * numbered, y, width);
  }
  point.light = spec.face + marked * (spec.mark - spec.face);
  return point;
}

}  // namespace percuss::synthesis
