// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/files/files.h"
#include "base/files/plain_name.h"
#include "base/text/json_field.h"
#include "report/facts/run_folder.h"

namespace percuss::report {
namespace {

Eigen::Vector3d ReadVector(const JsonField& field) {
  return Eigen::Vector3d(field.Vector3().data());
}

PlaceFacts ReadPlace(const JsonField& field) {
  const auto q = field.At("orientation").Elements(4);
  return {.position = ReadVector(field.At("position")),
          .orientation = {q[0].Number(), q[1].Number(), q[2].Number(), q[3].Number()}};
}

// The report holds the pictures: no other file of the machine may get into it by its name.
std::string PlainFileName(const JsonField& field) {
  const std::string name = field.Text();
  if (!IsPlainName(name)) field.Fail(kPlainNameText);
  return name;
}

PictureFacts ReadPicture(const JsonField& field, const std::filesystem::path& folder) {
  PictureFacts picture{.jpeg = ReadFile(folder / PlainFileName(field.At("file"))),
                       .camera = field.At("camera").Text(),
                       .moment = field.At("moment").Text(),
                       .frame = field.At("frame").Integer(),
                       .time = field.At("time").Number(),
                       .place = ReadPlace(field.At("pose"))};
  const auto region = field.At("region_px").Elements(4);
  for (std::size_t k = 0; k < 4; ++k) picture.region_px[k] = region[k].FiniteNumber();
  for (const JsonField& marker : field.At("markers").Elements()) {
    const auto pixel = marker.At("pixel").Elements(2);
    picture.markers.push_back({pixel[0].FiniteNumber(), pixel[1].FiniteNumber()});
  }
  return picture;
}

}  // namespace

TrialPictures ReadPictures(const std::filesystem::path& pictures_json) {
  const JsonField root = JsonField::ReadFile(pictures_json);
  TrialPictures pictures;
  for (const JsonField& point : root.At("outline").Elements()) {
    pictures.outline.push_back(ReadVector(point));
  }
  const auto rows = root.At("inertia").Elements(3);
  for (int row = 0; row < 3; ++row) pictures.inertia.row(row) = ReadVector(rows[row]);
  for (const JsonField& field : root.At("impacts").Elements()) {
    ImpactPictures& impact = pictures.impacts.emplace_back();
    impact.trial = field.At("trial").Text();
    impact.time = field.At("time").Number();
    impact.place = ReadPlace(field.At("pose"));
    impact.gravity = ReadVector(field.At("gravity"));
    for (const JsonField& picture : field.At("pictures").Elements()) {
      impact.pictures.push_back(ReadPicture(picture, pictures_json.parent_path()));
    }
  }
  return pictures;
}

FilmFacts ReadFilm(const std::filesystem::path& film_json) {
  const JsonField root = JsonField::ReadFile(film_json);
  FilmFacts film{.jpeg = ReadFile(film_json.parent_path() / "film.jpg"),
                 .columns = root.At("columns").Count(),
                 .width = root.At("width").Count(),
                 .height = root.At("height").Count()};
  for (const JsonField& time : root.At("times").Elements())
    film.times.push_back(time.FiniteNumber());
  if (film.columns < 1) root.At("columns").Fail("1 or more");
  return film;
}

}  // namespace percuss::report
