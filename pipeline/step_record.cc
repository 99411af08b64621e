// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/step_record.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/files/files.h"
#include "base/parallel.h"
#include "base/text/json_text.h"

namespace percuss::pipeline {
namespace {

constexpr const char* kFormat = "percuss step 1";

/// What the system says of a file, as texts; both empty if it is missing.
struct Stamps {
  /// Size, times and inode. Empty if the file is so new that it could change once more without a
  /// change of its times, which move in steps of some milliseconds (of two seconds on old file
  /// systems).
  std::string all;
  /// What a new content changes; links and rights of the file do not.
  std::string content;
};

Stamps StampsOf(const std::filesystem::path& file) {
  constexpr std::time_t kRest = 2;  // [s]
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
  const std::string written =
      fmt::format("{} {}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  Stamps stamps{.all = {}, .content = fmt::format("{} {}", written, status.st_ino)};
  if (std::time(nullptr) - status.st_ctim.tv_sec > kRest) {
    stamps.all = fmt::format("{} {}.{:09} {}", written, status.st_ctim.tv_sec,
                             status.st_ctim.tv_nsec, status.st_ino);
  }
  return stamps;
}

/// As HashFile. What many steps of a run read, such as fit.json of thousands of trials, is read
/// once for all of them.
std::string HashOnce(const std::filesystem::path& file, const std::string& stamp) {
  static std::mutex mutex;
  static std::map<std::string, std::pair<std::string, std::string>> hashes;  // stamp, hash
  if (stamp.empty()) return HashFile(file);
  {
    const std::lock_guard lock(mutex);
    const auto known = hashes.find(file.generic_string());
    if (known != hashes.end() && known->second.first == stamp) return known->second.second;
  }
  std::string hash = HashFile(file);
  const std::lock_guard lock(mutex);
  hashes[file.generic_string()] = {stamp, hash};
  return hash;
}

}  // namespace

StepRecord::StepRecord(std::filesystem::path file, bool force) : file_(std::move(file)) {
  if (force || !std::filesystem::exists(file_)) return;
  const auto document = nlohmann::json::parse(ReadFile(file_), nullptr,
                                              /*allow_exceptions=*/false);
  try {
    if (document.at("format") != kFormat) return;
    for (const auto& input : document.at("inputs"))
      known_[input.at("file")] = {{}, input.at("sha256"), input.at("stamp"), {}};
    key_ = document.at("key");
  } catch (const nlohmann::json::exception&) {
    known_.clear();
  }
}

const std::string* StepRecord::KnownHash(const std::string& name, const std::string& stamp) const {
  const auto known = known_.find(name);
  const bool unchanged = known != known_.end() && !stamp.empty() && known->second.stamp == stamp;
  return unchanged ? &known->second.hash : nullptr;
}

void StepRecord::HashAhead(const std::vector<std::filesystem::path>& inputs,
                           int num_threads) const {
  ParallelFor(static_cast<int>(inputs.size()), num_threads, [&](int k) {
    const std::string stamp = StampsOf(inputs[k]).all;
    if (stamp.empty() || KnownHash(NameFrom(file_.parent_path(), inputs[k]), stamp)) return;
    try {
      HashOnce(inputs[k], stamp);
    } catch (const InputError&) {
    }
  });
}

std::string StepRecord::HashOf(const std::filesystem::path& input) {
  // Before the content is read: a change in between leaves a stamp that is no longer the file's.
  const Stamps stamps = StampsOf(input);
  const std::string name = NameFrom(file_.parent_path(), input);
  const std::string* known = KnownHash(name, stamps.all);
  const std::string hash = known ? *known : HashOnce(input, stamps.all);
  used_[input.generic_string()] = {name, hash, stamps.all, stamps.content};
  return hash;
}

bool StepRecord::IsDone(const std::string& key, const std::vector<std::filesystem::path>& outputs) {
  const bool done =
      key_ == key && std::all_of(outputs.begin(), outputs.end(),
                                 [](const auto& file) { return std::filesystem::exists(file); });
  const auto same_stamp = [&](const auto& input) {
    const auto known = known_.find(input.second.name);
    return known != known_.end() && known->second.stamp == input.second.stamp;
  };
  if (done && !std::all_of(used_.begin(), used_.end(), same_stamp)) Write();
  return done;
}

void StepRecord::Forget() {
  key_.clear();
  RemoveOutdated(file_);
}

std::string StepRecord::ChangedInput() const {
  for (const auto& [file, input] : used_) {
    if (StampsOf(file).content == input.content) continue;
    if (std::filesystem::exists(file) && HashFile(file) == input.hash) continue;
    return fmt::format(
        "{}: found another content after it was read than before; start again when "
        "it no longer changes",
        file);
  }
  return {};
}

void StepRecord::Finish(const std::string& key) {
  if (const std::string changed = ChangedInput(); !changed.empty()) throw InputError(changed);
  key_ = key;
  Write();
}

void StepRecord::Write() const {
  nlohmann::ordered_json document = {{"format", kFormat},
                                     {"program", "percuss " + ProgramVersion()},
                                     {"key", key_},
                                     {"inputs", nlohmann::ordered_json::array()}};
  for (const auto& [file, input] : used_)
    document["inputs"].push_back(
        {{"file", input.name}, {"sha256", input.hash}, {"stamp", input.stamp}});
  WriteFileAtomically(file_, JsonText(document, 1));
}

}  // namespace percuss::pipeline
