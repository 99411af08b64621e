// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <nettle/sha2.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>

#include "base/error.h"

namespace percuss {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void ThrowSystemError(const fs::path& file, std::string_view what, int error_number) {
  throw InputError(fmt::format("{}: {}: {}", file.string(), what, std::strerror(error_number)));
}

std::ifstream OpenForReading(const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) {
    throw InputError(fmt::format("{}: found a folder, allowed a file", file.string()));
  }
  // A pipe may let us wait for ever, /dev/zero has no end.
  if (fs::exists(file, error) && !fs::is_regular_file(file, error)) {
    throw InputError(fmt::format("{}: found a device or a pipe, allowed a file", file.string()));
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) ThrowSystemError(file, "cannot be read", errno);
  return stream;
}

constexpr std::string_view kUnfinished = ".part";

// The files that are being written. StopWriting() keeps the lock for ever.
struct Unfinished {
  std::mutex mutex;
  std::set<fs::path> files;
};

Unfinished& UnfinishedFiles() {
  static Unfinished unfinished;
  return unfinished;
}

// A name that a crash takes back would leave an old file beside records of the new one.
void KeepNames(const fs::path& folder, const fs::path& file) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder that may be written and not read
  const int failed = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (failed != 0 && failed != EINVAL && failed != ENOTSUP)  // file systems that cannot
    ThrowSystemError(file, "cannot be written", failed);
}

fs::path FolderOf(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

class Sha256 {
 public:
  Sha256() { sha256_init(&context_); }
  void Add(std::string_view bytes) {
    sha256_update(&context_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  }
  std::string Digest() {
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
    sha256_digest(&context_, digest.size(), digest.data());
    return fmt::format("{:02x}", fmt::join(digest, ""));
  }

 private:
  sha256_ctx context_;
};

// Order of names in which runs of digits count as numbers. (strverscmp takes 02 for a fraction.)
bool NaturalLess(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const auto number = [&](std::string_view text, std::size_t& k) {
      while (k < text.size() && text[k] == '0') ++k;
      const std::size_t first = k;
      while (k < text.size() && is_digit(text[k])) ++k;
      return text.substr(first, k - first);
    };
    const std::string_view left = number(a, i);
    const std::string_view right = number(b, j);
    if (left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
  }
  if (i == a.size() && j == b.size()) return a < b;  // 1.png and 01.png: some fixed order
  return i == a.size();
}

}  // namespace

std::string ReadFile(const fs::path& file) {
  constexpr std::uintmax_t kMost = std::uintmax_t{2} << 30;  // more memory than any file is worth
  std::ifstream stream = OpenForReading(file);
  std::error_code error;
  if (const std::uintmax_t size = fs::file_size(file, error); !error && size > kMost) {
    throw InputError(fmt::format("{}: found {} bytes, allowed a file of at most {}", file.string(),
                                 size, kMost));
  }
  std::string content;
  std::array<char, 1 << 16> buffer;
  while (stream) {
    stream.read(buffer.data(), buffer.size());
    content.append(buffer.data(), stream.gcount());
  }
  if (stream.bad()) ThrowSystemError(file, "cannot be read", errno);
  return content;
}

AtomicFile::AtomicFile(fs::path file) : file_(std::move(file)) {
  const fs::path folder = FolderOf(file_);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) ThrowSystemError(file_, "its folder cannot be made", error.value());
  if (fs::is_directory(file_, error)) {
    throw InputError(fmt::format("{}: cannot be written: it is a folder", file_.string()));
  }
  // A file in the place of /dev/null would be no help to anybody.
  if (fs::exists(file_, error) && !fs::is_regular_file(file_, error)) {
    throw InputError(fmt::format("{}: cannot be written: found a device or a pipe, allowed a file",
                                 file_.string()));
  }
  // The name is unique per process and call, so two writers never share a temporary file.
  static std::atomic<unsigned> counter = 0;
  beside_ = folder / fmt::format(".{}.{}-{}{}", file_.filename().string(), ::getpid(),
                                 counter.fetch_add(1), kUnfinished);
  const std::lock_guard lock(UnfinishedFiles().mutex);
  descriptor_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) ThrowSystemError(file_, "cannot be written", errno);
  UnfinishedFiles().files.insert(beside_);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (beside_.empty()) return;
  const std::lock_guard lock(UnfinishedFiles().mutex);
  ::unlink(beside_.c_str());
  UnfinishedFiles().files.erase(beside_);
}

void AtomicFile::Write(std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ThrowSystemError(file_, "cannot be written", errno);
    content.remove_prefix(written);
  }
}

