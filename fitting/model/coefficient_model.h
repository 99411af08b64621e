// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fitting/result/parameter_model.h"
#include "impacts/impact_record.h"
#include "solver/law/impact_law.h"

namespace percuss::fitting {

/// Which parameters have values of their own in each group of impacts.
struct Grouping {
  std::string column = {};                   ///< key of ImpactRecord::extra; empty: one group
  std::vector<std::string> parameters = {};  ///< empty: all
};

bool HasParameter(const solver::LawInfo& law, const std::string& name);
/// HasParameter, or an optional one.
bool TakesParameter(const solver::LawInfo& law, const std::string& name);

/// Of models, given values and groups asked for, those of parameters that this law has.
ParameterModels ModelsOfLaw(const solver::LawInfo& law, const ParameterModels& all);
GivenParameters GivenOfLaw(const solver::LawInfo& law, const GivenParameters& all);
Grouping GroupingOfLaw(const solver::LawInfo& law, const Grouping& all);

/// One unknown of the estimation.
struct Coefficient {
  std::string name;  ///< e, e.slope, e.curvature, e.exponent, e.loss; in a group e[steel]
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double scale = 1.0;  ///< an ordinary size, for steps and limits of searches
};

/// The columns that models take their variable from, each once.
std::vector<std::string> ColumnsOf(const ParameterModels& models);
/// The number of an impact in a column; NaN where there is none.
double NumberIn(const impacts::ImpactRecord& record, const std::string& column);

/// The parameters of a law as functions of coefficients, of the impact and of its group.
class CoefficientModel {
 public:
  /// All parameters constant and shared by all impacts.
  explicit CoefficientModel(const solver::LawInfo& law);

  /// @param given parameters have their value everywhere, and no coefficient. Optional ones may be
  /// among them; mu_s is at least mu.
  /// @param records of the impacts: their groups, and the means of their columns.
  /// @throws std::invalid_argument naming a model for a parameter that the law does not have, or
  /// for one that counts only in a product.
  CoefficientModel(const solver::LawInfo& law, const ParameterModels& models,
                   const GivenParameters& given, const Grouping& grouping,
                   const std::vector<const impacts::ImpactRecord*>& records);

  const std::vector<Coefficient>& coefficients() const { return coefficients_; }
  Eigen::Index num_coefficients() const { return std::ssize(coefficients_); }
  const std::vector<std::string>& groups() const { return groups_; }
  /// Whether the coefficients are the parameters of the law themselves.
  bool is_plain() const { return plain_; }

  /// A parameter that is not fitted.
  struct Given {
    std::string name;
    Eigen::Index parameter = 0;  ///< of the law, optional ones after the others
    ValueWithSigma value;
  };
  const std::vector<Given>& given() const { return given_; }

  /// A product that the law depends on alone (LawInfo::products) of parameters that are neither all
  /// given nor all but one. It is the coefficient; one of the parameters follows from it, the
  /// others, which any value suits, are held.
  struct Product {
    const solver::ParameterProduct* info = nullptr;
    std::vector<std::string> parameters;  ///< that are not given, in the order of its powers
  };
  const std::vector<Product>& products() const { return products_; }

  struct Values {
    Eigen::VectorXd parameters;       ///< of the law
    Eigen::MatrixXd by_coefficients;  ///< number of parameters x number of coefficients
    Eigen::Matrix<double, Eigen::Dynamic, 3> by_velocity;  ///< of the contact point
  };
  /// @param velocity of the contact point before the impact, contact frame [m/s].
  /// @param columns CenteredColumns of the impact; empty: all at their mean.
  Values Evaluate(const Eigen::VectorXd& coefficients, const Eigen::Vector3d& velocity, int group,
                  const Eigen::VectorXd& columns = {}) const;
  Eigen::VectorXd Parameters(const Eigen::VectorXd& coefficients, const Eigen::Vector3d& velocity,
                             int group, const Eigen::VectorXd& columns = {}) const;

  /// What an impact has in the columns of the models, less the means of all impacts.
  Eigen::VectorXd CenteredColumns(const impacts::ImpactRecord& record) const;

  /// Coefficients with which every impact (of the loss models: one at 1 m/s) has these parameters.
  Eigen::VectorXd CoefficientsOf(const Eigen::VectorXd& parameters) const;

  /// Index into groups() of an impact; 0 without groups. @throws std::invalid_argument for a group
  /// that was not among the records.
  int GroupOf(const impacts::ImpactRecord& record) const;

 private:
  struct Entry {
    solver::ParameterInfo info;
    ParameterModel model = {};
    bool grouped = false;
    Eigen::Index column = 0;  ///< of ModelVariable::kColumn
    Eigen::Index first = 0;   ///< of its coefficients, group by group
    std::optional<double> given = {};
    bool held = false;  ///< at its typical value: only a product with others counts
    /// Of the parameter that follows from a product c = factor p^exponent.
    const solver::ParameterProduct* product = nullptr;
    double factor = 1.0, exponent = 1.0;
    int NumCoefficients() const;  ///< in a group
    double FromProduct(double c) const;
    double SlopeOfProduct(double c) const;
    double ToProduct(double p) const;
  };
  double ProductOf(const Entry& entry, const Eigen::VectorXd& parameters) const;
  void AddEntries(const solver::LawInfo& law, const ParameterModels& models,
                  const GivenParameters& given, const Grouping& grouping);
  bool AddGiven(const solver::ParameterInfo& info, const GivenParameters& given);
  void AddProducts(const solver::LawInfo& law, const ParameterModels& models,
                   const GivenParameters& given);
  /// Of the parameter in a product that is the coefficient or is held; else none.
  std::optional<Entry> ProductEntryOf(const solver::ParameterInfo& info, const solver::LawInfo& law,
                                      const GivenParameters& given) const;

  std::vector<Entry> entries_;
  std::vector<Coefficient> coefficients_;
  std::vector<Given> given_;
  std::vector<Product> products_;
  std::vector<std::string> model_columns_;
  Eigen::VectorXd column_means_;
  Eigen::VectorXd column_spreads_;
  std::string column_;
  std::vector<std::string> groups_ = {""};
  bool plain_ = true;
};

}  // namespace percuss::fitting
