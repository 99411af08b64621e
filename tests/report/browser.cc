// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/report/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace percuss::report {
namespace {

using nlohmann::json;

constexpr int kPatience_ms = 60000;

void WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written <= 0) throw std::runtime_error("the browser does not listen");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string Browser::Find() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const std::string program = folder + "/" + name;
      if (access(program.c_str(), X_OK) == 0) return program;
    }
  }
  return "";
}

Browser::Browser(const std::string& program, const std::filesystem::path& profile) {
  // The browser reads commands from descriptor 3 and answers on 4, so ours must lie elsewhere.
  std::array<int, 2> commands{}, answers{};
  if (pipe(commands.data()) != 0 || pipe(answers.data()) != 0) throw std::runtime_error("no pipe");
  for (int* descriptor : {&commands[0], &commands[1], &answers[0], &answers[1]}) {
    const int moved = fcntl(*descriptor, F_DUPFD_CLOEXEC, 10);
    close(*descriptor);
    *descriptor = moved;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, commands[0], 3);
  posix_spawn_file_actions_adddup2(&actions, answers[1], 4);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> arguments = {program,
                                        "--headless",
                                        "--no-sandbox",
                                        "--disable-gpu",
                                        "--disable-quic",
                                        "--no-first-run",
                                        "--disable-background-networking",
                                        "--disable-component-update",
                                        "--disable-sync",
                                        "--user-data-dir=" + profile.string(),
                                        "--remote-debugging-pipe",
                                        "about:blank"};
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  // A group of its own, so that all its processes can be ended.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error =
      posix_spawn(&process_, program.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(commands[0]);
  close(answers[1]);
  to_ = commands[1];
  from_ = answers[0];
  if (error != 0) throw std::runtime_error(program + " cannot be started");
  const std::string target =
      Call("Target.createTarget", {{"url", "about:blank"}})["targetId"].get<std::string>();
  session_ = Call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"]
                 .get<std::string>();
  for (const char* domain : {"Runtime", "Log", "Page"}) {
    Call(std::string(domain) + ".enable", json::object());
  }
}

Browser::~Browser() {
  close(to_);
  close(from_);
  if (process_ > 0) {
    kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
}

json Browser::Receive() {
  std::size_t end = 0;
  while ((end = received_.find('\0')) == std::string::npos) {
    pollfd ready{.fd = from_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kPatience_ms) <= 0) throw std::runtime_error("the browser is silent");
    std::array<char, 65536> buffer;
    const ssize_t count = read(from_, buffer.data(), buffer.size());
    if (count <= 0) throw std::runtime_error("the browser ended");
    received_.append(buffer.data(), static_cast<std::size_t>(count));
  }
  const json message = json::parse(received_.substr(0, end));
  received_.erase(0, end + 1);
  return message;
}

json Browser::Call(const std::string& method, json parameters) {
  json command = {{"id", ++last_id_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) command["sessionId"] = session_;
  WriteAll(to_, command.dump() + '\0');
  while (true) {
    json message = Receive();
    if (message.value("id", 0) == last_id_) {
      if (message.contains("error")) throw std::runtime_error(message["error"].dump());
      return message["result"];
    }
    events_.push_back(std::move(message));
  }
}

void Browser::Open(const std::filesystem::path& page, int width, const std::string& scheme,
                   const std::string& motion) {
  events_.clear();
  Call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", 900}, {"deviceScaleFactor", 1}, {"mobile", false}});
  Call("Emulation.setEmulatedMedia", {{"features",
                                       {{{"name", "prefers-color-scheme"}, {"value", scheme}},
                                        {{"name", "prefers-reduced-motion"}, {"value", motion}}}}});
  Call("Page.navigate", {{"url", "file://" + std::filesystem::absolute(page).string()}});
  const auto is_loaded = [](const json& event) {
    return event.value("method", "") == "Page.loadEventFired";
  };
  while (std::none_of(events_.begin(), events_.end(), is_loaded)) events_.push_back(Receive());
}

json Browser::Evaluate(const std::string& expression) {
  const json answer =
      Call("Runtime.evaluate",
           {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (answer.contains("exceptionDetails")) {
    throw std::runtime_error(answer["exceptionDetails"].dump());
  }
  return answer["result"].value("value", json());
}

std::vector<std::string> Browser::Complaints() const {
  std::vector<std::string> complaints;
  for (const json& event : events_) {
    const std::string method = event.value("method", "");
    const bool is_complaint = method == "Log.entryAdded" || method == "Runtime.exceptionThrown" ||
                              method == "Runtime.consoleAPICalled";
    if (is_complaint) complaints.push_back(event["params"].dump());
  }
  return complaints;
}

}  // namespace percuss::report
