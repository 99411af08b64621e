// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <optional>

#include "base/error.h"
#include "calibration/foreign/camera_fields.h"
#include "calibration/foreign/document.h"
#include "calibration/foreign/formats.h"

namespace percuss::calibration {
namespace {

/// The first of some keys that is there.
std::optional<JsonField> FindAny(const JsonField& file,
                                 std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (std::optional<JsonField> field = file.Find(key)) return field;
  }
  return {};
}

/// The numbers of a matrix of OpenCV: {rows, cols, dt, data}.
Eigen::MatrixXd OpenCvMatrix(const JsonField& field) {
  const int rows = field.At("rows").Count(), columns = field.At("cols").Count();
  constexpr int kMost = 100;
  if (rows > kMost || columns > kMost)
    field.Fail(fmt::format("{} x {} numbers", rows, columns), "at most 100 x 100");
  return MatrixOf(field.At("data"), rows, columns);
}

Eigen::Matrix3d OpenCvMatrix3(const JsonField& field) {
  const Eigen::MatrixXd matrix = OpenCvMatrix(field);
  if (matrix.rows() != 3 || matrix.cols() != 3)
    field.Fail(fmt::format("{} x {} numbers", matrix.rows(), matrix.cols()), "3 x 3 numbers");
  return matrix;
}

std::vector<double> Coefficients(const std::optional<JsonField>& field) {
  if (!field) return {};
  const Eigen::MatrixXd matrix = OpenCvMatrix(*field);
  const Eigen::VectorXd numbers = matrix.reshaped();
  return {numbers.begin(), numbers.end()};
}

bool IsFisheye(const JsonField& file) {
  if (const auto model = file.Find("distortion_model")) {
    const std::string name = model->Text();
    if (name == "equidistant" || name == "fisheye") return true;
    if (name != "plumb_bob" && name != "rational_polynomial" && name != "none")
      model->Fail("plumb_bob, rational_polynomial, equidistant, fisheye or none");
  }
  const auto flag = FindAny(file, {"fisheye_model", "fisheye"});
  return flag && flag->Dump() != "0" && flag->Dump() != "0.0" && flag->Dump() != "false";
}

void ReadSize(const JsonField& file, const std::string& number, Camera* camera) {
  if (const auto size =
          FindAny(file, {"image_size" + number, "imageSize" + number, "image_size", "imageSize"})) {
    const Eigen::MatrixXd numbers = MatrixOf(*size, 1, 2);
    SetSize(*size, numbers(0, 0), numbers(0, 1), camera);
    return;
  }
  const auto width = FindAny(file, {"image_width", "image_Width"});
  const auto height = FindAny(file, {"image_height", "image_Height"});
  if (width && height) SetSize(*width, width->FiniteNumber(), height->FiniteNumber(), camera);
}

Camera CameraIn(const JsonField& file, const JsonField& matrix,
                const std::optional<JsonField>& distortion, const std::string& number) {
  Camera camera;
  SetPinhole(matrix, OpenCvMatrix3(matrix), &camera);
  SetDistortion(distortion.value_or(matrix), Coefficients(distortion), IsFisheye(file), &camera);
  ReadSize(file, number, &camera);
  return camera;
}

std::string MatrixText(std::string_view name, const Eigen::MatrixXd& matrix) {
  std::vector<std::string> numbers;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      numbers.push_back(fmt::format("{}", 0.0 + matrix(i, j)));
  }
  return fmt::format("{}: !!opencv-matrix\n   rows: {}\n   cols: {}\n   dt: d\n   data: [ {} ]\n",
                     name, matrix.rows(), matrix.cols(), fmt::join(numbers, ", "));
}

std::string CameraText(const Camera& camera, std::string_view matrix, std::string_view distortion) {
  const auto& c = camera.intrinsics;
  Eigen::Matrix3d K;
  K << c[0], 0.0, c[2], 0.0, c[1], c[3], 0.0, 0.0, 1.0;
  const std::span<const double> coefficients = DistortionOf(camera);
  return MatrixText(matrix, K) +
         MatrixText(distortion, Eigen::Map<const Eigen::RowVectorXd>(coefficients.data(),
                                                                     std::ssize(coefficients)));
}

}  // namespace

