// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace percuss::app {

/// Serves, on this machine alone (127.0.0.1), what a browser there asks for by GET: the page (/),
/// its style and script, /status.json, and as /out/... the files of a folder (FileInside).
class WatchServer {
 public:
  /// @param port 0: one that is free
  /// @throws InputError where the port is in use.
  WatchServer(int port, const std::filesystem::path& out);
  ~WatchServer();
  WatchServer(const WatchServer&) = delete;
  WatchServer& operator=(const WatchServer&) = delete;

  int Port() const;
  /// From now on /status.json.
  void Publish(std::string status_json);

 private:
  struct Server;
  std::unique_ptr<Server> server_;
};

}  // namespace percuss::app
