// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/video_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/files.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
}

namespace percuss::capture {
namespace fs = std::filesystem;

namespace {

struct WriterDeleter {
  void operator()(AVFormatContext* context) const {
    avio_closep(&context->pb);
    avformat_free_context(context);
  }
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};

template <typename T>
using OwnedByWriter = std::unique_ptr<T, WriterDeleter>;

std::vector<std::int16_t> SixteenBits(const std::vector<float>& samples) {
  constexpr float kFull = std::numeric_limits<std::int16_t>::max();
  std::vector<std::int16_t> values;
  values.reserve(samples.size());
  for (const float sample : samples)
    values.push_back(
        static_cast<std::int16_t>(std::lround(kFull * std::clamp(sample, -1.0f, 1.0f))));
  return values;
}

void CopyPlane(const cv::Mat& plane, AVFrame* frame, int index) {
  for (int y = 0; y < plane.rows; ++y) {
    std::memcpy(frame->data[index] + y * frame->linesize[index], plane.ptr(y),
                static_cast<std::size_t>(plane.cols) * plane.elemSize());
  }
}

}  // namespace

LookPlanes PlanesOf(cv::Mat& picture, cv::Size size) {
  const cv::Size half(size.width / 2, size.height / 2);
  uchar* const chroma = picture.ptr(size.height);
  return {picture.rowRange(0, size.height), cv::Mat(half, CV_8UC1, chroma),
          cv::Mat(half, CV_8UC1, chroma + half.area())};
}

struct VideoWriter::Impl {
  fs::path file, unfinished;
  cv::Size size;
  PictureKind kind = PictureKind::kGrey;
  cv::Mat planes;  // of a colour picture, below each other
  OwnedByWriter<AVFormatContext> format;
  OwnedByWriter<AVCodecContext> encoder;
  OwnedByWriter<AVPacket> packet{av_packet_alloc()};
  OwnedByWriter<AVFrame> frame{av_frame_alloc()};
  AVStream* stream = nullptr;
  AVStream* sound_stream = nullptr;
  std::vector<std::int16_t> samples;
  std::size_t written_samples = 0;
  int sound_rate = 0;
  std::int64_t num_frames = 0;
  bool finished = false;

  ~Impl() {
    if (!finished) {
      format.reset();
      std::error_code ignored;
      fs::remove(unfinished, ignored);
    }
    ForgetUnfinishedFile(unfinished);
  }

  int Check(int status) const {
    if (status >= 0) return status;
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av_strerror(status, text.data(), text.size());
    throw InputError(fmt::format("{}: cannot be written: {}", file.string(), text.data()));
  }

  void OpenEncoder(double frame_rate, std::optional<int> crf) {
    const char* name = kind == PictureKind::kDeepGrey ? "ffv1" : "libx264";
    const AVCodec* codec = avcodec_find_encoder_by_name(name);
    if (codec == nullptr) {
      throw InputError(
          fmt::format("{}: cannot be written: this FFmpeg has no encoder {}", file.string(), name));
    }
    encoder.reset(avcodec_alloc_context3(codec));
    encoder->width = size.width;
    encoder->height = size.height;
    if (!InColour()) {
      encoder->pix_fmt = kind == PictureKind::kGrey ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_GRAY12;
      encoder->color_range = AVCOL_RANGE_JPEG;
    } else {
      encoder->pix_fmt = AV_PIX_FMT_YUV420P;
      encoder->color_range = AVCOL_RANGE_MPEG;
      encoder->colorspace = AVCOL_SPC_SMPTE170M;
    }
    constexpr int kLargestTerm = 1000000;
    encoder->framerate = av_d2q(frame_rate, kLargestTerm);
    encoder->time_base = av_inv_q(encoder->framerate);
    encoder->max_b_frames = 0;
    encoder->thread_count = 1;  // the bytes depend on the number of threads
    if ((format->oformat->flags & AVFMT_GLOBALHEADER) != 0) {
      encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    }
    if (kind != PictureKind::kDeepGrey) SetQuality(crf);
    Check(avcodec_open2(encoder.get(), codec, nullptr));
  }

