// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace percuss {

/// An XML file whose messages name the element. @throws InputError if it cannot be read, is no XML,
/// or has another root.
struct XmlFile {
  std::filesystem::path path;
  pugi::xml_document document;
  pugi::xml_node root;
};
void ReadXml(const std::filesystem::path& path, std::string_view root, XmlFile* file);
/// The same of what stands in the file, with lines counted from the beginning of `text`.
void ParseXml(const std::filesystem::path& path, std::string_view text, std::string_view root,
              XmlFile* file);

/// "robot.urdf: joint elbow: ".
[[noreturn]] void FailAt(const XmlFile& file, const pugi::xml_node& node, const std::string& found,
                         const std::string& allowed);

/// The numbers of an attribute's text. @throws InputError for another count, or no numbers.
std::vector<double> NumbersOf(const XmlFile& file, const pugi::xml_node& node,
                              const std::string& text, std::string_view attribute,
                              std::size_t least, std::size_t most);

}  // namespace percuss
