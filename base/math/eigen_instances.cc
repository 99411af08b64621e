// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#define PERCUSS_EIGEN_INSTANCE template
#include "base/math/eigen_instances.h"
