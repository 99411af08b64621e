// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment/mesh_file.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files/files.h"

namespace percuss::capture {
namespace fs = std::filesystem;
using Eigen::Vector3d;

namespace {

constexpr std::size_t kMaxVertices = 10000;   // convexity is checked face by vertex
constexpr double kConvexityTolerance = 1e-4;  // of the size of the body

[[noreturn]] void ThrowAtLine(const fs::path& file, int line, std::string_view found,
                              std::string_view allowed) {
  throw InputError(
      fmt::format("{}: (line {}): found {}, allowed {}", file.string(), line, found, allowed));
}

[[noreturn]] void ThrowForMesh(const fs::path& file, std::string_view found,
                               std::string_view allowed) {
  throw InputError(fmt::format("{}: found {}, allowed {}", file.string(), found, allowed));
}

// Vertices and triangles as they stand in the file, equal vertices joined.
solver::ConvexMesh ReadObj(const fs::path& file, double scale) {
  solver::ConvexMesh mesh;
  std::vector<int> joined;  // vertex of the file -> vertex of the mesh
  std::map<std::array<double, 3>, int> places;

  std::istringstream stream(ReadFile(file));
  std::string text;
  for (int line = 1; std::getline(stream, text); ++line) {
    std::istringstream words(text);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      Vector3d p;
      if (!(words >> p.x() >> p.y() >> p.z()) || !p.allFinite()) {
        ThrowAtLine(file, line, "\"" + text.substr(0, 60) + "\"", "v and three numbers");
      }
      p *= scale;
      const auto [place, is_new] =
          places.try_emplace({p.x(), p.y(), p.z()}, static_cast<int>(mesh.vertices.size()));
      if (is_new) mesh.vertices.push_back(p);
      joined.push_back(place->second);
    } else if (kind == "f") {
      std::vector<int> corners;
      std::string word;
      while (words >> word) {
        // "7", "7/1", "7//3", "7/1/3" and the same counted backwards from the last vertex: "-1".
        int number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        const int count = static_cast<int>(joined.size());
        const int index = number < 0 ? count + number : number - 1;
        if (error != std::errc() || (end != word.data() + word.size() && *end != '/') ||
            index < 0 || index >= count) {
          ThrowAtLine(file, line, "vertex " + word,
                      fmt::format("a vertex number from 1 to {} (the vertices so far)", count));
        }
        const int corner = joined[index];
        if (corners.empty() || corners.back() != corner) corners.push_back(corner);
      }
      if (corners.size() > 1 && corners.front() == corners.back()) corners.pop_back();
      for (std::size_t k = 2; k < corners.size(); ++k) {
        mesh.triangles.push_back({corners[0], corners[k - 1], corners[k]});
      }
    }
  }
  return mesh;
}

// In a closed and consistently oriented surface every edge is run along once in each direction.
bool IsClosed(const solver::ConvexMesh& mesh) {
  std::set<std::pair<int, int>> edges;
  for (const auto& [a, b, c] : mesh.triangles) {
    for (const auto& edge : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
      if (!edges.insert(edge).second) return false;
    }
  }
  return std::all_of(edges.begin(), edges.end(), [&](const std::pair<int, int>& edge) {
    return edges.contains({edge.second, edge.first});
  });
}

}  // namespace

MeshFile ReadConvexMesh(const fs::path& file, double scale) {
  solver::ConvexMesh mesh = ReadObj(file, scale);
  if (mesh.vertices.size() < 4 || mesh.triangles.size() < 4) {
    ThrowForMesh(
        file,
        fmt::format("{} vertices and {} triangles", mesh.vertices.size(), mesh.triangles.size()),
        "at least 4 of each");
  }
  if (mesh.vertices.size() > kMaxVertices) {
    ThrowForMesh(file, fmt::format("{} vertices", mesh.vertices.size()),
                 fmt::format("at most {} (simplify the mesh)", kMaxVertices));
  }
  if (!IsClosed(mesh)) {
    ThrowForMesh(file, "a surface with holes or with faces turned both ways",
                 "a closed surface with all faces turned the same way");
  }

  // Tetrahedra from one vertex to each triangle: their signed volumes add up to the solid's.
  const Vector3d apex = mesh.vertices.front();
  double size = 0.0;
  for (const Vector3d& vertex : mesh.vertices) size = std::max(size, (vertex - apex).norm());
  double volume = 0.0;
  Vector3d moment = Vector3d::Zero();
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vector3d p = mesh.vertices[a] - apex;
    const Vector3d q = mesh.vertices[b] - apex;
    const Vector3d r = mesh.vertices[c] - apex;
    const double part = p.dot(q.cross(r)) / 6.0;
    volume += part;
    moment += part * (p + q + r) / 4.0;
  }
  if (!(std::abs(volume) > 1e-9 * size * size * size)) {
    ThrowForMesh(file, fmt::format("a volume of {:.3g} m^3", std::abs(volume)),
                 "a solid with a volume");
  }
  const Vector3d centre = apex + moment / volume;
  if (volume < 0.0) {
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  }

  for (const auto& [a, b, c] : mesh.triangles) {
    const Vector3d& origin = mesh.vertices[a];
    const Vector3d normal = (mesh.vertices[b] - origin).cross(mesh.vertices[c] - origin);
    if (normal.norm() < 1e-10 * size * size) continue;  // a sliver has no usable direction
    const Vector3d outward = normal.normalized();
    for (const Vector3d& vertex : mesh.vertices) {
      const double height = outward.dot(vertex - origin);
      if (height > kConvexityTolerance * size) {
        ThrowForMesh(
            file,
            fmt::format("a vertex at ({:.4g}, {:.4g}, {:.4g}) that stands {:.3g} m out of a face",
                        vertex.x(), vertex.y(), vertex.z(), height),
            "a convex body");
      }
    }
  }

  for (Vector3d& vertex : mesh.vertices) vertex -= centre;
  return {.mesh = std::move(mesh), .p_FBcm = centre};
}

}  // namespace percuss::capture
