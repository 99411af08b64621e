// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/sound/bounce_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace percuss::capture {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();
constexpr double kShortestFlight = 0.02, kLongestFlight = 2.0;  // [s]
constexpr double kLeastE = 0.2, kMostE = 0.98;
constexpr double kLoudnessScatter = 5.0;  // [dB]
constexpr double kSamePitch = 0.15;       // octaves
constexpr double kEchoSpan = 0.08;        // [s]
constexpr double kEchoOdds = -4.0;        // natural logarithm, of an echo as a contact
constexpr double kOdds = 1000.0, kOddsAlone = 20.0;

/// What is known where a contact of the ball is the last one so far.
struct ChainState {
  double score = kImpossible;
  double flight = 0.0;          // the last one [s]
  double e = 0.0;               // of the last contact but one; 0: of none yet
  std::size_t before = 0;       // the contact before the last two
  std::size_t kind_before = 0;  // of the state that this one came from
};

// Two contacts so far, which have no e yet and compete with no longer chain; none missed so far;
// one missed just before the last contact; one missed earlier.
constexpr std::size_t kBegun = 0, kAllHeard = 1, kJustMissed = 2, kMissedEarlier = 3;

double NormalDensity(double x, double sigma) {
  return std::exp(-0.5 * x * x / (sigma * sigma)) / (sigma * std::sqrt(2.0 * std::numbers::pi));
}

/// Logarithm of the density of e after the e of the contact before (0: none).
double LogDensityOfE(double e, double before) {
  if (e < kLeastE || e > 1.0) return kImpossible;
  if (before == 0.0) return -std::log(1.0 - kLeastE);
  const double change = std::log(e / before);
  return std::log((0.75 * NormalDensity(change, 0.02) + 0.25 * NormalDensity(change, 0.08)) / e);
}

/// Loudness of all sounds: what chance draws from.
struct LoudnessOfAll {
  double mean = 0.0, scatter = 0.0;  // [dB]
};

LoudnessOfAll MeanLoudness(const std::vector<ContactOnset>& onsets) {
  LoudnessOfAll all;
  for (const ContactOnset& onset : onsets)
    all.mean += onset.rise_db / static_cast<double>(onsets.size());
  for (const ContactOnset& onset : onsets)
    all.scatter += std::pow(onset.rise_db - all.mean, 2) / static_cast<double>(onsets.size());
  all.scatter = std::max(std::sqrt(all.scatter), kLoudnessScatter);
  return all;
}

/// Logarithm of the odds that a contact with this e is as loud as it is.
double LoudnessOdds(const ContactOnset& before, const ContactOnset& after, double e,
                    const LoudnessOfAll& all) {
  const double error = after.rise_db - before.rise_db - 20.0 * std::log10(e);
  const double chance = (after.rise_db - all.mean) / all.scatter;
  const double odds = std::log(all.scatter / kLoudnessScatter) + 0.5 * chance * chance -
                      0.5 * std::pow(error / kLoudnessScatter, 2);
  return std::clamp(odds, -4.0, 1.0);
}

bool SamePitch(const ContactOnset& one, const ContactOnset& other) {
  return std::abs(std::log2(one.frequency / other.frequency)) < kSamePitch;
}

/// Chance that two sounds have the same pitch: that of all pairs.
double ChanceOfSamePitch(const std::vector<ContactOnset>& onsets) {
  double same = 1.0, all = 1.0;
  for (std::size_t i = 0; i < onsets.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      all += 1.0;
      if (SamePitch(onsets[i], onsets[k])) same += 1.0;
    }
  }
  return same / all;
}

/// States of all pairs of sounds.
class ChainTable {
 public:
  explicit ChainTable(const ContactOnsets& sounds)
      : onsets_(sounds.onsets), states_(onsets_.size() * onsets_.size()) {
    all_ = MeanLoudness(onsets_);
    // Two contacts have the same pitch in six of ten cases: of a body that rings with several tones
    // now one is the loudest, now another.
    const double chance = ChanceOfSamePitch(onsets_);
    same_pitch_ = std::max(0.0, std::log(0.6 / chance));
    other_pitch_ = std::min(0.0, std::log(0.4 / std::max(1.0 - chance, 0.4)));
    duration_ = std::max(sounds.end - sounds.start, 1.0);
    // Each contact takes one sound off those that chance has to explain: of all but echoes.
    double count = 0.5;
    for (std::size_t i = 0; i < onsets_.size(); ++i) count += Echo(i, i) ? 0.0 : 0.5;
    per_contact_ = std::log(duration_ / count);
    for (std::size_t last = 1; last < onsets_.size(); ++last) {
      for (std::size_t before = 0; before < last; ++before) Begin(before, last);
    }
    for (std::size_t next = 2; next < onsets_.size(); ++next) {
      for (std::size_t last = 1; last < next; ++last) {
        for (std::size_t before = 0; before < last; ++before) Continue(before, last, next);
      }
    }
  }

