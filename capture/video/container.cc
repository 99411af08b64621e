// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/container.h"

#include <mutex>
#include <string_view>
#include <system_error>

extern "C" {
#include <libavformat/avformat.h>
}

namespace percuss::capture {
namespace {

int OpenNoOtherFile(AVFormatContext* format, AVIOContext** opened, const char* url, int flags,
                    AVDictionary** options) {
  if (std::string_view(url) != format->url) return AVERROR(EACCES);
  return avio_open2(opened, url, flags, &format->interrupt_callback, options);
}

}  // namespace

void CloseContainer::operator()(AVFormatContext* context) const { avformat_close_input(&context); }

Container OpenContainer(const std::filesystem::path& file, int* status) {
  // FFmpeg would print on stderr; what matters is in our messages.
  static std::once_flag quiet;
  std::call_once(quiet, [] { av_log_set_level(AV_LOG_QUIET); });
  int ignored = 0;
  int& result = status != nullptr ? *status : ignored;
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error)) {
    result = AVERROR(EINVAL);  // a pipe may let us wait for ever
    return nullptr;
  }
  AVFormatContext* format = avformat_alloc_context();
  format->io_open = OpenNoOtherFile;
  AVDictionary* options = nullptr;
  av_dict_set(&options, "protocol_whitelist", "file", 0);  // whoever opens another file: no network
  // "file:" keeps a name such as "a:b.mp4" from being read as a network address. FFmpeg frees the
  // context if it fails.
  result = avformat_open_input(&format, ("file:" + file.string()).c_str(), nullptr, &options);
  av_dict_free(&options);
  if (result < 0) return nullptr;
  Container opened(format);
  // Lists of files that FFmpeg's concat reads open theirs without asking.
  if (std::string_view(format->iformat->name) == "concat") {
    result = AVERROR(EACCES);
    return nullptr;
  }
  return opened;
}

}  // namespace percuss::capture
