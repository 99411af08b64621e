// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

// Decompositions of matrices of any size and of the commonest small ones, with what they and
// products call, compiled once in eigen_instances.cc. Each takes a compiler 1 to 10 s, and every
// third source uses one. The build puts this header into the precompiled ones
// (cmake/PercussPrecompiled.cmake): no source includes it, and all compile without it as well.
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

// Of what an expression is decomposed into, and with what it is solved.
PERCUSS_EIGEN_INSTANCE void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl(const VectorXd&,
                                                                                   VectorXd&) const;
PERCUSS_EIGEN_INSTANCE void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl(
    const CwiseNullaryOp<internal::scalar_identity_op<double>, MatrixXd>&, MatrixXd&) const;
PERCUSS_EIGEN_INSTANCE void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&,
                                                                       VectorXd&) const;
PERCUSS_EIGEN_INSTANCE void ColPivHouseholderQR<MatrixXd>::_solve_impl(const MatrixXd&,
                                                                       MatrixXd&) const;
PERCUSS_EIGEN_INSTANCE void LDLT<MatrixXd>::_solve_impl_transposed<true>(const VectorXd&,
                                                                         VectorXd&) const;
PERCUSS_EIGEN_INSTANCE void LDLT<MatrixXd>::_solve_impl_transposed<true>(const MatrixXd&,
                                                                         MatrixXd&) const;

PERCUSS_EIGEN_INSTANCE class LLT<Matrix3d>;
PERCUSS_EIGEN_INSTANCE LLT<Matrix3d>& LLT<Matrix3d>::compute(const EigenBase<Matrix3d>&);
PERCUSS_EIGEN_INSTANCE class LDLT<Matrix3d>;
PERCUSS_EIGEN_INSTANCE LDLT<Matrix3d>& LDLT<Matrix3d>::compute(const EigenBase<Matrix3d>&);
PERCUSS_EIGEN_INSTANCE class LDLT<Matrix<double, 6, 6>>;
PERCUSS_EIGEN_INSTANCE LDLT<Matrix<double, 6, 6>>& LDLT<Matrix<double, 6, 6>>::compute(
    const EigenBase<Matrix<double, 6, 6>>&);
PERCUSS_EIGEN_INSTANCE class SelfAdjointEigenSolver<Matrix3d>;
PERCUSS_EIGEN_INSTANCE SelfAdjointEigenSolver<Matrix3d>& SelfAdjointEigenSolver<Matrix3d>::compute(
    const EigenBase<Matrix3d>&, int);

namespace internal {
PERCUSS_EIGEN_INSTANCE void tridiagonalization_inplace(MatrixXd&, VectorXd&);
PERCUSS_EIGEN_INSTANCE ComputationInfo computeFromTridiagonal_impl(VectorXd&, VectorXd&, Index,
                                                                   bool, MatrixXd&);
PERCUSS_EIGEN_INSTANCE struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, RowMajor>, RowMajor, false, double,
    const_blas_data_mapper<double, Index, ColMajor>, false, 0>;
PERCUSS_EIGEN_INSTANCE struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, RowMajor>, RowMajor, false, double,
    const_blas_data_mapper<double, Index, RowMajor>, false, 1>;
PERCUSS_EIGEN_INSTANCE struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, ColMajor>, ColMajor, false, double,
    const_blas_data_mapper<double, Index, RowMajor>, false, 0>;
PERCUSS_EIGEN_INSTANCE struct general_matrix_matrix_product<Index, double, ColMajor, false, double,
                                                            ColMajor, false, ColMajor, 1>;
PERCUSS_EIGEN_INSTANCE struct general_matrix_matrix_product<Index, double, RowMajor, false, double,
                                                            ColMajor, false, ColMajor, 1>;
PERCUSS_EIGEN_INSTANCE struct general_matrix_matrix_product<Index, double, ColMajor, false, double,
                                                            RowMajor, false, ColMajor, 1>;
}  // namespace internal

}  // namespace Eigen
