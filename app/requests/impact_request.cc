// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/requests/impact_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.h"
#include "base/text/json_field.h"
#include "capture/experiment/mesh_file.h"
#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"

namespace percuss::app {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using json = nlohmann::ordered_json;

std::string Joined(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : ", ") + word;
  return joined;
}

/// A value in the request with its place, so that every message can say where it is. Entries of a
/// list are counted from 1.
class Field {
 public:
  Field(std::string file, std::string place, const json* value)
      : file_(std::move(file)), place_(std::move(place)), value_(value) {}

  bool Given() const { return value_ != nullptr; }
  bool IsMap() const { return Given() && value_->is_object(); }
  bool IsList() const { return Given() && value_->is_array(); }
  std::size_t Size() const { return value_->size(); }

  Field operator[](const std::string& key) const {
    const auto found = value_->find(key);
    return {file_, place_.empty() ? key : place_ + "." + key,
            found == value_->end() ? nullptr : &*found};
  }
  Field Item(std::size_t index) const {
    return {file_, fmt::format("{}[#{}]", place_, index + 1), &(*value_)[index]};
  }

  void RequireMap(const std::vector<std::string>& keys) const {
    if (!IsMap()) Throw("a map with " + Joined(keys));
    for (const auto& [key, unused] : value_->items()) {
      const bool known = std::find(keys.begin(), keys.end(), key) != keys.end();
      if (!known) (*this)[key].ThrowText("an unknown key", Joined(keys));
    }
  }

  std::string Text(std::string_view allowed) const {
    if (!Given() || !value_->is_string()) Throw(allowed);
    return value_->get<std::string>();
  }

  double Number(std::string_view allowed = "a number") const {
    if (!Given() || !value_->is_number()) Throw(allowed);
    return value_->get<double>();
  }

  double Positive(std::string_view unit) const {
    const std::string allowed = fmt::format("a number above 0 [{}]", unit);
    const double number = Number(allowed);
    if (!(number > 0.0)) Throw(allowed);
    return number;
  }

  std::vector<Field> Items(std::size_t count, std::string_view allowed) const {
    if (!IsList() || value_->size() != count) Throw(allowed);
    std::vector<Field> items;
    for (std::size_t k = 0; k < count; ++k) items.push_back(Item(k));
    return items;
  }

  template <int kSize>
  Eigen::Matrix<double, kSize, 1> Vector() const {
    const std::vector<Field> items = Items(kSize, fmt::format("a list of {} numbers", kSize));
    Eigen::Matrix<double, kSize, 1> vector;
    for (int i = 0; i < kSize; ++i) vector[i] = items[static_cast<std::size_t>(i)].Number();
    return vector;
  }

  template <int kSize>
  Eigen::Matrix<double, kSize, 1> Lengths() const {
    const std::vector<Field> items =
        Items(kSize, fmt::format("a list of {} numbers above 0 [m]", kSize));
    Eigen::Matrix<double, kSize, 1> vector;
    for (int i = 0; i < kSize; ++i) vector[i] = items[static_cast<std::size_t>(i)].Positive("m");
    return vector;
  }

  Matrix3d Matrix() const {
    const std::vector<Field> rows = Items(3, "a 3x3 matrix: a list of 3 rows");
    Matrix3d matrix;
    for (int i = 0; i < 3; ++i) matrix.row(i) = rows[static_cast<std::size_t>(i)].Vector<3>();
    return matrix;
  }

  [[noreturn]] void Throw(std::string_view allowed) const {
    ThrowText(Given() ? value_->dump() : "nothing", allowed);
  }
  [[noreturn]] void ThrowText(std::string_view found, std::string_view allowed) const {
    constexpr std::size_t kLongest = 60;
    std::string shown(found.substr(0, kLongest));
    if (found.size() > kLongest) shown += "...";
    ThrowSentence(fmt::format("found {}, allowed: {}", shown, allowed));
  }
  [[noreturn]] void ThrowSentence(std::string_view sentence) const {
    throw InputError(fmt::format("{}{}", Where(), sentence));
  }

  /// What messages begin with.
  std::string Where() const {
    return fmt::format("{}: {}{}", file_, place_, place_.empty() ? "" : ": ");
  }

