// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/watch/served_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace percuss::app {

namespace fs = std::filesystem;

bool IsLoopbackHost(std::string_view host, int port) {
  return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
}

std::optional<fs::path> FileInside(const fs::path& folder, std::string_view path) {
  if (path.find('\0') != std::string_view::npos) return std::nullopt;
  const fs::path inside = path;
  const auto is_hidden = [](const fs::path& part) { return part.native().starts_with('.'); };
  if (inside.is_absolute() || std::ranges::any_of(inside, is_hidden)) return std::nullopt;
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return std::nullopt;
  const fs::path file = fs::canonical(root / inside, error);
  if (error || !fs::is_regular_file(file, error)) return std::nullopt;
  if (std::ranges::mismatch(root, file).in1 != root.end()) return std::nullopt;
  return file;
}

std::string ContentTypeOf(const fs::path& file) {
  static const std::map<std::string, std::string> types = {{".html", "text/html; charset=utf-8"},
                                                           {".json", "application/json"},
                                                           {".csv", "text/csv; charset=utf-8"},
                                                           {".md", "text/plain; charset=utf-8"},
                                                           {".yaml", "text/plain; charset=utf-8"},
                                                           {".txt", "text/plain; charset=utf-8"},
                                                           {".svg", "image/svg+xml"},
                                                           {".png", "image/png"},
                                                           {".jpg", "image/jpeg"},
                                                           {".mp4", "video/mp4"}};
  const auto type = types.find(file.extension().string());
  return type == types.end() ? "application/octet-stream" : type->second;
}

}  // namespace percuss::app
