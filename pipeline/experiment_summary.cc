// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/experiment_summary.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/text/numbers.h"

namespace percuss::pipeline {
namespace {

std::string Millimetres(double metres) { return fmt::format("{:.4g}", 1000 * metres); }

template <typename Vector>
std::string Millimetres(const Vector& lengths) {
  std::string text;
  for (const double length : lengths) text += (text.empty() ? "" : " × ") + Millimetres(length);
  return text;
}

struct ShapeInWords {
  std::string operator()(const solver::Sphere& shape) const {
    return fmt::format("sphere of {} mm radius", Millimetres(shape.radius));
  }
  std::string operator()(const solver::Box& shape) const {
    return fmt::format("box of {} mm", Millimetres(shape.size));
  }
  std::string operator()(const solver::Cylinder& shape) const {
    return fmt::format("cylinder of {} mm radius and {} mm length", Millimetres(shape.radius),
                       Millimetres(shape.length));
  }
  std::string operator()(const solver::Capsule& shape) const {
    return fmt::format("capsule of {} mm radius and {} mm length between its caps",
                       Millimetres(shape.radius), Millimetres(shape.length));
  }
  std::string operator()(const solver::Ellipsoid& shape) const {
    return fmt::format("ellipsoid of {} mm semi-axes", Millimetres(shape.semi_axes));
  }
  std::string operator()(const solver::Ellipse& shape) const {
    return fmt::format("planar ellipse of {} mm semi-axes", Millimetres(shape.semi_axes));
  }
  std::string operator()(const solver::ConvexMesh& shape) const {
    return fmt::format("convex body of {} vertices", shape.vertices.size());
  }
};

std::string BoardInWords(const capture::Board& board) {
  if (board.type == capture::Board::Type::kAprilGrid) {
    return fmt::format("an AprilGrid of {} × {} tags of {} mm", board.columns / 2, board.rows / 2,
                       Millimetres(board.square));
  }
  const bool has_corners = board.type == capture::Board::Type::kChessboard ||
                           board.type == capture::Board::Type::kCharuco;
  const char* name = board.type == capture::Board::Type::kChessboard ? "a chessboard"
                     : board.type == capture::Board::Type::kCharuco  ? "a ChArUco board"
                                                                     : "a board";
  return fmt::format("{} of {} × {} {} {} mm apart", name, board.columns, board.rows,
                     has_corners ? "inner corners" : "discs", Millimetres(board.square));
}

std::size_t NumMarkers(const capture::MarkedBody& body) {
  return body.unplaced ? static_cast<std::size_t>(body.unplaced->count) : body.markers.size();
}

}  // namespace

nlohmann::json SummariseExperiment(const capture::Experiment& experiment) {
  const solver::Body& body = experiment.body.body;
  nlohmann::json summary = {{"body", std::visit(ShapeInWords{}, body.shape)},
                            {"mass", body.mass},
                            {"markers", NumMarkers(experiment.body)}};
  if (experiment.HasVideos()) summary["board"] = BoardInWords(experiment.board);
  return summary;
}

std::string ExperimentInWords(const capture::Experiment& experiment) {
  const solver::Body& body = experiment.body.body;
  std::string text = fmt::format("{}; {}, {:.4g} kg", Count(std::ssize(experiment.trials), "trial"),
                                 std::visit(ShapeInWords{}, body.shape), body.mass);
  const std::size_t markers = NumMarkers(experiment.body);
  if (markers > 0) text += ", " + Count(static_cast<long long>(markers), "marker");
  if (experiment.HasVideos()) text += "; " + BoardInWords(experiment.board);
  return text;
}

}  // namespace percuss::pipeline
