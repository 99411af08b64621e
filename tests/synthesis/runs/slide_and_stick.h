// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace percuss::testing {

/// The rest of a scene behind its name and picture: a drop that slides and one that stops, so that
/// both coefficients show.
inline constexpr char kSlideAndStick[] = R"(
board: {square: 0.04}   # its surface picture is seen at a flat angle
light: {ground: 0.04}
calibration_pairs: 8
trials:
  - {name: slide}
  - name: stick
    velocity: [0.777, -0.175, -2.029]
    angular_velocity: [2.382, -0.9, -2.217]
    orientation: [0.582987, 0.582079, -0.426481, 0.373396]
    contact_point: [0.089, -0.066]
    flight_time: 0.2069
)";

}  // namespace percuss::testing
