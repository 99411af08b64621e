// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: falls in closed form, the cone of rays of a sphere, and drawn sightings of a
// ball whose motion is known.

#include "tracking/bounces/bounce_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace percuss::tracking {
namespace {

calibration::Camera Camera(double focal) {
  calibration::Camera camera{.width = 1280, .height = 720};
  camera.intrinsics = {focal, focal, 639.5, 359.5};
  return camera;
}

/// Three bounces of a ball of 20 mm radius, 1 m away, seen by a camera that looks 0.2 rad down.
BouncingBall Ball(double e) {
  constexpr double kRadius = 0.02;
  BouncingBall ball;
  ball.camera = Camera(1000.0);
  const Eigen::Vector3d down(0.0, std::cos(0.2), std::sin(0.2));
  ball.gravity = 9.80665 / kRadius * down;
  ball.normal = -down;
  ball.first_time = 0.35;
  ball.first_contact = Eigen::Vector3d(-0.2, 0.15, 1.0) / kRadius;
  const Eigen::Vector3d along(0.25 / kRadius, 0.0, 0.0);
  double speed = 2.8 / kRadius;
  ball.before = along + speed * down;
  for (int k = 0; k < 3; ++k) {
    speed *= e;
    ball.after.push_back(along - speed * down);
  }
  return ball;
}

/// Whether the row of a pixel, exposed in its turn, shows the ball there.
bool Shows(const BallMotionModel& motion, const calibration::Camera& camera, double line_time,
           double time, const Eigen::Vector2d& pixel) {
  const double row = pixel.y() - 0.5 * (camera.height - 1);
  const BallImage image = ImageOfBall(camera, motion.At(time + line_time * row).place);
  return (pixel - image.centre).norm() < image.radius;
}

TEST(BouncingBall, GrowsAsARollingShutterSeesItFall) {
  BouncingBall ball = Ball(0.8);
  ball.line_time = {0.0, 2e-5};
  const BallMotionModel motion(ball, 0.0, 2.0);
  for (const double time : {0.25, 0.45}) {  // down, up
    const BallImage image = motion.ImageAt(time);
    constexpr double kStep = 0.1;  // [px]
    double area = 0.0, height = 0.0;
    for (double y = image.centre.y() - 30.0; y < image.centre.y() + 30.0; y += kStep) {
      for (double x = image.centre.x() - 30.0; x < image.centre.x() + 30.0; x += kStep) {
        if (!Shows(motion, ball.camera, ball.line_time.y(), time, {x, y})) continue;
        area += kStep * kStep;
        height += kStep * kStep * y;
      }
    }
    // A hundredth of a pixel: by as much a circle stands in for the ellipse of the picture.
    EXPECT_NEAR(image.radius, std::sqrt(area / M_PI), 0.01) << time;
    EXPECT_NEAR(image.centre.y(), height / area, 0.01) << time;
    const BallImage still = ImageOfBall(ball.camera, motion.At(time).place);
    EXPECT_GT(std::abs(image.radius / still.radius - 1.0), 0.01) << time;
  }
}

TEST(BouncingBall, FallsAsInVacuumAndAsInAir) {
  BouncingBall ball = Ball(0.8);
  const double g = ball.gravity.norm(), v = ball.normal.dot(ball.after[0]);
  const BallMotionModel vacuum(ball, 0.0, 2.0);
  EXPECT_NEAR(vacuum.Contacts()[1].time - ball.first_time, 2.0 * v / g, 1e-12);
  EXPECT_NEAR(-ball.normal.dot(vacuum.Contacts()[1].before), v, 1e-9 * v);
  // Straight up and down with quadratic drag: up with v0 takes atan(v0/vt) vt/g and reaches
  // vt^2/2g ln(1 + v0^2/vt^2), from where it lands with vt sqrt(1 - exp(-2 g h / vt^2)).
  ball.drag = 0.002;
  for (Eigen::Vector3d& after : ball.after) after = ball.normal * ball.normal.dot(after);
  const double vt = std::sqrt(g / ball.drag);
  const double height = vt * vt / (2.0 * g) * std::log(1.0 + v * v / (vt * vt));
  const double landing = vt * std::sqrt(1.0 - std::exp(-2.0 * g * height / (vt * vt)));
  const double up = vt / g * std::atan(v / vt), down = vt / g * std::atanh(landing / vt);
  const BallMotionModel air(ball, 0.0, 2.0);
  EXPECT_NEAR(air.Contacts()[1].time - ball.first_time, up + down, 1e-9);
  EXPECT_NEAR(-ball.normal.dot(air.Contacts()[1].before), landing, 1e-7 * landing);
}

/// Spins as of a ball that rolls along its surface, one of each flight; 0: none. @param share of
/// that
void Roll(double share, BouncingBall* ball) {
  ball->spins = {share * ball->normal.cross(ball->before)};
  for (const Eigen::Vector3d& after : ball->after)
    ball->spins.push_back(share * ball->normal.cross(after));
}

TEST(BouncingBall, SpinsLift) {
  BouncingBall ball = Ball(0.8);
  ball.lift = 0.005;
  const double without = BallMotionModel(ball, 0.0, 2.0).Contacts()[1].time;
  Roll(-3.0, &ball);
  const BallMotionModel motion(ball, 0.0, 2.0);
  // Backspin lifts.
  EXPECT_GT(motion.Contacts()[1].time, without + 1e-4);
  // The acceleration by differences; the force is square to the way and in proportion to l.
  const double t = 0.5 * (ball.first_time + without), h = 1e-3;
  const BallState now = motion.At(t);
  const Eigen::Vector3d a =
      (motion.At(t + h).velocity - motion.At(t - h).velocity) / (2.0 * h) - ball.gravity;
  const Eigen::Vector3d across = ball.spins[1].cross(now.velocity);
  const double s = across.norm() / now.velocity.squaredNorm();
  const double expected = ball.lift * now.velocity.squaredNorm() / (2.022 + 0.981 / s);
  EXPECT_NEAR((a - expected * across.normalized()).norm(), 0.0, 1e-3 * expected);
}

TEST(BouncingBall, ContactsLastAsLongAsStated) {
  BouncingBall ball = Ball(0.8);
  const double without = BallMotionModel(ball, 0.0, 2.0).Contacts()[2].time;
  ball.dwell = 0.003;
  EXPECT_NEAR(BallMotionModel(ball, 0.0, 2.0).Contacts()[2].time, without + 0.006, 1e-12);
}

TEST(ImageOfBall, IsTheConeOfItsTangents) {
  const calibration::Camera camera = Camera(1000.0);
  const Eigen::Vector3d place(6.0, -4.0, 30.0);
  const BallImage image = ImageOfBall(camera, place);
  // The outline: rays that touch the sphere, from a circle on it.
  const double distance = place.norm();
  const Eigen::Vector3d axis = place / distance;
  const Eigen::Vector3d u = axis.unitOrthogonal(), w = axis.cross(u);
  const double sine = 1.0 / distance, cosine = std::sqrt(1.0 - sine * sine);
  constexpr int kNum = 2000;
  double area = 0.0;
  Eigen::Vector2d moment = Eigen::Vector2d::Zero(), last = Eigen::Vector2d::Zero();
  for (int k = 0; k <= kNum; ++k) {
    const double t = 2.0 * M_PI * k / kNum;
    const Eigen::Vector3d ray = cosine * axis + sine * (std::cos(t) * u + std::sin(t) * w);
    const Eigen::Vector2d pixel = calibration::Project(camera, ray);
    if (k > 0) {
      const double cross = last.x() * pixel.y() - last.y() * pixel.x();
      area += 0.5 * cross;
      moment += cross / 6.0 * (last + pixel);
    }
    last = pixel;
  }
  EXPECT_NEAR((image.centre - moment / area).norm(), 0.0, 1e-3);
  EXPECT_NEAR(image.radius, std::sqrt(std::abs(area) / M_PI), 1e-3);
}

struct DrawnClip {
  std::vector<BallSighting> sightings;
  std::vector<FlightRange> flights;
  Eigen::Vector2d down;
};

DrawnClip Draw(const BouncingBall& ball, double rate, double sigma, std::mt19937* random) {
  std::normal_distribution<double> normal(0.0, sigma);
  const BallMotionModel motion(ball, 0.0, 2.5);
  const auto& contacts = motion.Contacts();
  DrawnClip clip;
  // Down as the picture shows it, in the middle of the path.
  const double px = ImageOfBall(ball.camera, ball.first_contact).radius;
  clip.down = px * ball.gravity.head<2>();
  int flight = -1;
  const double end = contacts.back().time + 0.3;
  for (int k = 0; k / rate < end; ++k) {
    const double t = k / rate;
    int now = 0;
    bool touches = false;
    for (const BallContact& contact : contacts) {
      now += contact.time < t;
      touches |= std::abs(contact.time - t) < 2e-3;
    }
    if (touches) continue;
    const BallImage image = motion.ImageAt(t);
    BallSighting seen{.frame = k, .time = t};
    // With what shading does to outlines, drawn as the floors of the fit say.
    const double centre = std::hypot(sigma, 1.2e-3 * image.radius) / sigma;
    const double radius = std::hypot(sigma, 2e-3 * image.radius) / sigma;
    seen.centre = image.centre + centre * Eigen::Vector2d(normal(*random), normal(*random));
    seen.radius = image.radius + radius * normal(*random);
    seen.covariance = sigma * sigma * Eigen::Matrix3d::Identity();
    clip.sightings.push_back(seen);
    const int place = static_cast<int>(clip.sightings.size()) - 1;
    if (now != flight) clip.flights.push_back({place, place});
    flight = now;
    clip.flights.back().last = place;
  }
  return clip;
}

BounceSetting Setting(double rate) {
  BounceSetting setting;
  setting.width = 1280;
  setting.height = 720;
  setting.focal = {1030.0, 60.0};
  setting.line_time = {0.0, 0.5 / rate / 720.0};
  setting.frame_interval = 1.0 / rate;
  return setting;
}

// With all that nobody states drawn as well: shutter, drag, spin, duration of contacts, tilt.
TEST(FitBounces, IntervalsHoldTheTruth) {
  constexpr double kRate = 60.0, kTruth = 0.77;
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  int inside = 0, count = 0;
  double squares = 0.0;
  for (int draw = 0; draw < 60; ++draw) {
    BouncingBall ball = Ball(kTruth);
    ball.drag = 0.002 * std::abs(normal(random));
    ball.lift = ball.drag / 0.45 * std::exp(0.3 * normal(random));
    // From a bounce this steep a ball goes rolling, more or less.
    Roll(std::uniform_real_distribution<double>(0.5, 1.2)(random), &ball);
    ball.spins[0] *= normal(random);
    ball.dwell = 0.002 * std::abs(normal(random));
    ball.normal += 0.009 * Eigen::Vector3d(normal(random), 0.0, normal(random));
    ball.normal.normalize();
    ball.line_time = {0.0, 0.4 * 0.5 / kRate / 720.0 * normal(random)};
    const DrawnClip clip = Draw(ball, kRate, 0.03, &random);
    const BounceFit fit = FitBounces(clip.sightings, clip.flights, clip.down, Setting(kRate));
    ASSERT_EQ(fit.reason, "");
    ASSERT_EQ(fit.bounces.size(), 3U);
    const BallMotionModel motion(ball, 0.0, 2.5);
    for (std::size_t k = 0; k < 3; ++k) {
      const BallContact& contact = motion.Contacts()[k];
      const double e = -contact.after.dot(ball.normal) / contact.before.dot(ball.normal);
      const double z = (fit.bounces[k].e - e) / fit.Sigma(k, kBounceE);
      inside += std::abs(z) < 1.96;
      squares += z * z;
      ++count;
    }
  }
  // Bounces of one clip share its tilt: 60 independent ones, 95 +- 2.8 %, rms 1 +- 0.09.
  EXPECT_GT(inside, 0.885 * count);
  EXPECT_NEAR(std::sqrt(squares / count), 1.0, 0.2);
}

// Many frames make a narrow valley, bent between focal length, drag and duration of the contacts.
TEST(FitBounces, FindsTheBottomFromAPoorGuess) {
  constexpr double kRate = 240.0;
  std::mt19937 random(5);
  for (const double focal : {700.0, 1000.0, 1500.0}) {
    BouncingBall ball = Ball(0.77);
    ball.camera = Camera(focal);
    DrawnClip clip = Draw(ball, kRate, 0.01, &random);
    clip.down *= 1.15;
    BounceSetting setting = Setting(kRate);
    setting.focal = {1000.0, 300.0};
    const BounceFit fit = FitBounces(clip.sightings, clip.flights, clip.down, setting);
    ASSERT_EQ(fit.reason, "") << focal;
    EXPECT_NEAR(fit.focal.value, focal, 4.0 * fit.focal.sigma) << focal;
    EXPECT_LT(fit.noise_scale, 1.2) << focal;
    for (std::size_t k = 0; k < fit.bounces.size(); ++k)
      EXPECT_NEAR(fit.bounces[k].e, 0.77, 4.0 * fit.Sigma(k, kBounceE)) << focal;
  }
}

// In a vacuum, of contacts that take no time, noise alone makes both negative half of the time.
TEST(FitBounces, DragAndContactTimeAreNotNegative) {
  std::mt19937 random(17);
  int bounds = 0;
  for (int draw = 0; draw < 10; ++draw) {
    const DrawnClip clip = Draw(Ball(0.8), 60.0, 0.03, &random);
    BounceSetting setting = Setting(60.0);
    setting.dwell = {0.0, 0.003};
    const BounceFit fit = FitBounces(clip.sightings, clip.flights, clip.down, setting);
    ASSERT_EQ(fit.reason, "");
    // Not even by the rounding of a product.
    EXPECT_GE(fit.drag.value, -1e-15);
    EXPECT_GE(fit.dwell.value, 0.0);
    bounds += std::abs(fit.drag.value) < 1e-15;
    bounds += fit.dwell.value == 0.0;
    EXPECT_GT(fit.drag.sigma, 0.0);
    EXPECT_GT(fit.dwell.sigma, 0.0);
    for (std::size_t k = 0; k < fit.bounces.size(); ++k)
      EXPECT_NEAR(fit.bounces[k].e, 0.8, 4.0 * fit.Sigma(k, kBounceE));
  }
  EXPECT_GE(bounds, 3);
}

// Strong backspin: who does not know of it takes the lift for less gravity in one flight.
TEST(FitBounces, ASpinThatIsKnownIsNoError) {
  std::mt19937 random(23);
  BouncingBall ball = Ball(0.8);
  ball.drag = 0.003;
  ball.lift = ball.drag / 0.45;
  Roll(0.0, &ball);
  ball.spins[1] = ball.spins[2] = 8.0 * ball.before.dot(Eigen::Vector3d::UnitX()) *
                                  -ball.normal.cross(Eigen::Vector3d::UnitX());
  const DrawnClip clip = Draw(ball, 240.0, 0.01, &random);
  BounceSetting setting = Setting(240.0);
  const auto off = [&] {
    const BounceFit fit = FitBounces(clip.sightings, clip.flights, clip.down, setting);
    double worst = 0.0;
    const BallMotionModel motion(ball, 0.0, 2.5);
    for (std::size_t k = 0; k < fit.bounces.size(); ++k) {
      const BallContact& contact = motion.Contacts()[k];
      const double e = -contact.after.dot(ball.normal) / contact.before.dot(ball.normal);
      worst = std::max(worst, std::abs(fit.bounces[k].e - e) / fit.Sigma(k, kBounceE));
    }
    return worst;
  };
  setting.spins.assign(4, Eigen::Vector3d::Zero().eval());
  EXPECT_GT(off(), 4.0);
  for (std::size_t k = 0; k < 4; ++k) setting.spins[k] = ball.spins[k];
  EXPECT_LT(off(), 3.0);
}

// A contact time that is stated otherwise by a part of its sigma changes e by that part.
TEST(FitBounces, TellsWhatAWrongContactTimeDoes) {
  std::mt19937 random(29);
  const DrawnClip clip = Draw(Ball(0.8), 60.0, 0.03, &random);
  BounceSetting setting = Setting(60.0);
  setting.dwell = {0.003, 0.001};
  const BounceFit fit = FitBounces(clip.sightings, clip.flights, clip.down, setting);
  setting.dwell->value += 0.1 * setting.dwell->sigma;
  const BounceFit other = FitBounces(clip.sightings, clip.flights, clip.down, setting);
  ASSERT_EQ(fit.reason + other.reason, "");
  for (std::size_t k = 0; k < fit.bounces.size(); ++k) {
    const double told =
        fit.shared(static_cast<Eigen::Index>(k) * kNumBounceNumbers + kBounceE, kSharedDwell);
    EXPECT_GT(std::abs(told), 1e-5);
    EXPECT_NEAR(other.bounces[k].e - fit.bounces[k].e, 0.1 * told, 0.01 * std::abs(told));
  }
}

TEST(FitBounces, FindsGravityInRadiiAndTheShutter) {
  std::mt19937 random(3);
  BouncingBall ball = Ball(0.8);
  ball.line_time = {0.0, 1.0e-5};
  const DrawnClip clip = Draw(ball, 120.0, 0.03, &random);
  const BounceFit fit = FitBounces(clip.sightings, clip.flights, clip.down, Setting(120.0));
  ASSERT_EQ(fit.reason, "");
  EXPECT_NEAR(fit.gravity.value, 9.80665 / 0.02, 4.0 * fit.gravity.sigma);
  EXPECT_LT(fit.gravity.sigma / fit.gravity.value, 0.01);
  EXPECT_NEAR(fit.line_time.value, 1.0e-5, 4.0 * fit.line_time.sigma);
  EXPECT_LT(fit.line_time.sigma, 1.0e-6);
}

TEST(FitBounces, OneFlightIsNoBounce) {
  std::mt19937 random(3);
  DrawnClip clip = Draw(Ball(0.8), 60.0, 0.03, &random);
  clip.flights.resize(1);
  const BounceFit fit = FitBounces(clip.sightings, clip.flights, clip.down, Setting(60.0));
  EXPECT_EQ(fit.reason,
            "found 1 flight, allowed at least 2 with a bounce between them: film all of the fall, "
            "the bounce and what follows it");
}

}  // namespace
}  // namespace percuss::tracking
