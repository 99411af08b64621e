// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/sound_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>

#include "capture/video/container.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/samplefmt.h>
}

namespace percuss::capture {
namespace {

// Bounds the memory: 200 MB at 400 kHz. No drop takes that long.
constexpr double kLongest = 120.0;      // [s]
constexpr double kHighestRate = 400e3;  // [Hz]

struct FreeSound {
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};

template <typename T>
float ValueAt(const std::uint8_t* data, std::size_t place) {
  T value;
  std::memcpy(&value, data + place * sizeof(T), sizeof(T));
  return static_cast<float>(value);
}

/// One sample of one channel, -1 to 1; NaN for formats that no phone writes.
float Sample(AVSampleFormat packed, const std::uint8_t* data, std::size_t place) {
  switch (packed) {
    case AV_SAMPLE_FMT_U8:
      return (ValueAt<std::uint8_t>(data, place) - 128.0f) / 128.0f;
    case AV_SAMPLE_FMT_S16:
      return ValueAt<std::int16_t>(data, place) / 32768.0f;
    case AV_SAMPLE_FMT_S32:
      return ValueAt<std::int32_t>(data, place) / 2147483648.0f;
    case AV_SAMPLE_FMT_FLT:
      return ValueAt<float>(data, place);
    case AV_SAMPLE_FMT_DBL:
      return ValueAt<double>(data, place);
    default:
      return std::numeric_limits<float>::quiet_NaN();
  }
}

/// Appends a decoded frame where its time says that it belongs.
void Append(const AVFrame& frame, int channels, double time, SoundTrack* sound) {
  const auto format = static_cast<AVSampleFormat>(frame.format);
  const bool planar = av_sample_fmt_is_planar(format) != 0;
  const AVSampleFormat packed = av_get_packed_sample_fmt(format);
  if (sound->samples.empty()) sound->start = time;
  const double due = std::round((time - sound->start) * sound->rate);
  if (due > static_cast<double>(sound->samples.size()) && due < kLongest * sound->rate)
    sound->samples.resize(static_cast<std::size_t>(due), 0.0f);
  for (int i = 0; i < frame.nb_samples; ++i) {
    float sum = 0.0f;
    for (int channel = 0; channel < channels; ++channel) {
      sum += planar ? Sample(packed, frame.extended_data[channel], static_cast<std::size_t>(i))
                    : Sample(packed, frame.extended_data[0],
                             static_cast<std::size_t>(i * channels + channel));
    }
    const float mean = sum / static_cast<float>(channels);
    sound->samples.push_back(std::isfinite(mean) ? mean : 0.0f);
  }
}

const AVStream* Pictures(const AVFormatContext& format) {
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    if (format.streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO) return format.streams[i];
  }
  return nullptr;
}

bool HasSound(const AVFormatContext& format) {
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    if (format.streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO) return true;
  }
  return false;
}

SoundTrack None(std::string reason) {
  SoundTrack sound;
  sound.reason = std::move(reason);
  return sound;
}

}  // namespace

SoundTrack ReadSound(const std::filesystem::path& file) {
  const Container format = OpenContainer(file);
  // Where the header names all tracks, nothing need be decoded to know that there is no sound.
  const bool all_named = format && (format->ctx_flags & AVFMTCTX_NOHEADER) == 0;
  if (all_named && format->nb_streams > 0 && !HasSound(*format))
    return None("the video has no sound");
  if (!format || avformat_find_stream_info(format.get(), nullptr) < 0)
    return None("no sound: the file cannot be read");
  const AVCodec* codec = nullptr;
  const int index = av_find_best_stream(format.get(), AVMEDIA_TYPE_AUDIO, -1, -1, &codec, 0);
  if (index < 0 || codec == nullptr) return None("the video has no sound");
  for (unsigned i = 0; i < format->nb_streams; ++i) {
    if (static_cast<int>(i) != index) format->streams[i]->discard = AVDISCARD_ALL;
  }
  const AVStream& stream = *format->streams[index];
  const std::unique_ptr<AVCodecContext, FreeSound> decoder(avcodec_alloc_context3(codec));
  avcodec_parameters_to_context(decoder.get(), stream.codecpar);
  decoder->pkt_timebase = stream.time_base;
  if (avcodec_open2(decoder.get(), codec, nullptr) < 0)
    return None("no sound: the track cannot be decoded");

  SoundTrack sound;
  sound.rate = decoder->sample_rate;
  const AVStream* pictures = Pictures(*format);
  double origin = 0.0;
  if (pictures != nullptr) {
    if (pictures->start_time != AV_NOPTS_VALUE)
      origin = static_cast<double>(pictures->start_time) * av_q2d(pictures->time_base);
  }
  const std::unique_ptr<AVPacket, FreeSound> packet(av_packet_alloc());
  const std::unique_ptr<AVFrame, FreeSound> frame(av_frame_alloc());
  if (!(sound.rate > 0.0 && sound.rate <= kHighestRate))
    return None("no sound: the track has no sampling rate that can be");
  bool more = true;
  while (more && static_cast<double>(sound.samples.size()) < kLongest * sound.rate) {
    more = av_read_frame(format.get(), packet.get()) >= 0;
    if (more && packet->stream_index == index) avcodec_send_packet(decoder.get(), packet.get());
    if (!more) avcodec_send_packet(decoder.get(), nullptr);
    av_packet_unref(packet.get());
    while (avcodec_receive_frame(decoder.get(), frame.get()) >= 0) {
      const double time =
          frame->best_effort_timestamp == AV_NOPTS_VALUE
              ? sound.start + static_cast<double>(sound.samples.size()) / sound.rate
              : static_cast<double>(frame->best_effort_timestamp) * av_q2d(stream.time_base) -
                    origin;
      if (std::isfinite(time)) Append(*frame, decoder->ch_layout.nb_channels, time, &sound);
    }
  }
  if (sound.samples.empty()) return None("the video's sound track is empty");
  return sound;
}

}  // namespace percuss::capture
