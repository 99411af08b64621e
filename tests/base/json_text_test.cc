// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace percuss {
namespace {

TEST(JsonRows, WritesWhatIsNotFiniteAsNull) {
  Eigen::MatrixXd matrix(2, 2);
  matrix << 1.0, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(),
      0.1;
  EXPECT_EQ(JsonText(JsonRows(matrix), -1), "[[1.0,null],[null,0.1]]\n");
  EXPECT_EQ(JsonText(JsonList(Eigen::VectorXd()), -1), "[]\n");
}

TEST(JsonHead, NamesFormatProgramCommandAndInputsInThisOrder) {
  const nlohmann::ordered_json head = JsonHead(
      "percuss fit 1", {.format = "", .command = "percuss fit", .input_hashes = {{"a.csv", "12"}}});
  EXPECT_EQ(head.dump(), "{\"format\":\"percuss fit 1\",\"program\":\"percuss " + ProgramVersion() +
                             "\",\"command\":\"percuss fit\",\"inputs\":[{\"file\":\"a.csv\","
                             "\"sha256\":\"12\"}]}");
}

}  // namespace
}  // namespace percuss
