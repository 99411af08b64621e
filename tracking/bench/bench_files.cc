// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/bench/bench_files.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/text/json_schema.h"
#include "base/text/numbers.h"

namespace percuss::tracking {

using std::string_view_literals::operator""sv;

void Describe(auto& file, MaybeConst<BenchRow> auto& row) {
  file("name", row.name);
  file("unit", row.unit);
  file("stated", row.stated);
  file("stated_sigma", row.stated_sigma);
  file("estimate", row.estimate);
  file("sigma", row.sigma);
}

std::vector<BenchRow> BenchRows(const Bench& stated, const BenchEstimate& estimate) {
  const BenchParameters places = stated.Parameters();
  std::vector<BenchRow> rows;
  const auto add = [&](std::string name, std::string unit, int place, double value) {
    const double sigma = std::sqrt(stated.covariance(place, place));
    if (sigma == 0.0) return;
    rows.push_back({std::move(name), std::move(unit), value, sigma, value + estimate.change[place],
                    std::sqrt(std::max(0.0, estimate.bench.covariance(place, place)))});
  };
  constexpr const char* kAxes[] = {"x", "y", "z"};
  for (int k = 0; k < places.num_markers; ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      add(fmt::format("marker {} {}", stated.body.markers[k].name, kAxes[axis]), "m",
          places.Marker(k) + axis, stated.body.markers[k].p_BM[axis]);
    }
  }
  constexpr const char* kMoments[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  for (int i = 0; i < 6; ++i) {
    add(fmt::format("inertia {}, of the stated one", kMoments[i]), "", places.Inertia() + i,
        i < 3 ? 1.0 : 0.0);
  }
  for (int axis = 0; axis < 3; ++axis)
    add(fmt::format("gravity {}, beyond the stated one", kAxes[axis]), "m/s^2",
        places.Gravity() + axis, 0.0);
  for (int axis = 0; axis < 3; ++axis)
    add(fmt::format("centre of the shape {}", kAxes[axis]), "m", places.Surface() + axis,
        stated.body.surface_shift[axis]);
  for (int i = 0; i < places.num_lengths; ++i)
    add(fmt::format("length {} of the shape, beyond the stated one", i + 1), "m",
        places.Length() + i, 0.0);
  for (int camera = 0; camera < places.num_cameras; ++camera)
    add(fmt::format("line time of the {} camera", stated.calibration.cameras[camera].name), "s",
        places.LineTime(camera), stated.line_time[camera]);
  return rows;
}

std::vector<std::string> Surprises(const Bench& stated, const BenchEstimate& estimate,
                                   double sigmas) {
  const BenchParameters places = stated.Parameters();
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();  // of all markers
  for (int k = 0; k < places.num_markers; ++k)
    shift += estimate.change.segment<3>(places.Marker(k)) / places.num_markers;
  std::vector<std::string> lines;
  for (const BenchRow& row : BenchRows(stated, estimate)) {
    const bool marker = row.name.starts_with("marker ");
    const double own = marker ? shift["xyz"sv.find(row.name.back())] : 0.0;
    const double sigma = marker ? stated.body.sigma.marker : row.stated_sigma;
    const double moved = std::abs(row.estimate - row.stated - own);
    if (!(moved > sigmas * sigma && moved > sigmas * row.sigma)) continue;
    const bool length = row.unit == "m";
    const double scale = length ? 1e3 : 1.0;
    const std::string unit = length ? " mm" : row.unit.empty() ? "" : " " + row.unit;
    lines.push_back(fmt::format("{}: stated {}{}, the flights show {}{}", row.name,
                                FormatWithSigma(scale * row.stated, scale * sigma), unit,
                                FormatWithSigma(scale * row.estimate, scale * row.sigma), unit));
  }
  return lines;
}

void WriteBench(const Bench& stated, const BenchEstimate& estimate, const Provenance& provenance,
                const std::filesystem::path& file) {
  WriteJsonFile(file, JsonHead(kBenchFormat, provenance), -1, [&](JsonWriter& writer) {
    writer("impacts", estimate.num_impacts);
    writer("converged", estimate.converged);
    writer("quantities", BenchRows(stated, estimate));
    writer("surprises", Surprises(stated, estimate));
    writer("change", estimate.change);
    writer("covariance", estimate.bench.covariance);
  });
}

BenchEstimate ReadBenchEstimate(const std::filesystem::path& file, const Bench& stated) {
  const JsonField root = JsonField::ReadFile(file);
  if (root.At("format").Text() != kBenchFormat) root.At("format").Fail(kBenchFormat);
  const auto size = static_cast<std::size_t>(stated.Parameters().Size());
  if (root.At("change").Elements().size() != size) {
    root.At("change").Fail(fmt::format("{} numbers, as the experiment has", size));
  }
  JsonReader reader(root);
  BenchEstimate estimate;
  Eigen::MatrixXd covariance;
  reader("impacts", estimate.num_impacts);
  reader("converged", estimate.converged);
  reader("change", estimate.change);
  reader("covariance", covariance);
  const auto length = static_cast<Eigen::Index>(size);
  if (covariance.rows() != length || covariance.cols() != length)
    root.At("covariance").Fail(fmt::format("{} rows of as many numbers", size));
  estimate.bench = Estimated(stated, estimate.change, covariance);
  return estimate;
}

Bench ReadBench(const std::filesystem::path& file, const Bench& stated) {
  return ReadBenchEstimate(file, stated).bench;
}

}  // namespace percuss::tracking
