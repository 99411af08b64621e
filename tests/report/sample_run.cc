// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/report/sample_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/nan.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kNames = {"a-slide", "b-stick", "c-reverse", "d-slope"};
constexpr double kFrameRate = 120;
constexpr int kSampleRunFrames = 60, kImpactFrame = 48;
constexpr double kImpactTime = 0.4017;

// Velocities before and after the impact and their sigmas; one row per trial.
struct States {
  double v[3], w[3], v_post[3], w_post[3];
};
const States kStates[] = {{{0.9132, 0.0124, -1.8671},
                           {0.214, 1.903, -0.087},
                           {0.5821, -0.0311, 0.4302},
                           {3.917, -9.482, 0.412}},
                          {{0.1021, -0.0463, -1.7754},
                           {-0.331, 0.642, 0.121},
                           {0.0417, 0.0212, 0.2087},
                           {-4.122, 12.614, 0.238}},
                          {{-0.2217, 0.0871, -1.9428},
                           {1.107, -3.514, 0.276},
                           {0.1344, 0.0127, 0.3619},
                           {6.208, -14.371, 0.355}},
                          {{0.6104, 0.0238, -1.6649},
                           {0.081, 1.244, -0.163},
                           {0.3372, -0.0086, 0.2915},
                           {2.774, -7.905, -0.117}}};
constexpr double kVSigma = 0.0013, kWSigma = 0.031;

Json Inputs() {
  return {{{"file", "experiment.yaml"},
           {"sha256", "3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b"}},
          {{"file", "trials/a-slide/left.mp4"},
           {"sha256", "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"}}};
}

Json Header(const std::string& format) {
  return {{"format", "percuss " + format + " 1"},
          {"program", "percuss 0.1.0"},
          {"command", "percuss run experiment.yaml -o out"},
          {"inputs", Inputs()}};
}

calibration::Camera Camera(double f, double cx, double cy) {
  return {.width = 1280,
          .height = 720,
          .intrinsics = {f, f * 1.0011, cx, cy, -0.0812, 0.1034, 0.00041, -0.00073, -0.0318}};
}

Json Calibration() {
  calibration::RigCalibration rig;
  const Eigen::Matrix3d turned =
      Eigen::AngleAxisd(-0.3491, Eigen::Vector3d::UnitY()).toRotationMatrix();
  rig.cameras = {{.name = "left", .camera = Camera(1204.318, 641.72, 358.91), .from_first = {}},
                 {.name = "right",
                  .camera = Camera(1198.655, 636.04, 362.47),
                  .from_first = {.R = turned, .t = {-0.4012, 0.0021, 0.0734}}}};
  rig.world_from_first = {.R = Eigen::Vector3d(1, -1, -1).asDiagonal(), .t = {0.05, 0.02, 1.1}};
  const calibration::ParameterPlaces places = rig.Places();
  Eigen::VectorXd sigma = Eigen::VectorXd::Constant(calibration::NumRigParameters(2), 0.0003);
  for (int camera = 0; camera < 2; ++camera) {
    sigma.segment<12>(places.Intrinsics(camera)) << 0.84, 0.86, 1.12, 0.97, 0.0021, 0.011, 0.00012,
        0.00014, 0.018, 0, 0, 0;
  }
  sigma.segment<6>(places.CameraPose(1)) << 0.0009, 0.0011, 0.0004, 0.0002, 0.0002, 0.0006;
  rig.covariance = sigma.cwiseAbs2().asDiagonal();
  rig.rms_px = 0.1837;
  rig.corner_sigma_px = 0.1312;
  rig.board = {.shape = {.scale = 1.0, .warp = {0.00004, -0.00007}},
               .scale_sigma = 0.0,
               .warp_sigma = {0.00002, 0.00003}};
  rig.quality.held_out.rms_px = 0.2014;
  rig.quality.coverage = {0.83, 0.79};
  rig.quality.tilt_range_deg = 61.4;
  for (const calibration::CalibratedCamera& camera : rig.cameras) {
    calibration::ImageMap map = calibration::RasterOf(camera.camera);
    for (std::size_t k = 0; k + 1 < map.values.size(); ++k)
      map.values[k] = 0.05 + 0.001 * static_cast<double>(k);
    rig.quality.predicted.projection_sigma_px.push_back(map);
  }
  for (int view = 0; view < 14; ++view) {
    const bool used = view != 6;
    rig.views.push_back({.images = {{.file = fmt::format("left/{:02}.png", view),
                                     .rms_px = used ? 0.16 + 0.004 * view : kNaN},
                                    {.file = fmt::format("right/{:02}.png", view),
                                     .rms_px = used ? 0.19 + 0.003 * view : kNaN}},
                         .used = used,
                         .reason = used ? "" : "no chessboard found in the right image"});
  }
  rig.verdict = "ok";
  rig.verdict_reasons = {"13 of 14 views used, corners cover 83 % of both images"};
  return Json::parse(CalibrationJson(rig, {}));
}

