// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/files/experiment_yaml.h"

#include <fmt/format.h>

#include <string>

#include "base/files/files.h"

namespace percuss::synthesis {
namespace {

using Eigen::Vector3d;

std::string List(const Vector3d& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }

std::string MeshText(const solver::ConvexMesh& mesh) {
  std::string text;
  for (const Vector3d& v : mesh.vertices) {
    text += fmt::format("v {} {} {}\n", v.x(), v.y(), v.z());
  }
  for (const auto& t : mesh.triangles) {
    text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  }
  return text;
}

// The keys that give the shape its size.
struct ShapeKeys {
  std::string operator()(const solver::Sphere& s) const {
    return fmt::format("radius: {}", s.radius);
  }
  std::string operator()(const solver::Box& s) const { return "size: " + List(s.size); }
  std::string operator()(const solver::Cylinder& s) const {
    return fmt::format("radius: {}, length: {}", s.radius, s.length);
  }
  std::string operator()(const solver::Capsule& s) const {
    return fmt::format("radius: {}, length: {}", s.radius, s.length);
  }
  std::string operator()(const solver::Ellipsoid& s) const {
    return "semi_axes: " + List(s.semi_axes);
  }
  std::string operator()(const solver::Ellipse& s) const {
    return fmt::format("semi_axes: [{}, {}]", s.semi_axes.x(), s.semi_axes.y());
  }
  std::string operator()(const solver::ConvexMesh&) const { return "file: body.obj"; }
};

std::string TagsText(const capture::MarkedBody& body) {
  std::string places;
  for (const capture::CodedTag& tag : body.coded.tags) {
    std::string corners;
    for (int k = 0; k < 4; ++k) {
      corners += (k > 0 ? ", " : "") + List(body.markers[tag.first_marker + k].p_BM);
    }
    places += fmt::format("{}{{id: {}, size: {}, corners: [{}]}}", places.empty() ? "" : ", ",
                          tag.id, tag.size, corners);
  }
  return fmt::format("tags: {{dictionary: {}, places: [{}]}}", body.coded.dictionary, places);
}

std::string BodyText(const capture::MarkedBody& body) {
  const Eigen::Matrix3d& inertia = body.body.inertia;
  std::string markers;
  const auto add = [&](const std::string& entry) {
    markers += (markers.empty() ? "" : ", ") + entry;
  };
  for (int k = 0; k < body.NumDots(); ++k) {
    add(fmt::format("{}: {}", body.markers[k].name, List(body.markers[k].p_BM)));
  }
  if (!body.coded.tags.empty()) add(TagsText(body));
  const std::string diameter =
      body.NumDots() > 0 ? fmt::format(", marker_diameter: {}", body.marker_diameter) : "";
  return fmt::format(
      "body: {{shape: {}, {}, mass: {}, inertia: [{}, {}, {}], markers: {{{}}}{}}}\n",
      solver::ShapeName(body.body.shape), std::visit(ShapeKeys{}, body.body.shape), body.body.mass,
      List(inertia.row(0)), List(inertia.row(1)), List(inertia.row(2)), markers, diameter);
}

std::string BoardText(const capture::Board& board) {
  if (board.type == capture::Board::Type::kAprilGrid) {
    return fmt::format(
        "board: {{type: aprilgrid, columns: {}, rows: {}, square: {}, spacing: {}, dictionary: "
        "{}}}\n",
        board.columns / 2, board.rows / 2, board.square, board.spacing, board.dictionary);
  }
  return fmt::format("board: {{type: chessboard, columns: {}, rows: {}, square: {}}}\n",
                     board.columns, board.rows, board.square);
}

// A file of each camera: "left: STARTleftENDING, right: ...".
std::string FilesText(const SceneSpec& spec, std::string_view start, std::string_view ending) {
  std::string text;
  for (const std::string& camera : spec.camera_names) {
    text += fmt::format("{}{}: {}{}{}", text.empty() ? "" : ", ", camera, start, camera, ending);
  }
  return text;
}

std::string CalibrationText(const SceneSpec& spec) {
  const std::string images = FilesText(spec, "calibration/", "/*.png");
  return fmt::format("calibration: {{{}, surface: {{{}}}}}\n",
                     spec.cameras.size() > 2 ? fmt::format("cameras: {{{}}}", images) : images,
                     FilesText(spec, "calibration/surface/", ".png"));
}

}  // namespace

void WriteExperimentYaml(const SceneSpec& spec, const std::filesystem::path& folder) {
  if (const auto* mesh = std::get_if<solver::ConvexMesh>(&spec.body.body.shape)) {
    WriteFileAtomically(folder / "body.obj", MeshText(*mesh));
  }
  std::string text =
      fmt::format("name: {}\nframe_rate: {}\nexposure: {}\ntone: {}\n", spec.name, spec.frame_rate,
                  spec.exposure, spec.tone == capture::Tone::Kind::kSrgb ? "srgb" : "linear");
  text += BoardText(spec.board);
  if (spec.line_time != 0.0) text += fmt::format("line_time: {}\n", spec.line_time);
  if (spec.planar) text += "planar: true\n";
  text += CalibrationText(spec);
  text += BodyText(spec.body);
  if (!spec.reference_markers.empty()) text += "reference_points:\n";
  for (const ReferenceMarker& marker : spec.reference_markers) {
    text += fmt::format("  {}: {{position: {}, diameter: {}}}\n", marker.name,
                        List(marker.position), marker.diameter);
  }
  text += "trials:\n";
  for (const TrialSpec& trial : spec.trials) {
    const std::string place = "trials/" + trial.name + "/";
    std::string keys =
        fmt::format("name: {}, {}", trial.name, FilesText(spec, place, spec.VideoEnding()));
    if (trial.slide) keys += ", kind: slide";
    if (trial.slope)
      keys += fmt::format(", surface: {{{}}}", FilesText(spec, place + "surface-", ".png"));
    Vector3d gravity = WorldFromSurface(trial) * trial.gravity;
    constexpr double kDigits = 1e12;
    gravity = (kDigits * gravity).array().round() / kDigits;
    text += fmt::format("  - {{{}, gravity: {}}}\n", keys, List(gravity));
  }
  WriteFileAtomically(folder / "experiment.yaml", text);
}

}  // namespace percuss::synthesis
