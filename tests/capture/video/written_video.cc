// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/capture/video/written_video.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
}

namespace percuss::testing {

namespace {

constexpr int kSoundRate = 48000;

AVStream* AddSound(AVFormatContext* context) {
  AVStream* stream = avformat_new_stream(context, nullptr);
  AVCodecParameters& codec = *stream->codecpar;
  codec.codec_type = AVMEDIA_TYPE_AUDIO;
  codec.codec_id = AV_CODEC_ID_PCM_S16LE;
  codec.format = AV_SAMPLE_FMT_S16;
  codec.sample_rate = kSoundRate;
  codec.bits_per_coded_sample = 16;
  codec.block_align = 4;
  av_channel_layout_default(&codec.ch_layout, 2);
  stream->time_base = {1, kSoundRate};
  return stream;
}

int WriteSound(AVFormatContext* context, const AVStream& stream,
               const std::vector<std::int16_t>& samples) {
  constexpr std::size_t kChunk = 2 * 1200;
  for (std::size_t first = 0; first < samples.size(); first += kChunk) {
    const std::size_t size = std::min(kChunk, samples.size() - first);
    AVPacket* packet = av_packet_alloc();
    av_new_packet(packet, static_cast<int>(2 * size));
    std::memcpy(packet->data, samples.data() + first, 2 * size);
    packet->stream_index = stream.index;
    packet->pts = packet->dts =
        av_rescale_q(static_cast<std::int64_t>(first / 2), {1, kSoundRate}, stream.time_base);
    packet->duration =
        av_rescale_q(static_cast<std::int64_t>(size / 2), {1, kSoundRate}, stream.time_base);
    packet->flags = AV_PKT_FLAG_KEY;
    const int status = av_write_frame(context, packet);
    av_packet_free(&packet);
    if (status < 0) return status;
  }
  return 0;
}

}  // namespace

void WriteVideo(const std::filesystem::path& file, const WrittenVideo& video) {
  const auto check = [&](int status) {
    if (status < 0) throw std::runtime_error("cannot write the test video " + file.string());
  };
  AVFormatContext* context = nullptr;
  check(avformat_alloc_output_context2(&context, nullptr, nullptr, file.c_str()));
  const std::unique_ptr<AVFormatContext, void (*)(AVFormatContext*)> owner(
      context, [](AVFormatContext* c) {
        avio_closep(&c->pb);
        avformat_free_context(c);
      });

  AVStream* stream = avformat_new_stream(context, nullptr);
  stream->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
  stream->codecpar->codec_id = video.codec;
  stream->codecpar->format = video.format;
  stream->codecpar->codec_tag =
      video.codec == AV_CODEC_ID_RAWVIDEO ? avcodec_pix_fmt_to_codec_tag(video.format) : 0;
  stream->codecpar->color_range = video.range;
  stream->codecpar->width = video.width;
  stream->codecpar->height = video.height;
  stream->time_base = video.time_base;
  stream->avg_frame_rate = av_inv_q(video.time_base);
  if (video.clockwise_deg != 0.0) {
    auto* matrix = reinterpret_cast<std::int32_t*>(
        av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof(std::int32_t)));
    av_display_rotation_set(matrix, video.clockwise_deg);
  }
  AVStream* sound = video.sound.empty() ? nullptr : AddSound(context);
  check(avio_open(&context->pb, file.c_str(), AVIO_FLAG_WRITE));
  check(avformat_write_header(context, nullptr));
  std::int64_t place = video.packets.empty() ? 0 : video.packets.front().time;
  for (const WrittenVideo::Packet& written : video.packets) {
    AVPacket* packet = av_packet_alloc();
    check(av_new_packet(packet, static_cast<int>(written.bytes.size())));
    std::memcpy(packet->data, written.bytes.data(), written.bytes.size());
    packet->pts = av_rescale_q(written.time, video.time_base, stream->time_base);
    packet->dts = av_rescale_q(place - video.decode_lead, video.time_base, stream->time_base);
    packet->duration = av_rescale_q(1, video.time_base, stream->time_base);
    packet->flags = AV_PKT_FLAG_KEY;
    ++place;
    const int status = av_write_frame(context, packet);
    av_packet_free(&packet);
    check(status);
  }
  if (sound != nullptr) check(WriteSound(context, *sound, video.sound));
  check(av_write_trailer(context));
}

}  // namespace percuss::testing