Json Trial(const std::string& name, int index) {
  Json json = Header("trial");
  json["trial"] = name;
  json["status"] = "ok";
  json["message"] = "";
  json["flash"] = {{"left_frame", 11 + index}, {"right_frame", 14 + index}, {"lag_frames", 3}};
  json["alignment"] = {{"lag_frames", 3}, {"rests_on", {"flash", "motion"}}};
  json["frames"] = kSampleRunFrames;
  json["impact"] = {
      {"time", kImpactTime}, {"time_sigma", 0.00021}, {"frame", kImpactTime * kFrameRate}};
  json["arcs"] = {{"before",
                   {{"first_frame", 24},
                    {"last_frame", 47},
                    {"frames", 24},
                    {"observations", 286},
                    {"rms_px", 0.1913},
                    {"gravity", {0.0124, -0.0217, -9.8021}},
                    {"gravity_sigma", {0.0151, 0.0163, 0.0212}}}},
                  {"after",
                   {{"first_frame", 49},
                    {"last_frame", 57},
                    {"frames", 9},
                    {"observations", 104},
                    {"rms_px", 0.2042},
                    {"gravity", {-0.0083, 0.0112, -9.7913}},
                    {"gravity_sigma", {0.0149, 0.0158, 0.0199}}}}};
  json["gravity"] = {0, 0, -9.80665};
  Json impact;
  for (const char* key : {"impact", "arcs", "gravity"}) impact[key] = json[key];
  json["impacts"].push_back(impact);
  json["warnings"] = Json::array();
  return json;
}

