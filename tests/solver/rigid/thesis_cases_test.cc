// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The cases that our laws name against the tables that define them, sun2017 Tables 2.2 and 3.1
// (data/sun2017/cases_2d_table2_2.csv, cases_3d_table3_1.csv): what the contact does in each stage,
// by its modes and by its slip before, at the end of compression and after.

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <string>

#include "solver/solve_impact.h"
#include "tests/solver/law/impact_reference.h"
#include "tests/solver/law/table.h"

namespace percuss::solver {
namespace {

const std::string kCaseTables = std::string(PERCUSS_DATA_DIR) + "/sun2017/cases_";

enum class Stage { kSlides, kSticks, kStops, kReverses, kStarts, kSlidesBack };

/// What is seen of one impact, in two stages.
struct CaseSeen {
  std::string sun_case;
  bool slips_at_first = false;
  Stage compression, restitution;
  Eigen::Vector2d before, middle, after;  ///< slip
};

Stage StageFrom(bool at_rest, ContactMode first, ContactMode last) {
  if (at_rest) return last == ContactMode::kStick ? Stage::kSticks : Stage::kStarts;
  if (first == ContactMode::kStick) return Stage::kSticks;
  if (first == ContactMode::kReverseSlip) return Stage::kSlidesBack;
  if (last == ContactMode::kSlip) return Stage::kSlides;
  return last == ContactMode::kStick ? Stage::kStops : Stage::kReverses;
}

CaseSeen See(const Contact<double>& contact, double mu, double e) {
  const auto whole = SolveImpact("poisson", contact, std::array{mu, e});
  const auto compression = SolveImpact("poisson", contact, std::array{mu, 0.0});
  CaseSeen seen{.sun_case = std::string(whole.sun_case),
                .slips_at_first = contact.velocity.head<2>().norm() > 1e-12,
                .compression = {},
                .restitution = {},
                .before = contact.velocity.head<2>(),
                .middle = compression.contact_velocity.head<2>(),
                .after = whole.contact_velocity.head<2>()};
  const bool at_rest = !seen.slips_at_first;
  seen.compression = StageFrom(at_rest, compression.modes.front(), compression.modes.back());
  seen.restitution = at_rest && compression.modes.back() != ContactMode::kStick
                         ? Stage::kSlidesBack
                         : StageFrom(false, compression.modes.back(), whole.modes.back());
  return seen;
}

// Slip as the words have it: a contact that sticks has none, one that slides has.
void ExpectSlip(Stage stage, const Eigen::Vector2d& at_its_end) {
  const bool rests = stage == Stage::kSticks || stage == Stage::kStops;
  EXPECT_EQ(at_its_end.norm() < 1e-9, rests);
}

const char* InThePlane(Stage stage) {
  switch (stage) {
    case Stage::kSlides:
      return "slide";
    case Stage::kSticks:
      return "stick";
    case Stage::kStops:
      return "slide ends -> stick";
    case Stage::kReverses:
      return "slide ends -> reverse slide";
    case Stage::kStarts:
      return "stick ends -> reverse slide";
    case Stage::kSlidesBack:
      return "reverse slide";
  }
  return "";
}

const char* InSpace(Stage stage) {
  switch (stage) {
    case Stage::kSlides:
      return "Sliding";
    case Stage::kSticks:
      return "Sticking";
    case Stage::kStops:
      return "Sliding ends, Sticking begins";
    case Stage::kReverses:
      return "Sliding ends, Reverse Sliding begins";
    case Stage::kStarts:
      return "Sticking ends, Reverse Sliding begins";
    case Stage::kSlidesBack:
      return "Reverse Sliding";
  }
  return "";
}

std::size_t RowOf(const Table& table, const std::string& sun_case) {
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.Text(row, "case") == sun_case) return row;
  }
  ADD_FAILURE() << "no case " << sun_case;
  return 0;
}

Contact<double> RandomCaseContact(std::mt19937& random, int i) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Contact<double> contact = reference::RandomContact(random, 1.0);
  contact.velocity.head<2>() = Eigen::Vector2d(uniform(random), uniform(random));
  if (i % 8 == 0) contact.velocity.head<2>().setZero();
  contact.velocity[2] = -1.0;
  return contact;
}

TEST(ThesisCases, InThePlaneAreThoseOfTheTable) {
  const Table table(kCaseTables + "2d_table2_2.csv");
  std::mt19937 random(231);
  std::uniform_real_distribution<double> uniform(0.0, 0.8);
  std::set<std::string> found;
  for (int i = 0; i < 20000; ++i) {
    Contact<double> contact = RandomCaseContact(random, i);
    reference::MakePlanar(contact);
    const CaseSeen seen = See(contact, uniform(random), 0.7);
    const std::size_t row = RowOf(table, seen.sun_case);
    EXPECT_EQ(table.Text(row, "initial_condition"), seen.slips_at_first ? "v_ct!=0" : "v_ct=0");
    EXPECT_EQ(table.Text(row, "compression"), InThePlane(seen.compression)) << seen.sun_case;
    EXPECT_EQ(table.Text(row, "restitution"), InThePlane(seen.restitution)) << seen.sun_case;
    ExpectSlip(seen.compression, seen.middle);
    ExpectSlip(seen.restitution, seen.after);
    const bool back = seen.before.dot(seen.after) < -1e-9;
    EXPECT_EQ(back, seen.sun_case == "2" || seen.sun_case == "4");
    found.insert(seen.sun_case);
    if (HasFailure()) return;
  }
  EXPECT_EQ(found.size(), table.size());
}

TEST(ThesisCases, InSpaceAreThoseOfTheTable) {
  const Table table(kCaseTables + "3d_table3_1.csv");
  std::mt19937 random(232);
  std::uniform_real_distribution<double> uniform(0.0, 0.8);
  std::set<std::string> found;
  for (int i = 0; i < 20000; ++i) {
    Contact<double> contact = RandomCaseContact(random, i);
    if (i % 8 == 1) reference::MakePlanar(contact);  // the parents 2 and 4, without a letter
    const CaseSeen seen = See(contact, uniform(random), 0.7);
    const std::size_t row = RowOf(table, seen.sun_case);
    const std::size_t parent = RowOf(table, seen.sun_case.substr(0, 1));
    EXPECT_EQ(table.Text(parent, "initial_condition_printed"),
              seen.slips_at_first ? "v_cx!=0 or v_cz!=0" : "v_cx=0 and v_cz=0");
    EXPECT_EQ(table.Text(parent, "compression_printed"), InSpace(seen.compression));
    EXPECT_EQ(table.Text(parent, "restitution_printed"), InSpace(seen.restitution));
    ExpectSlip(seen.compression, seen.middle);
    ExpectSlip(seen.restitution, seen.after);
    if (row != parent) {
      // x is t1, z is -t2: a change of sign is one on either.
      const bool x = seen.before[0] * seen.after[0] < 0.0, z = seen.before[1] * seen.after[1] < 0.0;
      const std::string which = x && z ? "both" : x ? "x" : "z";
      const std::string stage =
          seen.compression == Stage::kReverses ? "compression" : "restitution";
      const std::string& meaning = table.Text(row, "meaning_used");
      EXPECT_TRUE(meaning.starts_with(which)) << meaning;
      EXPECT_TRUE(meaning.ends_with("reversed in " + stage)) << meaning;
    }
    found.insert(seen.sun_case);
    if (HasFailure()) return;
  }
  EXPECT_EQ(found.size(), table.size());
}

}  // namespace
}  // namespace percuss::solver
