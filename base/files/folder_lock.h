// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace percuss {

/// Keeps other runs of this program out of a folder for as long as it lives. The system gives the
/// lock back when a process ends, however it ends, and nothing is left in the folder.
class FolderLock {
 public:
  /// Any number may share a folder; nobody is alone in it then.
  enum class Kind { kAlone, kShared };

  /// Makes the folder if it is missing.
  /// @throws InputError naming the folder: another run holds it, or the system's reason.
  explicit FolderLock(const std::filesystem::path& folder, Kind kind = Kind::kAlone);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace percuss