void AtomicFile::WriteAt(std::size_t place, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, content.data(), content.size(), static_cast<off_t>(place));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ThrowSystemError(file_, "cannot be written", errno);
    content.remove_prefix(written);
    place += written;
  }
}

void AtomicFile::Commit() {
  // Data first, then the name: after a power cut the name never points at a half-written file.
  if (::fsync(descriptor_) != 0) ThrowSystemError(file_, "cannot be written", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0)
    ThrowSystemError(file_, "cannot be written", errno);
  {
    const std::lock_guard lock(UnfinishedFiles().mutex);
    if (::rename(beside_.c_str(), file_.c_str()) != 0)
      ThrowSystemError(file_, "cannot be written", errno);
    UnfinishedFiles().files.erase(beside_);
    beside_.clear();
  }
  KeepNames(FolderOf(file_), file_);
}

void WriteFileAtomically(const fs::path& file, std::string_view content) {
  AtomicFile written(file);
  written.Write(content);
  written.Commit();
}

void WriteIfChanged(const fs::path& file, std::string_view content) {
  std::error_code error;
  const bool as_long =
      fs::is_regular_file(file, error) && fs::file_size(file, error) == content.size();
  if (!as_long || ReadFile(file) != content) WriteFileAtomically(file, content);
}

void RemoveUnfinishedFiles(const fs::path& folder) {
  std::vector<fs::path> unfinished;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.front() == '.' && name.ends_with(kUnfinished) && entry.is_regular_file())
      unfinished.push_back(entry.path());
  }
  std::error_code ignored;
  for (const fs::path& file : unfinished) fs::remove(file, ignored);
}

void RemoveOutdated(const fs::path& file) {
  std::error_code error;
  fs::remove_all(file, error);
  if (error) ThrowSystemError(file, "cannot be removed", error.value());
}

void StopWriting() {
  UnfinishedFiles().mutex.lock();
  for (const fs::path& file : UnfinishedFiles().files) ::unlink(file.c_str());
}

bool IsPattern(const fs::path& path) {
  return path.native().find_first_of("*?") != std::string::npos;
}

std::vector<fs::path> ExpandPattern(const fs::path& pattern) {
  std::string escaped;  // glob knows [a-z] and \ as well
  for (const char c : pattern.native()) {
    if (c == '[' || c == '\\') escaped += '\\';
    escaped += c;
  }
  glob_t matches{};
  std::vector<fs::path> found;
  if (::glob(escaped.c_str(), GLOB_NOSORT, nullptr, &matches) == 0)
    found.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  ::globfree(&matches);
  std::error_code error;
  std::erase_if(found, [&](const fs::path& file) { return !fs::exists(file, error); });
  std::ranges::sort(found, NaturalLess, &fs::path::native);
  return found;
}

std::string NameFrom(const fs::path& folder, const fs::path& file) {
  // Most are plain names below the folder: of thousands of trials each is asked for often.
  const std::string_view from = folder.native(), to = file.native();
  if (!from.empty() && to.size() > from.size() + 1 && to.starts_with(from) &&
      to[from.size()] == '/' && from.back() != '/') {
    const std::string_view name = to.substr(from.size() + 1);
    const auto has = [&](const char* part) { return name.find(part) != std::string_view::npos; };
    if (name.front() != '.' && name.front() != '/' && name.back() != '/' && !has("//") &&
        !has("/."))
      return std::string(name);
  }
  const auto relative = [](const fs::path& from, const fs::path& to) {
    return to.lexically_normal().lexically_relative((from / ".").lexically_normal());
  };
  if (file.is_absolute() == folder.is_absolute()) {  // names alone tell, but for what is above both
    const fs::path name = relative(folder, file);
    if (!name.empty()) return name.generic_string();
  }
  return relative(fs::absolute(folder / "."), fs::absolute(file)).generic_string();
}

std::string HashFile(const fs::path& file) {
  std::ifstream stream = OpenForReading(file);
  Sha256 hash;
  std::array<char, 1 << 16> buffer;
  while (stream) {
    stream.read(buffer.data(), buffer.size());
    hash.Add(std::string_view(buffer.data(), stream.gcount()));
  }
  if (stream.bad()) ThrowSystemError(file, "cannot be read", errno);
  return hash.Digest();
}

std::string HashText(std::string_view text) {
  Sha256 hash;
  hash.Add(text);
  return hash.Digest();
}

std::string ProgramVersion() { return "0.1.0"; }

}  // namespace percuss
