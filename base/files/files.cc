// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <span>

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
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) ThrowSystemError(file, "cannot be read", errno);
  return stream;
}

constexpr std::string_view kUnfinished = ".part";

/// The files that are being written, for StopWriting(), which keeps the lock for ever.
struct Unfinished {
  std::mutex mutex;
  std::set<fs::path> files;
};

Unfinished& UnfinishedFiles() {
  static Unfinished unfinished;
  return unfinished;
}

/// SHA-256 of a stream of bytes, FIPS 180-4 section 6.2.
class Sha256 {
 public:
  void Add(std::string_view bytes) {
    length_ += bytes.size();
    while (!bytes.empty()) {
      const std::size_t taken = std::min(block_.size() - fill_, bytes.size());
      std::memcpy(block_.data() + fill_, bytes.data(), taken);
      bytes.remove_prefix(taken);
      fill_ += taken;
      if (fill_ < block_.size()) break;
      Compress();
      fill_ = 0;
    }
  }

  std::string Digest() {
    const std::uint64_t bits = length_ * 8;
    Add("\x80");
    while (fill_ != 56) Add(std::string_view("\0", 1));
    for (int shift = 56; shift >= 0; shift -= 8) {
      const char byte = static_cast<char>((bits >> shift) & 0xff);
      Add(std::string_view(&byte, 1));
    }
    std::string text;
    for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
    return text;
  }

 private:
  void Compress() {
    // First 32 bits of the fractional parts of the cube roots of the first 64 primes.
    static constexpr std::array<std::uint32_t, 64> kRound = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 16; ++i) {
      w[i] = std::uint32_t{block_[4 * i]} << 24 | std::uint32_t{block_[4 * i + 1]} << 16 |
             std::uint32_t{block_[4 * i + 2]} << 8 | std::uint32_t{block_[4 * i + 3]};
    }
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t s0 =
          std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
      const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> step = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += step[i];
  }

  // First 32 bits of the fractional parts of the square roots of the first 8 primes.
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t fill_ = 0;
  std::uint64_t length_ = 0;
};

bool Matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    for (std::size_t skip = 0; skip <= name.size(); ++skip) {
      if (Matches(pattern.substr(1), name.substr(skip))) return true;
    }
    return false;
  }
  if (name.empty()) return false;
  return (pattern.front() == '?' || pattern.front() == name.front()) &&
         Matches(pattern.substr(1), name.substr(1));
}

/// Order of names in which runs of digits count as numbers.
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
  std::ifstream stream = OpenForReading(file);
  std::string content((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (stream.bad()) ThrowSystemError(file, "cannot be read", errno);
  return content;
}

AtomicFile::AtomicFile(fs::path file) : file_(std::move(file)) {
  const fs::path folder = file_.has_parent_path() ? file_.parent_path() : fs::path(".");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) ThrowSystemError(file_, "its folder cannot be made", error.value());
  if (fs::is_directory(file_, error)) {
    throw InputError(fmt::format("{}: cannot be written: it is a folder", file_.string()));
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
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::Commit() {
  // Data first, then the name: after a power cut the name never points at a half-written file.
  if (::fsync(descriptor_) != 0) ThrowSystemError(file_, "cannot be written", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0)
    ThrowSystemError(file_, "cannot be written", errno);
  const std::lock_guard lock(UnfinishedFiles().mutex);
  if (::rename(beside_.c_str(), file_.c_str()) != 0)
    ThrowSystemError(file_, "cannot be written", errno);
  UnfinishedFiles().files.erase(beside_);
  beside_.clear();
}

void WriteFileAtomically(const fs::path& file, std::string_view content) {
  AtomicFile written(file);
  written.Write(content);
  written.Commit();
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

void RememberUnfinishedFile(const fs::path& file) {
  const std::lock_guard lock(UnfinishedFiles().mutex);
  UnfinishedFiles().files.insert(file);
}

void ForgetUnfinishedFile(const fs::path& file) {
  const std::lock_guard lock(UnfinishedFiles().mutex);
  UnfinishedFiles().files.erase(file);
}

void StopWriting() {
  UnfinishedFiles().mutex.lock();
  for (const fs::path& file : UnfinishedFiles().files) ::unlink(file.c_str());
}

bool IsPattern(const fs::path& path) {
  return path.native().find_first_of("*?") != std::string::npos;
}

std::vector<fs::path> ExpandPattern(const fs::path& pattern) {
  std::error_code error;
  std::vector<fs::path> found = {fs::path()};
  for (const fs::path& part : pattern) {
    std::vector<fs::path> longer;
    for (const fs::path& base : found) {
      if (!IsPattern(part)) {
        if (fs::exists(base / part, error)) longer.push_back(base / part);
        continue;
      }
      for (const fs::directory_entry& entry :
           fs::directory_iterator(base.empty() ? fs::path(".") : base, error)) {
        const std::string name = entry.path().filename().string();
        if (name.front() == '.' && part.native().front() != '.') continue;
        if (Matches(part.native(), name)) longer.push_back(base / name);
      }
    }
    found = std::move(longer);
  }
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    return NaturalLess(a.native(), b.native());
  });
  return found;
}

std::string HashFile(const fs::path& file) {
  std::ifstream stream = OpenForReading(file);
  Sha256 hash;
  std::array<char, 1 << 16> buffer;
  while (stream) {
    stream.read(buffer.data(), buffer.size());
    hash.Add(std::string_view(buffer.data(), static_cast<std::size_t>(stream.gcount())));
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