Json Comparison(std::size_t i) {
  const States& state = kStates[i];
  const double measured[] = {0.7912, 0.9127, 0.8744, 0.7436};
  const double predicted[] = {0.7931, 0.9108, 0.8751, 0.7449};
  const double energy = 0.41 + 0.01 * static_cast<double>(i);
  const std::vector<std::vector<std::string>> modes = {
      {"slip"}, {"slip", "stick"}, {"slip", "reverse-slip"}, {"slip"}};
  Json json = {{"trial", kNames[i]}, {"used", true}, {"reason", ""}, {"modes", modes[i]}};
  json["case"] = std::to_string(i);
  json["v_measured"] = state.v_post;
  json["w_measured"] = state.w_post;
  json["v_predicted"] = {state.v_post[0] + 0.0021, state.v_post[1] - 0.0012,
                         state.v_post[2] - 0.0009};
  json["w_predicted"] = {state.w_post[0] - 0.044, state.w_post[1] + 0.036, state.w_post[2] + 0.012};
  json["v_predicted_sigma"] = {0.0011, 0.0012, 0.0014};
  json["w_predicted_sigma"] = {0.021, 0.022, 0.024};
  json["v_difference_sigma"] = {0.0016, 0.0017, 0.0018};
  json["w_difference_sigma"] = {0.036, 0.037, 0.038};
  json["v_sigma"] = {kVSigma, kVSigma, kVSigma};
  json["w_sigma"] = {kWSigma, kWSigma, kWSigma};
  json["impulse_measured"] = {-0.0613, -0.008, 0.425};
  json["impulse_predicted"] = {-0.0609, -0.0082, 0.4248};
  json["velocity_error"] = 0.0084 + 0.001 * static_cast<double>(i);
  json["energy_before"] = {{"value", energy}, {"sigma", 0.0013}};
  json["energy_after_measured"] = {{"value", energy * (1 - measured[i])}, {"sigma", 0.0011}};
  const double after = energy * (1 - predicted[i]);
  json["energy_after_predicted"] = {{"normal", {{"value", 0.1 * after}, {"sigma", 0.0004}}},
                                    {"tangential", {{"value", 0.2 * after}, {"sigma", 0.0005}}},
                                    {"rotation", {{"value", 0.7 * after}, {"sigma", 0.0012}}},
                                    {"total", {{"value", after}, {"sigma", 0.0014}}}};
  json["dissipation_measured"] = {{"value", measured[i]}, {"sigma", 0.0019}};
  json["dissipation_predicted"] = {{"value", predicted[i]}, {"sigma", 0.0012}};
  json["dissipation_difference"] = {{"value", predicted[i] - measured[i]}, {"sigma", 0.0017}};
  json["friction_work"] = {{"value", -0.31 * energy * predicted[i]}, {"sigma", 0.0021}};
  json["normal_work"] = {{"value", -0.69 * energy * predicted[i]}, {"sigma", 0.0017}};
  json["reachability_floor"] = 0.0031;
  json["best_of_law"] = 0.0052;
  json["energy_grows"] = false;
  return json;
}

Json Fit() {
  Json json = Header("fit");
  Json law;
  law["parameters"]["mu"] = {
      {"value", 0.26043},       {"sigma", 0.00213}, {"ci95", {0.25627, 0.26461}},
      {"status", "identified"}, {"weak", false},    {"best", 0.26043}};
  law["parameters"]["e"] = {
      {"value", 0.49871},       {"sigma", 0.00318}, {"ci95", {0.49249, 0.50496}},
      {"status", "identified"}, {"weak", false},    {"best", 0.49871}};
  law["covariance"] = {{4.54e-6, 0.0}, {0.0, 1.011e-5}};
  law["trials_used"] = 4;
  law["converged"] = true;
  law["message"] = "converged after 9 iterations";
  law["cost"] = 20.37;
  law["dof"] = 22;
  law["cost_probability"] = 0.559;
  law["interval_scale"] = 1.0;
  law["aicc"] = 25.01;
  law["velocity_error_mean"] = 0.0099;
  law["energy_error_rms"] = 0.0016;
  law["cross_validated"] = {{"velocity_error_mean", 0.0112}, {"energy_error_rms", 0.0021}};
  law["error_split"] = {{"data", 0.0031}, {"law", 0.0021}, {"parameters", 0.0047}};
  law["energy_gains"] = 0;
  for (std::size_t i = 0; i < kNames.size(); ++i) law["trials"].push_back(Comparison(i));
  json["laws"]["stronge"] = law;
  const auto measured = [](double value, double sigma) -> Json {
    return {{"value", value}, {"sigma", sigma}};
  };
  json["impacts"] = Json::array();
  for (const char* trial : {"a-slide", "b-stick"}) {
    json["impacts"].push_back({{"trial", trial},
                               {"approach", measured(1.9, 0.001)},
                               {"slip", measured(0.8, 0.002)},
                               {"incidence_deg", measured(22.8, 0.06)},
                               {"e_n", measured(0.46, 0.002)},
                               {"e_t", measured(-0.2, 0.01)},
                               {"eta", measured(0.5, 0.01)},
                               {"impulse_ratio", measured(0.26, 0.003)}});
  }
  json["audit"] = {
      {{"check", "momentum"},
       {"trial", "a-slide"},
       {"ok", true},
       {"probability", 0.43},
       {"text", "Angular and linear impulse agree through the contact arm to 0.9 sigma."}},
      {{"check", "admissibility"},
       {"trial", "b-stick"},
       {"ok", false},
       {"probability", 0.004},
       {"text", "The impulse leans out of the friction cone by 0.6 deg, 2.9 sigma."}}};
  return json;
}

