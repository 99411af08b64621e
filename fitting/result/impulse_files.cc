// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/result/impulse_files.h"

#include <map>

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
  if (diagram.has_path) file("path", diagram.path);
  file("compression_end", diagram.compression_end);
  file.Group("energy", [&](auto& energy) {
    energy("before", ByKey{diagram.before, kEnergyShareNames});
    energy("after_measured", ByKey{diagram.after_measured, kEnergyShareNames});
    energy("after_predicted", ByKey{diagram.after_predicted, kEnergyShareNames});
  });
}

void WriteImpulseDiagrams(const std::vector<LawFit>& laws, const DiagramsOfLaw& diagrams_of,
                          const Provenance& provenance, const std::filesystem::path& file) {
  WriteJsonFile(file, JsonHead(kImpulsesFormat, provenance), 1, [&](JsonWriter& writer) {
    writer.Group("laws", [&](JsonWriter& all) {
      for (const LawFit& law : laws) all(law.law, diagrams_of(law));
    });
  });
}

ImpulsesOfLaws ReadImpulseDiagrams(const std::filesystem::path& file,
                                   const std::function<bool(const std::string&)>& with_path) {
  const auto has_path = [&](const std::string& trial) { return !with_path || with_path(trial); };
  std::map<std::string, std::vector<ImpulseDiagram>> diagrams;
  const JsonField root = ReadFileInParts(
      file, kImpulsesFormat, {{"laws", "*"}},
      [&](const ListPath& keys, const JsonField& diagram) {
        ImpulseDiagram& one = diagrams[keys[1]].emplace_back();
        one.has_path = has_path(diagram.At("trial").Text());
        JsonReader::Read(diagram, one);
      },
      [&](const nlohmann::ordered_json& diagram, std::string_view key) {
        const auto trial = diagram.find("trial");
        return key == "path" && trial != diagram.end() && trial->is_string() &&
               !has_path(trial->get_ref<const std::string&>());
      });
  ImpulsesOfLaws laws;
  JsonReader reader(root);
  reader("laws", laws);
  for (auto& [law, of_law] : laws) of_law = std::move(diagrams[law]);
  return laws;
}

}  // namespace percuss::fitting
