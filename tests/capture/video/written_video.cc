// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/capture/video/written_video.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "base/files/files.h"

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

std::string FourBytes(std::size_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string Box(const std::string& type, const std::string& content) {
  return FourBytes(content.size() + 8) + type + content;
}

}  // namespace

void AddTrackKey(const std::filesystem::path& file, const std::string& key, int type,
                 const std::string& bytes) {
  const std::string zero = FourBytes(0), one = FourBytes(1);
  const std::string meta =
      Box("meta", Box("hdlr", zero + zero + "mdta" + zero + zero + zero) +
                      Box("keys", zero + one + Box("mdta", key)) +
                      Box("ilst", Box(one, Box("data", FourBytes(static_cast<std::size_t>(type)) +
                                                           zero + bytes))));
  std::string all = ReadFile(file);
  const std::size_t movie = all.rfind("moov") - 4, track = all.find("trak", movie) - 4;
  const auto grow = [&](std::size_t box) {
    std::size_t size = 0;
    for (std::size_t k = 0; k < 4; ++k) size = size << 8 | static_cast<unsigned char>(all[box + k]);
    all.replace(box, 4, FourBytes(size + meta.size()));
    return box + size;
  };
  grow(movie);
  all.insert(grow(track), meta);
  std::ofstream(file, std::ios::binary) << all;
}

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
  if (video.clockwise_deg != 0.0 || video.mirrored) {
    auto* matrix = reinterpret_cast<std::int32_t*>(
        av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof(std::int32_t)));
    av_display_rotation_set(matrix, video.clockwise_deg);
    for (const int k : {0, 1}) matrix[k] *= video.mirrored ? -1 : 1;
  }
  AVStream* sound = video.sound.empty() ? nullptr : AddSound(context);
  check(avio_open(&context->pb, file.c_str(), AVIO_FLAG_WRITE));
  AVDictionary* options = nullptr;
  if (!video.keys.empty()) av_dict_set(&options, "movflags", "use_metadata_tags", 0);
  for (const auto& [key, value] : video.keys)
    av_dict_set(&context->metadata, key.c_str(), value.c_str(), 0);
  const int opened = avformat_write_header(context, &options);
  av_dict_free(&options);
  check(opened);
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
