// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace percuss::pipeline {

/// Whether one step of a run is done, and from which inputs: a small file of its own, so that steps
/// know nothing of each other and any number of them can be at work. A step is done when its key, a
/// hash of everything it depends on, is the recorded one and its outputs are there.
///
/// The record also keeps what the system says of each input (size, times, inode): an input for
/// which that is still the same is not read again to know its hash.
class StepRecord {
 public:
  /// A file that is missing or cannot be read counts as no record.
  /// @param force forgets the record.
  StepRecord(std::filesystem::path file, bool force);

  /// Reads what HashOf will ask for, by several threads, where it is not known: of thousands of
  /// trials that is long. What it cannot read HashOf says.
  void HashAhead(const std::vector<std::filesystem::path>& inputs, int num_threads) const;

  /// SHA-256 of an input.
  /// @throws InputError naming the file and the system's reason.
  std::string HashOf(const std::filesystem::path& input);

  bool IsDone(const std::string& key, const std::vector<std::filesystem::path>& outputs);
  /// To be called before the first output of a step is touched: outputs of which some are new do
  /// not belong to the old key.
  void Forget();
  /// The message about an input that is no longer what HashOf saw: a video that still grows, say.
  /// Empty if there is none.
  std::string ChangedInput() const;
  /// Records the finished step; its outputs must be written by then.
  /// @throws InputError with the message of ChangedInput: nothing is recorded then.
  void Finish(const std::string& key);

 private:
  struct Input {
    std::string name;  ///< as seen from the record, however a run names its folders
    std::string hash;
    std::string stamp;    ///< what the system says of the file; empty if that cannot be relied on
    std::string content;  ///< size, time and inode before it was read
  };
  void Write() const;
  /// The recorded hash of a file of which the system says this; null if it is another one.
  const std::string* KnownHash(const std::string& name, const std::string& stamp) const;

  std::filesystem::path file_;
  std::string key_;                     ///< empty: not done
  std::map<std::string, Input> known_;  ///< as recorded, by name
  std::map<std::string, Input> used_;   ///< by this run, as it named them
};

}  // namespace percuss::pipeline
