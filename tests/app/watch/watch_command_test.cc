// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// `percuss watch` as a user and a browser meet it. Source of truth: the folder, which the test
// fills, and the files of a plain `percuss run`.

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/files/files.h"
#include "tests/app/program.h"
#include "tests/app/replaced.h"
#include "tests/app/run/campaign.h"
#include "tests/base/temporary_folder.h"
#include "tests/report/browser.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// `percuss watch` at work, until it is interrupted.
class Watch {
 public:
  Watch(const fs::path& folder, std::vector<std::string> words) {
    words.insert(words.begin(), {PERCUSS_PROGRAM, "watch", "--port", "0"});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) line_ += c;
    ::close(ends[0]);
    const std::string before = "http://127.0.0.1:";
    const std::size_t at = line_.find(before);
    if (at != std::string::npos) port_ = std::stoi(line_.substr(at + before.size()));
  }
  ~Watch() { Interrupt(); }

  const std::string& Line() const { return line_; }
  int Port() const { return port_; }

  int Interrupt() {
    if (pid_ <= 0) return -1;
    int status = 0;
    ::kill(pid_, SIGINT);
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// All that the server answers to these bytes.
  std::string Ask(const std::string& request) const {
    const int connection = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string answer;
    if (::connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
        ::send(connection, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
      char buffer[4096];
      for (ssize_t size = 0; (size = ::recv(connection, buffer, sizeof(buffer), 0)) > 0;)
        answer.append(buffer, static_cast<std::size_t>(size));
    }
    ::close(connection);
    return answer;
  }
  std::string Get(const std::string& path) const {
    return Ask("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) +
               "\r\n\r\n");
  }
  nlohmann::json Status() const {
    const std::string answer = Get("/status.json");
    const std::size_t body = answer.find("\r\n\r\n");
    return body == std::string::npos ? nlohmann::json::object()
                                     : nlohmann::json::parse(answer.substr(body));
  }
  /// The trial in the status; an empty object if it is not there.
  nlohmann::json Trial(const std::string& name) const {
    for (const nlohmann::json& trial : Status().value("trials", nlohmann::json::array())) {
      if (trial["name"] == name) return trial;
    }
    return nlohmann::json::object();
  }

 private:
  pid_t pid_ = -1;
  int port_ = 0;
  std::string line_;
};

/// Waits until it holds; fails the test after what is a hang on a machine with much else to do.
template <typename Condition>
void Await(const std::string& what, const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << what;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

/// Content and time of all files below a folder but those of .watch and .steps.
std::map<std::string, std::pair<std::string, fs::file_time_type>> FilesIn(const fs::path& folder) {
  std::map<std::string, std::pair<std::string, fs::file_time_type>> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder);
    if (entry.is_regular_file() && !name.starts_with("."))
      files[name] = {HashFile(entry.path()), entry.last_write_time()};
  }
  return files;
}

class WatchCommand : public ::testing::Test {
 protected:
  void Land(const std::string& trial, const std::string& as) const {
    fs::create_directories(drops_ / "trials" / as);
    for (const char* video : {"left.mp4", "right.mp4"})
      fs::copy_file(folder_ / "kept" / trial / video, drops_ / "trials" / as / video);
  }

  testing::TemporaryFolder folder_;
  fs::path drops_ = folder_ / "drops";
};

void ExpectRefusals(const Watch& watch) {
  const std::string port = std::to_string(watch.Port()), own = "Host: 127.0.0.1:" + port;
  const auto ask = [&](const std::string& line, const std::string& host) {
    return watch.Ask(line + " HTTP/1.1\r\n" + host + "\r\n\r\n");
  };
  EXPECT_THAT(ask("GET /status.json", "Host: localhost:" + port), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("GET /status.json", "Host: evil.example:" + port),
              AllOf(StartsWith("HTTP/1.1 403"), Not(HasSubstr("trials"))));
  EXPECT_THAT(ask("GET /status.json", "Accept: */*"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(ask("GET /status.json", own + "\r\nHost: evil.example"), StartsWith("HTTP/1.1 403"));
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "HEAD"})
    EXPECT_THAT(ask(std::string(method) + " /status.json", own), StartsWith("HTTP/1.1 405"))
        << method;
  for (const char* path :
       {"/out/../drops/experiment.yaml", "/out/%2e%2e/drops/experiment.yaml",
        "/out/..%2fdrops%2fexperiment.yaml", "/out//etc/passwd", "/out/.steps/fit.json",
        "/out/link.yaml", "/drops/experiment.yaml", "/out/"})
    EXPECT_THAT(watch.Get(path), StartsWith("HTTP/1.1 404")) << path;
}

