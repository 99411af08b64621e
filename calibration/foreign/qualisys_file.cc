// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/text/xml_field.h"
#include "calibration/foreign/camera_fields.h"
#include "calibration/foreign/formats.h"

namespace percuss::calibration {
namespace {

constexpr double kSubpixels = 64.0;  // in one pixel

class Attributes {
 public:
  Attributes(const XmlFile& file, const pugi::xml_node& node) : file_(file), node_(node) {}
  double operator()(const char* name) const {
    const pugi::xml_attribute attribute = node_.attribute(name);
    if (!attribute) FailAt(file_, node_, fmt::format("no {}", name), "a number there");
    return NumbersOf(file_, node_, attribute.as_string(), name, 1, 1)[0];
  }

 private:
  const XmlFile& file_;
  const pugi::xml_node& node_;
};

pugi::xml_node ChildOf(const XmlFile& file, const pugi::xml_node& node, const char* name) {
  const pugi::xml_node child = node.child(name);
  if (!child) FailAt(file, node, fmt::format("no <{}>", name), "one");
  return child;
}

ForeignCamera ReadQualisysCamera(const XmlFile& file, const pugi::xml_node& node) {
  ForeignCamera result{
      .name = node.attribute("serial").as_string(), .camera = {}, .camera_from_frame = {}};
  // Checks and their words are those of the other formats.
  const JsonField where =
      JsonField::Parse(fmt::format("{}: camera {}", file.path.string(), result.name), "{}");
  const pugi::xml_node lens_node = ChildOf(file, node, "intrinsic");
  const Attributes lens(file, lens_node);
  Camera& camera = result.camera;
  double left = 0.0, top = 0.0;
  if (const pugi::xml_node part = node.child("fov_video")) {  // what of the sensor is recorded
    const Attributes view(file, part);
    left = view("left");
    top = view("top");
    SetSize(where, view("right") - left + 1.0, view("bottom") - top + 1.0, &camera);
  }
  const double skew = lens_node.attribute("skew") ? lens("skew") : 0.0;
  if (skew != 0.0) FailAt(file, lens_node, fmt::format("skew=\"{}\"", skew), "0");
  SetPinhole(where, lens("focalLengthU") / kSubpixels, lens("focalLengthV") / kSubpixels,
             lens("centerPointU") / kSubpixels - left, lens("centerPointV") / kSubpixels - top,
             &camera);
  SetDistortion(where,
                {lens("radialDistortion1"), lens("radialDistortion2"), lens("tangentalDistortion1"),
                 lens("tangentalDistortion2"), lens("radialDistortion3")},
                false, &camera);
  const pugi::xml_node pose_node = ChildOf(file, node, "transform");
  const Attributes pose(file, pose_node);
  // Read before they fill a matrix: a field that is missing throws, and half a matrix asserts.
  const std::array<double, 9> rows = {pose("r11"), pose("r12"), pose("r13"),
                                      pose("r21"), pose("r22"), pose("r23"),
                                      pose("r31"), pose("r32"), pose("r33")};
  const Eigen::Matrix3d R =
      Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows.data());
  // Its cameras look along -z with y up.
  const Eigen::Matrix3d turned =
      Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal() * RotationOf(where, R);
  const Eigen::Vector3d place(pose("x"), pose("y"), pose("z"));
  result.camera_from_frame = {turned, -turned * place};
  return result;
}

}  // namespace

ForeignRig ReadQualisysRig(const std::filesystem::path& path) {
  XmlFile file;
  ReadXml(path, "calibration", &file);
  ForeignRig rig{.format = "Qualisys"};
  for (const pugi::xml_node& node : file.root.child("cameras").children("camera")) {
    // Cameras that record markers alone make no pictures.
    const std::string_view active = node.attribute("active").as_string("1");
    if (active == "1" || active == "true") rig.cameras.push_back(ReadQualisysCamera(file, node));
  }
  if (rig.cameras.empty()) {
    throw InputError(
        fmt::format("{}: <cameras>: found no active camera, allowed one or more", path.string()));
  }
  return rig;
}

}  // namespace percuss::calibration
