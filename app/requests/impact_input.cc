// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/requests/impact_input.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/files/files.h"
#include "base/text/yaml_field.h"
#include "fitting/audit/sigma_estimate.h"
#include "impacts/table_description.h"

namespace percuss::app {

namespace {

/// What people type in place of impacts.
void RequireImpacts(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    const std::filesystem::path inside = file / "impacts.json";
    throw InputError(
        fmt::format("{}: found a folder, allowed a file with impacts{}", file.string(),
                    std::filesystem::exists(inside, error) ? ": " + inside.string() : ""));
  }
  if (impacts::IsTableDescription(file) && YamlField::ReadFile(file)["trials"].Given()) {
    throw InputError(fmt::format(
        "{0}: found an experiment file, allowed impacts or the description of a table of them; "
        "percuss run {0} -o OUT writes OUT/impacts.json",
        file.string()));
  }
}

}  // namespace

ImpactInput ReadImpactInput(const ImpactArguments& arguments) {
  RequireImpacts(arguments.impacts);
  ImpactInput input;
  const auto add_hash = [&](const std::string& file) {
    input.input_hashes.emplace_back(file, HashFile(file));
  };
  if (!impacts::IsTableDescription(arguments.impacts)) {
    const std::filesystem::path beside =
        std::filesystem::path(arguments.impacts).parent_path() / "body.yaml";
    std::string body_file = arguments.body;
    if (body_file.empty() && std::filesystem::is_regular_file(beside)) body_file = beside.string();
    if (body_file.empty()) {
      throw InputError(
          fmt::format("--body: found nothing, and no {}; allowed the file with the body of {}",
                      beside.string(), arguments.impacts));
    }
    input.table = impacts::ReadImpacts(arguments.impacts);
    const capture::MarkedBody body = capture::ReadBody(body_file);
    input.body = body.body;
    if (input.table.inertia) input.body.inertia = *input.table.inertia;
    input.body_sigma = body.sigma;
    input.coefficients = capture::ReadCoefficients(std::filesystem::path(body_file));
    add_hash(arguments.impacts);
    add_hash(body_file);
    return input;
  }
  if (!arguments.body.empty()) {
    throw InputError(fmt::format("--body: found {}, allowed nothing beside {}, which states a body",
                                 arguments.body, arguments.impacts));
  }
  const impacts::TableDescription description = impacts::ReadTableDescription(arguments.impacts);
  input.table = impacts::ReadDescribedImpacts(description);
  input.body = description.body;
  input.body_sigma = capture::ReadBody(arguments.impacts).sigma;
  input.columns = description.columns;
  input.priors = description.prior;
  input.coefficients = capture::ReadCoefficients(std::filesystem::path(arguments.impacts));
  add_hash(arguments.impacts);
  add_hash(description.columns.table.string());
  const auto num_bad = std::ranges::count_if(
      input.table.impacts,
      [](const impacts::ImpactRecord& record) { return !record.reason_unusable.empty(); });
  input.note = fmt::format("{}: {} rows kept, {} of them not usable",
                           description.columns.table.string(), input.table.impacts.size(), num_bad);
  input.estimated_sigmas = description.estimate_sigma;
  if (description.estimate_sigma) {
    const fitting::EstimatedSigmas sigmas = fitting::EstimateSigmas(input.body, input.table);
    input.note += fmt::format(
        "; sigmas estimated from what no impulse explains: {:.3g} m/s, {:.3g} "
        "rad/s",
        sigmas.velocity, sigmas.angular_velocity);
  }
  return input;
}

}  // namespace percuss::app