 private:
  std::string file_, place_;
  const json* value_;
};

solver::Shape ReadShape(const Field& body, const std::filesystem::path& folder) {
  static const std::map<std::string, std::vector<std::string>> kKeys = {
      {"sphere", {"radius"}},
      {"box", {"size"}},
      {"cylinder", {"radius", "length"}},
      {"capsule", {"radius", "length"}},
      {"ellipsoid", {"semi_axes"}},
      {"ellipse", {"semi_axes"}},
      {"mesh", {"file", "scale"}}};
  constexpr std::string_view kShapes = "sphere, box, cylinder, capsule, ellipsoid, ellipse or mesh";
  const std::string shape = body["shape"].Text(kShapes);
  if (!kKeys.contains(shape)) body["shape"].Throw(kShapes);
  // Markers mean nothing here, but a body may be pasted from an experiment file.
  std::vector<std::string> keys = {"shape",   "mass",           "inertia", "radius_of_gyration",
                                   "markers", "marker_diameter"};
  keys.insert(keys.end(), kKeys.at(shape).begin(), kKeys.at(shape).end());
  body.RequireMap(keys);
  if (shape == "sphere") return solver::Sphere{body["radius"].Positive("m")};
  if (shape == "box") return solver::Box{body["size"].Lengths<3>()};
  if (shape == "cylinder") {
    return solver::Cylinder{body["radius"].Positive("m"), body["length"].Positive("m")};
  }
  if (shape == "capsule") {
    return solver::Capsule{body["radius"].Positive("m"), body["length"].Positive("m")};
  }
  if (shape == "ellipsoid") return solver::Ellipsoid{body["semi_axes"].Lengths<3>()};
  if (shape == "ellipse") return solver::Ellipse{body["semi_axes"].Lengths<2>()};
  const double scale = body["scale"].Given() ? body["scale"].Positive("m per unit") : 1.0;
  const std::filesystem::path file = body["file"].Text("the path of an OBJ file");
  return capture::ReadConvexMesh(folder / file, scale).mesh;
}

void ReadBody(const Field& root, const std::filesystem::path& folder, ImpactRequest& request) {
  const Field body = root["body"];
  request.has_body = true;
  if (!body.IsMap()) body.Throw("a map with shape, its lengths and mass");
  request.body.shape = ReadShape(body, folder);
  request.body.mass = body["mass"].Positive("kg");
  request.body.inertia = solver::UniformInertia(request.body.shape, request.body.mass);
  if (const Field inertia = body["inertia"]; inertia.Given()) {
    constexpr std::string_view kAllowed = "3 principal values or a 3x3 matrix [kg m^2]";
    const bool matrix = inertia.Items(3, kAllowed).front().IsList();
    request.body.inertia = matrix ? inertia.Matrix() : Matrix3d(inertia.Vector<3>().asDiagonal());
  }
  if (const Field gyration = body["radius_of_gyration"]; gyration.Given()) {
    if (body["inertia"].Given()) gyration.ThrowText("this beside inertia", "one of them");
    const double k = gyration.Positive("m");  // about body y, the others in proportion
    request.body.inertia *= request.body.mass * k * k / request.body.inertia(1, 1);
  }
  if (const Field orientation = root["orientation"]; orientation.Given()) {
    const Eigen::Vector4d q = orientation.Vector<4>();
    constexpr double kLoose = 1e-3;  // room for a quaternion typed with three digits
    if (!(std::abs(q.norm() - 1.0) <= kLoose)) {
      orientation.ThrowText(fmt::format("a quaternion of length {:g}", q.norm()),
                            "length 1 (within 0.001)");
    }
    request.q_WB = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
  }
  request.v = root["velocity"].Vector<3>();
  if (root["angular_velocity"].Given()) request.w = root["angular_velocity"].Vector<3>();
  Vector3d normal = Vector3d::UnitZ();
  if (const Field given = root["normal"]; given.Given()) {
    normal = given.Vector<3>();
    if (!(normal.norm() > 0.0)) given.Throw("a vector that is not zero");
  }
  if (root["contact_point"].Given()) {
    request.r = root["contact_point"].Vector<3>();
  } else {
    const Vector3d down_B = request.q_WB.conjugate() * -normal;
    request.r = request.q_WB * solver::SupportPoint(request.body.shape, down_B);
  }
  request.contact_frame = solver::ContactFrame(normal);
  request.contact.inverse_mass = solver::InverseContactMass<double>(
      request.body.mass, request.body.inertia, request.q_WB, request.r, request.contact_frame);
  request.contact.velocity =
      solver::ContactVelocity<double>(request.v, request.w, request.r, request.contact_frame);
}

