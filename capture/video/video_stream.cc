// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/video_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "capture/video/container.h"
#include "capture/video/track_keys.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/dict.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace percuss::capture {
namespace fs = std::filesystem;

namespace {

struct Deleter {
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(SwsContext* context) const { sws_freeContext(context); }
};

template <typename T>
using Owned = std::unique_ptr<T, Deleter>;

std::string ErrorText(int error) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(error, text.data(), text.size());
  return text.data();
}

// Decoding is checked strictly: a concealed slice looks like an image and would be measured.
constexpr int kErrorRecognition = AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE;

PictureTurn StatedTurn(const AVStream& stream) {
  std::size_t size = 0;
  const std::uint8_t* matrix = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  std::array<std::int32_t, 9> numbers{};
  if (matrix == nullptr || size < sizeof(numbers)) return {};
  std::memcpy(numbers.data(), matrix, sizeof(numbers));
  return TurnOf(numbers);
}

RecordedCamera StatedCamera(const fs::path& file, const AVFormatContext& format,
                            const AVStream& stream) {
  MetadataKeys keys;
  if (std::string_view(format.iformat->name).find("mov") != std::string_view::npos)
    keys = TrackKeys(file);
  for (const AVDictionary* dictionary : {stream.metadata, format.metadata}) {
    const AVDictionaryEntry* entry = nullptr;
    while ((entry = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr)
      keys.emplace_back(entry->key, entry->value);
  }
  RecordedCamera camera = CameraOf(keys);
  camera.turn = StatedTurn(stream);
  return camera;
}

// How many packets the header says there are. MP4 and MOV list them all; the list leaves out what
// an edit list cuts away (a clip trimmed on the phone), which the plain count does not.
std::int64_t PromisedPackets(const AVFormatContext& format, const AVStream& stream) {
  if (std::string_view(format.iformat->name).find("mov") == std::string_view::npos) {
    return stream.nb_frames;
  }
  return avformat_index_get_entries_count(&stream);
}

// How many of these are shown: an edit list keeps some packets only for decoding others.
int ShownFrames(const AVFormatContext& format, AVStream& stream) {
  const std::int64_t packets = PromisedPackets(format, stream);
  std::int64_t hidden = 0;
  for (int i = 0; i < avformat_index_get_entries_count(&stream); ++i) {
    const AVIndexEntry* entry = avformat_index_get_entry(&stream, i);
    if ((entry->flags & AVINDEX_DISCARD_FRAME) != 0) ++hidden;
  }
  return static_cast<int>(std::max<std::int64_t>(0, packets - hidden));
}

// Duration [s] that the header states for this stream, 0 if it does not. A file of several streams
// may be longer than its video.
double PromisedDuration(const AVFormatContext& format, const AVStream& stream) {
  if (format.duration_estimation_method != AVFMT_DURATION_FROM_STREAM) return 0.0;
  if (stream.duration != AV_NOPTS_VALUE) {
    return static_cast<double>(stream.duration) * av_q2d(stream.time_base);
  }
  if (format.nb_streams > 1 || format.duration == AV_NOPTS_VALUE) return 0.0;
  return static_cast<double>(format.duration) / AV_TIME_BASE;
}

// Y'CbCr and grey, of any depth and order: the first component is the luma.
bool HasLuma(const AVPixFmtDescriptor& format) {
  return format.comp[0].depth >= 8 &&
         (format.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                          AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT)) == 0;
}

// The luma of 8 bits fills the first plane alone.
bool HasLumaPlane(const AVPixFmtDescriptor& format) {
  const AVComponentDescriptor& luma = format.comp[0];
  return HasLuma(format) && luma.plane == 0 && luma.offset == 0 && luma.step == 1 &&
         luma.depth == 8 && luma.shift == 0;
}

// Whether luma uses 0 to 255. Y'CbCr without a statement is studio range by the standards; grey
// and RGB formats and the yuvj formats are full range by definition.
bool IsFullRange(const AVFrame& frame, const AVPixFmtDescriptor& format) {
  if (frame.color_range == AVCOL_RANGE_JPEG) return true;
  if (frame.color_range == AVCOL_RANGE_MPEG) return false;
  switch (frame.format) {
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ444P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ411P:
      return true;
    default:
      return format.nb_components < 3 || (format.flags & AV_PIX_FMT_FLAG_RGB) != 0;
  }
}

