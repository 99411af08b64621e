// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace percuss::solver {

// Small formulas for the puck experiments of chatterjee1997 chapter 11: pucks that move in a plane
// and strike a fixed plate.

/// Ratio of the two contact masses of a planar body against a wall, I / (I + m r^2), with r from
/// the mass centre to the contact point (Eq 11.1); the larger one, along r, is m itself.
double ContactMassRatio(double mass, double inertia, double r);

/// The inverse: the moment of inertia about the mass centre [kg m^2] from the ratio.
double InertiaFromContactMassRatio(double mass, double ratio, double r);

/// Restitution of a composite body: `struck` meets the wall with restitution e, `hung` follows on a
/// soft spring, and the common velocity counts, (e m_1 - m_2) / (m_1 + m_2)
/// (chatterjee1997 11.1.1).
double CompositeRestitution(double e, double struck_mass, double hung_mass);

}  // namespace percuss::solver
