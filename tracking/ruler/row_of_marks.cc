// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/ruler/row_of_marks.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/nan.h"

namespace percuss::tracking {
namespace {

using Complex = std::complex<double>;
using Eigen::Vector2d;

constexpr std::size_t kFewestMarks = 20;
constexpr double kShareSeen = 0.8, kUneven = 0.08;  // the latter in pitches
constexpr double kOff = 0.2;                        // a mark seen farther off is none [pitches]
constexpr double kFaint = 0.35;                     // of the median amplitude

double GreyAt(const cv::Mat& grey, const Vector2d& p) {
  if (!(p.x() >= 0.0) || !(p.y() >= 0.0) || !(p.x() < grey.cols - 1) || !(p.y() < grey.rows - 1))
    return kNaN;
  const int x = static_cast<int>(p.x()), y = static_cast<int>(p.y());
  const double u = p.x() - x, v = p.y() - y;
  const unsigned char* above = grey.ptr(y) + x;
  const unsigned char* below = grey.ptr(y + 1) + x;
  return (1.0 - v) * ((1.0 - u) * above[0] + u * above[1]) +
         v * ((1.0 - u) * below[0] + u * below[1]);
}

/// Sum over the parts of one pitch of grey(u) exp(-2 pi i u / pitch), per part.
Complex Harmonic(const cv::Mat& grey, const Vector2d& place, const RowOfMarks& row, double pitch,
                 double half_height) {
  const Vector2d h = PitchHarmonic(grey, place, row, pitch, half_height);
  return {h.x(), h.y()};
}

double MedianOf(std::vector<double> values) {
  if (values.empty()) return kNaN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Where along the strokes the marks are: the stretch about the middle of the row, or about the
/// strongest place within `reach`, with at least half of the amplitude there.
struct Extent {
  double from = 0.0, to = 0.0;
  double strength = 0.0;
};
Extent ExtentOf(const cv::Mat& grey, const RowOfMarks& row, int first, int last, double reach) {
  const double step = std::max(0.5, row.PitchAt(0.5 * (first + last)) / 8.0);
  const int count = static_cast<int>(reach / step);
  std::vector<double> strengths;
  for (int k = -count; k <= count; ++k) {
    Complex sum = 0.0;
    for (int n = first; n <= last; ++n) {
      const Complex one =
          Harmonic(grey, row.PixelOf(n) + k * step * row.stroke, row, row.PitchAt(n), 0.5 * step);
      if (std::isfinite(one.real())) sum += one;
    }
    strengths.push_back(std::abs(sum) / (last - first + 1));
  }
  const auto most = std::ranges::max_element(strengths);
  const int at = static_cast<int>(most - strengths.begin());
  int low = at, high = at;
  while (low > 0 && strengths[low - 1] > 0.5 * *most) --low;
  while (high + 1 < static_cast<int>(strengths.size()) && strengths[high + 1] > 0.5 * *most) ++high;
  return {(low - count - 0.5) * step, (high - count + 0.5) * step, *most};
}

/// Moves the row to the middle of its marks, turns it along them, and the strokes along theirs.
void Straighten(const cv::Mat& grey, double reach, RowOfMarks* row) {
  const int count = static_cast<int>(row->marks.size());
  const int blocks = std::clamp(count / 10, 1, 12);
  Eigen::MatrixXd A(blocks, blocks > 1 ? 2 : 1);
  Eigen::VectorXd middles(blocks);
  std::vector<double> heights;
  for (int k = 0; k < blocks; ++k) {
    const int from = row->first + k * count / blocks,
              to = row->first + (k + 1) * count / blocks - 1;
    const Extent extent = ExtentOf(grey, *row, from, to, reach);
    A(k, 0) = 1.0;
    if (blocks > 1) A(k, 1) = row->PlaceOf(0.5 * (from + to));
    middles[k] = 0.5 * (extent.from + extent.to);
    heights.push_back(extent.to - extent.from);
  }
  // The middle of most blocks: single ones are misled by what lies beside the ruler.
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(blocks), line;
  for (int iteration = 0; iteration < 5; ++iteration) {
    const Eigen::MatrixXd WA = weights.asDiagonal() * A;
    line = WA.colPivHouseholderQr().solve(weights.cwiseProduct(middles));
    const Eigen::VectorXd off = (middles - A * line).cwiseAbs();
    const double usual = std::max(0.3, MedianOf({off.data(), off.data() + off.size()}));
    weights = (1.0 + (off / (2.0 * usual)).array().square()).inverse().sqrt();
  }
  row->origin += line[0] * row->stroke;
  if (blocks > 1) row->along = (row->along + line[1] * row->stroke).normalized();
  row->half_height = std::max(0.5, 0.35 * MedianOf(heights));
  // Of a stroke that leans, the phase changes along it.
  Complex above = 0.0, below = 0.0;
  const Vector2d shift = 0.5 * row->half_height * row->stroke;
  for (int n = row->first; n <= row->Last(); ++n) {
    const double pitch = row->PitchAt(n);
    const Complex a = Harmonic(grey, row->PixelOf(n) + shift, *row, pitch, 0.5 * row->half_height);
    const Complex b = Harmonic(grey, row->PixelOf(n) - shift, *row, pitch, 0.5 * row->half_height);
    if (!std::isfinite(a.real()) || !std::isfinite(b.real())) continue;
    above += a;
    below += b;
  }
  const double pitch = row->PitchAt(0.5 * (row->first + row->Last()));
  const double lean = -std::arg(above * std::conj(below)) * pitch / (2.0 * std::numbers::pi);
  if (std::abs(lean) < 0.25 * row->half_height)
    row->stroke = (row->stroke + lean / row->half_height * row->along).normalized();
}

void LookAtMarks(const cv::Mat& grey, RowOfMarks* row) {
  std::vector<double> amplitudes;
  std::vector<Complex> harmonics;
  for (int n = row->first; n <= row->Last(); ++n) {
    harmonics.push_back(row->sign *
                        Harmonic(grey, row->PixelOf(n), *row, row->PitchAt(n), row->half_height));
    if (std::isfinite(harmonics.back().real())) amplitudes.push_back(std::abs(harmonics.back()));
  }
  row->amplitude = MedianOf(amplitudes);
  for (std::size_t k = 0; k < row->marks.size(); ++k) {
    const int n = row->first + static_cast<int>(k);
    const double turns = -std::arg(harmonics[k]) / (2.0 * std::numbers::pi);
    row->marks[k].place = row->PlaceOf(n) + turns * row->PitchAt(n);
    row->marks[k].seen = std::abs(harmonics[k]) > kFaint * row->amplitude && std::abs(turns) < kOff;
  }
}

/// Least squares of s_n by Gauss and Newton, without marks that lie off.
bool FitMarks(RowOfMarks* row) {
  const double bound = 4.0;
  for (int iteration = 0; iteration < 6; ++iteration) {
    std::vector<double> off;
    for (std::size_t k = 0; k < row->marks.size(); ++k) {
      const double residual = row->marks[k].place - row->PlaceOf(row->first + static_cast<int>(k));
      if (row->marks[k].seen) off.push_back(std::abs(residual));
    }
    if (off.size() < 5) return false;
    const double widest = bound * std::max(0.02, 1.4826 * MedianOf(off));
    std::vector<std::size_t> used;
    for (std::size_t k = 0; k < row->marks.size(); ++k) {
      const double residual = row->marks[k].place - row->PlaceOf(row->first + static_cast<int>(k));
      if (row->marks[k].seen && (iteration < 2 || std::abs(residual) < widest)) used.push_back(k);
    }
    const auto rows = static_cast<Eigen::Index>(used.size());
    const Eigen::Index unknowns = used.size() >= kFewestMarks / 2 ? 3 : 2;
    if (rows <= unknowns + 2) return false;
    Eigen::MatrixXd J(rows, unknowns);
    Eigen::VectorXd residuals(rows);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const int n = row->first + static_cast<int>(used[i]);
      const double below = 1.0 + row->abc[2] * n, place = row->PlaceOf(n);
      J(i, 0) = 1.0 / below;
      J(i, 1) = n / below;
      if (unknowns == 3) J(i, 2) = -place * n / below;
      residuals[i] = row->marks[used[i]].place - place;
    }
    // Columns of one size: c is some thousand times smaller than b.
    const Eigen::VectorXd sizes = J.colwise().norm();
    const Eigen::MatrixXd scaled = J * sizes.cwiseInverse().asDiagonal();
    const Eigen::VectorXd step = scaled.colPivHouseholderQr().solve(residuals);
    row->abc.head(unknowns) += step.cwiseQuotient(sizes);
    const double squares = (residuals - scaled * step).squaredNorm();
    row->rms = std::sqrt(squares / static_cast<double>(rows - unknowns));
    const Eigen::MatrixXd information = scaled.transpose() * scaled;
    const Eigen::MatrixXd inverse =
        information.ldlt().solve(Eigen::MatrixXd::Identity(unknowns, unknowns));
    row->covariance = Eigen::MatrixXd::Zero(3, 3);
    row->covariance.topLeftCorner(unknowns, unknowns) = row->rms * row->rms *
                                                        sizes.cwiseInverse().asDiagonal() *
                                                        inverse * sizes.cwiseInverse().asDiagonal();
  }
  const double near = row->PitchAt(row->first), far = row->PitchAt(row->Last());
  return near > 2.0 && far > 2.0 && near < 4.0 * far && far < 4.0 * near;
}

/// Adds sites at both ends and takes away those at which nothing is. @return whether it grew
bool Extend(const cv::Mat& grey, RowOfMarks* row) {
  const int before_first = row->first, before_last = row->Last();
  const int more = std::max(3, static_cast<int>(row->marks.size()) / 4);
  const auto inside = [&](int n) {
    const Vector2d p = row->PixelOf(n);
    const double margin = 0.5 * row->PitchAt(n) + row->half_height + 1.0;
    return 1.0 + row->abc[2] * n > 0.2 && p.x() > margin && p.y() > margin &&
           p.x() < grey.cols - 1 - margin && p.y() < grey.rows - 1 - margin;
  };
  for (int k = 0; k < more && inside(row->first - 1); ++k) {
    row->marks.insert(row->marks.begin(), RowMark{});
    --row->first;
  }
  for (int k = 0; k < more && inside(row->Last() + 1); ++k) row->marks.emplace_back();
  LookAtMarks(grey, row);
  const auto ends_well = [](auto begin, auto end) {
    if (begin == end || !begin->seen) return begin == end;
    int seen = 0, count = 0;
    for (auto at = begin; at != end && count < 5; ++at, ++count) seen += at->seen ? 1 : 0;
    return seen >= std::min(4, count);
  };
  while (!ends_well(row->marks.begin(), row->marks.end())) {
    row->marks.erase(row->marks.begin());
    ++row->first;
  }
  while (!ends_well(row->marks.rbegin(), row->marks.rend())) row->marks.pop_back();
  return row->first < before_first || row->Last() > before_last;
}

/// The first eleven marks of a row at `multiple` pitches of the line of a spectrum.
std::optional<RowOfMarks> BeginRow(const cv::Mat& grey, const PeriodicPlace& place, int multiple) {
  constexpr int kBegin = 5;
  RowOfMarks row;
  const double pitch = multiple / place.frequency.norm();
  row.origin = place.place;
  row.along = place.frequency.normalized();
  row.stroke = {-row.along.y(), row.along.x()};
  row.abc = {0.0, pitch, 0.0};
  row.first = -kBegin;
  row.marks.resize(2 * kBegin + 1);
  const Extent extent = ExtentOf(grey, row, -kBegin, kBegin, place.reach);
  row.origin += 0.5 * (extent.from + extent.to) * row.stroke;
  row.half_height = std::max(0.5, 0.35 * (extent.to - extent.from));
  // Marks are narrower than what is between them: the third moment says which of the two is dark.
  std::vector<double> values;
  const int parts = static_cast<int>(std::ceil(2.0 * pitch));
  for (int k = -kBegin * parts; k <= kBegin * parts; ++k) {
    const double grey_value = GreyAt(grey, row.PixelOf(static_cast<double>(k) / parts));
    if (std::isfinite(grey_value)) values.push_back(grey_value);
  }
  if (values.size() < 20) return {};
  double mean = 0.0, third = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) third += std::pow(value - mean, 3);
  row.sign = third < 0.0 ? -1.0 : 1.0;
  Complex sum = 0.0;
  for (int n = row.first; n <= row.Last(); ++n) {
    const Complex one = Harmonic(grey, row.PixelOf(n), row, pitch, row.half_height);
    if (std::isfinite(one.real())) sum += row.sign * one;
  }
  row.abc[0] = -std::arg(sum) / (2.0 * std::numbers::pi) * pitch;
  LookAtMarks(grey, &row);
  if (!(row.ShareSeen() > 0.7) || !FitMarks(&row)) return {};
  Straighten(grey, 2.0 * pitch, &row);
  LookAtMarks(grey, &row);
  if (!(row.ShareSeen() > kShareSeen) || !FitMarks(&row)) return {};
  return row;
}

}  // namespace

