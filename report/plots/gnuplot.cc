// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/plots/gnuplot.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

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

std::string FirstLines(const std::string& text) {
  std::string line;
  for (const char c : text.substr(0, 300)) line += c == '\n' ? ' ' : c;
  return line;
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

}  // namespace

GnuplotResult RunGnuplot(const std::string& program, const std::string& script) {
  const TemporaryFile in(std::tmpfile()), out(std::tmpfile()), complaints(std::tmpfile());
  const bool have_script =
      in && out && complaints &&
      std::fwrite(script.data(), 1, script.size(), in.get()) == script.size() &&
      std::fflush(in.get()) == 0 && lseek(fileno(in.get()), 0, SEEK_SET) == 0;
  if (!have_script) {
    return {"", fmt::format("no room for temporary files: {}", std::strerror(errno))};
  }

  FileActions actions;
  actions.Redirect(in.get(), STDIN_FILENO);
  actions.Redirect(out.get(), STDOUT_FILENO);
  actions.Redirect(complaints.get(), STDERR_FILENO);
  std::string name = program, no_startup_files = "-d";
  const std::array<char*, 3> arguments = {name.data(), no_startup_files.data(), nullptr};
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, program.c_str(), actions.Get(), nullptr, arguments.data(), environ);
  if (error != 0) {
    return {"",
            fmt::format("the program {} could not be started: {}", program, std::strerror(error))};
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return {"", fmt::format("{} failed: {}", program, FirstLines(ReadAll(complaints.get())))};
  }
  return {ReadAll(out.get()), ""};
}

}  // namespace percuss::report
