#pragma once
// How a failed check prints its numbers and matrices is a template, which every test file would compile again: these are
// compiled once, in gtest_instances.cpp. The precompiled header of the tests includes this file.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "pliant/numerics/types.h"

#ifndef PLIANT_GTEST_INSTANCE
#define PLIANT_GTEST_INSTANCE extern template
#endif

namespace Eigen {

PLIANT_GTEST_INSTANCE std::ostream& operator<< <MatrixXd>(std::ostream&, const DenseBase<MatrixXd>&);
PLIANT_GTEST_INSTANCE std::ostream& operator<< <VectorXd>(std::ostream&, const DenseBase<VectorXd>&);
PLIANT_GTEST_INSTANCE std::ostream& operator<< <Vector3d>(std::ostream&, const DenseBase<Vector3d>&);
PLIANT_GTEST_INSTANCE std::ostream& operator<< <Matrix3d>(std::ostream&, const DenseBase<Matrix3d>&);
PLIANT_GTEST_INSTANCE std::ostream& operator<< <Transpose<const VectorXd>>(
    std::ostream&, const DenseBase<Transpose<const VectorXd>>&);
PLIANT_GTEST_INSTANCE std::ostream& operator<< <Transpose<const Vector3d>>(
    std::ostream&, const DenseBase<Transpose<const Vector3d>>&);
PLIANT_GTEST_INSTANCE std::ostream& operator<< <RowVector3d>(std::ostream&, const DenseBase<RowVector3d>&);
PLIANT_GTEST_INSTANCE std::ostream& operator<< <pliant::Points>(std::ostream&,
                                                                const DenseBase<pliant::Points>&);
PLIANT_GTEST_INSTANCE std::ostream& operator<< <pliant::Triangles>(std::ostream&,
                                                                   const DenseBase<pliant::Triangles>&);
PLIANT_GTEST_INSTANCE std::ostream& operator<< <pliant::Tets>(std::ostream&, const DenseBase<pliant::Tets>&);

}  // namespace Eigen

namespace testing {

PLIANT_GTEST_INSTANCE std::string PrintToString<bool>(const bool&);
PLIANT_GTEST_INSTANCE std::string PrintToString<int>(const int&);
PLIANT_GTEST_INSTANCE std::string PrintToString<unsigned>(const unsigned&);
PLIANT_GTEST_INSTANCE std::string PrintToString<long>(const long&);
PLIANT_GTEST_INSTANCE std::string PrintToString<std::size_t>(const std::size_t&);
PLIANT_GTEST_INSTANCE std::string PrintToString<double>(const double&);
PLIANT_GTEST_INSTANCE std::string PrintToString<const char*>(const char* const&);
PLIANT_GTEST_INSTANCE std::string PrintToString<std::string>(const std::string&);
PLIANT_GTEST_INSTANCE std::string PrintToString<std::vector<int>>(const std::vector<int>&);
PLIANT_GTEST_INSTANCE std::string PrintToString<Eigen::MatrixXd>(const Eigen::MatrixXd&);
PLIANT_GTEST_INSTANCE std::string PrintToString<Eigen::VectorXd>(const Eigen::VectorXd&);
PLIANT_GTEST_INSTANCE std::string PrintToString<Eigen::Vector3d>(const Eigen::Vector3d&);
PLIANT_GTEST_INSTANCE std::string PrintToString<pliant::Points>(const pliant::Points&);
PLIANT_GTEST_INSTANCE std::string PrintToString<pliant::Triangles>(const pliant::Triangles&);
PLIANT_GTEST_INSTANCE std::string PrintToString<pliant::Tets>(const pliant::Tets&);

namespace internal {

PLIANT_GTEST_INSTANCE AssertionResult CmpHelperOpFailure<double, double>(const char*, const char*,
                                                                         const double&, const double&,
                                                                         const char*);
PLIANT_GTEST_INSTANCE AssertionResult CmpHelperOpFailure<double, int>(const char*, const char*, const double&,
                                                                      const int&, const char*);
PLIANT_GTEST_INSTANCE AssertionResult CmpHelperOpFailure<int, int>(const char*, const char*, const int&,
                                                                   const int&, const char*);
PLIANT_GTEST_INSTANCE AssertionResult CmpHelperOpFailure<std::size_t, std::size_t>(const char*, const char*,
                                                                                   const std::size_t&,
                                                                                   const std::size_t&,
                                                                                   const char*);

}  // namespace internal

}  // namespace testing