Json Shares(double normal, double tangential, double rotation, const Json& sigma) {
  return {{"normal", {{"value", normal}, {"sigma", sigma}}},
          {"tangential", {{"value", tangential}, {"sigma", sigma}}},
          {"rotation", {{"value", rotation}, {"sigma", sigma}}},
          {"total", {{"value", normal + tangential + rotation}, {"sigma", sigma}}}};
}

Json Impulses() {
  Json json = Header("impulses");
  json["laws"]["stronge"] = Json::array();
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const double k = static_cast<double>(i);
    json["laws"]["stronge"].push_back(
        {{"trial", kNames[i]},
         {"normal", {0, 0, 1}},
         {"tangent", {-1, 0, 0}},
         {"measured", {-0.0613, -0.008, 0.425}},
         {"covariance", {{1e-7, 0, 2e-8}, {0, 1e-7, 0}, {2e-8, 0, 3e-7}}},
         {"predicted", {-0.0609, -0.0082, 0.4248}},
         {"friction", 0.26043},
         {"path", {{0, 0, 0}, {-0.03, -0.004, 0.2}, {-0.0609, -0.0082, 0.4248}}},
         {"compression_end", {-0.045, -0.006, 0.29}},
         {"energy",
          {{"before", Shares(0.3217 + k, 0.0771, 0.0113, 0.00041)},
           {"after_measured", Shares(0.0171 + k, 0.0313, 0.0372, 0.00023)},
           {"after_predicted", Shares(0.0169 + k, 0.0312, 0.0374, 0.00031)}}}});
  }
  return json;
}

std::string CornersCsv() {
  std::string csv =
      "# percuss corners 1\ncamera,view,corner,x_px,y_px,residual_x_px,residual_y_px\n";
  for (const char* camera : {"left", "right"}) {
    for (int corner = 0; corner < 54; ++corner) {
      csv += fmt::format("{},1,{},{},{},{:.4f},{:.4f}\n", camera, corner + 1,
                         100 + 90 * (corner % 9), 80 + 80 * (corner / 9),
                         0.2 * std::sin(3.0 * corner), 0.2 * std::cos(5.0 * corner));
    }
  }
  return csv;
}

std::string ImpactsCsv() {
  const std::vector<std::string> columns = {"vx",      "vy",      "vz",      "wx",
                                            "wy",      "wz",      "vx_post", "vy_post",
                                            "vz_post", "wx_post", "wy_post", "wz_post"};
  std::string csv = "# percuss impacts 1\ntrial,qw,qx,qy,qz,rx,ry,rz";
  for (const std::string& column : columns) csv += "," + column;
  for (const std::string& column : columns) csv += ",sigma_" + column;
  csv += "\n";
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    csv += kNames[i] + ",1,0,0,0,0.12,0.02,-0.05";
    const States& s = kStates[i];
    for (const auto* vector : {&s.v, &s.w, &s.v_post, &s.w_post}) {
      for (const double number : *vector) csv += fmt::format(",{}", number);
    }
    for (int axis = 0; axis < 12; ++axis) {
      csv += fmt::format(",{}", axis / 3 % 2 == 0 ? kVSigma : kWSigma);
    }
    csv += "\n";
  }
  return csv;
}

