// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "capture/pictures/picture_file.h"

namespace percuss::capture {

/// A Photron recording: pictures in NAME.mraw without a header, and NAME.cihx or NAME.cih, which
/// says how to read them: a .cih in lines `Key : Value`, a .cihx in XML from <cih> to </cih> in the
/// midst of other bytes. Pixels take 8 bits, 12 (UnpackTwelve) or 16, of which the effective ones
/// lie at the lower or the higher end. Frames follow each other at Record Rate over Save Step
/// (skipFrame). Exposure is what shutterSpeedNsec, Shutter Type2(nsec) or Shutter Speed(s) say.
/// @param file any of the three; of two headers .cihx is taken
/// @throws InputError naming file and field: no header, no pictures; a key that is missing or out
/// of
///   range; colours; fewer bytes than the header says.
std::unique_ptr<PictureFile> OpenMraw(const std::filesystem::path& file);

/// The files of a Photron recording that are there: pictures and headers. Of other names that one.
std::vector<std::filesystem::path> FilesOfRecording(const std::filesystem::path& file);

}  // namespace percuss::capture
