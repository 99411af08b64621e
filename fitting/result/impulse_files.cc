// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/result/impulse_files.h"

#include "base/text/json_schema.h"

namespace percuss::fitting {

void Describe(auto& file, MaybeConst<ImpulseDiagram> auto& diagram) {
  file("trial", diagram.trial);
  file("normal", diagram.normal);
  file("tangent", diagram.tangent);
  file("measured", diagram.measured);
  file("covariance", diagram.covariance);
  file.If(diagram.HasContact(), "contact_velocity", diagram.contact_velocity);
  file.If(diagram.HasContact(), "inverse_contact_mass", diagram.inverse_contact_mass);
  file("predicted", diagram.predicted);
  file("friction", diagram.friction);
  file("path", diagram.path);
  file("compression_end", diagram.compression_end);
  file.Group("energy", [&](auto& energy) {
    energy("before", ByKey{diagram.before, kEnergyShareNames});
    energy("after_measured", ByKey{diagram.after_measured, kEnergyShareNames});
    energy("after_predicted", ByKey{diagram.after_predicted, kEnergyShareNames});
  });
}

void WriteImpulseDiagrams(const ImpulsesOfLaws& laws, const Provenance& provenance,
                          const std::filesystem::path& file) {
  JsonWriter writer{JsonHead(provenance.format, provenance)};
  writer("laws", laws);
  WriteFileAtomically(file, JsonText(writer.json, 1));
}

ImpulsesOfLaws ReadImpulseDiagrams(const std::filesystem::path& file) {
  JsonReader reader(JsonField::ReadFile(file));
  ImpulsesOfLaws laws;
  reader("laws", laws);
  return laws;
}

}  // namespace percuss::fitting
