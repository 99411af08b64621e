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
#include <cstring>

#include "tests/fuzz/form_mutation.h"
#include "tests/fuzz/mutation.h"
#include "tests/fuzz/target.h"

// Of libFuzzer: its own changes, which learn what a reader compares with.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr std::string_view kOption = "--target=";
const percuss::fuzz::Target* chosen = nullptr;
std::vector<percuss::fuzz::Example> examples;

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
  if (chosen != nullptr) {
    examples = percuss::fuzz::Examples(*chosen);
    return 0;
  }
  for (const auto& target : percuss::fuzz::Targets())
    if (!target.apart) std::printf("%s %s\n", target.name.data(), target.examples.data());
  std::exit(*argc == 1 ? 0 : 2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  percuss::fuzz::Attempt(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}

// Half of the inputs as libFuzzer changes them, the others as the test of the readers does.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  std::mt19937 random(seed);
  const std::size_t way = percuss::fuzz::Draw(random, 4);
  if (way < 2) return LLVMFuzzerMutate(data, size, most);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string& other = examples[percuss::fuzz::Draw(random, examples.size())].content;
  const auto further = static_cast<std::uint32_t>(random());
  const std::string mutated =
      way == 2
          ? percuss::fuzz::Mutated(text, other, further)
          : percuss::fuzz::MutatedInForm(percuss::fuzz::Extension(*chosen), text, other, further);
  if (mutated.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, mutated.data(), mutated.size());
  return mutated.size();
}
