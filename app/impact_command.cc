// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "app/command.h"
#include "capture/error.h"
#include "capture/files.h"
#include "capture/mesh_file.h"
#include "solver/contact.h"
#include "solver/impact_law.h"
#include "solver/rigid_body.h"

namespace percuss::app {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFooter =
    R"(REQUEST.json holds one request, or a list of them for a list of results:

  {"law": "stronge", "parameters": {"mu": 0.3, "e": 0.5},
   "body": {"shape": "box", "size": [0.3, 0.05, 0.0125], "mass": 0.185},
   "orientation": [0.966, 0, 0.259, 0], "velocity": [0.4, 0, -1.5]}

law               a name from `percuss laws`; default stronge
parameters        those of the law
body              shape (sphere, box, cylinder, capsule, ellipsoid, ellipse, mesh) with its
                  lengths [m], mass [kg]; optional inertia [kg m^2] (3 principal values or 3x3)
                  or radius_of_gyration [m] about body y
orientation       quaternion w x y z of the body in the world; default 1 0 0 0
velocity          of the mass centre [m/s]
angular_velocity  [rad/s]; default 0 0 0
contact_point     from the mass centre to the contact, world axes [m]; default: the lowest point
normal            of the surface, into the body; default 0 0 1

or, instead of body and what follows it, the contact alone, in the frame (t1, t2, n):

  "contact": {"inverse_mass": [[2.5, 0, 1.5], [0, 1, 0], [1.5, 0, 2.5]], "velocity": [1, 0, -1]}

impulse [N s] and contact_velocity [m/s] of the result are in world axes for a body, in the
contact frame for a contact; energies [J] are kinetic, for a contact u A^-1 u / 2, the part that
an impulse there can change.

Example:  percuss impact request.json)";

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
    throw InputError(
        fmt::format("{}: {}{}{}", file_, place_, place_.empty() ? "" : ": ", sentence));
  }

 private:
  std::string file_, place_;
  const json* value_;
};

struct Request {
  std::string law = "stronge";
  std::vector<double> parameters;
  solver::Contact<double> contact;
  // Of a body:
  bool has_body = false;
  solver::Body body;
  Eigen::Quaterniond q_WB = Eigen::Quaterniond::Identity();
  Vector3d v = Vector3d::Zero(), w = Vector3d::Zero(), r = Vector3d::Zero();
  Matrix3d contact_frame = Matrix3d::Identity();
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

void ReadBody(const Field& root, const std::filesystem::path& folder, Request& request) {
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

void ReadContact(const Field& field, Request& request) {
  field.RequireMap({"inverse_mass", "velocity"});
  request.contact.inverse_mass = field["inverse_mass"].Matrix();
  request.contact.velocity = field["velocity"].Vector<3>();
}

Request ReadRequest(const Field& root, const std::filesystem::path& folder) {
  Request request;
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

ordered_json ToJson(const Vector3d& vector) { return {vector.x(), vector.y(), vector.z()}; }

ordered_json ToJson(const Request& request, const solver::ImpactResult<double>& result) {
  const Vector3d P_W = request.contact_frame * result.impulse;
  ordered_json out = {
      {"law", request.law},
      {"impulse", ToJson(P_W)},
      {"contact_velocity", ToJson(request.contact_frame * result.contact_velocity)}};
  double before = 0.0;
  double after = 0.0;
  if (request.has_body) {
    const Matrix3d R_WB = request.q_WB.toRotationMatrix();
    const Matrix3d inertia_W = R_WB * request.body.inertia * R_WB.transpose();
    const Vector3d v = request.v + P_W / request.body.mass;
    const Vector3d w = request.w + inertia_W.llt().solve(request.r.cross(P_W));
    const auto kinetic = [&](const Vector3d& v_now, const Vector3d& w_now) {
      return 0.5 * (request.body.mass * v_now.squaredNorm() + w_now.dot(inertia_W * w_now));
    };
    before = kinetic(request.v, request.w);
    after = kinetic(v, w);
    out["velocity"] = ToJson(v);
    out["angular_velocity"] = ToJson(w);
    out["contact_point"] = ToJson(request.r);
  } else {
    const Eigen::LLT<Matrix3d> inverse_mass(request.contact.inverse_mass);
    const Vector3d& u = request.contact.velocity;
    before = 0.5 * u.dot(inverse_mass.solve(u));
    after = 0.5 * result.contact_velocity.dot(inverse_mass.solve(result.contact_velocity));
  }
  out["modes"] = ordered_json::array();
  for (const solver::ContactMode mode : result.modes)
    out["modes"].push_back(solver::ModeName(mode));
  out["case"] = result.sun_case;
  out["energy"] = {{"before", before},
                   {"after", after},
                   {"dissipated", before - after},
                   {"normal_work", result.energy.normal_work},
                   {"friction_work", result.energy.friction_work}};
  out["compression_impulse"] = result.compression_impulse;
  out["restitution_impulse"] = result.restitution_impulse;
  return out;
}

ordered_json Solve(const Field& root, const std::filesystem::path& folder) {
  try {
    const Request request = ReadRequest(root, folder);
    return ToJson(request, solver::SolveImpact(request.law, request.contact, request.parameters));
  } catch (const std::invalid_argument& error) {
    root.ThrowSentence(error.what());
  }
}

int Run(const std::string& source) {
  const bool from_stdin = source == "-";
  const std::string file = from_stdin ? "standard input" : source;
  const std::string text = from_stdin ? std::string(std::istreambuf_iterator<char>(std::cin), {})
                                      : capture::ReadFile(source);
  json content;
  try {
    content = json::parse(text);
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{}: not JSON: {}", file, error.what()));
  }
  const Field root(file, "", &content);
  const std::filesystem::path folder = std::filesystem::path(source).parent_path();
  ordered_json results;
  if (root.IsList()) {
    results = ordered_json::array();
    for (std::size_t k = 0; k < root.Size(); ++k) results.push_back(Solve(root.Item(k), folder));
  } else {
    results = Solve(root, folder);
  }
  fmt::print("{}\n", results.dump(2));
  return kExitOk;
}

}  // namespace

Command MakeImpactCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand =
      program.add_subcommand("impact", "Solve one impact, or a list of them, from a JSON request");
  auto source = std::make_shared<std::string>();
  subcommand->add_option("request", *source, "JSON file, or - for standard input")->required();
  auto json_flag = std::make_shared<bool>(true);
  subcommand->add_flag("--json", *json_flag, "The result is JSON anyway; accepted like everywhere");
  subcommand->footer(kFooter);
  return {subcommand, [source, json_flag] { return Run(*source); }};
}

}  // namespace percuss::app
