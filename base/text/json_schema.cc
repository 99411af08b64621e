// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_schema.h"

#include "base/files/files.h"

namespace percuss {
namespace {

void Stream(const JsonStream::Sink& sink, const nlohmann::ordered_json& head, int indent,
            const std::function<void(JsonWriter&)>& describe) {
  JsonStream stream(sink, indent);
  JsonWriter writer(stream);
  stream.BeginObject();
  stream.Fields(head);
  describe(writer);
  stream.EndObject();
  stream.End();
}

}  // namespace

std::string JsonDocument(const nlohmann::ordered_json& head, int indent,
                         const std::function<void(JsonWriter&)>& describe) {
  std::string text;
  Stream([&](std::string_view part) { text += part; }, head, indent, describe);
  return text;
}

void WriteJsonFile(const std::filesystem::path& file, const nlohmann::ordered_json& head,
                   int indent, const std::function<void(JsonWriter&)>& describe) {
  AtomicFile written(file);
  Stream([&](std::string_view part) { written.Write(part); }, head, indent, describe);
  written.Commit();
}

}  // namespace percuss
