// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/terminal/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace percuss::app {

void PrepareStandardStreams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // open() takes the lowest free number. Results for a closed stdout are lost: writing fails.
    if (fcntl(descriptor, F_GETFD) < 0)
      (void)open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
  const auto say = [](void*, const char* text, std::size_t size) {
    (void)!write(STDERR_FILENO, text, size);
    return static_cast<ssize_t>(size);
  };
  cookie_io_functions_t functions{};
  functions.write = say;
  FILE* const forgiving = fopencookie(nullptr, "w", functions);
  if (forgiving == nullptr) return;
  setvbuf(forgiving, nullptr, _IONBF, 0);
  stderr = forgiving;
}

}  // namespace percuss::app
