// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/summary/pdf.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files/files.h"
#include "report/page/document.h"
#include "report/programs/run_program.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

/// A folder that nobody else can look into and that goes away with the object.
class PrivateFolder {
 public:
  PrivateFolder() : path_((fs::temp_directory_path() / "percuss-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw InputError(fmt::format("{}: cannot be made: {}", path_, std::strerror(errno)));
  }
  ~PrivateFolder() {
    std::error_code stays;  // a process of the browser may still write
    fs::remove_all(path_, stays);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  fs::path operator/(const char* name) const { return fs::path(path_) / name; }

 private:
  std::string path_;
};

/// Blanks an entry of the dictionary that describes the file; its length stays, since a PDF counts
/// its bytes.
void Blank(const std::string& key, std::string* pdf) {
  const std::size_t at = pdf->find(key + " (");
  if (at == std::string::npos) return;
  const std::size_t end = pdf->find(')', at);
  if (end != std::string::npos) pdf->replace(at, end + 1 - at, end + 1 - at, ' ');
}

}  // namespace

PdfAnswer PrintToPdf(const std::string& browser, const std::string& html) {
  const PrivateFolder folder;
  const fs::path page = folder / "page.html", printed = folder / "page.pdf";
  WriteFileAtomically(page, html);
  std::vector<std::string> words = {browser,
                                    "--headless",
                                    "--disable-gpu",
                                    "--no-first-run",
                                    "--disable-background-networking",
                                    "--user-data-dir=" + (folder / "profile").string(),
                                    "--no-pdf-header-footer",
                                    "--print-to-pdf=" + printed.string()};
  if (geteuid() == 0) words.push_back("--no-sandbox");  // Chromium does not start otherwise
  words.push_back("file://" + UrlOf(page.string()));
  const ProgramAnswer answer = RunProgram(words, "", std::chrono::minutes(1));
  if (!answer.started) {
    return {.problem = answer.problem + "; the Debian package chromium has it"};
  }
  if (!answer.problem.empty()) return {.problem = answer.problem};
  if (!fs::exists(printed)) return {.problem = browser + " wrote no file"};
  std::string pdf = ReadFile(printed);
  for (const char* key : {"/CreationDate", "/ModDate"}) Blank(key, &pdf);
  return {.pdf = std::move(pdf)};
}

}  // namespace percuss::report
