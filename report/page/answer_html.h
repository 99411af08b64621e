// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "report/page/document.h"

namespace percuss::report {

/// The first screen: numbers and verdict on the left of a wide window, figures on the right; one
/// below the other on a phone.
std::string AnswerHtml(const Answer& answer);

}  // namespace percuss::report
