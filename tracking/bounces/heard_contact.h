// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace percuss::tracking {

/// The sound of a contact.
struct HeardContact {
  int bounce = 0;      ///< which one, from 0
  double time = 0.0;   ///< [s], clock of the video
  double sigma = 0.0;  ///< against the other sounds of the clip [s]
};

/// Sound comes later by the way to the camera, and a file may put it beside its pictures by some
/// tens of milliseconds: the same for all sounds of a clip [s].
inline constexpr double kSoundOffsetSigma = 0.05;

}  // namespace percuss::tracking
