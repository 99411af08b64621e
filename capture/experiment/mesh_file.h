// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>

#include "solver/body/rigid_body.h"

namespace percuss::capture {

struct MeshFile {
  solver::ConvexMesh mesh;                           ///< vertices from the mass centre [m]
  Eigen::Vector3d p_FBcm = Eigen::Vector3d::Zero();  ///< mass centre in the file's axes [m]
};

/// Reads vertices (`v`) and faces (`f`) of a Wavefront OBJ file, times `scale` (metres per unit of
/// the file). Faces may be polygons. Vertices at one place are joined, faces are turned outwards,
/// and the mass centre of the homogeneous solid becomes the origin.
/// @throws InputError naming file and line: what cannot be read, a surface that is not closed, a
///   solid that is not convex (by more than 1e-4 of its size) or has no volume.
MeshFile ReadConvexMesh(const std::filesystem::path& file, double scale = 1.0);

}  // namespace percuss::capture