  void SetQuality(std::optional<int> crf) const {
    // Trellis quantisation takes as long as the rest and gains little on noise. Pictures to be
    // looked at are written as fast as can be: each is looked at once or twice.
    const bool measured = kind == PictureKind::kGrey;
    Check(av_opt_set(encoder->priv_data, "preset", measured ? "veryfast" : "ultrafast", 0));
    if (measured) Check(av_opt_set(encoder->priv_data, "x264-params", "trellis=0", 0));
    Check(crf ? av_opt_set(encoder->priv_data, "crf", std::to_string(*crf).c_str(), 0)
              : av_opt_set(encoder->priv_data, "qp", "0", 0));
  }

  void OpenFile() {
    stream = avformat_new_stream(format.get(), nullptr);
    Check(avcodec_parameters_from_context(stream->codecpar, encoder.get()));
    stream->time_base = encoder->time_base;
    stream->avg_frame_rate = encoder->framerate;
    if (!samples.empty()) AddSoundStream();
    Check(avio_open(&format->pb, unfinished.c_str(), AVIO_FLAG_WRITE));
    Check(avformat_write_header(format.get(), nullptr));
    frame->format = encoder->pix_fmt;
    frame->width = size.width;
    frame->height = size.height;
    frame->color_range = encoder->color_range;
    Check(av_frame_get_buffer(frame.get(), 0));
  }

  void AddSoundStream() {
    sound_stream = avformat_new_stream(format.get(), nullptr);
    AVCodecParameters& parameters = *sound_stream->codecpar;
    parameters.codec_type = AVMEDIA_TYPE_AUDIO;
    parameters.codec_id = AV_CODEC_ID_PCM_S16LE;
    parameters.format = AV_SAMPLE_FMT_S16;
    parameters.sample_rate = sound_rate;
    parameters.bits_per_coded_sample = 16;
    parameters.block_align = 2;
    av_channel_layout_default(&parameters.ch_layout, 1);
    sound_stream->time_base = {1, sound_rate};
  }

  // Writes the sound up to a time [s], in pieces of at most 1024 samples.
  void WriteSound(double until) {
    constexpr std::size_t kMost = 1024;
    while (written_samples < samples.size() &&
           static_cast<double>(written_samples) < until * sound_rate) {
      const std::size_t count = std::min(kMost, samples.size() - written_samples);
      const auto bytes = static_cast<int>(count * sizeof(std::int16_t));
      Check(av_new_packet(packet.get(), bytes));
      std::memcpy(packet->data, samples.data() + written_samples, static_cast<std::size_t>(bytes));
      packet->pts = packet->dts = static_cast<std::int64_t>(written_samples);
      packet->duration = static_cast<std::int64_t>(count);
      packet->flags |= AV_PKT_FLAG_KEY;
      packet->stream_index = sound_stream->index;
      av_packet_rescale_ts(packet.get(), {1, sound_rate}, sound_stream->time_base);
      written_samples += count;
      Check(av_interleaved_write_frame(format.get(), packet.get()));
    }
  }

  bool InColour() const { return kind == PictureKind::kColour || kind == PictureKind::kPlanes; }

  void Fill(const cv::Mat& picture) {
    if (!InColour()) {
      CopyPlane(picture, frame.get(), 0);
      return;
    }
    if (kind == PictureKind::kColour) cv::cvtColor(picture, planes, cv::COLOR_BGR2YUV_I420);
    if (kind == PictureKind::kPlanes) planes = picture;
    const LookPlanes of = PlanesOf(planes, size);
    CopyPlane(of.luma, frame.get(), 0);
    CopyPlane(of.blue, frame.get(), 1);
    CopyPlane(of.red, frame.get(), 2);
  }

