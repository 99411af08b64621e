// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/text/json_field.h"

/// Files of keys and values in other languages than JSON, read as if they were JSON: messages then
/// name file, path of the value and what was found in one form. All throw InputError for what
/// cannot be read.
namespace percuss::calibration {

/// OpenCV's header (%YAML:1.0) and tags (!!opencv-matrix) are passed over.
JsonField ReadYamlDocument(const std::filesystem::path& file);
/// Elements of OpenCV's <opencv_storage>: text of numbers becomes a number or a list.
JsonField ReadOpenCvXml(const std::filesystem::path& file);
JsonField ReadTomlDocument(const std::filesystem::path& file);
/// One literal dict of Python: quoted texts, numbers, lists, tuples, comments; b'...' is a text.
JsonField ReadPythonDict(const std::filesystem::path& file);

}  // namespace percuss::calibration