void ExpectThePageInABrowser(const Watch& watch, const testing::TemporaryFolder& folder) {
  const std::string program = report::Browser::Find();
  if (program.empty()) return;  // named by the tests of the report
  fs::create_directories(folder / "profile");
  report::Browser browser(program, folder / "profile");
  browser.Open(folder.Write("empty.html", ""), 390, "dark");
  browser.Evaluate("location.href = 'http://127.0.0.1:" + std::to_string(watch.Port()) + "/'; 1");
  Await("the page", [&] {
    return browser.Evaluate("document.querySelectorAll('#trials tr').length").get<int>() == 5 &&
           browser.Evaluate("document.querySelector('iframe').contentDocument?.title.length > 0") ==
               true;
  });
  EXPECT_THAT(browser.Complaints(), ::testing::IsEmpty());
  EXPECT_EQ(browser.Evaluate("document.querySelector('#trials th').textContent"), "broken");
  EXPECT_EQ(browser.Evaluate("document.querySelectorAll('#coefficients .value').length"), 2);
  EXPECT_EQ(browser.Evaluate("document.images.length"), 0);
  EXPECT_LE(browser.Evaluate("document.documentElement.scrollWidth").get<int>(), 390);
}

TEST_F(WatchCommand, FollowsACampaign) {
  testing::SynthesizeDrops(3, drops_);
  fs::rename(drops_ / "trials", folder_ / "kept");
  std::string text = ReadFile(drops_ / "experiment.yaml");
  text.erase(text.find("  - {name: drop-2"));
  folder_.Write("drops/experiment.yaml", text);
  Land("drop-0", "drop-0");
  const std::string hostile = "<img src=x onerror=alert(1)>\"'&";
  {
    Watch watch(folder_.Path(), {"drops", "-o", "out", "--", "--law", "stronge"});
    EXPECT_THAT(watch.Line(), StartsWith("Watching drops: http://127.0.0.1:"));
    Await("drop-0", [&] { return watch.Trial("drop-0").value("state", "") == "done"; });
    EXPECT_EQ(watch.Trial("drop-1")["state"], "waiting");
    EXPECT_EQ(watch.Trial("drop-1")["text"], "trials/drop-1/left.mp4 is not there yet");

    // Half a copy is left alone; the whole one is tracked, and fitted with the other.
    Land("drop-1", "drop-1");
    Land("drop-2", "drop-2");
    const fs::path right = drops_ / "trials/drop-2/right.mp4";
    const std::string whole = ReadFile(right);
    fs::resize_file(right, whole.size() / 2);
    Await("half a copy", [&] {
      folder_.Write("drops/trials/drop-2/right.mp4", whole.substr(0, whole.size() / 2));
      return watch.Trial("drop-2").value("text", "") ==
             "trials/drop-2/right.mp4 is still being written";
    });
    folder_.Write("drops/trials/drop-2/right.mp4", whole);
    folder_.Write("drops/trials/broken/left.mp4", "no video");
    folder_.Write("drops/trials/broken/right.mp4", "no video");
    Land("drop-0", hostile);
    Await("the others", [&] {
      return watch.Trial("drop-1").value("state", "") == "done" &&
             watch.Trial("drop-2").value("state", "") == "done" &&
             watch.Trial("broken").value("state", "") == "failed" &&
             watch.Status()["running"] == false;
    });
    const nlohmann::json status = watch.Status();
    EXPECT_EQ(status["trials"][0]["name"], "broken");
    EXPECT_THAT(status["trials"][0]["text"].get<std::string>(), HasSubstr("left.mp4"));
    EXPECT_EQ(watch.Trial(hostile)["state"], "waiting");
    ASSERT_EQ(status["coefficients"].size(), 2u);
    EXPECT_EQ(status["coefficients"][0]["name"], "mu");
    EXPECT_NE(status["coefficients"][0]["sigma"], "");
    for (const nlohmann::json& step : status["steps"]) EXPECT_EQ(step["state"], "done") << step;
    EXPECT_THAT(watch.Get("/out/report.html"),
                AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("X-Content-Type-Options: nosniff"),
                      HasSubstr("Content-Type: text/html"), HasSubstr("drop-2")));
    fs::create_symlink("../drops/experiment.yaml", folder_ / "out/link.yaml");
    ExpectRefusals(watch);
    fs::remove(folder_ / "out/link.yaml");
    ExpectThePageInABrowser(watch, folder_);
    EXPECT_EQ(watch.Interrupt(), 130);
  }
  EXPECT_EQ(ReadFile(drops_ / "experiment.yaml"), text);

  // Nothing is lost, and nothing is done again: by the same command, or by what it runs.
  const auto files = FilesIn(folder_ / "out");
  const auto again = testing::RunPercuss(
      {"watch", "drops", "-o", "out", "--once", "--", "--law", "stronge"}, folder_.Path());
  EXPECT_EQ(again.exit_code, 2) << again.err;  // the broken one
  EXPECT_EQ(FilesIn(folder_ / "out"), files);
}

