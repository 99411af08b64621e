// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace percuss::app {

/// Lets --help of the commands that will be added begin with what must be typed:
/// "Usage: percuss run EXPERIMENT.yaml -o OUT [OPTIONS]".
void ExplainUsage(CLI::App& program);

/// What to say of a command line that the program could not take: the word that it does not know,
/// with the known one that is nearest, or what is missing; and how the command is called.
std::string UsageMessage(const CLI::App& program, const CLI::ParseError& error);

}  // namespace percuss::app