  /// The score of a chain, with the number of the other sounds in place of the guess of all.
  double LogOdds(double score, std::size_t contacts, std::size_t others) const {
    double odds = score;
    for (std::size_t k = 0; k < contacts; ++k)
      odds += std::log(duration_ / (static_cast<double>(others + k) + 0.5)) - per_contact_;
    return odds;
  }

  ChainState& At(std::size_t before, std::size_t last, std::size_t kind) {
    return states_[before * onsets_.size() + last][kind];
  }

 private:
  /// Whether a louder sound, other than the contact before, comes just before this one.
  bool Echo(std::size_t sound, std::size_t contact_before) const {
    for (std::size_t i = sound; i-- > 0;) {
      if (onsets_[sound].time - onsets_[i].time > kEchoSpan) return false;
      if (i != contact_before && onsets_[i].rise_db > onsets_[sound].rise_db) return true;
    }
    return false;
  }

  void Begin(std::size_t before, std::size_t last) {
    const double flight = onsets_[last].time - onsets_[before].time;
    if (flight < kShortestFlight || flight > kLongestFlight) return;
    ChainState& state = At(before, last, kBegun);
    state.flight = flight;
    state.before = before;
    state.score = 2.0 * per_contact_ - std::log(duration_) +
                  (Echo(before, before) ? kEchoOdds : 0.0) +
                  (Echo(last, before) ? kEchoOdds : 0.0) -
                  std::log(flight * std::log(kLongestFlight / kShortestFlight));
  }

  void Continue(std::size_t before, std::size_t last, std::size_t next) {
    const double interval = onsets_[next].time - onsets_[last].time;
    if (interval < kShortestFlight) return;
    for (const std::size_t kind : {kBegun, kAllHeard, kJustMissed, kMissedEarlier}) {
      const bool missed = kind == kJustMissed || kind == kMissedEarlier;
      const ChainState from = At(before, last, kind);
      if (from.score == kImpossible) continue;
      const double e = interval / from.flight;
      Offer(from, kind, before, last, next, missed ? kMissedEarlier : kAllHeard, e, interval,
            LogDensityOfE(e, from.e) - std::log(from.flight));
      if (missed) continue;
      // interval = flight (e + e^2)
      const double twice = 0.5 * (std::sqrt(1.0 + 4.0 * e) - 1.0);
      Offer(from, kind, before, last, next, kJustMissed, twice, twice * twice * from.flight,
            LogDensityOfE(twice, from.e) - std::log(20.0 * from.flight * (1.0 + 2.0 * twice)));
    }
  }

  void Offer(const ChainState& from, std::size_t kind, std::size_t before, std::size_t last,
             std::size_t next, std::size_t kind_after, double e, double flight,
             double log_density) {
    if (log_density == kImpossible) return;
    const double fall = kind_after == kJustMissed ? e * e : e;
    const double score = from.score + per_contact_ + log_density +
                         LoudnessOdds(onsets_[last], onsets_[next], fall, all_) +
                         (SamePitch(onsets_[last], onsets_[next]) ? same_pitch_ : other_pitch_) +
                         (Echo(next, last) ? kEchoOdds : 0.0);
    ChainState& state = At(last, next, kind_after);
    if (score > state.score) state = {score, flight, e, before, kind};
  }

  const std::vector<ContactOnset>& onsets_;
  std::vector<std::array<ChainState, 4>> states_;
  LoudnessOfAll all_;
  double same_pitch_ = 0.0, other_pitch_ = 0.0;
  double duration_ = 1.0, per_contact_ = 0.0;
};

/// The series that ends with these two contacts.
ContactChain Trace(ChainTable* table, std::size_t before, std::size_t last, std::size_t kind) {
  ContactChain chain;
  chain.contacts = {last};
  std::size_t missed_from_end = 0;
  for (;;) {
    const ChainState& state = table->At(before, last, kind);
    if (kind == kJustMissed) missed_from_end = chain.contacts.size();
    chain.contacts.push_back(before);
    if (kind == kBegun) break;
    last = before;
    before = state.before;
    kind = state.kind_before;
  }
  std::ranges::reverse(chain.contacts);
  if (missed_from_end > 0) chain.missed_before = chain.contacts.size() - missed_from_end;
  return chain;
}

/// Sounds that the chain leaves to chance.
std::vector<std::size_t> Others(const std::vector<ContactOnset>& onsets,
                                const ContactChain& chain) {
  std::vector<std::size_t> others;
  std::size_t passed = 0;
  for (std::size_t i = 0; i < onsets.size(); ++i) {
    while (passed < chain.contacts.size() && chain.contacts[passed] <= i) ++passed;
    if (passed > 0) {
      const std::size_t contact = chain.contacts[passed - 1];
      if (contact == i) continue;
      const double interval = passed < chain.contacts.size()
                                  ? onsets[chain.contacts[passed]].time - onsets[contact].time
                                  : onsets[contact].time - onsets[chain.contacts[passed - 2]].time;
      if (onsets[i].rise_db < onsets[contact].rise_db &&
          onsets[i].time - onsets[contact].time < std::min(kEchoSpan, 0.5 * interval))
        continue;
    }
    others.push_back(i);
  }
  return others;
}

