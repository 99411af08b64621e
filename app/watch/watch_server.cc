// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/watch/watch_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <mutex>
#include <thread>
#include <utility>

#include "app/watch/served_file.h"
#include "app/watch/watch_page.h"
#include "base/error.h"
#include "base/files/files.h"

namespace percuss::app {
namespace {

// Of the page: its own script and style, and the report in a frame; nothing of any other place.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src "
    "'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
// Reports are files that also work without a server: script and style are inside.
constexpr const char* kReportPolicy =
    "default-src 'self' 'unsafe-inline' data: blob:; connect-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'";

}  // namespace

struct WatchServer::Server {
  httplib::Server http;
  std::thread thread;
  int port = 0;
  std::filesystem::path out;
  std::mutex mutex;
  std::string status_json = "{}";

  void Answer(const httplib::Request& request, httplib::Response& response) {
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Cross-Origin-Resource-Policy", "same-origin");
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Cache-Control", "no-store");
    response.set_header("Content-Security-Policy", kPagePolicy);
    const auto refuse = [&](int code, const char* why) {
      response.status = code;
      response.set_content(why, "text/plain; charset=utf-8");
    };
    if (request.get_header_value_count("Host") != 1 ||
        !IsLoopbackHost(request.get_header_value("Host"), port)) {
      return refuse(403, "Only for this machine: http://127.0.0.1\n");
    }
    if (request.method != "GET") return refuse(405, "Only GET\n");
    constexpr std::string_view kOut = "/out/";
    if (request.path == "/") {
      response.set_content(PageHtml(), "text/html; charset=utf-8");
    } else if (request.path == "/watch.css") {
      response.set_content(PageCss(), "text/css; charset=utf-8");
    } else if (request.path == "/watch.js") {
      response.set_content(PageScript(), "text/javascript; charset=utf-8");
    } else if (request.path == "/status.json") {
      const std::lock_guard lock(mutex);
      response.set_content(status_json, "application/json");
    } else if (request.path.starts_with(kOut)) {
      const auto file = FileInside(out, std::string_view(request.path).substr(kOut.size()));
      if (!file) return refuse(404, "No such file\n");
      response.headers.erase("Content-Security-Policy");
      response.set_header("Content-Security-Policy", kReportPolicy);
      response.set_content(ReadFile(*file), ContentTypeOf(*file));
    } else {
      refuse(404, "No such page\n");
    }
  }
};

WatchServer::WatchServer(int port, const std::filesystem::path& out)
    : server_(std::make_unique<Server>()) {
  Server& server = *server_;
  server.out = out;
  // The library's own choice lets two programs share a port.
  server.http.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  server.http.set_keep_alive_max_count(1);
  server.http.set_payload_max_length(0);
  server.http.set_pre_routing_handler(
      [&server](const httplib::Request& request, httplib::Response& response) {
        server.Answer(request, response);
        return httplib::Server::HandlerResponse::Handled;
      });
  const char* const kLoopback = "127.0.0.1";
  server.port = port;
  if (port == 0) {
    server.port = server.http.bind_to_any_port(kLoopback);
  } else if (!server.http.bind_to_port(kLoopback, port)) {
    server.port = -1;
  }
  if (server.port < 0) {
    throw InputError(fmt::format(
        "--port: found {}, which is in use, allowed a free one, or 0 for any that is", port));
  }
  server.thread = std::thread([&server] { server.http.listen_after_bind(); });
}

WatchServer::~WatchServer() {
  while (!server_->http.is_running()) std::this_thread::yield();
  server_->http.stop();
  server_->thread.join();
}

int WatchServer::Port() const { return server_->port; }

void WatchServer::Publish(std::string status_json) {
  const std::lock_guard lock(server_->mutex);
  server_->status_json = std::move(status_json);
}

}  // namespace percuss::app