TEST_F(WatchCommand, IsInterruptedInTheMiddleAndGoesOn) {
  testing::SynthesizeDrops(2, drops_);
  std::this_thread::sleep_for(std::chrono::seconds(3));  // until the videos are at rest
  {
    Watch watch(folder_.Path(), {"drops", "-o", "out"});
    Await("the run", [&] { return fs::exists(folder_ / "out/calibration.json"); });
    EXPECT_EQ(watch.Interrupt(), 130);
  }
  // What it ran has ended with it: the folder is free.
  const auto part = testing::RunPercuss(
      {"run", "drops/experiment.yaml", "-o", "out", "--landed", "1"}, folder_.Path());
  EXPECT_EQ(part.exit_code, 0) << part.err;
  EXPECT_TRUE(fs::exists(folder_ / "out/tracks/drop-0/trial.json"));
  EXPECT_FALSE(fs::exists(folder_ / "out/tracks/drop-1/trial.json"));
  EXPECT_EQ(
      testing::RunPercuss({"run", "drops/experiment.yaml", "-o", "out", "--landed"}, folder_.Path())
          .exit_code,
      0);
  const auto files = FilesIn(folder_ / "out");
  EXPECT_EQ(
      testing::RunPercuss({"watch", "drops/experiment.yaml", "-o", "out", "--once"}, folder_.Path())
          .exit_code,
      0);
  EXPECT_EQ(FilesIn(folder_ / "out"), files);
  EXPECT_TRUE(files.contains("report.html"));
}

TEST_F(WatchCommand, ManyTrialsGiveAReportEarly) {
  testing::SynthesizeDrops(1, drops_);
  testing::WriteCampaign(drops_, 1, 10, folder_ / "many");
  const Watch watch(folder_.Path(), {"many", "-o", "out", "--", "--law", "stronge"});
  nlohmann::json status;
  Await("a first report", [&] { return !(status = watch.Status()).value("report", "").empty(); });
  const auto states = [&](const char* state) {
    return std::ranges::count_if(status["trials"],
                                 [&](const auto& trial) { return trial["state"] == state; });
  };
  EXPECT_EQ(status["coefficients"].size(), 2u);
  EXPECT_EQ(states("done"), 8);
  EXPECT_EQ(states("in work"), 2);
}

TEST_F(WatchCommand, FollowsClipsOfABall) {
  folder_.Write("ball.yaml",
                "ball:\n  image_size: [960, 540]\n  frame_rate: 60\n"
                "  camera: {position: [0, -1.1, 0.4], target: [0, 0, 0.28], focal_length_px: 800}\n"
                "  e: 0.75\n  bounces: 3\n");
  ASSERT_EQ(
      testing::RunPercuss({"synthesize", "ball.yaml", "-o", "made"}, folder_.Path()).exit_code, 0);
  fs::create_directories(folder_ / "clips");
  fs::path clip;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "made")) {
    if (entry.path().stem() == "clip") clip = entry.path();
  }
  fs::copy_file(clip, folder_ / "clips" / ("a" + clip.extension().string()));
  folder_.Write("clips/b.mp4", "no video");
  const std::vector<std::string> words = {"watch",  "clips", "-o",         "out",
                                          "--once", "--",    "--diameter", "0.040"};
  EXPECT_EQ(testing::RunPercuss(words, folder_.Path()).exit_code, 2);
  const auto batch = nlohmann::json::parse(ReadFile(folder_ / "out/batch.json"));
  EXPECT_NEAR(batch["e"]["value"].get<double>(), 0.75, 0.01);
  EXPECT_EQ(batch["clips"].size(), 2u);
  EXPECT_THAT(batch["clips"][1]["reason"].get<std::string>(), HasSubstr("b.mp4"));
  const auto files = FilesIn(folder_ / "out");
  EXPECT_EQ(testing::RunPercuss(words, folder_.Path()).exit_code, 2);
  EXPECT_EQ(FilesIn(folder_ / "out"), files);
}

TEST_F(WatchCommand, RefusesWhatIsNoCampaign) {
  const auto none = testing::RunPercuss({"watch", "none", "-o", "out"}, folder_.Path());
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, StartsWith("percuss: none: found no such folder, allowed one with"));
  folder_.Write("drops/experiment.yaml", "bodi: {}\n");
  const auto wrong = testing::RunPercuss({"watch", "drops", "-o", "out", "--once"}, folder_.Path());
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean body?"));
  Watch watch(folder_.Path(), {"drops", "-o", "out"});
  Await("the reason", [&] {
    return watch.Status().value("problem", "").find("did you mean body?") != std::string::npos;
  });
  const auto taken =
      testing::RunPercuss({"watch", "drops", "-o", "other", "--port", std::to_string(watch.Port())},
                          folder_.Path(), {SIGINT, 20.0});
  EXPECT_EQ(taken.exit_code, 2);
  EXPECT_THAT(taken.err, HasSubstr("which is in use"));
  const auto second =
      testing::RunPercuss({"watch", "drops", "-o", "out", "--once"}, folder_.Path());
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, HasSubstr("another run"));
}

}  // namespace
}  // namespace percuss
