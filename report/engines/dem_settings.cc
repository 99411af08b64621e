// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/engines/dem_settings.h"

#include <fmt/format.h>

#include <cmath>

namespace percuss::report {
namespace {

// Of both atom types alike: codes want a whole matrix, and only one pair of it was measured.
std::string LiggghtsInput(double mu, double e) {
  return fmt::format(
      "# Atom type 1: the body, 2: the surface. Only the pair 1-2 was measured; the same number\n"
      "# stands for 1-1 and 2-2.\n"
      "fix e all property/global coefficientRestitution peratomtypepair 2 {1:.6g} {1:.6g} {1:.6g} "
      "{1:.6g}\n"
      "fix mu all property/global coefficientFriction peratomtypepair 2 {0:.6g} {0:.6g} {0:.6g} "
      "{0:.6g}\n"
      "pair_style gran model hertz tangential history\n",
      mu, e);
}

std::string YadeInput(double mu, double e) {
  return fmt::format(
      "# frictionAngle on body and surface: the smaller counts. young, poisson, density are "
      "yours.\n"
      "FrictMat(frictionAngle={:.6g})\n"
      "Ip2_FrictMat_FrictMat_MindlinPhys(en={:.6g})  # with Law2_ScGeom_MindlinPhys_Mindlin()\n"
      "NewtonIntegrator(damping=0)  # its default, 0.2, takes energy of its own\n",
      std::atan(mu), e);
}

std::string MercuryInput(double mu, double e, double mass) {
  const std::string twice = mass > 0 ? fmt::format("{:.6g}", 2 * mass)
                                     : std::string("2.0 * species->getMassFromRadius(r)");
  return fmt::format(
      "// auto species = speciesHandler.copyAndAddObject(LinearViscoelasticFrictionSpecies());\n"
      "// Body and surface have this species. The collision time tc is yours; the mass is twice\n"
      "// that of the body, as the surface does not move.\n"
      "species->setCollisionTimeAndRestitutionCoefficient(tc, {1:.6g}, {2});\n"
      "species->setSlidingStiffness(2.0 / 7.0 * species->getStiffness());\n"
      "species->setSlidingDissipation(2.0 / 7.0 * species->getDissipation());\n"
      "species->setSlidingFrictionCoefficient({0:.6g});\n",
      mu, e, twice);
}

std::string MfixInput(double mu, double e) {
  return fmt::format(
      "# The body is solids phase 1, the surface a wall; MEW and DES_EN_INPUT, of two particles,\n"
      "# were not measured. KN_W is yours.\n"
      "DES_COLL_MODEL = 'LSD'\n"
      "MEW_W = {:.6g}\n"
      "DES_EN_WALL_INPUT(1) = {:.6g}\n",
      mu, e);
}

}  // namespace

DemSettings CalcDemSettings(const RunFolder& run) {
  if (!run.fit) return {};
  const std::optional<Coefficients> found = CoefficientsOf(*run.fit, "stronge");
  if (!found) return {};
  const auto same = [](double value) { return value; };
  const auto angle = [](double value) { return std::atan(value); };
  const auto of_mu = [&](const std::string& code, const std::string& setting,
                         const std::string& rule) {
    return MakeEngineSetting({code, setting, kNaN, {}, "-", found->law, rule}, *found->mu, same);
  };
  const auto of_e = [&](const std::string& code, const std::string& setting,
                        const std::string& rule) {
    return MakeEngineSetting({code, setting, kNaN, {}, "-", found->law, rule}, *found->e, same);
  };
  const std::string pair = "stated of the pair", mixed = "harmonic mean; of two alike the same";
  const double mu = found->mu->value, e = found->e->value;
  return {.settings = {of_mu("LIGGGHTS", "coefficientFriction", pair),
                       of_e("LIGGGHTS", "coefficientRestitution", pair),
                       MakeEngineSetting(
                           {"YADE", "frictionAngle", kNaN, {}, "rad", found->law, "the smaller"},
                           *found->mu, angle),
                       of_e("YADE", "en", pair),
                       of_mu("MercuryDPM", "sliding friction coefficient", mixed),
                       of_e("MercuryDPM", "restitution coefficient", "stated of the species"),
                       of_mu("MFiX-DEM", "MEW_W", "stated of particle and wall"),
                       of_e("MFiX-DEM", "DES_EN_WALL_INPUT(1)", "stated of particle and wall")},
          .inputs = {{"LIGGGHTS", "in the input script", LiggghtsInput(mu, e)},
                     {"YADE", "in the Python script", YadeInput(mu, e)},
                     {"MercuryDPM", "in the driver",
                      MercuryInput(mu, e, run.experiment ? run.experiment->mass : kNaN)},
                     {"MFiX-DEM", "in mfix.dat or the .mfx file", MfixInput(mu, e)}}};
}

}  // namespace percuss::report
