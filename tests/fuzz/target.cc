// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fuzz/target.h"

#include <algorithm>
#include <stdexcept>

#include "base/error.h"
#include "base/files/files.h"
#include "tests/base/temporary_folder.h"

namespace percuss::fuzz {
namespace {

namespace fs = std::filesystem;

// In memory where the machine has such a folder: libFuzzer writes thousands of files per second.
const testing::TemporaryFolder& Folder() {
  static const testing::TemporaryFolder folder;
  static const bool filled = [] {
    fs::copy(fs::path(PERCUSS_CORPUS_DIR) / "companions", folder.Path(),
             fs::copy_options::recursive);
    return true;
  }();
  static_cast<void>(filled);
  return folder;
}

}  // namespace

std::vector<Example> Examples(const Target& target) {
  std::vector<Example> examples;
  for (const auto& entry : fs::directory_iterator(fs::path(PERCUSS_CORPUS_DIR) / target.examples))
    examples.push_back({entry.path().filename().string(), ReadFile(entry.path())});
  std::ranges::sort(examples, {}, &Example::name);
  return examples;
}

std::string Extension(const Target& target) { return fs::path(target.file).extension().string(); }

std::string Attempt(const Target& target, std::string_view content) {
  const fs::path file = Folder().Write(target.file, content);
  std::string message;
  try {
    target.read(file);
    return "";
  } catch (const InputError& error) {
    message = error.what();
  } catch (const DataError& error) {
    message = error.what();
  }
  // Of a file that the content refers to, the folder is the same.
  if (message.find(Folder().Path().string()) == std::string::npos)
    throw std::logic_error("the message does not name the file: " + message);
  return message;
}

}  // namespace percuss::fuzz
