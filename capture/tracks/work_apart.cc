// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/tracks/work_apart.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <system_error>

#include "base/error.h"

namespace percuss::capture {
namespace {

constexpr char kAnswered = 'a', kRefused = 'r';
constexpr char kEnd = '.';  // an answer without it was cut off

void LimitThisProcess(int longest) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGSEGV, SIGABRT, SIGBUS, SIGPIPE})
    std::signal(signal, SIG_DFL);
  const rlimit computing{static_cast<rlim_t>(longest), static_cast<rlim_t>(longest)};
  ::setrlimit(RLIMIT_CPU, &computing);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void Work(const std::function<std::string()>& work, int longest, int out) {
  LimitThisProcess(longest);
  std::string answer;
  try {
    answer = kAnswered + work() + kEnd;
  } catch (const InputError& error) {
    answer = kRefused + std::string(error.what()) + kEnd;
  } catch (...) {
    ::_exit(1);  // memory, most likely: no answer
  }
  std::string_view rest = answer;
  while (!rest.empty()) {
    const ssize_t written = ::write(out, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) break;
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  ::_exit(0);  // and no more: what else there is to be cleaned up is the other process's
}

// All that comes before the end, or before the time is over.
std::string Listen(int in, std::chrono::steady_clock::time_point last) {
  std::string answer;
  std::array<char, 65536> buffer{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        last - std::chrono::steady_clock::now());
    if (left.count() <= 0) return answer;
    pollfd ready{in, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t length = ::read(in, buffer.data(), buffer.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return answer;
    answer.append(buffer.data(), static_cast<std::size_t>(length));
  }
}

}  // namespace

std::optional<std::string> WorkApart(const std::function<std::string()>& work, int longest) {
  std::array<int, 2> ends{};
  pid_t child = -1;
  {
    // A copy that another thread makes here would hold this pipe open.
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "pipe");
    child = ::fork();
    if (child == 0) Work(work, longest, ends[1]);
    ::close(ends[1]);
  }
  if (child < 0) {
    const int reason = errno;
    ::close(ends[0]);
    throw std::system_error(reason, std::generic_category(), "fork");
  }
  // The limit is on computing; on a machine with other work that takes longer.
  const std::string answer =
      Listen(ends[0], std::chrono::steady_clock::now() + std::chrono::seconds(30 + 10 * longest));
  ::close(ends[0]);
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (answer.size() < 2 || answer.back() != kEnd) return {};
  std::string text = answer.substr(1, answer.size() - 2);
  if (answer.front() == kRefused) throw InputError(text);
  return text;
}

}  // namespace percuss::capture
