// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fuzz/form_mutation.h"

#include <optional>
#include <utility>
#include <vector>

#include "tests/fuzz/document.h"
#include "tests/fuzz/mutation.h"

namespace percuss::fuzz {
namespace {

using Kind = Document::Kind;

constexpr std::string_view kOddTexts[] = {"",     "a",   "../../x", "\x1b[31m", "%s%n", "0",
                                          "null", "1e9", "body",    "\xc3\xa9", "a b",  "-"};
constexpr std::size_t kDeepest = 90, kMostCopies = 300, kMostNodes = 20000;

void Gather(Document& document, std::vector<Document*>& all) {
  all.push_back(&document);
  for (Document& child : document.children) Gather(child, all);
}

std::vector<Document*> AllOf(Document& document) {
  std::vector<Document*> all;
  Gather(document, all);
  return all;
}

Document* SomeOf(std::mt19937& random, Document& document, bool with_children) {
  std::vector<Document*> all = AllOf(document);
  std::erase_if(all, [&](const Document* one) { return with_children && one->children.empty(); });
  return all.empty() ? nullptr : all[Draw(random, all.size())];
}

Document OddScalar(std::mt19937& random) {
  const bool text = Draw(random, 3) == 0;
  Document scalar{.quoted = text};
  scalar.text = std::string(text ? kOddTexts[Draw(random, std::size(kOddTexts))]
                                 : EdgeNumbers()[Draw(random, EdgeNumbers().size())]);
  return scalar;
}

// The value of another; the name stays.
void Replace(Document& place, Document value) {
  value.key = std::move(place.key);
  place = std::move(value);
}

void Deepen(std::mt19937& random, Document& place) {
  for (std::size_t levels = 1 + Draw(random, kDeepest); levels > 0; --levels) {
    Document outer{.kind = Draw(random, 4) == 0 ? Kind::kMap : Kind::kList};
    std::swap(outer.key, place.key);
    if (outer.kind == Kind::kMap) place.key = "a";
    outer.children.push_back(std::move(place));
    place = std::move(outer);
  }
}

void Change(std::mt19937& random, const std::optional<Document>& other, Document& root) {
  Document& place = *SomeOf(random, root, false);
  Document* const around = SomeOf(random, root, true);
  const std::size_t at = around == nullptr ? 0 : Draw(random, around->children.size());
  switch (Draw(random, 14)) {
    case 0:
    case 1:
    case 2:
      if (place.kind == Kind::kScalar) Replace(place, OddScalar(random));
      return;
    case 3:
      Replace(place, OddScalar(random));
      return;
    case 4:
      if (around != nullptr)
        around->children.erase(around->children.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    case 5: {  // of a map, its key twice
      if (around == nullptr) return;
      const Document copy = around->children[at];
      around->children.insert(around->children.begin() + static_cast<std::ptrdiff_t>(at), copy);
      return;
    }
    case 6: {
      if (around == nullptr) return;
      std::swap(around->children[at], around->children[Draw(random, around->children.size())]);
      return;
    }
    case 7: {  // the same value elsewhere
      Document copy = *SomeOf(random, root, false);
      Replace(place, std::move(copy));
      return;
    }
    case 8:
      if (other) {
        Document source = *other;
        Replace(place, *SomeOf(random, source, false));
      }
      return;
    case 9:
      if (other && around != nullptr) {
        Document source = *other;
        if (const Document* from = SomeOf(random, source, true))
          around->children.push_back(from->children[Draw(random, from->children.size())]);
      }
      return;
    case 10:
      Deepen(random, place);
      return;
    case 11: {
      if (around == nullptr) return;
      const Document copy = around->children[at];
      around->children.insert(around->children.end(), Draw(random, kMostCopies), copy);
      return;
    }
    case 12:
      place.children.clear();
      place.kind = Draw(random, 2) == 0 ? Kind::kList : Kind::kMap;
      return;
    default: {  // in JSON, only the second of these
      place.before = Draw(random, 3) == 0 ? "!!str " : "&a ";
      Document& alias = *SomeOf(random, root, false);
      if (&alias != &place && place.before == "&a ") Replace(alias, {.text = "*a"});
    }
  }
}

}  // namespace

std::string MutatedInForm(std::string_view extension, const std::string& text,
                          const std::string& other, std::uint32_t seed) {
  if (extension == ".c3d") return MutatedC3d(text, seed);
  const bool json = extension == ".json";
  if (!json && extension != ".yaml" && extension != ".yml") return Mutated(text, other, seed);
  std::optional<Document> document = json ? ReadJson(text) : ReadYaml(text);
  if (!document) return Mutated(text, other, seed);
  const std::optional<Document> source = json ? ReadJson(other) : ReadYaml(other);
  std::mt19937 random(seed);
  for (std::size_t changes = 1 + Draw(random, 4); changes > 0; --changes) {
    Change(random, source, *document);
    if (AllOf(*document).size() > kMostNodes) break;
  }
  return json ? JsonText(*document) : YamlText(*document, static_cast<int>(Draw(random, 6)));
}

}  // namespace percuss::fuzz
