// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>

#include "app/command.h"
#include "app/commands/shared_options.h"
#include "app/terminal/bounce_batch_table.h"
#include "app/terminal/space_bounce_table.h"
#include "app/terminal/wrapped_text.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/files/folder_lock.h"
#include "base/text/numbers.h"
#include "base/value_with_sigma.h"
#include "capture/sound/bounce_series.h"
#include "pipeline/bounces/bounce_batch.h"
#include "pipeline/bounces/bounce_clip.h"
#include "pipeline/campaign/landed.h"
#include "pipeline/progress.h"
#include "pipeline/space/centre_table.h"
#include "pipeline/space/space_bounces.h"

namespace percuss::app {
namespace {

struct BounceArguments {
  std::string right, offset, up;
  std::string clip, sound, output, lens, ball, diameter, gravity, mass, inertia_factor, drop_height,
      contact_time;
  std::vector<std::string> clips, length;  ///< `clip` is the one of `clips`, if it is one
  std::optional<std::string> ruler;        ///< empty: its long marks tell the unit
  double rate = 0.0, focal_35mm = 0.0, level_sigma_deg = 0.5;
  int jobs = AllCores();
  bool json = false;
  bool landed = false;
};

/// A positive number, with a sigma of its own or `relative` of it.
ValueWithSigma PositiveNumber(const std::string& option, const std::string& text, double relative) {
  const auto parsed = ParseValueWithSigma(text);
  if (!parsed || !(parsed->value > 0.0))
    throw std::invalid_argument(fmt::format(
        "{}: found {}, allowed a number above 0, such as 0.040 or 0.040±0.0002", option, text));
  return {parsed->value, parsed->sigma > 0.0 ? parsed->sigma : relative * parsed->value};
}

Eigen::Vector2d Pixel(const std::string& option, const std::string& text) {
  double x = 0.0, y = 0.0;
  char comma = 0, rest = 0;
  if (std::sscanf(text.c_str(), "%lf%c%lf%c", &x, &comma, &y, &rest) != 3 || comma != ',')
    throw std::invalid_argument(
        fmt::format("{}: found {}, allowed a pixel x,y such as 412,300", option, text));
  return {x, y};
}

pipeline::BounceOptions OptionsOf(const BounceArguments& arguments) {
  pipeline::BounceOptions options;
  options.jobs = arguments.jobs;
  options.level_sigma = arguments.level_sigma_deg * std::numbers::pi / 180.0;
  if (arguments.rate > 0.0)
    options.clock = {.frame_rate = arguments.rate, .time_base = capture::TimeBase::kStated};
  if (arguments.focal_35mm > 0.0) options.focal_35mm = arguments.focal_35mm;
  if (!arguments.lens.empty()) options.lens = arguments.lens;
  if (!arguments.sound.empty()) options.sound = arguments.sound;
  if (!arguments.ball.empty()) options.ball = Pixel("--ball", arguments.ball);
  // Calipers and rulers: half a millimetre.
  constexpr double kRuler = 0.0005;
  if (!arguments.diameter.empty()) {
    ValueWithSigma diameter = PositiveNumber("--diameter", arguments.diameter, 0.0);
    if (diameter.sigma == 0.0) diameter.sigma = 0.5 * kRuler;
    options.scale.diameter = diameter;
  }
  if (!arguments.gravity.empty())
    options.scale.gravity = PositiveNumber("--g", arguments.gravity, 0.001);
  // A kitchen scale: 1 %. A drop height is as good as a ruler held beside a ball in the hand: 2 mm.
  if (!arguments.mass.empty()) options.mass = PositiveNumber("--mass", arguments.mass, 0.01);
  if (!arguments.inertia_factor.empty()) {
    options.inertia_factor = PositiveNumber("--inertia-factor", arguments.inertia_factor, 0.0);
    if (options.inertia_factor->value > 2.0 / 3.0 + 1e-3)
      throw std::invalid_argument(
          fmt::format("--inertia-factor: found {}, allowed at most 0.667, that of a thin shell",
                      arguments.inertia_factor));
  }
  if (!arguments.drop_height.empty()) {
    options.drop_height = PositiveNumber("--drop-height", arguments.drop_height, 0.0);
    if (options.drop_height->sigma == 0.0) options.drop_height->sigma = 0.002;
  }
  if (!arguments.contact_time.empty())
    options.contact_time = PositiveNumber("--contact-time", arguments.contact_time, 0.1);
  if (options.mass && !options.scale.diameter)
    throw std::invalid_argument("--mass: found no --diameter, which the drag needs as well");
  if (options.drop_height && !arguments.clips.empty())
    throw std::invalid_argument(
        "--drop-height: allowed for --sound without CLIP, the pictures show where the ball begins");
  if (!arguments.length.empty()) {
    ValueWithSigma length = PositiveNumber("--length", arguments.length[0], 0.0);
    if (length.sigma == 0.0) length.sigma = kRuler;
    options.scale.length = pipeline::KnownLength{length, Pixel("--length", arguments.length[1]),
                                                 Pixel("--length", arguments.length[2])};
    if ((options.scale.length->from - options.scale.length->to).norm() < 10.0)
      throw std::invalid_argument(
          "--length: found two places less than 10 px apart, allowed farther ones");
  }
  if (arguments.ruler) {
    pipeline::RulerRequest& ruler = options.ruler.emplace();
    if (!arguments.ruler->empty()) {
      ruler.mark_distance = ParseValueWithSigma(*arguments.ruler);
      if (!ruler.mark_distance || !(ruler.mark_distance->value > 0.0))
        throw std::invalid_argument(fmt::format(
            "--ruler: found {}, allowed the distance of its marks [m], such as 0.001, or "
            "nothing where CLIP stands before it",
            *arguments.ruler));
    }
  }
  return options;
}

/// How fast the ball spins, and how well that is known.
std::string SpinText(const tracking::BallSpin& spin) {
  if (!spin.reason.empty()) return "–";
  const double speed = spin.omega.norm();
  const Eigen::Vector3d axis = spin.omega / speed;
  return FormatWithSigma(speed, std::sqrt(axis.dot(spin.covariance * axis)));
}

/// mu, or what it at least is.
std::string FrictionText(const pipeline::BounceClip& clip, std::size_t bounce) {
  const pipeline::BounceFriction friction =
      pipeline::FrictionOf(clip.fit, bounce, clip.spins[bounce], clip.spins[bounce + 1]);
  return (friction.kind == pipeline::SlideKind::kSlides ? "" : "≥ ") + FormatWithSigma(friction.mu);
}

void Print(const pipeline::BounceClip& clip) {
  const bool metric = std::isfinite(clip.scale.radius.value);
  fmt::print("{}\n\n", pipeline::BallLine(clip));
  const char* unit = metric ? "m/s" : "px/s";
  const bool spins = std::ranges::any_of(
      clip.spins, [](const tracking::BallSpin& spin) { return spin.reason.empty(); });
  fmt::print("{:>6} {:>10} {:>20} {:>16} {:>16} {:>18}", "Bounce", "Time [s]", "e",
             fmt::format("Before [{}]", unit), fmt::format("After [{}]", unit), "mu");
  fmt::print("{}\n", spins ? fmt::format(" {:>28}", "Spin before/after [rad/s]") : "");
  for (std::size_t k = 0; k < clip.fit.bounces.size(); ++k) {
    const tracking::BounceEstimate& bounce = clip.fit.bounces[k];
    const double scale = metric ? clip.scale.radius.value : bounce.px_per_radius;
    fmt::print("{:>6} {:>10.4f} {:>20} {:>16.4g} {:>16.4g} {:>18}", k + 1, bounce.time,
               FormatWithSigma(bounce.e, clip.fit.Sigma(k, tracking::kBounceE)),
               scale * bounce.before, scale * bounce.after, FrictionText(clip, k));
    fmt::print("{}\n", spins ? fmt::format(" {:>28}", SpinText(clip.spins[k]) + " / " +
                                                          SpinText(clip.spins[k + 1]))
                             : "");
  }
  fmt::print("\ne = {}", ValueAndInterval(clip.mean.mean));
  if (clip.mean.scatter > 0.0) fmt::print("; single bounces scatter by {:.4f}", clip.mean.scatter);
  fmt::print("\n");
  fmt::print("{}\n{}\n{}\n{}\n", pipeline::SpeedLine(clip.speed), pipeline::SoundLine(clip),
             pipeline::SpinLine(clip.spins), pipeline::FocalLine(clip.focal, clip.fit.focal));
  if (!clip.ruler_line.empty()) fmt::print("{}\n", clip.ruler_line);
  for (const pipeline::ScaleReading& reading : clip.scale.readings) {
    fmt::print("ball by {}: {} mm{}\n", reading.source, FormatWithSigma(reading.radius, 2e3),
               reading.typed ? "" : " (9.807 m/s^2, if the frame rate is true)");
  }
}

/// e by ear alone, from a recording without pictures.
int Listen(const BounceArguments& arguments, const CommonOptions& common) {
  const capture::BounceSeries series = pipeline::HearBounces(arguments.sound, OptionsOf(arguments));
  for (const std::string& warning : series.warnings) fmt::print(stderr, "bounce: {}\n", warning);
  const std::string json = pipeline::SeriesJson(series, arguments.sound, common.command_line);
  if (!arguments.output.empty()) {
    const std::filesystem::path folder = arguments.output;
    const FolderLock alone(folder);
    WriteFileAtomically(folder / "bounces.csv", pipeline::SeriesCsv(series));
    WriteFileAtomically(folder / "bounce.json", json);
  }
  if (arguments.json) {
    fmt::print("{}", json);
    return kExitOk;
  }
  fmt::print("{:>6} {:>12} {:>20} {:>14} {:>14}\n", "Bounce", "Time [s]", "e", "Before [m/s]",
             "After [m/s]");
  for (std::size_t k = 0; k < series.bounces.size(); ++k) {
    const capture::HeardBounce& bounce = series.bounces[k];
    const auto shown = [](double value) {
      return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string("–");
    };
    fmt::print("{:>6} {:>12.5f} {:>20} {:>14} {:>14}\n", k + 1, bounce.time,
               FormatWithSigma(bounce.e, bounce.e_sigma), shown(bounce.speed_before),
               shown(bounce.speed_after));
  }
  fmt::print("\ne = {}, by ear\n", ValueAndInterval({series.e, series.e_sigma}));
  return kExitOk;
}

bool IsTable(const std::string& name) { return std::filesystem::path(name).extension() == ".csv"; }

Eigen::Vector3d Direction(const std::string& option, const std::string& text) {
  if (text == "x") return Eigen::Vector3d::UnitX();
  if (text == "y") return Eigen::Vector3d::UnitY();
  if (text == "z") return Eigen::Vector3d::UnitZ();
  Eigen::Vector3d up = Eigen::Vector3d::Zero();
  char rest = 0;
  if (std::sscanf(text.c_str(), "%lf,%lf,%lf%c", &up.x(), &up.y(), &up.z(), &rest) != 3 ||
      !(up.norm() > 0.0) || !up.allFinite())
    throw std::invalid_argument(
        fmt::format("{}: found {}, allowed x, y, z or three numbers such as 0,0,1", option, text));
  return up;
}

pipeline::SpaceOptions SpaceOptionsOf(const BounceArguments& arguments) {
  pipeline::SpaceOptions options;
  if (!arguments.up.empty()) options.up = Direction("--up", arguments.up);
  if (arguments.offset.empty()) return options;
  const auto parsed = ParseValueWithSigma(arguments.offset);
  if (!parsed)
    throw std::invalid_argument(fmt::format(
        "--offset: found {}, allowed seconds such as 0.25 or -0.25±0.01", arguments.offset));
  // Read off a picture that both show: half a frame of 30 frames/s.
  constexpr double kReadOff = 0.015;
  options.clock_offset = {parsed->value, parsed->sigma > 0.0 ? parsed->sigma : kReadOff};
  return options;
}

/// Refuses options that mean nothing for this kind of input.
void CheckSpaceArguments(const BounceArguments& arguments) {
  const bool table = IsTable(arguments.clip), views = !arguments.right.empty();
  const auto refuse = [&](bool given, const char* option, const char* where) {
    if (given) throw std::invalid_argument(fmt::format("{}: allowed {}", option, where));
  };
  refuse(views && table, "--right", "beside a clip, CLIP is a table");
  refuse(!views && !arguments.offset.empty(), "--offset", "with --right");
  refuse(!views && !table && !arguments.up.empty(), "--up", "for a table or with --right");
  if (!table && !views) return;
  refuse(!arguments.sound.empty(), "--sound", "with one clip, or alone");
  refuse(!arguments.ball.empty(), "--ball", "with one clip");
  refuse(!arguments.length.empty(), "--length", "with one clip; lengths are in metres here");
  refuse(arguments.ruler.has_value(), "--ruler", "with one clip; lengths are in metres here");
  refuse(table && !arguments.lens.empty(), "--lens", "with clips");
  refuse(table && arguments.rate > 0.0, "--fps", "with clips");
  refuse(arguments.focal_35mm > 0.0, "--focal-35mm", "with one clip, --right has its --lens");
}

/// e of a ball whose places are known in space: a table, or two clips.
int RunInSpace(const BounceArguments& arguments, const CommonOptions& common) {
  const pipeline::BounceOptions options = OptionsOf(arguments);
  const pipeline::SpaceOptions space = SpaceOptionsOf(arguments);
  const pipeline::SpaceBounces bounces = [&] {
    if (IsTable(arguments.clip))
      return pipeline::MeasureTable(pipeline::PlainCentres(arguments.clip), options, space);
    pipeline::Progress progress;
    return pipeline::MeasureTwoClips({arguments.clip, arguments.right}, options, space, &progress);
  }();
  for (const std::string& warning : bounces.clip.warnings)
    fmt::print(stderr, "bounce: {}\n", warning);
  if (arguments.json) {
    fmt::print("{}", pipeline::SpaceJson(bounces, common.command_line));
  } else {
    PrintSpaceBounces(stdout, bounces);
  }
  if (!arguments.output.empty()) {
    const FolderLock alone(arguments.output);
    pipeline::WriteSpaceBounces(bounces, arguments.output, common.command_line);
  }
  return kExitOk;
}

/// Several clips, or a folder of them.
int RunBatch(const BounceArguments& arguments, const CommonOptions& common) {
  if (!arguments.sound.empty())
    throw std::invalid_argument("--sound: allowed with one CLIP, each clip has a sound of its own");
  if (!arguments.right.empty() || !arguments.offset.empty() || !arguments.up.empty())
    throw std::invalid_argument(
        "--right, --offset, --up: allowed with one CLIP or one table of centres");
  const pipeline::BounceOptions options = OptionsOf(arguments);
  auto clips = pipeline::ClipsOf(arguments.clips);
  if (arguments.landed) {
    std::erase_if(clips, [](const auto& clip) { return !pipeline::IsAtRest(clip); });
    if (clips.empty()) throw InputError("--landed: found no clip that is all there");
  }
  std::optional<FolderLock> alone;
  if (!arguments.output.empty()) alone.emplace(arguments.output);
  const auto batch = [&] {
    pipeline::Progress progress;
    return pipeline::MeasureBatch(clips, options, arguments.output, common.command_line, &progress);
  }();
  for (const pipeline::BatchClip& clip : batch.clips) {
    for (const std::string& warning : clip.warnings)
      fmt::print(stderr, "bounce: {}: {}\n", clip.name, warning);
    if (!clip.reason.empty()) fmt::print(stderr, "bounce: {}\n", clip.reason);
  }
  if (arguments.json) {
    fmt::print("{}", pipeline::BatchJson(batch));
    return batch.exit_code;
  }
  PrintBatch(stdout, batch);
  if (!arguments.output.empty())
    fmt::print("tables: {0}/bounces.csv; reports: {0}/CLIP/report.html\n", arguments.output);
  return batch.exit_code;
}

int RunBounce(BounceArguments arguments, const CommonOptions& common) {
  if (arguments.clips.size() > 1 ||
      (arguments.clips.size() == 1 && std::filesystem::is_directory(arguments.clips[0])))
    return RunBatch(arguments, common);
  if (!arguments.clips.empty()) arguments.clip = arguments.clips.front();
  CheckSpaceArguments(arguments);
  if (IsTable(arguments.clip) || !arguments.right.empty()) return RunInSpace(arguments, common);
  const pipeline::BounceOptions options = OptionsOf(arguments);
  if (arguments.clip.empty()) {
    if (arguments.sound.empty())
      throw std::invalid_argument("CLIP: found none, allowed a video, or --sound with a recording");
    return Listen(arguments, common);
  }
  const auto clip = [&] {
    pipeline::Progress progress;
    return pipeline::MeasureBounces(arguments.clip, options, &progress);
  }();
  for (const std::string& warning : clip.warnings) fmt::print(stderr, "bounce: {}\n", warning);
  if (arguments.json) {
    fmt::print("{}", pipeline::BounceJson(clip, arguments.clip, common.command_line));
  } else {
    Print(clip);
  }
  if (arguments.output.empty()) return kExitOk;
  const FolderLock alone(arguments.output);
  pipeline::WriteBounces(clip, arguments.clip, arguments.output, common.command_line);
  if (!arguments.json) fmt::print("report: {}/report.html\n", arguments.output);
  return kExitOk;
}

}  // namespace

Command MakeBounceCommand(CLI::App& program, const CommonOptions& common) {
  auto arguments = std::make_shared<BounceArguments>();
  CLI::App* subcommand = program.add_subcommand(
      "bounce", "e of a ball that bounces before one camera, no markers, no calibration");
  subcommand
      ->add_option("CLIP", arguments->clips,
                   "Video of the ball, camera at rest or in the hand; or several, or a folder of "
                   "them: then one e for all, and OUT/CLIP/ for each; or a table of its centres, "
                   "NAME.csv with t,x,y,z [s, m]")
      ->type_name("");
  subcommand
      ->add_option("--sound", arguments->sound,
                   "A recording (WAV or any video): without CLIP e by ear alone, with it in place "
                   "of the clip's own sound")
      ->type_name("SOUND");
  subcommand->add_option("-o,--output", arguments->output, "Folder for tables, pictures and report")
      ->type_name("OUT");
  subcommand
      ->add_option("--diameter", arguments->diameter,
                   "Diameter of the ball [m], such as 0.040 or 0.040±0.0002: speeds in m/s")
      ->type_name("D");
  subcommand
      ->add_option("--length", arguments->length,
                   "A known length [m] and the two pixels at its ends, as far away as the ball: "
                   "0.30 412,300 418,810")
      ->expected(3)
      ->type_name("L X1,Y1 X2,Y2");
  subcommand
      ->add_option_function<std::vector<std::string>>(
          "--ruler",
          [arguments](const std::vector<std::string>& given) {
            arguments->ruler = given.empty() ? "" : given.front();
          },
          "Take the marks of a ruler in the picture, as far away as the ball, as the scale; with "
          "the distance of neighbouring marks [m], such as 0.001, where long marks do not tell it")
      ->expected(0, 1)
      ->type_name("[D]");
  subcommand
      ->add_option("--g", arguments->gravity,
                   "Gravity [m/s^2] as the scale, such as 9.80665; needs the true frame rate")
      ->type_name("G");
  subcommand
      ->add_option("--mass", arguments->mass,
                   "Mass of the ball [kg]: with --diameter it tells the drag of the air. In "
                   "impacts.json 1 kg without it: e does not depend on it")
      ->type_name("M");
  subcommand
      ->add_option("--inertia-factor", arguments->inertia_factor,
                   "I / (m R^2) of the ball in body.yaml: 0.4 solid, 0.667 hollow; 0.4±0.2 without "
                   "it. e does not depend on it")
      ->type_name("FACTOR");
  subcommand
      ->add_option("--contact-time", arguments->contact_time,
                   "How long a contact lasts [s], such as 0.0007 (table tennis) or 0.004±0.001")
      ->type_name("T");
  subcommand
      ->add_option("--drop-height", arguments->drop_height,
                   "Height of the ball's lowest point before the drop [m]: e of the first bounce "
                   "by ear alone")
      ->type_name("H");
  subcommand
      ->add_option("--fps", arguments->rate,
                   "Frames per second of filming, where the file plays slower (slow motion); some "
                   "phones write it into the file")
      ->check(CLI::PositiveNumber)
      ->type_name("RATE");
  subcommand
      ->add_option("--focal-35mm", arguments->focal_35mm,
                   "Focal length of the camera as data sheets state it, for 35 mm film [mm], such "
                   "as 26, times the zoom: where the file does not say it, good to 10 %")
      ->check(CLI::Range(5.0, 2000.0))
      ->type_name("MM");
  subcommand
      ->add_option("--lens", arguments->lens, "Calibration of this camera, from percuss calibrate")
      ->type_name("calibration.json");
  subcommand
      ->add_option("--right", arguments->right,
                   "Clip of a second camera, with --lens of both: the ball in space, CLIP is the "
                   "first camera of the calibration")
      ->type_name("RIGHT");
  subcommand
      ->add_option("--offset", arguments->offset,
                   "By how much later the right clip began [s], such as 0.25±0.01; without it both "
                   "begin at once, within a frame")
      ->type_name("SECONDS");
  subcommand
      ->add_option("--up", arguments->up,
                   "The vertical in axes of the table or the calibration; without it the motion "
                   "shows it")
      ->type_name("X,Y,Z|x|y|z");
  subcommand
      ->add_option("--ball", arguments->ball,
                   "A pixel that the ball passes, where several things fly")
      ->type_name("X,Y");
  subcommand
      ->add_option("--level-sigma-deg", arguments->level_sigma_deg,
                   "How level the surface is, standard deviation [deg]")
      ->check(CLI::Range(0.0, 45.0))
      ->capture_default_str();
  AddJobs(subcommand, &arguments->jobs);
  subcommand->add_flag("--landed", arguments->landed,
                       "Of several clips only those that have not changed for two seconds. What "
                       "percuss watch runs");
  subcommand->add_flag("--json", arguments->json, "Print the result as JSON");
  subcommand->footer(
      "Example:  percuss bounce ball.mp4 --diameter 0.040 -o out/ball\n"
      "          percuss bounce clips/ --diameter 0.040 -o out/balls\n"
      "          percuss fit out/ball/impacts.json\n"
      "e is a ratio of speeds: it needs no scale. With one, impacts.json and body.yaml are for\n"
      "percuss fit. percuss run takes the same clips and tables as trials of an experiment file.\n"
      "Several clips: exit 0: each was measured. Exit 2 or 3: some were not, named on stderr; the\n"
      "others are written.");
  return {subcommand, [arguments, common] { return RunBounce(*arguments, common); }};
}

}  // namespace percuss::app
