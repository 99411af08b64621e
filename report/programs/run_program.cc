// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/programs/run_program.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

namespace percuss::report {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
/// An unnamed file that is gone when it is closed: script in, picture and complaints out. Unlike
/// pipes, files cannot fill up and block either side.
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

std::string ReadAll(std::FILE* file) {
  std::string text;
  std::array<char, 16384> buffer;
  std::rewind(file);
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file)) {
    text.append(buffer.data(), n);
  }
  return text;
}

/// What a program said last, in one line.
std::string LastWords(std::string text) {
  constexpr std::size_t kMost = 300;
  if (text.size() > kMost) text.erase(0, text.size() - kMost);
  std::ranges::replace(text, '\n', ' ');
  return text;
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  void Redirect(std::FILE* file, int descriptor) {
    posix_spawn_file_actions_adddup2(&actions_, fileno(file), descriptor);
  }
  const posix_spawn_file_actions_t* Get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// Waits for a child, and kills it when patience is over.
/// @return its status; nothing if it was killed
std::optional<int> WaitFor(pid_t child, std::chrono::seconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return std::nullopt;
    if (std::chrono::steady_clock::now() > end) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return std::nullopt;
}

}  // namespace

ProgramAnswer RunProgram(std::vector<std::string> words, const std::string& input,
                         std::chrono::seconds patience) {
  const TemporaryFile in(std::tmpfile()), out(std::tmpfile()), complaints(std::tmpfile());
  const bool have_input = in && out && complaints &&
                          std::fwrite(input.data(), 1, input.size(), in.get()) == input.size() &&
                          std::fflush(in.get()) == 0 && lseek(fileno(in.get()), 0, SEEK_SET) == 0;
  if (!have_input) {
    return {.problem = fmt::format("no room for temporary files: {}", std::strerror(errno))};
  }

  FileActions actions;
  actions.Redirect(in.get(), STDIN_FILENO);
  actions.Redirect(out.get(), STDOUT_FILENO);
  actions.Redirect(complaints.get(), STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string& program = words.front();
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, program.c_str(), actions.Get(), nullptr, arguments.data(), environ);
  if (error != 0) {
    return {.problem = fmt::format("the program {} could not be started: {}", program,
                                   std::strerror(error))};
  }
  const std::optional<int> status = WaitFor(child, patience);
  if (!status) {
    return {.started = true,
            .problem = fmt::format("{} was not done after {} s", program, patience.count())};
  }
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    return {.started = true,
            .problem = fmt::format("{} failed: {}", program, LastWords(ReadAll(complaints.get())))};
  }
  return {.started = true, .output = ReadAll(out.get())};
}

}  // namespace percuss::report
