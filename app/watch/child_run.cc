// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/watch/child_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <system_error>
#include <thread>

#include "app/terminal/interrupt.h"

namespace percuss::app {
namespace {

// Held while a process is started or its end is noted: what is interrupted is one that is there.
std::mutex child_mutex;
pid_t current_child = -1;

void Interrupt(pid_t child) {
  ::kill(child, SIGTERM);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

ChildRun::ChildRun() {
  BeforeInterrupted([] {
    child_mutex.lock();  // for good: nothing is started any more
    if (current_child > 0) Interrupt(current_child);
  });
}

ChildRun::~ChildRun() {
  const std::lock_guard lock(child_mutex);
  if (current_child > 0) Interrupt(current_child);
  current_child = -1;
  if (stderr_ >= 0) ::close(stderr_);
}

void ChildRun::Start(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), "percuss");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  // Connections of a server stay with it.
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  int error = 0;
  {
    const std::lock_guard lock(child_mutex);
    error = ::posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
    current_child = error == 0 ? pid_ : -1;
  }
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (stderr_ >= 0) ::close(stderr_);
  stderr_ = ends[0];
  pending_ = last_line_ = complaint_ = "";
  if (error != 0) {
    pid_ = -1;
    throw std::system_error(error, std::generic_category(), "/proc/self/exe");
  }
}

void ChildRun::ReadLines() {
  std::array<char, 4096> buffer{};
  for (ssize_t size = 0; (size = ::read(stderr_, buffer.data(), buffer.size())) > 0;)
    pending_.append(buffer.data(), static_cast<std::size_t>(size));
  for (std::size_t end = 0; (end = pending_.find('\n')) != std::string::npos;) {
    last_line_ = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    constexpr std::string_view kBegin = "percuss: ";
    if (last_line_.starts_with(kBegin)) complaint_ = last_line_.substr(kBegin.size());
  }
}

std::optional<int> ChildRun::Wait(std::chrono::milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  do {
    ReadLines();
    int status = 0;
    {
      const std::lock_guard lock(child_mutex);
      if (::waitpid(pid_, &status, WNOHANG) == pid_) current_child = -1;
    }
    if (current_child < 0) {
      ReadLines();
      pid_ = -1;
      if (WIFEXITED(status)) return WEXITSTATUS(status);
      complaint_ = fmt::format("the program was ended by signal {}", WTERMSIG(status));
      return 128 + WTERMSIG(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  } while (std::chrono::steady_clock::now() < end);
  return std::nullopt;
}

}  // namespace percuss::app
