// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/calibration/targets/board_renderer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <opencv2/aruco.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "calibration/targets/target.h"
#include "capture/tags/coded_tags.h"

namespace percuss::calibration {
namespace {

using Type = capture::Board::Type;
constexpr double kWhite = 0.6, kBlack = 0.02;

// A print with a white margin around the box from `lowest` to `highest`.
Print WithMargin(const Eigen::Array2d& lowest, const Eigen::Array2d& highest, double margin,
                 double paper, double ground, Print inside) {
  return [=](const Eigen::Vector2d& p) {
    if ((p.array() >= lowest).all() && (p.array() < highest).all()) return inside(p);
    const bool paper_there =
        (p.array() >= lowest - margin).all() && (p.array() < highest + margin).all();
    return paper_there ? paper : ground;
  };
}

// OpenCV's drawing of the markers, one number per bit; the layout is written out here again.
Print CharucoPrint(const capture::Board& board, bool legacy) {
  static const std::map<std::string, std::pair<cv::aruco::PREDEFINED_DICTIONARY_NAME, int>> kNames =
      {{"DICT_4X4_50", {cv::aruco::DICT_4X4_50, 4}},
       {"DICT_5X5_100", {cv::aruco::DICT_5X5_100, 5}},
       {"DICT_APRILTAG_36h11", {cv::aruco::DICT_APRILTAG_36h11, 6}}};
  const auto& name_and_bits = kNames.at(board.dictionary);
  const auto dictionary = cv::aruco::getPredefinedDictionary(name_and_bits.first);
  const int bits = name_and_bits.second;
  const int columns = board.columns + 1, rows = board.rows + 1;
  // Before 4.6 the bottom-left square was black, since then the top-left one is.
  const int black = legacy ? (rows - 1) % 2 : 0;
  auto markers = std::make_shared<std::map<std::pair<int, int>, cv::Mat>>();
  int id = 0;
  for (int b = 0; b < rows; ++b) {
    for (int a = 0; a < columns; ++a) {
      if ((a + b) % 2 == black) continue;
      cv::Mat image;
      cv::aruco::drawMarker(dictionary, id++, bits + 2, image, 1);
      (*markers)[{a, b}] = image;
    }
  }
  const double square = board.square, half = 0.5 * board.marker, bit = board.marker / (bits + 2);
  return [=](const Eigen::Vector2d& p) {
    const double u = p.x() + square, v = -p.y() + square;
    const int a = static_cast<int>(u / square), b = static_cast<int>(v / square);
    const auto marker = markers->find({a, b});
    if (marker == markers->end()) return kBlack;
    const double x = u - (a + 0.5) * square + half, y = v - (b + 0.5) * square + half;
    if (x < 0.0 || y < 0.0 || x >= board.marker || y >= board.marker) return kWhite;
    const int column = std::min(static_cast<int>(x / bit), bits + 1);
    const int row = std::min(static_cast<int>(y / bit), bits + 1);
    return marker->second.at<unsigned char>(row, column) > 0 ? kWhite : kBlack;
  };
}

Print DiscPrint(const capture::Board& board, bool bright) {
  const double radius = 0.5 * board.diameter;
  const std::vector<Eigen::Vector3d> centres = TargetPoints(board);
  return [=](const Eigen::Vector2d& p) {
    for (const Eigen::Vector3d& centre : centres) {
      if ((p - centre.head<2>()).squaredNorm() < radius * radius) return bright ? kWhite : kBlack;
    }
    return bright ? kBlack : kWhite;
  };
}

// As Kalibr prints it: tags numbered from the bottom left one, a black square at each corner.
Print AprilGridPrint(const capture::Board& board, int turn) {
  const int columns = board.columns / 2, rows = board.rows / 2;
  std::vector<Eigen::MatrixXd> cells;
  for (int id = 0; id < columns * rows; ++id) {
    Eigen::MatrixXd tag = capture::TagCells(board.dictionary, id);
    for (int k = 0; k < turn; ++k) tag = Eigen::MatrixXd(tag.transpose().rowwise().reverse());
    cells.push_back(tag);
  }
  const double gap = board.spacing, pitch = 1.0 + gap, square = board.square;
  return [=](const Eigen::Vector2d& p) {
    const double x = p.x() / square + gap, y = -p.y() / square + gap;
    const int a = static_cast<int>(std::floor(x / pitch)),
              b = static_cast<int>(std::floor(y / pitch));
    const double u = x - a * pitch - gap, v = y - b * pitch - gap;
    if (u < 0.0 && v < 0.0) return kBlack;
    if (u < 0.0 || v < 0.0 || a >= columns || b >= rows) return kWhite;
    const Eigen::MatrixXd& tag = cells[static_cast<std::size_t>((rows - 1 - b) * columns + a)];
    const auto n = static_cast<double>(tag.rows());
    return tag(static_cast<int>(v * n), static_cast<int>(u * n)) > 0.5 ? kWhite : kBlack;
  };
}

double SrgbOfLight(double light) {
  const double value =
      light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1.0 / 2.4) - 0.055;
  return 255.0 * value;
}

// Mean over dx, dy from -1/2 to 1/2. Where the pixel is not all of one kind, many samples, so that
// their coarseness is far below the noise.
template <typename Function>
double MeanOverPixel(const Function& at) {
  const double middle = at(0.0, 0.0);
  bool even = true;
  for (const double dx : {-0.6, 0.0, 0.6}) {
    for (const double dy : {-0.6, 0.0, 0.6}) even = even && at(dx, dy) == middle;
  }
  if (even) return middle;
  constexpr int kSamples = 20;  // per direction
  double sum = 0.0;
  for (int i = 0; i < kSamples; ++i) {
    for (int j = 0; j < kSamples; ++j) {
      // A sheared lattice: on a straight one, edges along the pixel rows would jump.
      sum += at((i + (j + 0.5) / kSamples) / kSamples - 0.5,
                (j + (i + 0.5) / kSamples) / kSamples - 0.5);
    }
  }
  return sum / (kSamples * kSamples);
}

}  // namespace

