// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/requests/impact_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <stdexcept>

#include "base/error.h"
#include "base/text/json_field.h"
#include "base/text/yaml_field.h"
#include "capture/experiment/mesh_file.h"
#include "solver/body/euler_angles.h"
#include "solver/compliant/boundary_layer.h"
#include "solver/law/impact_law.h"
#include "solver/mechanisms/modal_contact.h"
#include "solver/restitution/hertz.h"
#include "solver/solve_impact.h"

namespace percuss::app {
namespace {

constexpr const char* kVibratingLaw = "kelvin-voigt";  // what mechanisms with springs touch with

using Eigen::Matrix3d;
using Eigen::Vector3d;

double Positive(const JsonField& field, std::string_view unit) {
  return field.Number(Range{.lowest = 0.0, .lowest_included = false, .unit = unit});
}

template <int kSize>
using VectorOf = Eigen::Matrix<double, kSize, 1>;

template <int kSize>
VectorOf<kSize> Numbers(const JsonField& field) {
  const auto items = field.Elements(kSize, fmt::format("a list of {} numbers", kSize));
  VectorOf<kSize> vector;
  for (int i = 0; i < kSize; ++i) vector[i] = items[i].Number("a number");
  return vector;
}

template <int kSize>
VectorOf<kSize> Lengths(const JsonField& field) {
  const auto items = field.Elements(kSize, fmt::format("a list of {} numbers above 0 [m]", kSize));
  VectorOf<kSize> vector;
  for (int i = 0; i < kSize; ++i) vector[i] = Positive(items[i], "m");
  return vector;
}

Matrix3d Matrix(const JsonField& field) {
  const auto rows = field.Elements(3, "a 3x3 matrix: a list of 3 rows");
  Matrix3d matrix;
  for (int i = 0; i < 3; ++i) matrix.row(i) = Numbers<3>(rows[i]);
  return matrix;
}

solver::Shape ReadShape(const JsonField& body, const std::filesystem::path& folder) {
  static const std::map<std::string, std::vector<std::string_view>, std::less<>> kKeys = {
      {"sphere", {"radius"}},
      {"box", {"size"}},
      {"cylinder", {"radius", "length"}},
      {"capsule", {"radius", "length"}},
      {"ellipsoid", {"semi_axes"}},
      {"ellipse", {"semi_axes"}},
      {"mesh", {"file", "scale"}}};
  constexpr std::string_view kShapes = "sphere, box, cylinder, capsule, ellipsoid, ellipse or mesh";
  const std::string shape = body["shape"].Text(kShapes);
  const auto own = kKeys.find(shape);
  if (own == kKeys.end()) body["shape"].Fail(kShapes);
  // Markers mean nothing here, but a body may be pasted from an experiment file.
  std::vector<std::string_view> keys = {
      "shape", "mass", "inertia", "radius_of_gyration", "flatness", "markers", "marker_diameter"};
  keys.insert(keys.end(), own->second.begin(), own->second.end());
  body.AllowKeys(keys);
  if (shape == "sphere") return solver::Sphere{Positive(body["radius"], "m")};
  if (shape == "box") return solver::Box{Lengths<3>(body["size"])};
  if (shape == "cylinder") {
    return solver::Cylinder{Positive(body["radius"], "m"), Positive(body["length"], "m")};
  }
  if (shape == "capsule") {
    return solver::Capsule{Positive(body["radius"], "m"), Positive(body["length"], "m")};
  }
  if (shape == "ellipsoid") return solver::Ellipsoid{Lengths<3>(body["semi_axes"])};
  if (shape == "ellipse") return solver::Ellipse{Lengths<2>(body["semi_axes"])};
  const double scale = body["scale"].Given() ? Positive(body["scale"], "m per unit") : 1.0;
  const std::filesystem::path file = body["file"].Text("the path of an OBJ file");
  return capture::ReadConvexMesh(folder / file, scale).mesh;
}

solver::Body ReadBody(const JsonField& body, const std::filesystem::path& folder) {
  if (!body.IsObject()) body.Fail("a map with shape, its lengths and mass");
  solver::Body read;
  read.shape = ReadShape(body, folder);
  read.mass = Positive(body["mass"], "kg");
  read.inertia = solver::UniformInertia(read.shape, read.mass);
  if (const JsonField inertia = body["inertia"]; inertia.Given()) {
    constexpr std::string_view kAllowed = "3 principal values or a 3x3 matrix [kg m^2]";
    const bool matrix = inertia.Elements(3, kAllowed).front().IsArray();
    read.inertia = matrix ? Matrix(inertia) : Matrix3d(Numbers<3>(inertia).asDiagonal());
  }
  if (const JsonField gyration = body["radius_of_gyration"]; gyration.Given()) {
    if (body["inertia"].Given()) gyration.Fail("this beside inertia", "one of them");
    const double k = Positive(gyration, "m");  // about body y, the others in proportion
    read.inertia *= read.mass * k * k / read.inertia(1, 1);
  }
  return read;
}

Eigen::Quaterniond ReadOrientation(const JsonField& root) {
  const JsonField orientation = root["orientation"];
  if (!orientation.Given()) return Eigen::Quaterniond::Identity();
  const Eigen::Vector4d q = Numbers<4>(orientation);
  constexpr double kLoose = 1e-3;  // room for a quaternion typed with three digits
  if (!(std::abs(q.norm() - 1.0) <= kLoose)) {
    orientation.Fail(fmt::format("a quaternion of length {:g}", q.norm()),
                     "length 1 (within 0.001)");
  }
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
}

BodyMotion ReadMotion(const JsonField& root, const std::filesystem::path& folder) {
  BodyMotion motion{.body = ReadBody(root["body"], folder)};
  motion.q_WB = ReadOrientation(root);
  if (const JsonField theta = root["euler_angles"]; theta.Given()) {
    if (root["orientation"].Given()) theta.Fail("this beside orientation", "one of them");
    motion.q_WB = solver::OrientationFromEulerAngles(Numbers<3>(theta));
  }
  motion.v = Numbers<3>(root["velocity"]);
  if (root["angular_velocity"].Given()) motion.w = Numbers<3>(root["angular_velocity"]);
  return motion;
}

/// Exactly one of these keys.
void CheckOneOf(const JsonField& root, std::initializer_list<const char*> keys) {
  std::vector<const char*> given;
  for (const char* key : keys) {
    if (root[key].Given()) given.push_back(key);
  }
  if (given.size() == 1) return;
  root.Fail(given.empty() ? fmt::format("none of {}", fmt::join(keys, ", "))
                          : fmt::format("{}", fmt::join(given, " and ")),
            "one of them");
}

Vector3d ReadNormal(const JsonField& field) {
  if (!field.Given()) return Vector3d::UnitZ();
  const Vector3d normal = Numbers<3>(field);
  if (!(normal.norm() > 0.0)) field.Fail("a vector that is not zero");
  return normal;
}

/// A body as it collides. @param towards where the other is, for the point that touches, W
solver::CollidingBody ReadColliding(const JsonField& root, const std::filesystem::path& folder,
                                    const Vector3d& towards) {
  const BodyMotion motion = ReadMotion(root, folder);
  const Matrix3d R_WB = motion.q_WB.toRotationMatrix();
  solver::CollidingBody body{.mass = motion.body.mass,
                             .inertia = R_WB * motion.body.inertia * R_WB.transpose(),
                             .velocity = motion.v,
                             .angular_velocity = motion.w};
  const JsonField point = root["contact_point"];
  body.r =
      point.Given()
          ? Vector3d(Numbers<3>(point))
          : Vector3d(R_WB * solver::SupportPoint(motion.body.shape, R_WB.transpose() * towards));
  return body;
}

void ReadBodies(const JsonField& root, const std::filesystem::path& folder,
                ImpactRequest* request) {
  const Vector3d normal = ReadNormal(root["normal"]);
  solver::BodyPair bodies{.first = ReadColliding(root, folder, -normal)};
  bodies.second.mass = std::numeric_limits<double>::infinity();
  if (const JsonField second = root["second"]; second.Given()) {
    if (!second.IsObject()) second.Fail("a map with body and velocity");
    second.AllowKeys(
        {"body", "orientation", "euler_angles", "velocity", "angular_velocity", "contact_point"});
    bodies.second = ReadColliding(second, folder, normal);
  }
  request->contact_frame = solver::ContactFrame(normal);
  request->contact = solver::ContactOf(bodies, request->contact_frame);
  request->bodies = bodies;
}

Eigen::MatrixXd ReadRows(const JsonField& field, Eigen::Index columns) {
  const std::vector<JsonField> rows = field.Elements();
  Eigen::MatrixXd matrix(rows.size(), columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto numbers = rows[i].Elements(columns, fmt::format("a list of {} numbers", columns));
    for (Eigen::Index k = 0; k < columns; ++k)
      matrix(static_cast<Eigen::Index>(i), k) = numbers[k].Number("a number");
  }
  return matrix;
}

/// The contact velocity of a body that vibrates in some modes, by (v_W, w_B, rates of the modes).
Eigen::MatrixXd ReadModalContact(const JsonField& field, Eigen::Index size) {
  if (!field.IsObject()) field.Fail("a map with contact_point, modes, coordinates");
  field.AllowKeys({"orientation", "contact_point", "modes", "coordinates", "normal"});
  const Eigen::MatrixXd modes = ReadRows(field["modes"], size - 6);
  if (modes.rows() != 3)
    field["modes"].Fail(fmt::format("{} rows", modes.rows()), "3: x, y, z of the body");
  Eigen::VectorXd coordinates = Eigen::VectorXd::Zero(modes.cols());
  if (field["coordinates"].Given()) {
    const auto given = field["coordinates"].Elements(modes.cols());
    for (Eigen::Index k = 0; k < modes.cols(); ++k) coordinates[k] = given[k].Number("a number");
  }
  const Matrix3d R_WB = ReadOrientation(field).toRotationMatrix();
  return solver::ModalContactJacobian(R_WB, Numbers<3>(field["contact_point"]), modes, coordinates,
                                      solver::ContactFrame(ReadNormal(field["normal"])));
}

/// What vibrates while the contact lasts, where springs are given.
void ReadSprings(const JsonField& field, const solver::Linkage& linkage, ImpactRequest* request) {
  const Eigen::Index size = request->speeds.size();
  if (!field["springs"].Given()) {
    for (const char* key : {"dampers", "deflection"}) {
      if (field[key].Given()) field[key].Fail("this without springs", "only beside springs");
    }
    return;
  }
  if (request->law != kVibratingLaw) {
    field["springs"].Fail("springs beside the law " + request->law,
                          fmt::format("only beside {}", kVibratingLaw));
  }
  solver::VibratingMechanism vibrating{.linkage = linkage,
                                       .stiffness = ReadRows(field["springs"], size),
                                       .damping = {},
                                       .deflection = {}};
  if (field["dampers"].Given()) vibrating.damping = ReadRows(field["dampers"], size);
  if (field["deflection"].Given()) {
    const auto given =
        field["deflection"].Elements(size, fmt::format("a list of {} numbers", size));
    vibrating.deflection.resize(size);
    for (Eigen::Index k = 0; k < size; ++k) vibrating.deflection[k] = given[k].Number("a number");
  }
  request->vibrating = std::move(vibrating);
}

void ReadLinkage(const JsonField& field, ImpactRequest* request) {
  if (!field.IsObject()) field.Fail("a map with mass, joints, contact or modal, and speeds");
  field.AllowKeys(
      {"mass", "joints", "contact", "modal", "speeds", "springs", "dampers", "deflection"});
  CheckOneOf(field, {"contact", "modal"});
  const std::vector<JsonField> speeds = field["speeds"].Elements();
  if (speeds.empty() || speeds.size() > kMostSpeeds) {
    field["speeds"].Fail(fmt::format("{} numbers", speeds.size()),
                         fmt::format("1 to {}", kMostSpeeds));
  }
  const auto size = static_cast<Eigen::Index>(speeds.size());
  request->speeds.resize(size);
  for (Eigen::Index k = 0; k < size; ++k) request->speeds[k] = speeds[k].Number("a number");
  if (field["modal"].Given() && size < 6)
    field["speeds"].Fail(fmt::format("{} numbers", size), "at least 6 beside modal: v, w, modes");
  solver::Linkage linkage{.mass_matrix = ReadRows(field["mass"], size),
                          .joint_jacobian = Eigen::MatrixXd(0, size),
                          .contact_jacobian = field["modal"].Given()
                                                  ? ReadModalContact(field["modal"], size)
                                                  : ReadRows(field["contact"], size)};
  if (field["joints"].Given()) linkage.joint_jacobian = ReadRows(field["joints"], size);
  constexpr double kHolds = 1e-6;  // [m/s]
  const Eigen::VectorXd parting = linkage.joint_jacobian * request->speeds;
  if (parting.size() > 0 && !(parting.cwiseAbs().maxCoeff() <= kHolds)) {
    field["speeds"].Fail(
        fmt::format("speeds at which joints part by {:.3g}", parting.cwiseAbs().maxCoeff()),
        "at most 1e-6");
  }
  request->contact.inverse_mass = solver::InverseContactMass(linkage);
  request->contact.velocity = linkage.contact_jacobian * request->speeds;
  ReadSprings(field, linkage, request);
  request->linkage = std::move(linkage);
}

/// Beside what has no body.
void CheckNoMotion(const JsonField& root, const char* beside) {
  for (const char* key : {"orientation", "euler_angles", "velocity", "angular_velocity",
                          "contact_point", "normal", "second", "hung_mass"}) {
    if (root[key].Given())
      root[key].Fail(fmt::format("this beside {}", beside), "only beside body");
  }
}

std::vector<double> ReadParameters(const JsonField& field, const solver::LawInfo& law) {
  std::vector<solver::ParameterInfo> infos = law.parameters;
  infos.insert(infos.end(), law.optional_parameters.begin(), law.optional_parameters.end());
  std::vector<std::string_view> names;
  for (const solver::ParameterInfo& info : infos) names.push_back(info.name);
  field.AllowKeys(names);
  std::vector<double> parameters;
  for (std::size_t k = 0; k < infos.size(); ++k) {
    const solver::ParameterInfo& info = infos[k];
    std::string allowed = fmt::format("a number of at least {}", info.lower);
    if (std::isfinite(info.upper)) allowed += fmt::format(" and at most {}", info.upper);
    const JsonField parameter = field[info.name];
    if (k >= law.parameters.size() && !parameter.Given()) {
      if (k + 1 < infos.size() && field[infos.back().name].Given()) {
        parameter.Fail(fmt::format("{}, because {} is given", allowed, infos.back().name));
      }
      break;
    }
    const double value = parameter.Number(allowed);
    if (!(value >= info.lower && value <= info.upper)) parameter.Fail(allowed);
    parameters.push_back(value);
  }
  return parameters;
}

/// Two principal radii of a surface, the larger one first; of a plane both are infinite.
Eigen::Vector2d ReadRadii(const JsonField& field) {
  if (!field.Given()) return Eigen::Vector2d::Constant(std::numeric_limits<double>::infinity());
  if (!field.IsArray()) return Eigen::Vector2d::Constant(Positive(field, "m"));
  const VectorOf<2> radii = Lengths<2>(field);
  if (radii[0] < radii[1]) field.Fail("two radii of which the first is not the smaller one");
  return radii;
}

/// k of F = k d^(3/2) from the materials and radii of the surfaces (chatterjee1997 5.2, 11.3). Two
/// surfaces with two radii each have their larger ones in one plane.
double ReadHertz(const JsonField& root, const ImpactRequest& request) {
  const JsonField material = root["material"];
  constexpr std::array<std::string_view, 5> kLaws = {"hertz", "hertz-plastic", "hunt-crossley",
                                                     "mindlin-deresiewicz", "maw-barber-fawcett"};
  if (std::ranges::find(kLaws, request.law) == kLaws.end()) {
    material.Fail("this beside the law " + request.law,
                  fmt::format("only beside {}", fmt::join(kLaws, ", ")));
  }
  if (root["stiffness"].Given()) root["stiffness"].Fail("this beside material", "one of them");
  if (const JsonField n = root["parameters"]["n"]; n.Given() && n.Number() != 1.5)
    n.Fail("another exponent beside material", "3/2");
  if (!material.IsObject()) material.Fail("a map with first and second");
  material.AllowKeys({"first", "second"});
  double compliance = 0.0;
  Eigen::Vector2d curvature = Eigen::Vector2d::Zero();
  for (const char* name : {"first", "second"}) {
    const JsonField surface = material[name];
    if (!surface.IsObject()) surface.Fail("a map with youngs_modulus, poissons_ratio, radius");
    surface.AllowKeys({"youngs_modulus", "poissons_ratio", "radius"});
    const double nu = surface["poissons_ratio"].Number({.lowest = 0.0, .highest = 0.5});
    compliance += (1.0 - nu * nu) / Positive(surface["youngs_modulus"], "Pa");
    curvature += ReadRadii(surface["radius"]).cwiseInverse();
  }
  if (!(curvature.minCoeff() > 0.0)) material.Fail("two planes", "a radius of one of them");
  return solver::EllipticHertzStiffness(1.0 / compliance, 1.0 / curvature[0], 1.0 / curvature[1]);
}

/// The inverse contact mass of any mechanism from what a program of multibody dynamics answers to
/// no force and to a unit force along t1, t2 and n.
Matrix3d ReadAccelerations(const JsonField& field) {
  const auto answers =
      field.Elements(4, "4 accelerations: without a force, and by 1 N along t1, t2, n");
  const Vector3d free = Numbers<3>(answers[0]);
  Matrix3d forced;
  for (int k = 0; k < 3; ++k) forced.col(k) = Numbers<3>(answers[k + 1]);
  return solver::InverseContactMassFromUnitForces([&](const Vector3d& force) -> Vector3d {
    return force.isZero() ? free : Vector3d(forced * force);
  });
}

constexpr std::array<std::string_view, 6> kMotionKeys = {
    "body", "orientation", "euler_angles", "velocity", "angular_velocity", "parameters"};

/// A request for the law that takes all points at once.
MultiImpactRequest ReadSeveral(const JsonField& root, const std::filesystem::path& folder) {
  std::vector<std::string_view> keys = {"law"};
  keys.insert(keys.end(), kMotionKeys.begin(), kMotionKeys.end());
  keys.insert(keys.end(), kMultiImpactKeys.begin(), kMultiImpactKeys.end());
  root.AllowKeys(keys);
  CheckOneOf(root, {"system", "body"});
  if (root["body"].Given()) return ReadMultiImpact(root, ReadMotion(root, folder));
  CheckNoMotion(root, "system");
  return ReadMultiImpact(root, std::nullopt);
}

ImpactRequest ReadRequest(const JsonField& root, const std::filesystem::path& folder) {
  ImpactRequest request;
  if (root["law"].Given()) request.law = root["law"].Text("a law from `percuss laws`");
  if (request.law == kMultiPoint) {
    request.several = ReadSeveral(root, folder);
    return request;
  }
  root.AllowKeys({"law", "parameters", "contact", "body", "orientation", "euler_angles", "velocity",
                  "angular_velocity", "contact_point", "normal", "second", "linkage", "stiffness",
                  "layer", "material", "hung_mass"});
  const auto& laws = solver::Laws();
  const auto law = std::ranges::find(laws, request.law, &solver::LawInfo::name);
  if (law == laws.end()) {
    std::vector<std::string_view> names;
    for (const solver::LawInfo& info : laws) names.push_back(info.name);
    root["law"].Fail(fmt::format("{}", fmt::join(names, ", ")));
  }
  if (root["layer"].Given()) {
    if (request.law != solver::BoundaryLayerLaw::Info().name)
      root["layer"].Fail("this beside the law " + request.law, "only beside boundary-layer");
    if (root["stiffness"].Given()) root["stiffness"].Fail("this beside layer", "one of them");
    root["parameters"].AllowKeys({"mu"});
  } else {
    request.parameters = ReadParameters(root["parameters"], *law);
  }
  if (root["stiffness"].Given()) request.stiffness = Positive(root["stiffness"], "N/m^n");
  if (const double k = solver::ParameterNamed(*law, "k", request.parameters); !std::isnan(k)) {
    if (root["stiffness"].Given()) root["stiffness"].Fail("this beside k", "one of them");
    request.stiffness = k;
  }
  if (root["material"].Given()) request.stiffness = ReadHertz(root, request);
  CheckOneOf(root, {"contact", "body", "linkage"});
  if (root["body"].Given()) {
    ReadBodies(root, folder, &request);
    if (const JsonField hung = root["hung_mass"]; hung.Given()) {
      if (root["second"].Given()) hung.Fail("this beside second", "only of a body on a surface");
      request.hung_mass = Positive(hung, "kg");
    }
    return request;
  }
  if (root["linkage"].Given()) {
    CheckNoMotion(root, "linkage");
    ReadLinkage(root["linkage"], &request);
    return request;
  }
  CheckNoMotion(root, "contact");
  const JsonField contact = root["contact"];
  contact.AllowKeys({"inverse_mass", "accelerations", "velocity"});
  CheckOneOf(contact, {"inverse_mass", "accelerations"});
  request.contact.inverse_mass = contact["inverse_mass"].Given()
                                     ? Matrix(contact["inverse_mass"])
                                     : ReadAccelerations(contact["accelerations"]);
  request.contact.velocity = Numbers<3>(contact["velocity"]);
  return request;
}

/// A layer by its material, in place of the parameters that hold for one speed.
void ReadLayer(const JsonField& root, ImpactRequest* request) {
  const JsonField layer = root["layer"];
  if (!layer.IsObject()) layer.Fail("a map with stiffness, width, and damping or restitution");
  layer.AllowKeys({"stiffness", "width", "damping", "restitution", "reference_speed"});
  CheckOneOf(layer, {"damping", "restitution"});
  solver::LayerMaterial material{.stiffness_N_per_m = Positive(layer["stiffness"], "N/m"),
                                 .width_m = Positive(layer["width"], "m")};
  if (layer["damping"].Given()) {
    material.damping_N = layer["damping"].Number("a number of at least 0 [N]");
  } else {
    material.damping_N = solver::CentralLayerDamping(layer["restitution"].Number("a number")) *
                         material.stiffness_N_per_m * material.width_m;
  }
  if (layer["reference_speed"].Given())
    material.reference_speed = Positive(layer["reference_speed"], "m/s");
  const double mu = root["parameters"]["mu"].Number("a number of at least 0");
  const auto model = solver::ModelOfLayer(material, mu, request->contact);
  request->parameters = {mu, model.stiffness, model.damping};
  request->stiffness = material.stiffness_N_per_m;
}

ImpactRequest ReadChecked(const JsonField& root, const std::string& where,
                          const std::filesystem::path& folder) {
  try {
    ImpactRequest request = ReadRequest(root, folder);
    request.where = where;
    if (root["layer"].Given()) ReadLayer(root, &request);
    return request;
  } catch (const std::invalid_argument& error) {
    throw InputError(where + error.what());
  }
}

}  // namespace

ImpactRequests ReadImpactRequests(const std::string& text, const std::string& file) {
  const JsonField root = JsonField::Parse(file, text, 1);
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  ImpactRequests requests{.is_list = root.IsArray(), .requests = {}};
  if (!root.IsArray()) {
    requests.requests.push_back(ReadChecked(root, file + ": ", folder));
    return requests;
  }
  int number = 1;
  for (const JsonField& item : root.Elements()) {
    const std::string where = fmt::format("{}: [#{}]: ", file, number++);
    requests.requests.push_back(ReadChecked(item, where, folder));
  }
  return requests;
}

}  // namespace percuss::app