ForeignRig ReadOpenCvRig(const Paths& files) {
  ForeignRig rig{.format = "OpenCV"};
  std::optional<Pose> second_from_first;
  for (const std::filesystem::path& path : files) {
    const JsonField file =
        path.extension() == ".xml" ? ReadOpenCvXml(path) : ReadYamlDocument(path);
    bool any = false;
    for (const std::string number : {"", "1", "2"}) {
      const auto matrix =
          number.empty() ? FindAny(file, {"camera_matrix", "Camera_Matrix", "cameraMatrix"})
                         : FindAny(file, {"M" + number, "K" + number, "cameraMatrix" + number});
      if (!matrix) continue;
      const auto distortion =
          number.empty()
              ? FindAny(file, {"distortion_coefficients", "Distortion_Coefficients", "distCoeffs"})
              : FindAny(file, {"D" + number, "distCoeffs" + number});
      rig.cameras.push_back({.name = number.empty() ? path.stem().string() : "camera" + number,
                             .camera = CameraIn(file, *matrix, distortion, number),
                             .camera_from_frame = {}});
      any = true;
    }
    if (const auto rotation = file.Find("R")) {
      if (second_from_first) rotation->Fail("R a second time", "R and T once");
      second_from_first.emplace();
      second_from_first->R = RotationOf(*rotation, OpenCvMatrix3(*rotation));
      const JsonField translation = file.At("T");
      const Eigen::MatrixXd t = OpenCvMatrix(translation);
      if (t.size() != 3) translation.Fail(fmt::format("{} numbers", t.size()), "3 numbers");
      second_from_first->t = t.reshaped();
      any = true;
    }
    if (!any) file.Fail("no camera", "camera_matrix; or M1, D1, M2, D2; or R, T");
  }
  const std::string last = files.back().string();
  if (rig.cameras.empty())
    throw InputError(fmt::format("{}: M1: found no camera, allowed M1, D1, M2, D2", last));
  if (rig.cameras.size() > 2)
    throw InputError(fmt::format("{}: found {} cameras, allowed 1 or 2", last, rig.cameras.size()));
  if (rig.cameras.size() == 2) {
    if (!second_from_first) {
      throw InputError(fmt::format(
          "{}: R: found nothing, allowed R and T of two cameras (stereo_calib writes them to "
          "extrinsics.yml: name both files)",
          last));
    }
    rig.cameras[1].camera_from_frame = *second_from_first;
  }
  return rig;
}

std::string OpenCvText(const ForeignRig& rig) {
  if (rig.cameras.size() > 2) {
    throw std::invalid_argument(
        fmt::format("opencv: found {} cameras, allowed 1 or 2", rig.cameras.size()));
  }
  std::string text = "%YAML:1.0\n---\n";
  const Camera& first = rig.cameras[0].camera;
  const auto size = [](const Camera& camera, const std::string& number) {
    return fmt::format("image_size{}: [ {}, {} ]\n", number, camera.width, camera.height);
  };
  if (rig.cameras.size() == 1) {
    text += fmt::format("image_width: {}\nimage_height: {}\n", first.width, first.height) +
            CameraText(first, "camera_matrix", "distortion_coefficients");
  } else {
    const Camera& second = rig.cameras[1].camera;
    if ((first.lens == LensModel::kFisheye) != (second.lens == LensModel::kFisheye))
      throw std::invalid_argument(
          "opencv: found one fisheye lens and one other, allowed two of a kind");
    const Pose pose = rig.cameras[1].camera_from_frame * rig.cameras[0].camera_from_frame.Inverse();
    text += size(first, "1") + size(second, "2") + CameraText(first, "M1", "D1") +
            CameraText(second, "M2", "D2") + MatrixText("R", pose.R) + MatrixText("T", pose.t);
  }
  if (first.lens == LensModel::kFisheye) text += "fisheye_model: 1\n";
  return text;
}

}  // namespace percuss::calibration