  // Hands a picture, or the end, to the encoder and writes what it gives back.
  void Encode(const AVFrame* picture) {
    Check(avcodec_send_frame(encoder.get(), picture));
    while (true) {
      const int status = avcodec_receive_packet(encoder.get(), packet.get());
      if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
      Check(status);
      if (packet->duration == 0) packet->duration = 1;
      av_packet_rescale_ts(packet.get(), encoder->time_base, stream->time_base);
      packet->stream_index = stream->index;
      Check(av_interleaved_write_frame(format.get(), packet.get()));
    }
  }
};

VideoWriter::VideoWriter(const fs::path& file, cv::Size size, double frame_rate,
                         std::optional<int> crf, PictureKind kind, const SoundTrack* sound)
    : impl_(std::make_unique<Impl>()) {
  if (sound != nullptr) {
    if (!(sound->start == 0.0 && sound->rate >= 1.0 && sound->rate <= 1e6 &&
          sound->rate == std::floor(sound->rate))) {
      throw std::invalid_argument(
          fmt::format("VideoWriter: sound: found a start at {:g} s and {:g} samples per second, "
                      "allowed 0 and whole Hz",
                      sound->start, sound->rate));
    }
    impl_->samples = SixteenBits(sound->samples);
    impl_->sound_rate = static_cast<int>(sound->rate);
  }
  if (kind == PictureKind::kDeepGrey && crf) {
    throw std::invalid_argument(
        fmt::format("VideoWriter: crf: found {}, allowed none with 12 bits", *crf));
  }
  const bool in_colour = kind == PictureKind::kColour || kind == PictureKind::kPlanes;
  if (in_colour && (size.width % 2 != 0 || size.height % 2 != 0)) {
    throw std::invalid_argument(
        fmt::format("VideoWriter: size: found {} x {}, allowed for colours are even numbers",
                    size.width, size.height));
  }
  static std::once_flag quiet;
  std::call_once(quiet, [] { av_log_set_level(AV_LOG_QUIET); });
  impl_->file = file;
  impl_->unfinished = file.parent_path() / ("." + file.filename().string() + ".part");
  RememberUnfinishedFile(impl_->unfinished);
  impl_->size = size;
  impl_->kind = kind;
  AVFormatContext* format = nullptr;
  impl_->Check(avformat_alloc_output_context2(
      &format, nullptr, impl_->samples.empty() && kind != PictureKind::kDeepGrey ? "mp4" : "mov",
      file.c_str()));
  impl_->format.reset(format);
  format->flags |= AVFMT_FLAG_BITEXACT;
  impl_->OpenEncoder(frame_rate, crf);
  impl_->OpenFile();
}

VideoWriter::~VideoWriter() = default;

void VideoWriter::Write(const cv::Mat& picture) {
  const int type = impl_->kind == PictureKind::kColour     ? CV_8UC3
                   : impl_->kind == PictureKind::kDeepGrey ? CV_16UC1
                                                           : CV_8UC1;
  cv::Size size = impl_->size;
  if (impl_->kind == PictureKind::kPlanes) size.height += size.height / 2;
  if (picture.type() != type || picture.size() != size) {
    throw std::invalid_argument(fmt::format(
        "VideoWriter::Write: found {} x {} pixels of OpenCV type {}, allowed {} x {} of {}",
        picture.cols, picture.rows, picture.type(), size.width, size.height, type));
  }
  AVFrame* frame = impl_->frame.get();
  impl_->Check(av_frame_make_writable(frame));
  impl_->Fill(picture);
  impl_->WriteSound(static_cast<double>(impl_->num_frames) / av_q2d(impl_->encoder->framerate));
  frame->pts = impl_->num_frames++;
  impl_->Encode(frame);
}

void VideoWriter::Finish() {
  impl_->Encode(nullptr);
  impl_->WriteSound(std::numeric_limits<double>::infinity());
  impl_->Check(av_write_trailer(impl_->format.get()));
  impl_->format.reset();
  std::error_code error;
  fs::rename(impl_->unfinished, impl_->file, error);
  if (error) {
    throw InputError(
        fmt::format("{}: cannot be written: {}", impl_->file.string(), error.message()));
  }
  impl_->finished = true;
}

}  // namespace percuss::capture
