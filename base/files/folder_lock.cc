// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/files/folder_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"

namespace percuss {
namespace {

[[noreturn]] void Fail(const std::filesystem::path& folder, int error) {
  throw InputError(fmt::format("{}: {}", folder.string(), std::generic_category().message(error)));
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder, Kind kind) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) Fail(folder, error.value());
  descriptor_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) Fail(folder, errno);
  if (flock(descriptor_, (kind == Kind::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0) return;
  const int reason = errno;
  // File systems without locks must not keep anybody from working.
  if (reason != EWOULDBLOCK) return;
  close(descriptor_);
  throw InputError(fmt::format(
      "{}: found another run at work in this folder, allowed one at a time", folder.string()));
}

FolderLock::~FolderLock() { close(descriptor_); }

}  // namespace percuss
