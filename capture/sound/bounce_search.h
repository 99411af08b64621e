// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "capture/sound/contact_onsets.h"

namespace percuss::capture {

/// Sudden sounds that are the contacts of one ball.
struct ContactChain {
  std::vector<std::size_t> contacts = {};  ///< places among the sounds, at least three; or none
  /// Of the contact before which one was not heard; 0: all were.
  std::size_t missed_before = 0;
  double log_odds = 0.0;  ///< natural logarithm of the odds against chance
  int others = 0;         ///< sounds that are neither contacts nor echoes of one
};

/// The most likely series of contacts, against the hypothesis that all N sounds of D seconds come
/// at random:
///
///   log odds = ln G(N - n + 1/2) - ln G(N + 1/2) + n ln D + sum of ln p(contact | those before)
///
/// (G the gamma function: a Poisson process of unknown rate; sounds weaker than a contact within
/// 80 ms and half the interval after it are its echoes and not among the N). p holds the first
/// flight, 20 ms to 2 s, all logarithms alike; the first e, uniform in 0.2 to 1; each further e,
/// normal about the one before with 2 % (with 8 % for one in four); loudness, which falls by 20
/// log10 e with a scatter of 5 dB; and pitch, the same within 0.15 octaves for six contacts of ten,
/// against as many of all pairs of sounds as have the same. One contact may be missing, at odds of
/// 1 to 20. Found by dynamic programming over pairs of sounds.
///
/// A contact at an end whose e differs from all others by more than four times the range of those,
/// and by more than 0.003 (0.01 where there are two others), is then taken off.
///
/// A sound just after a louder one that is not the contact before counts as a contact at odds of 1
/// to 55: it is an echo.
///
/// None below odds of 1000; of 20 where the contacts get weaker as their speeds do within 5 dB,
/// sound alike within an octave, and no other sound is within 10 dB of the weakest. Three contacts
/// have a ratio but nothing to compare it with: they count under the latter conditions alone,
/// whatever their odds. None where the flights shrink by less than 2 % each: a ball never did, a
/// clock does.
ContactChain FindContactChain(const ContactOnsets& sounds);

}  // namespace percuss::capture
