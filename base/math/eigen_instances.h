// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

// Decompositions of matrices of any size, compiled once in eigen_instances.cc. Each takes a
// compiler 2 to 10 s, and every third source uses one. The build puts this header into the
// precompiled ones (cmake/PercussPrecompiled.cmake): no source includes it, and all compile without
// it as well.
#ifndef PERCUSS_EIGEN_INSTANCE
#define PERCUSS_EIGEN_INSTANCE extern template
#endif

namespace Eigen {

PERCUSS_EIGEN_INSTANCE class LLT<MatrixXd>;
PERCUSS_EIGEN_INSTANCE LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
PERCUSS_EIGEN_INSTANCE class LDLT<MatrixXd>;
PERCUSS_EIGEN_INSTANCE LDLT<MatrixXd>& LDLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
PERCUSS_EIGEN_INSTANCE class PartialPivLU<MatrixXd>;
PERCUSS_EIGEN_INSTANCE class FullPivLU<MatrixXd>;
PERCUSS_EIGEN_INSTANCE class HouseholderQR<MatrixXd>;
PERCUSS_EIGEN_INSTANCE class ColPivHouseholderQR<MatrixXd>;
PERCUSS_EIGEN_INSTANCE ColPivHouseholderQR<MatrixXd>& ColPivHouseholderQR<MatrixXd>::compute(
    const EigenBase<MatrixXd>&);
PERCUSS_EIGEN_INSTANCE class CompleteOrthogonalDecomposition<MatrixXd>;
PERCUSS_EIGEN_INSTANCE class JacobiSVD<MatrixXd>;
PERCUSS_EIGEN_INSTANCE class SelfAdjointEigenSolver<MatrixXd>;
PERCUSS_EIGEN_INSTANCE SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
PERCUSS_EIGEN_INSTANCE class EigenSolver<MatrixXd>;
PERCUSS_EIGEN_INSTANCE EigenSolver<MatrixXd>& EigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, bool);

}  // namespace Eigen