Print PrintOf(const capture::Board& board, const Scene& scene) {
  const bool discs = board.type == Type::kCircles || board.type == Type::kAsymmetricCircles;
  Eigen::Array2d lowest = Eigen::Array2d::Zero(), highest = Eigen::Array2d::Zero();
  for (const Eigen::Vector3d& point : TargetPoints(board)) {
    lowest = lowest.min(point.head<2>().array());
    highest = highest.max(point.head<2>().array());
  }
  const bool tags = board.type == Type::kAprilGrid;
  const double border = discs  ? 0.5 * board.diameter
                        : tags ? board.spacing * board.square
                               : board.square;
  const double paper = discs && scene.bright_discs ? kBlack : kWhite;
  Print inside;
  if (discs) {
    inside = DiscPrint(board, scene.bright_discs);
  } else if (tags) {
    inside = AprilGridPrint(board, scene.tag_turn);
  } else if (board.type == Type::kCharuco) {
    inside = CharucoPrint(board, scene.legacy);
  } else {
    const double square = board.square;
    inside = [square](const Eigen::Vector2d& p) {
      const int a = static_cast<int>(p.x() / square + 1.0),
                b = static_cast<int>(-p.y() / square + 1.0);
      return (a + b) % 2 == 0 ? kBlack : kWhite;
    };
  }
  return WithMargin(lowest - border, highest + border, scene.margin * board.square, paper,
                    scene.ground, inside);
}

cv::Mat RenderLight(const Camera& camera, const Pose& camera_from_board, const Print& print,
                    const Scene& scene) {
  const Pose board_from_camera = camera_from_board.Inverse();
  const auto place = [&](double x, double y) -> Eigen::Vector2d {
    const Eigen::Vector2d ray = Unproject(camera, {x, y});
    const Eigen::Vector3d direction = board_from_camera.R * Eigen::Vector3d(ray.x(), ray.y(), 1.0);
    const double distance = -board_from_camera.t.z() / direction.z();
    return (board_from_camera.t + distance * direction).head<2>();
  };
  cv::Mat light(camera.height, camera.width, CV_32FC1);
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      // Within a pixel the map to the board is a plane to 1e-4 px, but not the light.
      const Eigen::Vector2d centre = place(x, y);
      const Eigen::Vector2d by_x = place(x + 0.5, y) - place(x - 0.5, y);
      const Eigen::Vector2d by_y = place(x, y + 0.5) - place(x, y - 0.5);
      const auto at = [&](double dx, double dy) -> double {
        return print(centre + dx * by_x + dy * by_y);
      };
      const double strength = 1.0 + scene.falloff * (x - 0.5 * camera.width);
      light.at<float>(y, x) = static_cast<float>(strength * MeanOverPixel(at));
    }
  }
  if (scene.blur_px > 0.0) cv::GaussianBlur(light, light, {0, 0}, scene.blur_px);
  return light;
}

cv::Mat Photograph(const cv::Mat& light, double noise_grey, std::uint32_t seed,
                   capture::Tone::Kind tone) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, 1.0);
  cv::Mat grey(light.size(), CV_8UC1);
  for (int y = 0; y < light.rows; ++y) {
    for (int x = 0; x < light.cols; ++x) {
      const double exact = light.at<float>(y, x);
      const double value =
          (tone == capture::Tone::Kind::kLinear ? 255.0 * exact : SrgbOfLight(exact)) +
          noise_grey * noise(random);
      grey.at<unsigned char>(y, x) = cv::saturate_cast<unsigned char>(value);
    }
  }
  return grey;
}

cv::Mat RenderPrint(const Camera& camera, const Pose& camera_from_board, const Print& print,
                    const Scene& scene) {
  return Photograph(RenderLight(camera, camera_from_board, print, scene), scene.noise_grey,
                    scene.seed);
}

Pose BoardInFront(const capture::Board& board, double turn, const Eigen::Vector3d& tilt,
                  const Eigen::Vector3d& centre) {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  const std::vector<Eigen::Vector3d> points = TargetPoints(board);
  for (const Eigen::Vector3d& point : points) middle += point / static_cast<double>(points.size());
  Pose camera_from_board;
  camera_from_board.R = RotationFromVector(tilt) * Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal() *
                        RotationFromVector({0.0, 0.0, turn});
  camera_from_board.t = centre - camera_from_board.R * middle;
  return camera_from_board;
}

}  // namespace percuss::calibration
