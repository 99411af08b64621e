// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fitting/thesis_predictions.h"

#include "capture/experiment/coefficients.h"
#include "fitting/pose_prediction.h"
#include "impacts/table_description.h"

namespace percuss::fitting {

std::vector<ThesisPrediction> PredictThesis(const std::filesystem::path& data,
                                            const std::string& ending) {
  std::vector<ThesisPrediction> predictions;
  for (const std::string object : {"rod", "bar"}) {
    const std::filesystem::path file = data / "sun2017" / (object + ending + ".yaml");
    const impacts::TableDescription description = impacts::ReadTableDescription(file);
    const impacts::ImpactTable table = impacts::ReadDescribedImpacts(description);
    const LawPosePredictions law =
        PredictOverPoses("stronge", PrepareImpacts(table, description.body),
                         capture::ReadCoefficients(file), *description.prior);
    for (std::size_t i = 0; i < law.trials.size(); ++i) {
      const auto cell = [&](const std::string& column) {
        return std::stod(table.impacts[i].extra.at(column));
      };
      ThesisPrediction one{object, law.trials[i], {}, 0.01 * cell("dissipation_comp_pct")};
      // Thesis axes x, y (down), z.
      one.computed << cell("comp_post_vx_m_s"), cell("comp_post_vz_m_s"), -cell("comp_post_vy_m_s"),
          cell("comp_post_wx_rad_s"), cell("comp_post_wz_rad_s"), -cell("comp_post_wy_rad_s");
      predictions.push_back(std::move(one));
    }
  }
  return predictions;
}

ThesisCount CountInside(const std::vector<ThesisPrediction>& predictions) {
  ThesisCount count;
  for (const ThesisPrediction& one : predictions) {
    const PredictedMotion& motion = one.predicted.prediction;
    const PredictedQuantity& lost = motion.dissipation;
    count.recomputed += IsInside(lost);
    count.printed += IsInside(lost, one.predicted.dissipation_reported);
    count.computed += IsInside(lost, one.dissipation_computed);
    for (int i = 0; i < 6; ++i) {
      count.velocities += IsInside(motion.velocity[i]);
      count.computed_velocities += IsInside(motion.velocity[i], one.computed[i]);
    }
    count.explained += one.predicted.given_impulse.num_draws > 0.0;
    count.given_impulse += IsInside(one.predicted.given_impulse.dissipation);
  }
  return count;
}

}  // namespace percuss::fitting
