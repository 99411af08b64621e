// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss::testing {

/// What becomes of the calls by which a program writes files, from one of them on.
enum class FaultKind {
  kNone,
  kOnce,      ///< that call fails
  kFromThen,  ///< it writes half, then no byte and no new file more: a full disc
  kReadOnly,  ///< nor does any name change more
  kHalf,      ///< that call writes half of what it was given and says so: no fault
  kKill,      ///< the program is killed (SIGKILL) before it
  kRead,      ///< of calls that open files for reading, or read, that one fails
  kGrow,      ///< of these, before that one the file gets four bytes more
};

struct Fault {
  FaultKind kind = FaultKind::kNone;
  int at = 0;            ///< number of the call, from 1
  int error = EIO;       ///< what it fails with
  long clock_shift = 0;  ///< [s], of all times of day
};

std::string NameOf(const Fault& fault);

struct FaultedRun {
  ProgramRun run;
  /// Name and path of each call that counts: those for the folder of the fault and below it.
  std::vector<std::string> calls;
  std::vector<std::string> failed;  ///< of these
};

/// The percuss program with a fault below a folder.
/// @param fault_folder may be a file, too.
/// @param keep Where each file is linked that got its name in that folder; none if empty.
FaultedRun RunWithFault(const std::vector<std::string>& arguments,
                        const std::filesystem::path& working_folder,
                        const std::filesystem::path& fault_folder, const Fault& fault,
                        const std::filesystem::path& keep = {});

/// `percuss run` of an experiment in a folder of its own, with faults. Source of truth: the files
/// of a run that nobody disturbed, and what was under each of these names at any time of it.
class FaultyRuns {
 public:
  /// @param experiment below `folder`, which holds all that it reads
  /// @param former an experiment whose results are in the output folder when a faulty run begins;
  /// none if empty
  FaultyRuns(const std::filesystem::path& folder, const std::string& experiment,
             const std::string& former, const std::vector<std::string>& options = {});

  /// Calls of the undisturbed run by which it writes.
  const std::vector<std::string>& Calls() const { return calls_; }
  /// Calls by which it reads its input.
  const std::vector<std::string>& Reads() const { return reads_; }

  /// A run with the fault and one without. @return what is wrong with them: files that are neither
  /// of before nor whole, another error without exit code or without a message that names file and
  /// reason, other bytes than those of the undisturbed run in the end.
  std::vector<std::string> Complaints(const Fault& fault) const;

 private:
  std::vector<std::string> Arguments() const;
  std::vector<std::string> ComplaintsAbout(const Fault& fault, const FaultedRun& faulty) const;

  std::filesystem::path folder_, out_, expected_, former_;
  std::string experiment_;
  std::vector<std::string> options_, calls_, reads_;
  std::set<std::string> whole_;  // hashes of names with contents
};

}  // namespace percuss::testing