std::string PosesCsv(const States& state) {
  std::string csv = "frame,time,phase,x,y,z,qw,qx,qy,qz,markers,rms_px\n";
  for (int frame = 0; frame < kSampleRunFrames; ++frame) {
    const double time = frame / kFrameRate, t = time - kImpactTime;
    const bool is_before = frame < kImpactFrame + 1;
    const double held = std::max(t, -0.2);  // at rest in the hand until release
    const double* v = is_before ? state.v : state.v_post;
    const double z = 0.052 + v[2] * (is_before ? held : t) - 0.5 * 9.80665 * held * held;
    const bool in_arc = frame >= 24 && frame <= 57 && frame != kImpactFrame;
    const char* phase = !in_arc ? "other" : is_before ? "before" : "after";
    csv += fmt::format("{},{},{},{},{},{},1,0,0,0,6,{}\n", frame, time, phase,
                       0.1 + v[0] * (is_before ? held : t), 0.05 + v[1] * (is_before ? held : t), z,
                       0.2 + 0.05 * std::sin(2.1 * frame));
  }
  return csv;
}

std::string MarkersCsv(const States& state) {
  std::string csv =
      "frame,time,marker,left_x_px,left_y_px,left_sigma_px,right_x_px,right_y_px,right_sigma_px,x,"
      "y,z,sigma_x,sigma_y,sigma_z\n";
  for (int frame = 0; frame < kSampleRunFrames; ++frame) {
    const double time = frame / kFrameRate, t = time - kImpactTime;
    const double held = std::max(t, -0.2);
    const double z =
        0.052 + (t < 0 ? state.v[2] * held : state.v_post[2] * t) - 0.5 * 9.80665 * held * held;
    for (int marker = 1; marker <= 6; ++marker) {
      const double arm = 0.04 * std::sin(marker + 4 * std::max(held, -0.1));
      csv += fmt::format("{},{},A{},600,300,0.05,580,301,0.05,0.1,0.05,{},0.0001,0.0001,0.0001\n",
                         frame, time, marker, z + arm);
    }
  }
  return csv;
}

}  // namespace

SampleRun::SampleRun()
    : calibration(Calibration()),
      fit(Fit()),
      impulses(Impulses()),
      impacts_csv(ImpactsCsv()),
      corners_csv(CornersCsv()) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    trials.push_back(Trial(kNames[i], static_cast<int>(i)));
  }
  run = Header("run");
  run["experiment"] = {{"body", "box of 306.5 × 51.5 × 12.5 mm"},
                       {"mass", 0.185},
                       {"markers", 6},
                       {"board", "a chessboard of 9 × 6 inner corners 23 mm apart"}};
  run["settings"] = {{"jobs", 2}, {"laws", {"stronge"}}, {"experiment", "data/bar-drop"}};
}

void SampleRun::Write(const fs::path& folder) const {
  if (!calibration.is_null()) WriteText(folder / "calibration.json", calibration.dump(1));
  if (!fit.is_null()) WriteText(folder / "fit.json", fit.dump(1));
  if (!impulses.is_null()) WriteText(folder / "impulses.json", impulses.dump(1));
  if (!corners_csv.empty()) WriteText(folder / "corners.csv", corners_csv);
  if (!run.is_null()) WriteText(folder / "run.json", run.dump(1));
  if (!impacts_csv.empty()) WriteText(folder / "impacts.csv", impacts_csv);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const fs::path trial = folder / "tracks" / trials[i].at("trial").get<std::string>();
    WriteText(trial / "trial.json", trials[i].dump(1));
    if (trials[i]["status"] != "ok") continue;
    WriteText(trial / "poses.csv", PosesCsv(kStates[i]));
    WriteText(trial / "markers.csv", MarkersCsv(kStates[i]));
  }
}

Json FailedTrial(const std::string& name, const std::string& status, const std::string& message) {
  Json json = Header("trial");
  json["trial"] = name;
  json["status"] = status;
  json["message"] = message;
  return json;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "percuss-report-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string ReadText(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void WriteText(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace percuss::report
