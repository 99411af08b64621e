// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// The targets of this program under libFuzzer: PROGRAM --target=NAME [options of libFuzzer]
// FOLDERS. PROGRAM alone prints the name of each and the folder of its examples. tests/fuzz/run.sh
// runs all.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/target.h"

namespace {

constexpr std::string_view kOption = "--target=";
const percuss::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int k = 1; k < *argc; ++k) {
    const std::string_view argument = (*argv)[k];
    if (!argument.starts_with(kOption)) continue;
    const auto targets = percuss::fuzz::Targets();
    const auto found =
        std::ranges::find(targets, argument.substr(kOption.size()), &percuss::fuzz::Target::name);
    if (found != targets.end()) chosen = &*found;
  }
  if (chosen != nullptr) return 0;
  for (const auto& target : percuss::fuzz::Targets())
    std::printf("%s %s\n", target.name.data(), target.examples.data());
  std::exit(*argc == 1 ? 0 : 2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  percuss::fuzz::Attempt(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}