std::vector<double> ReadParameters(const Field& field, const solver::LawInfo& law) {
  std::vector<solver::ParameterInfo> infos = law.parameters;
  infos.insert(infos.end(), law.optional_parameters.begin(), law.optional_parameters.end());
  std::vector<std::string> names;
  names.reserve(infos.size());
  for (const solver::ParameterInfo& info : infos) names.emplace_back(info.name);
  field.RequireMap(names);
  std::vector<double> parameters;
  parameters.reserve(infos.size());
  for (std::size_t k = 0; k < infos.size(); ++k) {
    const solver::ParameterInfo& info = infos[k];
    std::string allowed = fmt::format("a number of at least {}", info.lower);
    if (std::isfinite(info.upper)) allowed += fmt::format(" and at most {}", info.upper);
    const Field parameter = field[std::string(info.name)];
    if (k >= law.parameters.size() && !parameter.Given()) {
      if (k + 1 < infos.size() && field[std::string(infos.back().name)].Given()) {
        parameter.Throw(fmt::format("{}, because {} is given", allowed, infos.back().name));
      }
      break;
    }
    const double value = parameter.Number(allowed);
    if (!(value >= info.lower && value <= info.upper)) parameter.Throw(allowed);
    parameters.push_back(value);
  }
  return parameters;
}

void ReadContact(const Field& field, ImpactRequest& request) {
  field.RequireMap({"inverse_mass", "velocity"});
  request.contact.inverse_mass = field["inverse_mass"].Matrix();
  request.contact.velocity = field["velocity"].Vector<3>();
}

ImpactRequest ReadRequest(const Field& root, const std::filesystem::path& folder) {
  ImpactRequest request;
  request.where = root.Where();
  root.RequireMap({"law", "parameters", "contact", "body", "orientation", "velocity",
                   "angular_velocity", "contact_point", "normal"});
  if (root["law"].Given()) request.law = root["law"].Text("a law from `percuss laws`");
  const auto& laws = solver::Laws();
  const auto law = std::find_if(laws.begin(), laws.end(),
                                [&](const auto& info) { return info.name == request.law; });
  if (law == laws.end()) {
    std::vector<std::string> names;
    names.reserve(laws.size());
    for (const solver::LawInfo& info : laws) names.emplace_back(info.name);
    root["law"].Throw(Joined(names));
  }
  request.parameters = ReadParameters(root["parameters"], *law);
  if (root["contact"].Given() == root["body"].Given()) {
    root.ThrowText(root["body"].Given() ? "both contact and body" : "neither contact nor body",
                   "one of them");
  }
  if (root["body"].Given()) {
    ReadBody(root, folder, request);
    return request;
  }
  for (const char* key :
       {"orientation", "velocity", "angular_velocity", "contact_point", "normal"}) {
    if (root[key].Given()) root[key].ThrowText("this beside contact", "only beside body");
  }
  ReadContact(root["contact"], request);
  return request;
}

ImpactRequest ReadChecked(const Field& root, const std::filesystem::path& folder) {
  try {
    return ReadRequest(root, folder);
  } catch (const std::invalid_argument& error) {
    root.ThrowSentence(error.what());
  }
}

}  // namespace

ImpactRequests ReadImpactRequests(const std::string& text, const std::string& file) {
  const json content = ParseJson(file, text);
  const Field root(file, "", &content);
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  ImpactRequests requests{.is_list = root.IsList(), .requests = {}};
  if (!root.IsList()) {
    requests.requests.push_back(ReadChecked(root, folder));
    return requests;
  }
  for (std::size_t k = 0; k < root.Size(); ++k)
    requests.requests.push_back(ReadChecked(root.Item(k), folder));
  return requests;
}

}  // namespace percuss::app
