// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_field.h"
#include "report/facts/run_folder.h"

namespace percuss::report {
namespace {

EnergyShares ReadShares(const JsonField& field) {
  EnergyShares shares;
  const std::array<const char*, 4> names = {"normal", "tangential", "rotation", "total"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    const JsonField share = field.At(names[k]);
    shares[k] = {share.At("value").Number(), share.NumberOr("sigma", kNaN)};
  }
  return shares;
}

ImpulseFacts ReadImpulse(const JsonField& field) {
  ImpulseFacts impulse{.trial = field.At("trial").Text(),
                       .normal = field.At("normal").Vector3(),
                       .tangent = field.At("tangent").Vector3(),
                       .measured = field.At("measured").Vector3(),
                       .predicted = field.At("predicted").Vector3(),
                       .friction = field.NumberOr("friction", kNaN),
                       .compression_end = field.At("compression_end").Vector3()};
  const auto rows = field.At("covariance").Elements(3);
  for (std::size_t row = 0; row < 3; ++row) impulse.covariance[row] = rows[row].Vector3();
  for (const JsonField& point : field.At("path").Elements()) {
    impulse.path.push_back(point.Vector3());
  }
  const JsonField energy = field.At("energy");
  impulse.before = ReadShares(energy.At("before"));
  impulse.after_measured = ReadShares(energy.At("after_measured"));
  impulse.after_predicted = ReadShares(energy.At("after_predicted"));
  return impulse;
}

}  // namespace

std::vector<LawImpulses> ReadImpulseFacts(const std::filesystem::path& impulses_json) {
  std::vector<LawImpulses> laws;
  for (const auto& [law, trials] : JsonField::ReadFile(impulses_json).At("laws").Members()) {
    LawImpulses& impulses = laws.emplace_back(LawImpulses{.law = law});
    for (const JsonField& trial : trials.Elements()) impulses.trials.push_back(ReadImpulse(trial));
  }
  return laws;
}

}  // namespace percuss::report
