// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/program.h"
#include "app/terminal/standard_streams.h"

int main(int argc, char** argv) {
  percuss::app::PrepareStandardStreams();
  return percuss::app::RunProgram(argc, argv);
}