double RowOfMarks::ShareSeen() const {
  const auto seen = std::ranges::count_if(marks, &RowMark::seen);
  return static_cast<double>(seen) / static_cast<double>(marks.size());
}

RowOfMarks WithGapsForMarks(RowOfMarks row) {
  row.marks.pop_back();
  for (std::size_t k = 0; k < row.marks.size(); ++k)
    row.marks[k].place += 0.5 * row.PitchAt(row.first + static_cast<int>(k));
  // s of n + 1/2.
  const double below = 1.0 + 0.5 * row.abc[2];
  row.abc = Eigen::Vector3d(row.abc[0] + 0.5 * row.abc[1], row.abc[1], row.abc[2]) / below;
  row.sign = -row.sign;
  return row;
}

Vector2d PitchHarmonic(const cv::Mat& grey, const Vector2d& place, const RowOfMarks& row,
                       double pitch, double half_height) {
  const int parts = std::max(8, static_cast<int>(std::ceil(2.0 * pitch)));
  const int lines = std::max(1, static_cast<int>(std::ceil(2.0 * half_height)));
  Complex sum = 0.0;
  const Complex turn = std::polar(1.0, -2.0 * std::numbers::pi / parts);
  Complex wave = std::polar(1.0, -2.0 * std::numbers::pi * (0.5 / parts - 0.5));
  for (int k = 0; k < parts; ++k, wave *= turn) {
    const Vector2d middle = place + ((k + 0.5) / parts - 0.5) * pitch * row.along;
    double value = 0.0;
    for (int j = 0; j < lines; ++j)
      value += GreyAt(grey, middle + (2.0 * (j + 0.5) / lines - 1.0) * half_height * row.stroke);
    sum += value * wave;
  }
  sum *= 1.0 / (static_cast<double>(parts) * lines);
  return {sum.real(), sum.imag()};
}

std::optional<RowOfMarks> FollowMarks(const cv::Mat& grey, const PeriodicPlace& place) {
  constexpr int kHarmonics = 5;
  std::optional<RowOfMarks> row;
  for (int multiple = 1; multiple <= kHarmonics && !row; ++multiple)
    row = BeginRow(grey, place, multiple);
  if (!row) return {};
  bool grows = true;
  for (int round = 0; round < 30 && grows; ++round) {
    grows = Extend(grey, &*row);
    if (row->marks.size() < 8 || !FitMarks(&*row)) return {};
    Straighten(grey, 2.0 * row->PitchAt(0.5 * (row->first + row->Last())), &*row);
    LookAtMarks(grey, &*row);
    if (!FitMarks(&*row)) return {};
  }
  const double pitch = row->PitchAt(0.5 * (row->first + row->Last()));
  if (row->marks.size() < kFewestMarks || row->ShareSeen() < kShareSeen ||
      row->rms > kUneven * pitch)
    return {};
  return row;
}

}  // namespace percuss::tracking