/// Contacts of one ball, by their loudness and their pitch, and nothing else that could be one.
bool StandAlone(const std::vector<ContactOnset>& onsets, const ContactChain& chain,
                const std::vector<std::size_t>& others) {
  if (chain.missed_before > 0) return false;
  const auto contact = [&](std::size_t n) { return onsets[chain.contacts[n]]; };
  double weakest = contact(0).rise_db;
  for (std::size_t n = 1; n < chain.contacts.size(); ++n) {
    weakest = std::min(weakest, contact(n).rise_db);
    // The first e is not known before the second flight.
    const std::size_t flight = std::max<std::size_t>(n, 2);
    const double e = (contact(flight).time - contact(flight - 1).time) /
                     (contact(flight - 1).time - contact(flight - 2).time);
    const double fall = contact(n).rise_db - contact(n - 1).rise_db;
    if (fall > 1.0 || std::abs(fall - 20.0 * std::log10(e)) > kLoudnessScatter) return false;
    if (std::abs(std::log2(contact(n).frequency / contact(n - 1).frequency)) > 1.0) return false;
  }
  return std::ranges::none_of(
      others, [&](std::size_t other) { return onsets[other].rise_db > weakest - 10.0; });
}

/// e of the contacts from the second to the last but one.
std::vector<double> Ratios(const std::vector<ContactOnset>& onsets, const ContactChain& chain) {
  std::vector<double> ratios;
  for (std::size_t n = 2; n < chain.contacts.size(); ++n) {
    const auto time = [&](std::size_t k) { return onsets[chain.contacts[k]].time; };
    ratios.push_back((time(n) - time(n - 1)) / (time(n - 1) - time(n - 2)));
  }
  return ratios;
}

/// Whether the first of these differs from all others by far more than they do from each other.
bool StandsOut(const std::vector<double>& ratios) {
  const auto [low, high] = std::minmax_element(ratios.begin() + 1, ratios.end());
  // Two that agree may do so by chance.
  const double least = std::max(ratios.size() > 3 ? 0.003 : 0.01, 4.0 * (*high - *low));
  return ratios[0] > *high + least || ratios[0] < *low - least;
}

/// Takes sounds off both ends that are there by chance: among many there is one that fits to a few
/// per cent, where the contacts fit much better.
void Trim(const std::vector<ContactOnset>& onsets, ContactChain* chain) {
  while (chain->contacts.size() > 4 && chain->missed_before == 0) {
    std::vector<double> ratios = Ratios(onsets, *chain);
    if (StandsOut(ratios)) {
      chain->contacts.erase(chain->contacts.begin());
      continue;
    }
    std::ranges::reverse(ratios);
    if (!StandsOut(ratios)) break;
    chain->contacts.pop_back();
  }
  chain->others = static_cast<int>(Others(onsets, *chain).size());
}

}  // namespace

ContactChain FindContactChain(const ContactOnsets& sounds) {
  const std::vector<ContactOnset>& onsets = sounds.onsets;
  ContactChain best;
  ChainTable table(sounds);
  for (std::size_t last = 2; last < onsets.size(); ++last) {
    for (std::size_t before = 1; before < last; ++before) {
      for (const std::size_t kind : {kAllHeard, kJustMissed, kMissedEarlier}) {
        const ChainState& state = table.At(before, last, kind);
        if (state.score == kImpossible) continue;
        ContactChain chain = Trace(&table, before, last, kind);
        const double first = onsets[chain.contacts[1]].time - onsets[chain.contacts[0]].time;
        const double flights =
            static_cast<double>(chain.contacts.size()) - (chain.missed_before > 0 ? 1.0 : 2.0);
        if (state.flight > first * std::pow(kMostE, flights)) continue;
        const std::vector<std::size_t> others = Others(onsets, chain);
        chain.others = static_cast<int>(others.size());
        chain.log_odds = table.LogOdds(state.score, chain.contacts.size(), others.size());
        if (!best.contacts.empty() && chain.log_odds <= best.log_odds) continue;
        const bool three = chain.contacts.size() == 3;
        const bool certain = !three && chain.log_odds > std::log(kOdds);
        const bool likely = three || chain.log_odds > std::log(kOddsAlone);
        if (certain || (likely && StandAlone(onsets, chain, others))) best = std::move(chain);
      }
    }
  }
  if (!best.contacts.empty()) Trim(onsets, &best);
  return best;
}

}  // namespace percuss::capture
