// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bundle/bundle.h"
#include "calibration/quality/uncertainty.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {

/// Two calibrations from disjoint halves of the views, compared where measurements are made: points
/// on a raster of each image at the working distance, placed in space by the first, are projected
/// by the second after the rigid motion that fits it best (its frame is free), and the map holds
/// the distance to the raster. Only places within one raster step of some corner in each half
/// count; elsewhere the model is extrapolated. Random corner errors differ between the halves and
/// bound what it shows; errors that both halves share (a lens the model cannot follow) show up in
/// HeldOutError and the residual patterns instead, unless the halves see different parts of the
/// images.
///
/// predicted_rms_px is what corner noise alone would give, by the covariance of each half, its
/// rigid motion taken out in the same way.
/// @returns NaN and empty maps for fewer than eight views.
HalfSplit CompareHalves(const Bundle& bundle, const WorkingVolume& volume);

}  // namespace percuss::calibration
