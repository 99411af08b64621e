// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

// What WriteFileAtomically (files.h) has begun and not ended.
namespace percuss::capture {

/// Removes what a killed program left unfinished in a folder and all below. Only for who holds the
/// folder (FolderLock): another writer's file would be lost.
void RemoveUnfinishedFiles(const std::filesystem::path& folder);

/// Waits until no file is being written, and lets nobody begin: for a program about to end at once,
/// so that it leaves nothing unfinished behind.
void StopWriting();

}  // namespace percuss::capture
