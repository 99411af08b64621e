// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/program.h"

int main(int argc, char** argv) { return percuss::app::RunProgram(argc, argv); }
