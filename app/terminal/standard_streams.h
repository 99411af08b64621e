// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace percuss::app {

/// Before anything else: a standard stream that is closed does not get a file of the program in
/// its place, into which messages would go, and a message that nobody can take (`2>/dev/full`) does
/// not end the work. What cannot be written to stdout is an error: it is the result.
void PrepareStandardStreams();

}  // namespace percuss::app