// Times of all images that are shown, and of the key frames among them, in their order, in units of
// the stream.
struct ShownTimes {
  std::vector<std::int64_t> all, keys;
};

// By the packets alone; nothing if they do not tell.
ShownTimes ReadShownTimes(const fs::path& file, int stream) {
  int status = 0;
  const Container format = OpenContainer(file, &status);
  AVFormatContext* const opened = format.get();
  if (status < 0) return {};
  if ((format->iformat->flags & AVFMT_NOTIMESTAMPS) != 0) return {};
  // MP4 and MOV list all times; elsewhere FFmpeg may have to look at pictures for them.
  const bool lists_all =
      std::string_view(format->iformat->name).find("mov") != std::string_view::npos;
  if (!lists_all && avformat_find_stream_info(opened, nullptr) < 0) return {};
  const Owned<AVPacket> packet(av_packet_alloc());
  ShownTimes times;
  while (av_read_frame(opened, packet.get()) >= 0) {
    const bool is_shown =
        packet->stream_index == stream && (packet->flags & AV_PKT_FLAG_DISCARD) == 0;
    if (is_shown) times.all.push_back(packet->pts);
    if (is_shown && (packet->flags & AV_PKT_FLAG_KEY) != 0) times.keys.push_back(packet->pts);
    av_packet_unref(packet.get());
    if (is_shown && times.all.back() == AV_NOPTS_VALUE) return {};
  }
  std::sort(times.all.begin(), times.all.end());
  std::sort(times.keys.begin(), times.keys.end());
  return times;
}

}  // namespace

struct VideoStream::Impl {
  [[noreturn]] void Throw(std::string_view what) const {
    throw InputError(fmt::format("{}: {}", file.string(), what));
  }

  // Hands the next packet of the stream to the decoder; at the end of the file, the request to
  // hand out what it still holds.
  void Feed() {
    while (true) {
      const int status = av_read_frame(format.get(), packet.get());
      if (status < 0) {
        if (status != AVERROR_EOF) {
          Throw(fmt::format("frame {}: cannot be read: {}", num_images, ErrorText(status)));
        }
        ThrowIfUnread();
        if (!skipped && num_packets < promised_packets) ThrowTruncated();
        if (!skipped) ThrowIfCutShort();
        avcodec_send_packet(decoder.get(), nullptr);
        drained = true;
        return;
      }
      if (packet->stream_index != stream->index) {
        av_packet_unref(packet.get());
        continue;
      }
      // The container noticed that the packet's bytes are not all there.
      if ((packet->flags & AV_PKT_FLAG_CORRUPT) != 0) ThrowTruncated();
      // On the way to another image those are left out that no image is made from.
      decoder->skip_frame = packet->pts < wanted ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
      const int sent = avcodec_send_packet(decoder.get(), packet.get());
      av_packet_unref(packet.get());
      if (sent < 0) ThrowUndecodable(sent);
      ++num_packets;
      return;
    }
  }

  // To FFmpeg a read that failed is the end of the file.
  void ThrowIfUnread() const {
    const int error = format->pb == nullptr ? 0 : format->pb->error;
    if (error < 0 && error != AVERROR_EOF)
      Throw(fmt::format("frame {}: cannot be read: {}", num_images, ErrorText(error)));
  }

  [[noreturn]] void ThrowTruncated() const {
    ThrowIfUnread();
    Throw(
        fmt::format("frame {}: the video ends here, allowed {} frames as its header says "
                    "(truncated file?)",
                    num_packets, promised_packets));
  }

  // Matroska does not say how many frames there are, but how long they last.
  void ThrowIfCutShort() const {
    const AVRational rate = stream->avg_frame_rate;
    if (promised_packets > 0 || promised_duration <= 0.0 || rate.num <= 0) return;
    const double duration = static_cast<double>(num_packets) / av_q2d(rate);
    const double slack = 3.0 / av_q2d(rate) + 0.01 * promised_duration;
    if (duration < promised_duration - slack) {
      Throw(
          fmt::format("frame {}: the video ends here after {:.3f} s, allowed {:.3f} s as its "
                      "header says (truncated file?)",
                      num_packets, duration, promised_duration));
    }
  }

