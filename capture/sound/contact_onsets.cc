// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/sound/contact_onsets.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "base/math/statistics.h"

namespace percuss::capture {
namespace {

constexpr double kLeastSoundRate = 4000.0;  // [Hz]
constexpr double kHop = 0.5e-3;             // [s]
constexpr double kQuietSpan = 10e-3;        // before an onset [s]
constexpr double kDeadTime = 8e-3;          // after an onset [s]
constexpr double kLeastRise = 4.0;          // of energy: 6 dB
constexpr double kChance = 1e-8;            // of a window of noise
constexpr std::size_t kMostOnsets = 60;
constexpr double kSharpest = 0.3e-3;               // largest sigma of a sudden sound [s]
constexpr double kEarly = 1.2e-3, kLate = 1.2e-3;  // of the beginning against the first look [s]
constexpr double kMarginBefore = 1.0e-3,
                 kMarginAfter = 2.0e-3;  // of what is compared beyond those [s]
constexpr Eigen::Index kMostTones = 12;
// What a rise of another form than the model's moves its beginning by: measured on rises
// (1 - cos) / 2 of 0 to 0.3 ms that differ by a fifth from click to click.
constexpr double kFormSigma = 10e-6;  // [s]

/// Samples of noise that is white and has a variance of 1, as far as the track is noise.
struct WhiteTrack {
  double rate = 0.0, start = 0.0;
  std::vector<double> samples = {};
};

/// Means of as many samples as leave 48 kHz or less: no ball is heard above 24 kHz, and recorders
/// leave nothing there that could be made white.
WhiteTrack Thinned(const SoundTrack& sound) {
  const auto factor = static_cast<std::size_t>(std::max(1.0, std::floor(sound.rate / 44000.0)));
  WhiteTrack track{.rate = sound.rate / static_cast<double>(factor), .start = sound.start};
  track.samples.resize(sound.samples.size() / factor);
  for (std::size_t i = 0; i < track.samples.size(); ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < factor; ++k) sum += sound.samples[i * factor + k];
    track.samples[i] = sum / static_cast<double>(factor);
  }
  return track;
}

/// Takes hum and wind away: a high pass of first order at 200 Hz.
void HighPass(WhiteTrack* track) {
  const double keep = std::exp(-2.0 * std::numbers::pi * 200.0 / track->rate);
  double low = track->samples.empty() ? 0.0 : track->samples.front();
  for (double& sample : track->samples) {
    low = keep * low + (1.0 - keep) * sample;
    sample -= low;
  }
}

/// The autocorrelation of the quieter half of the blocks of 20 ms that hold any sound.
std::vector<double> QuietAutocorrelation(const WhiteTrack& track, std::size_t order) {
  const auto size = static_cast<std::size_t>(0.02 * track.rate);
  std::vector<std::pair<double, std::size_t>> blocks;
  for (std::size_t first = 0; first + size <= track.samples.size(); first += size) {
    double sum = 0.0;
    for (std::size_t i = first; i < first + size; ++i) sum += track.samples[i] * track.samples[i];
    if (sum > 0.0) blocks.emplace_back(sum, first);
  }
  std::ranges::sort(blocks);
  blocks.resize((blocks.size() + 1) / 2);
  std::vector<double> correlation(order + 1, 0.0);
  for (const auto& [energy, first] : blocks) {
    for (std::size_t lag = 0; lag <= order; ++lag) {
      double sum = 0.0;
      for (std::size_t i = first + lag; i < first + size; ++i)
        sum += track.samples[i] * track.samples[i - lag];
      correlation[lag] += sum / static_cast<double>(size * blocks.size());
    }
  }
  // The noise of 16 bits, for tracks that hold nothing else.
  constexpr double kRoundingNoise = 1.0 / 12.0 / (32768.0 * 32768.0);
  correlation[0] = correlation[0] * (1.0 + 1e-6) + kRoundingNoise;
  return correlation;
}

/// Prediction of a sample from those before it (Levinson, Durbin).
std::vector<double> Predictor(const std::vector<double>& correlation) {
  std::vector<double> weights;
  double error = correlation[0];
  for (std::size_t order = 1; order < correlation.size(); ++order) {
    double reflection = correlation[order];
    for (std::size_t k = 0; k < weights.size(); ++k)
      reflection -= weights[k] * correlation[order - 1 - k];
    reflection /= error;
    const std::vector<double> old = weights;
    for (std::size_t k = 0; k < old.size(); ++k) weights[k] -= reflection * old[old.size() - 1 - k];
    weights.push_back(reflection);
    error *= 1.0 - reflection * reflection;
  }
  return weights;
}

/// Samples of a window: of 1 ms, more where that is too few to tell a sound from noise.
std::size_t WindowSize(const WhiteTrack& track) {
  return std::max(static_cast<std::size_t>(1e-3 * track.rate), std::size_t{24});
}

/// Mean squares of windows, kHop apart.
std::vector<double> WindowEnergies(const WhiteTrack& track) {
  const std::size_t size = WindowSize(track);
  std::vector<double> energies;
  for (std::size_t k = 0;; ++k) {
    const auto first = static_cast<std::size_t>(static_cast<double>(k) * kHop * track.rate);
    if (first + size > track.samples.size()) return energies;
    double sum = 0.0;
    for (std::size_t i = first; i < first + size; ++i) sum += track.samples[i] * track.samples[i];
    energies.push_back(sum / static_cast<double>(size));
  }
}

void Whiten(WhiteTrack* track) {
  HighPass(track);
  const std::size_t order = track->rate > 30000.0 ? 32 : 16;
  const std::vector<double> weights = Predictor(QuietAutocorrelation(*track, order));
  std::vector<double> white(track->samples.size(), 0.0);
  for (std::size_t i = order; i < white.size(); ++i) {
    white[i] = track->samples[i];
    for (std::size_t k = 0; k < order; ++k) white[i] -= weights[k] * track->samples[i - 1 - k];
  }
  track->samples = std::move(white);
  const auto count = static_cast<double>(WindowSize(*track));
  const double median_of_chi2 = std::pow(1.0 - 2.0 / (9.0 * count), 3);
  const double scale = std::sqrt(std::max(Median(WindowEnergies(*track)), 1e-12) / median_of_chi2);
  for (double& sample : track->samples) sample /= scale;
}

/// A sudden sound of the first look.
struct Candidate {
  double time = 0.0;     ///< where it seems to begin, from the start of the track [s]
  double loudest = 0.0;  ///< mean square
  double quiet = 1.0;    ///< mean square before
};

std::vector<Candidate> Candidates(const WhiteTrack& track) {
  const std::vector<double> energies = WindowEnergies(track);
  const auto count = static_cast<int>(WindowSize(track));
  const double least = std::max(kLeastRise, ChiSquareQuantile(1.0 - kChance, count) / count);
  const auto span = static_cast<std::size_t>(kQuietSpan / kHop);
  const auto dead = static_cast<std::size_t>(kDeadTime / kHop);
  const auto look = static_cast<std::size_t>(std::ceil(count / track.rate / kHop));
  std::vector<Candidate> found;
  for (std::size_t k = span + look; k < energies.size(); ++k) {
    const auto before = energies.begin() + static_cast<std::ptrdiff_t>(k - look);
    const double quiet = std::accumulate(before - static_cast<std::ptrdiff_t>(span), before, 0.0) /
                         static_cast<double>(span);
    if (energies[k] < least * std::max(quiet, 1.0)) continue;
    const std::size_t end = std::min(k + dead, energies.size());
    const double loudest = *std::max_element(energies.begin() + static_cast<std::ptrdiff_t>(k),
                                             energies.begin() + static_cast<std::ptrdiff_t>(end));
    // A sound is first seen where it fills a part of a window: it begins near the end of it.
    const double begins = static_cast<double>(k) * kHop + std::max(count / track.rate - 1e-3, 0.0);
    found.push_back({begins, loudest, std::max(quiet, 1.0)});
    k = end - 1;
  }
  if (found.size() > kMostOnsets) {
    std::ranges::sort(found, std::greater(), &Candidate::loudest);
    found.resize(kMostOnsets);
    std::ranges::sort(found, {}, &Candidate::time);
  }
  return found;
}

/// The tones of which the beginning of a sound is made.
struct Tones {
  Eigen::VectorXd variances;  ///< of each cosine and each sine
  Eigen::MatrixXd values;     ///< a row for each sample
  double rest = 0.0;          ///< variance of a sample by the tones that are left out
  double frequency = 0.0;     ///< of the loudest [Hz]
};

/// @param sounding the samples that certainly sound, the last ones of all.
Tones FindTones(const Eigen::VectorXd& samples, Eigen::Index sounding, double rate, double noise) {
  const Eigen::Index first = samples.size() - sounding;
  // A little longer than the sound: tones of a period that is the sound's own would have it end as
  // it begins.
  const double step = rate / (1.3 * static_cast<double>(samples.size()));
  const auto most = static_cast<Eigen::Index>(std::min(0.45 * rate, 16000.0) / step);
  Eigen::VectorXd powers(most);
  const auto angle = [&](Eigen::Index tone, Eigen::Index i) {
    return 2.0 * std::numbers::pi * step * static_cast<double>((tone + 1) * i) / rate;
  };
  for (Eigen::Index tone = 0; tone < most; ++tone) {
    double cosine = 0.0, sine = 0.0;
    for (Eigen::Index i = first; i < samples.size(); ++i) {
      cosine += samples[i] * std::cos(angle(tone, i));
      sine += samples[i] * std::sin(angle(tone, i));
    }
    const double scale = 2.0 / static_cast<double>(sounding);
    powers[tone] =
        std::max(0.5 * scale * scale * (cosine * cosine + sine * sine) - scale * noise, 0.0);
  }
  Eigen::VectorXd smooth = 0.5 * powers;
  for (Eigen::Index tone = 0; tone < most; ++tone) {
    if (tone > 0) smooth[tone] += 0.25 * powers[tone - 1];
    if (tone + 1 < most) smooth[tone] += 0.25 * powers[tone + 1];
  }
  std::vector<Eigen::Index> order(static_cast<std::size_t>(most));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::sort(order, std::greater(), [&](Eigen::Index tone) { return smooth[tone]; });
  const Eigen::Index count = std::min(kMostTones, most);
  Tones tones;
  tones.variances.resize(2 * count);
  tones.values.resize(samples.size(), 2 * count);
  tones.frequency = step * static_cast<double>(order[0] + 1);
  tones.rest = smooth.sum();
  for (Eigen::Index k = 0; k < count; ++k) {
    const Eigen::Index tone = order[static_cast<std::size_t>(k)];
    tones.rest -= smooth[tone];
    tones.variances.segment(2 * k, 2).setConstant(std::max(smooth[tone], 1e-9 * noise));
    for (Eigen::Index i = 0; i < samples.size(); ++i) {
      tones.values(i, 2 * k) = std::cos(angle(tone, i));
      tones.values(i, 2 * k + 1) = std::sin(angle(tone, i));
    }
  }
  tones.rest = std::max(tones.rest, 0.0);
  return tones;
}

/// Logarithm of the likelihood that a sound begins at `begin` (in samples) and rises within `rise`.
double LogLikelihood(const Eigen::VectorXd& samples, const Tones& tones, double noise, double begin,
                     double rise) {
  const auto first = static_cast<Eigen::Index>(std::floor(begin)) + 1;
  const Eigen::Index count = samples.size() - first;
  Eigen::VectorXd gain = Eigen::VectorXd::Ones(count);
  if (rise > 0.0) {
    for (Eigen::Index i = 0; i < count; ++i)
      gain[i] = 1.0 - std::exp((begin - static_cast<double>(first + i)) / rise);
  }
  const Eigen::VectorXd variance = noise + tones.rest * gain.array().square();
  const auto after = samples.tail(count);
  double cost = samples.head(first).squaredNorm() / noise +
                static_cast<double>(first) * std::log(noise) +
                (after.array().square() / variance.array()).sum() + variance.array().log().sum();
  const Eigen::VectorXd weight = gain.array() / variance.array().sqrt();
  const Eigen::MatrixXd scaled = weight.asDiagonal() * tones.values.bottomRows(count) *
                                 tones.variances.cwiseSqrt().asDiagonal();
  const Eigen::VectorXd data = after.array() / variance.array().sqrt();
  Eigen::MatrixXd normal = Eigen::MatrixXd::Identity(scaled.cols(), scaled.cols());
  normal.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
  const Eigen::LLT<Eigen::MatrixXd> root(normal);
  const Eigen::VectorXd projected =
      root.matrixL().solve(Eigen::VectorXd(scaled.transpose() * data));
  cost += 2.0 * root.matrixLLT().diagonal().array().log().sum() - projected.squaredNorm();
  return -0.5 * cost;
}

/// Mean and standard deviation of the beginning over a range of it, all rise times alike.
struct Beginning {
  double mean = 0.0, sigma = 0.0;  // in samples
};

Beginning Average(const Eigen::VectorXd& samples, const Tones& tones, double noise, double rate,
                  double from, double to, double step) {
  std::vector<std::pair<double, double>> logs;
  for (double begin = from; begin <= to; begin += step) {
    for (const double rise : {0.0, 0.05e-3, 0.1e-3, 0.2e-3, 0.4e-3})
      logs.emplace_back(begin, LogLikelihood(samples, tones, noise, begin, rise * rate));
  }
  const double best = std::ranges::max(logs, {}, [](const auto& one) { return one.second; }).second;
  double sum = 0.0, first = 0.0, second = 0.0;
  for (const auto& [begin, log] : logs) {
    const double weight = std::exp(log - best);
    sum += weight;
    first += weight * begin;
    second += weight * begin * begin;
  }
  const double mean = first / sum;
  return {mean, std::sqrt(std::max(second / sum - mean * mean, 0.0) + step * step / 12.0)};
}

/// Nothing where the sound is not sudden.
std::optional<ContactOnset> Refine(const WhiteTrack& track, const Candidate& candidate) {
  const auto at = [&](double time) { return static_cast<std::ptrdiff_t>(time * track.rate); };
  const std::ptrdiff_t first = at(candidate.time - kEarly - kMarginBefore);
  const std::ptrdiff_t last = at(candidate.time + kLate + kMarginAfter);
  if (first < 0 || last > static_cast<std::ptrdiff_t>(track.samples.size())) return {};
  const Eigen::VectorXd samples =
      Eigen::Map<const Eigen::VectorXd>(track.samples.data() + first, last - first);
  const Tones tones =
      FindTones(samples, at(kMarginAfter + 0.5 * kLate), track.rate, candidate.quiet);
  const double from = kMarginBefore * track.rate,
               to = (kMarginBefore + kEarly + kLate) * track.rate;
  const double coarse = std::max(1.0, 0.05e-3 * track.rate);
  Beginning beginning = Average(samples, tones, candidate.quiet, track.rate, from, to, coarse);
  const double reach = std::max(5.0 * beginning.sigma, 3.0 * coarse);
  if (beginning.sigma < 0.1e-3 * track.rate) {
    beginning =
        Average(samples, tones, candidate.quiet, track.rate, std::max(from, beginning.mean - reach),
                std::min(to, beginning.mean + reach), reach / 15.0);
  }
  if (beginning.sigma > kSharpest * track.rate || beginning.mean < from + 0.05 * (to - from))
    return {};
  return ContactOnset{
      .time = track.start + (static_cast<double>(first) + beginning.mean) / track.rate,
      .sigma = std::hypot(beginning.sigma / track.rate, kFormSigma),
      .rise_db = 10.0 * std::log10(candidate.loudest),
      .frequency = tones.frequency};
}

}  // namespace

ContactOnsets FindContactOnsets(const SoundTrack& sound) {
  if (!sound.reason.empty()) return {sound.reason};
  if (!(sound.rate >= kLeastSoundRate)) {
    return {fmt::format("found sound of {:.6g} samples per second, allowed at least {:.6g}",
                        sound.rate, kLeastSoundRate)};
  }
  const double length = static_cast<double>(sound.samples.size()) / sound.rate;
  constexpr double kShortest = 0.1;
  if (length < kShortest)
    return {fmt::format("the sound is {:.3g} s long, allowed at least {:.3g}", length, kShortest)};
  if (std::ranges::all_of(sound.samples, [&](float one) { return one == sound.samples[0]; }))
    return {"the sound is silent"};
  WhiteTrack track = Thinned(sound);
  Whiten(&track);
  ContactOnsets found{.start = sound.start, .end = sound.start + length};
  for (const Candidate& candidate : Candidates(track)) {
    if (const auto onset = Refine(track, candidate)) found.onsets.push_back(*onset);
  }
  if (found.onsets.empty()) found.reason = "no sudden sound";
  return found;
}

}  // namespace percuss::capture
