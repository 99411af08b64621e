// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace percuss {

/// The whole content of a file.
/// @throws InputError naming the file and the system's reason.
std::string ReadFile(const std::filesystem::path& file);

/// A file that is written beside its name and takes the name when it is whole: a reader sees the
/// old file or all of the new one. Makes missing folders. Without Commit nothing is left of it.
/// @throws InputError, from all of it, naming the file and the system's reason (read-only folder,
/// disk full), or that the name is that of a folder or a device.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path file);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  void Write(std::string_view content);
  /// Of bytes from the start of the file; for who goes back to what he wrote.
  void WriteAt(std::size_t place, std::string_view content);
  void Commit();

 private:
  std::filesystem::path file_, beside_;
  int descriptor_ = -1;
};

/// An AtomicFile with this content.
void WriteFileAtomically(const std::filesystem::path& file, std::string_view content);

/// The same, but a file with that content stays untouched, and with it all that depends on its
/// time.
void WriteIfChanged(const std::filesystem::path& file, std::string_view content);

/// Removes what a killed WriteFileAtomically left in a folder and all below. Only for who holds the
/// folder (FolderLock): another writer's file would be lost.
void RemoveUnfinishedFiles(const std::filesystem::path& folder);

/// Removes a file, or a folder with all in it, where it is there: what belongs to an earlier result
/// must not pass for one of the new.
/// @throws InputError naming the file and the system's reason.
void RemoveOutdated(const std::filesystem::path& file);

/// Removes the unfinished files of this program and lets no file be begun or finished any more: for
/// a program about to end at once, so that it leaves nothing unfinished behind.
void StopWriting();

/// The files that a pattern matches: `*` stands for any characters, `?` for one, in any part of the
/// path; neither matches a leading dot. Sorted by name with numbers by value (2.png before 10.png).
/// A path without `*` and `?` is returned as it is if it exists.
std::vector<std::filesystem::path> ExpandPattern(const std::filesystem::path& pattern);
bool IsPattern(const std::filesystem::path& path);

/// How a file is called as seen from a folder, such as "videos/a.mp4" or "../a.mp4": the same
/// however both were named, by relative paths or absolute ones. Links are not followed.
std::string NameFrom(const std::filesystem::path& folder, const std::filesystem::path& file);

/// SHA-256 (FIPS 180-4) of a file's content as 64 hexadecimal digits.
/// @throws InputError naming the file and the system's reason.
std::string HashFile(const std::filesystem::path& file);
std::string HashText(std::string_view text);

/// What every output file carries: format name and version, program version, command line, hashes
/// of the inputs.
struct Provenance {
  std::string format;  ///< for instance "percuss calibration 1"
  std::string command;
  std::vector<std::pair<std::string, std::string>> input_hashes;  ///< name of the file, SHA-256
};

std::string ProgramVersion();

}  // namespace percuss