  [[noreturn]] void ThrowUndecodable(int error) const {
    Throw(fmt::format("near frame {}: cannot be decoded: {} (damaged file?)", num_packets,
                      ErrorText(error)));
  }

  // The next image into `frame`, or the one that is held; nothing at the end of the video.
  bool Decode() {
    if (!held) av_frame_unref(frame.get());
    while (!held) {
      const int status = avcodec_receive_frame(decoder.get(), frame.get());
      if (status == AVERROR(EAGAIN) && !drained) {
        Feed();
        continue;
      }
      if (status == AVERROR_EOF || status == AVERROR(EAGAIN)) return false;
      if (status < 0) ThrowUndecodable(status);
      if (frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0)
        Throw(fmt::format("frame {}: cannot be decoded (damaged file?)", num_images));
      break;
    }
    held = false;
    return true;
  }

  // The luma plane where 8 bits are stored alone, else a copy of it.
  LumaImage Luma() {
    const auto pixel_format = static_cast<AVPixelFormat>(frame->format);
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(pixel_format);
    if (description == nullptr) Throw(fmt::format("frame {}: unknown pixel format", num_images));
    const int bits = description->comp[0].depth;
    const auto levels = [&] {
      if (IsFullRange(*frame, *description)) return LevelsOfBits(bits);
      return GreyLevels{kStudioRange.black << (bits - 8), kStudioRange.white << (bits - 8)};
    };
    if (HasLumaPlane(*description)) {
      return {cv::Mat(frame->height, frame->width, CV_8UC1, frame->data[0], frame->linesize[0]),
              levels(),
              {}};
    }

    if (HasLuma(*description)) {  // packed or deeper than 8 bits
      cv::Mat luma(frame->height, frame->width, CV_16UC1);
      for (int y = 0; y < frame->height; ++y) {
        const uint8_t* planes[4] = {frame->data[0], frame->data[1], frame->data[2], frame->data[3]};
        av_read_image_line2(luma.ptr(y), planes, frame->linesize, description, 0, y, 0,
                            frame->width, 0, sizeof(std::uint16_t));
      }
      if (bits == 8) luma.convertTo(luma, CV_8U);
      return {luma, levels(), {}};
    }

    // libswscale weights red, green and blue. It reads mosaics of a colour filter in 8 bits alone.
    const bool deep = bits > 8 && (description->flags & AV_PIX_FMT_FLAG_BAYER) == 0;
    converter.reset(sws_getCachedContext(converter.release(), frame->width, frame->height,
                                         pixel_format, frame->width, frame->height,
                                         deep ? AV_PIX_FMT_GRAY16 : AV_PIX_FMT_GRAY8,
                                         SWS_POINT | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
    if (converter == nullptr) {
      Throw(fmt::format("frame {}: found pixel format {}, which has no way to grey values",
                        num_images, description->name));
    }
    cv::Mat luma(frame->height, frame->width, deep ? CV_16UC1 : CV_8UC1);
    uint8_t* planes[1] = {luma.data};
    const int strides[1] = {static_cast<int>(luma.step)};
    sws_scale(converter.get(), frame->data, frame->linesize, 0, frame->height, planes, strides);
    return {luma, LevelsOfBits(deep ? 16 : 8), {}};
  }

  fs::path file;
  Container format;
  Owned<AVCodecContext> decoder;
  Owned<AVPacket> packet{av_packet_alloc()};
  Owned<AVFrame> frame{av_frame_alloc()};
  Owned<SwsContext> converter;
  AVStream* stream = nullptr;  // owned by format
  RecordedCamera camera;
  std::int64_t promised_packets = 0;  // 0 if unknown
  double promised_duration = 0.0;     // [s], 0 if unknown
  int shown_frames = 0;               // 0 if unknown
  std::int64_t num_packets = 0;
  int num_images = 0;
  bool drained = false;
  bool skipped = false;                  // not all packets were read
  bool held = false;                     // `frame` is decoded, and not yet handed out
  std::optional<ShownTimes> shown;       // once SkipTo needs them
  std::int64_t wanted = AV_NOPTS_VALUE;  // time of the image that SkipTo is on the way to
};

VideoStream::VideoStream(const fs::path& file) : impl_(std::make_unique<Impl>()) {
  impl_->file = file;
  int status = 0;
  impl_->format = OpenContainer(file, &status);
  AVFormatContext* const opened = impl_->format.get();
  if (status < 0) {
    impl_->Throw(fmt::format("found no readable video ({}), allowed a complete video file",
                             ErrorText(status)));
  }
  if (std::string_view(opened->iformat->name).ends_with("_pipe")) {
    impl_->Throw("found a single image, allowed a video");
  }
  // FFmpeg draws the letters of a text as pictures.
  if (std::string_view(opened->iformat->name) == "tty")
    impl_->Throw("found a text, allowed a video");
  status = avformat_find_stream_info(opened, nullptr);
  if (status < 0) impl_->Throw(fmt::format("found no readable video ({})", ErrorText(status)));

  const AVCodec* codec = nullptr;
  const int index = av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  if (index == AVERROR_DECODER_NOT_FOUND) impl_->Throw("found a video format without a decoder");
  if (index < 0) impl_->Throw("found no video in the file, allowed a video");
  impl_->stream = opened->streams[index];
  impl_->camera = StatedCamera(file, *opened, *impl_->stream);
  impl_->promised_packets = PromisedPackets(*opened, *impl_->stream);
  impl_->promised_duration = PromisedDuration(*opened, *impl_->stream);
  impl_->shown_frames = ShownFrames(*opened, *impl_->stream);

  impl_->decoder.reset(avcodec_alloc_context3(codec));
  AVCodecContext* decoder = impl_->decoder.get();
  avcodec_parameters_to_context(decoder, impl_->stream->codecpar);
  decoder->pkt_timebase = impl_->stream->time_base;
  decoder->err_recognition = kErrorRecognition;
  // With frame threads FFmpeg hands a frame out before it knows whether it had to be concealed:
  // of 40 files with a few bytes damaged, 6 passed, and not the same ones each time; with one
  // thread all were found.
  decoder->thread_count = 1;
  status = avcodec_open2(decoder, codec, nullptr);
  if (status < 0) impl_->Throw(fmt::format("cannot be decoded: {}", ErrorText(status)));
}

VideoStream::~VideoStream() = default;

std::optional<LumaImage> VideoStream::Read() {
  Impl& self = *impl_;
  if (!self.Decode()) return {};
  LumaImage image = self.Luma();
  image.luma = Upright(image.luma, self.camera.turn);
  const bool times_are_guesses = (self.format->iformat->flags & AVFMT_NOTIMESTAMPS) != 0;
  if (!times_are_guesses && self.frame->best_effort_timestamp != AV_NOPTS_VALUE) {
    image.time =
        static_cast<double>(self.frame->best_effort_timestamp) * av_q2d(self.stream->time_base);
  }
  ++self.num_images;
  return image;
}

bool VideoStream::SkipTo(int index) {
  Impl& self = *impl_;
  if (!self.shown) self.shown = ReadShownTimes(self.file, self.stream->index);
  const ShownTimes& times = *self.shown;
  const std::size_t place = index, here = self.num_images;
  if (place >= times.all.size()) return false;
  self.wanted = times.all[place];
  self.skipped = true;
  // What was decoded so far is of use as long as there is no key frame between here and there.
  const auto key = std::upper_bound(times.keys.begin(), times.keys.end(), self.wanted);
  const bool jumps = here == 0 || key == times.keys.begin() || *(key - 1) > times.all[here - 1];
  if (jumps) {
    if (av_seek_frame(self.format.get(), self.stream->index, self.wanted, AVSEEK_FLAG_BACKWARD) < 0)
      return false;
    avcodec_flush_buffers(self.decoder.get());
    self.drained = false;
    self.held = false;
  }
  try {
    do {
      if (!self.Decode()) return false;
    } while (self.frame->best_effort_timestamp < self.wanted);
  } catch (const InputError&) {
    return false;
  }
  self.num_images = index;
  self.held = self.frame->best_effort_timestamp == self.wanted;
  return self.held;
}

int VideoStream::FrameCount() const { return impl_->shown_frames; }

double VideoStream::FrameRate() const {
  const AVStream& stream = *impl_->stream;
  const AVRational rate =
      stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : stream.r_frame_rate;
  return rate.den > 0 ? av_q2d(rate) : 0.0;
}

const RecordedCamera& VideoStream::Camera() const { return impl_->camera; }

double VideoStream::TimeTick() const { return av_q2d(impl_->stream->time_base); }

}  // namespace percuss::capture
