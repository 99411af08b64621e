// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// What a server on this machine may hand out, and to whom.
namespace percuss::app {

/// Whether a Host header names this machine by its loopback address. A page of another site whose
/// name was made to lead here says its own name (DNS rebinding).
bool IsLoopbackHost(std::string_view host, int port);

/// The file of this path below a folder; nothing where there is none, where a part of the path
/// begins with a dot, or where it leads out of the folder, also by a symbolic link.
std::optional<std::filesystem::path> FileInside(const std::filesystem::path& folder,
                                                std::string_view path);

/// By the ending of the name; application/octet-stream for those that are not known.
std::string ContentTypeOf(const std::filesystem::path& file);

}  // namespace percuss::app
