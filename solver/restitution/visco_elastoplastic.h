// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace percuss::solver {

// Normal force of a spherical contact patch that yields; chatterjee2019 7.1.2, with the printed
// misprints of its formulas corrected. SI units.

/// One of the two bodies in contact.
struct ContactMaterial {
  double youngs_modulus = 0.0;  ///< E [Pa]
  double poissons_ratio = 0.0;
  double yield_strength = 0.0;  ///< S_y [Pa]
};

enum class YieldFactor {
  kInverseSquare,  ///< F = 1/C^2, C = 1.295 exp(0.736 nu)
  kInverse         ///< as printed, F = 1/C: yield comes too early by the factor C
};

struct ViscoElastoplasticLaw {
  double plane_modulus = 0.0;  ///< E: 1/E = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2 [Pa]
  double radius = 0.0;         ///< R [m]
  double damping = 0.0;        ///< b of f_d = b |ddelta|^1.5 [kg m^-1/2 s^-1/2]
  double yield_deformation = 0.0, yield_force = 0.0, yield_slope = 0.0;  ///< delta_y, f_y, f_y'
  double plastic_deformation = 0.0, plastic_force = 0.0, plastic_slope = 0.0;  ///< delta_p ...
  double hardness_pressure = 0.0;                                              ///< p_0 [Pa]
  double plastic_radius = 0.0;                                                 ///< a_p [m]

  /// f_s: Hertz up to delta_y, a cubic with the slopes at both ends up to delta_p, then p_0 pi a^2
  /// with a^2 = 2 R (delta - delta_p) + a_p^2.
  double StaticForce(double deformation) const;
  /// f_s + f_d in local compression, (7.11), (7.12).
  double LoadingForce(double deformation, double rate) const;
};

/// @param hardness H [kgf/mm^2]; p_0 = 9.8e6 H.
/// @param radius_1, radius_2 of the surfaces [m], infinity for a plane.
/// @throws std::invalid_argument quoting field and value.
ViscoElastoplasticLaw MakeViscoElastoplasticLaw(const ContactMaterial& first, double radius_1,
                                                const ContactMaterial& second, double radius_2,
                                                double hardness, double damping,
                                                YieldFactor factor = YieldFactor::kInverseSquare);

/// (7.16): f_0 ((delta - delta_f)/(delta_c - delta_f))^(3/2).
double UnloadingForce(double force_at_compression, double deformation, double compressed,
                      double final_deformation);

/// (7.29): the force of the independent point while W_n rises from its value where that point was
/// compressed to W_nf: f_c ((W_nf - W_n)/(W_nf - W_nc))^(3/5).
double RestitutionForce(double force_at_compression, double work, double work_at_compression,
                        double final_work);

}  // namespace percuss::solver
