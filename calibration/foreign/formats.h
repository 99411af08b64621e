// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibration/foreign/foreign_rig.h"

/// One reader and writer for each format. Readers give lengths in the unit of the file and set
/// `unit` [m] where file or format say it; ReadForeignRig makes metres of them.
namespace percuss::calibration {

using Paths = std::vector<std::filesystem::path>;

/// OpenCV's FileStorage as its samples write it, YAML or XML: one camera (camera_matrix,
/// distortion_coefficients, image_width), or two (M1 D1 M2 D2 R T: p_2 = R p_1 + T). ROS
/// camera_info, which has the same keys.
ForeignRig ReadOpenCvRig(const Paths& files);
std::string OpenCvText(const ForeignRig& rig);

/// camchain.yaml: cam0, cam1, ... with T_cn_cnm1: p_n = T p_(n-1).
ForeignRig ReadKalibrRig(const std::filesystem::path& file);
std::string KalibrText(const ForeignRig& rig);

/// .cameramodel, one file for each camera; `extrinsics` (rt_cam_ref in newer ones) is a Rodrigues
/// vector and t: p_cam = R p_ref + t.
ForeignRig ReadMrcalRig(const Paths& files);
std::string MrcalText(const ForeignCamera& camera);

/// cameras.txt and images.txt in a folder: p_cam = R p_world + t; the centre of the first pixel is
/// (0.5, 0.5). One image is one camera.
ForeignRig ReadColmapRig(const std::filesystem::path& folder);
std::string ColmapCamerasText(const ForeignRig& rig);
std::string ColmapImagesText(const ForeignRig& rig);

/// JSON of MATLAB's toStruct(stereoParams) or of one cameraParameters: the centre of the first
/// pixel is (1, 1); IntrinsicMatrix and RotationOfCamera2 multiply rows from the right.
ForeignRig ReadMatlabRig(const std::filesystem::path& file, double* unit);

/// TOML of Anipose, Pose2Sim and Caliscope: one table for each camera, OpenCV's conventions.
ForeignRig ReadTomlRig(const std::filesystem::path& file);
std::string TomlText(const ForeignRig& rig, bool pose2sim);

/// XML that Qualisys Track Manager exports: positions in mm, 1/64 px, cameras that look along -z.
ForeignRig ReadQualisysRig(const std::filesystem::path& file);

/// Eleven coefficients of each camera, one camera in a column, as DLTdv has them: pixels count
/// from 1; y counts upwards where the coefficients say so (then the height must be known).
ForeignRig ReadDltRig(const Paths& files, const ForeignOptions& options);
std::string DltText(const ForeignRig& rig);

}  // namespace percuss::calibration
