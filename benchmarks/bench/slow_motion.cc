// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/slow_motion.h"

#include <memory>
#include <stdexcept>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace percuss::benchmarks {

void WriteSlower(const std::filesystem::path& from, const std::filesystem::path& to, int factor) {
  const auto check = [](int status, const std::filesystem::path& file) {
    if (status < 0) throw std::runtime_error("cannot copy the video " + file.string());
  };
  AVFormatContext* in = nullptr;
  check(avformat_open_input(&in, from.c_str(), nullptr, nullptr), from);
  const std::unique_ptr<AVFormatContext, void (*)(AVFormatContext*)> input(
      in, [](AVFormatContext* context) { avformat_close_input(&context); });
  check(avformat_find_stream_info(in, nullptr), from);
  const int video = av_find_best_stream(in, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  check(video, from);
  const AVRational slower = av_mul_q(in->streams[video]->time_base, {factor, 1});

  AVFormatContext* out = nullptr;
  check(avformat_alloc_output_context2(&out, nullptr, nullptr, to.c_str()), to);
  const std::unique_ptr<AVFormatContext, void (*)(AVFormatContext*)> output(
      out, [](AVFormatContext* context) {
        avio_closep(&context->pb);
        avformat_free_context(context);
      });
  AVStream* stream = avformat_new_stream(out, nullptr);
  check(avcodec_parameters_copy(stream->codecpar, in->streams[video]->codecpar), to);
  stream->codecpar->codec_tag = 0;
  stream->time_base = slower;
  stream->avg_frame_rate = av_div_q(in->streams[video]->avg_frame_rate, {factor, 1});
  check(avio_open(&out->pb, to.c_str(), AVIO_FLAG_WRITE), to);
  check(avformat_write_header(out, nullptr), to);
  const std::unique_ptr<AVPacket, void (*)(AVPacket*)> packet(
      av_packet_alloc(), [](AVPacket* one) { av_packet_free(&one); });
  while (av_read_frame(in, packet.get()) >= 0) {
    if (packet->stream_index == video) {
      packet->stream_index = 0;
      packet->pos = -1;
      av_packet_rescale_ts(packet.get(), slower, stream->time_base);
      check(av_interleaved_write_frame(out, packet.get()), to);
    }
    av_packet_unref(packet.get());
  }
  check(av_write_trailer(out), to);
}

}  // namespace percuss::benchmarks
