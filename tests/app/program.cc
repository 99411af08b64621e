// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/app/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

namespace percuss::testing {
namespace {

// A file without a name, so that nothing is left behind however the test ends.
class UnnamedFile {
 public:
  UnnamedFile() {
    std::string name = (std::filesystem::temp_directory_path() / "percuss-XXXXXX").string();
    descriptor_ = ::mkstemp(name.data());
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), name);
    ::unlink(name.c_str());
  }
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;
  ~UnnamedFile() { ::close(descriptor_); }

  int Descriptor() const { return descriptor_; }
  std::string Text() const {
    std::string text(::lseek(descriptor_, 0, SEEK_END), '\0');
    const ssize_t size = ::pread(descriptor_, text.data(), text.size(), 0);
    text.resize(size < 0 ? 0 : size);
    return text;
  }

 private:
  int descriptor_ = -1;
};

}  // namespace

ProgramRun RunProgram(std::vector<std::string> words, const std::filesystem::path& folder,
                      const SentSignal& signal) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const UnnamedFile out, err;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, out.Descriptor(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.Descriptor(), STDERR_FILENO);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  const auto start = std::chrono::steady_clock::now();
  pid_t child = -1;
  const int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), words[0]);

  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  int status = 0;
  rusage usage{};
  pid_t ended = 0;
  while (signal.number != 0 && ended == 0 && seconds() < signal.after) {
    ended = ::wait4(child, &status, WNOHANG, &usage);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (signal.number != 0 && ended == 0) ::kill(child, signal.number);
  while (ended <= 0) {
    ended = ::wait4(child, &status, 0, &usage);
    if (ended < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "wait4");
  }
  ProgramRun run;
  run.seconds = seconds();
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  run.cpu_seconds = of(usage.ru_utime) + of(usage.ru_stime);
  run.peak_memory_mib = static_cast<double>(usage.ru_maxrss) / 1024.0;  // Linux counts in KiB
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.out = out.Text();
  run.err = err.Text();
  return run;
}

ProgramRun RunPercuss(const std::vector<std::string>& arguments,
                      const std::filesystem::path& folder, const SentSignal& signal) {
  std::vector<std::string> words = {PERCUSS_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return RunProgram(std::move(words), folder, signal);
}

}  // namespace percuss::testing
