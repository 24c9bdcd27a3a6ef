#include "core/surgery/stream_basis.h"

#include <cmath>

#include <gtest/gtest.h>

namespace headroom {
namespace {

Matrix numbers(int64_t rows, int64_t cols, double shift) {
    Matrix m(rows, cols);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
            m.at(i, j) = std::sin(static_cast<double>(7 * i + 3 * j) + shift) + (i == j ? 4 : 0);
    return m;
}

void expect_near(const Matrix& a, const Matrix& b) {
    ASSERT_EQ(a.rows, b.rows);
    ASSERT_EQ(a.cols, b.cols);
    double worst = 0;
    for (size_t i = 0; i < a.values.size(); ++i)
        worst = std::max(worst, std::abs(a.values[i] - b.values[i]));
    EXPECT_LT(worst, 1e-12);
}

/// More rows and columns than change their basis at a time.
constexpr int64_t kMany = 4096 + 37;

TEST(StreamBasis, ChangesMatricesOfManyRowsAndColumnsInPlace) {
    const Matrix w = numbers(5, 5, 0.3), writer = numbers(kMany, 5, 1),
                 reader = numbers(5, kMany, 2);
    const StreamBasis plain({}, w), turned({false, true}, w);
    expect_near(plain.as_writer(writer), product(writer, w));
    expect_near(turned.as_writer(writer), product(writer, transposed(w)));
    const StreamBasis inverse({true, false}, w), both({true, true}, w);
    expect_near(inverse.as_reader(reader), product(w, reader));
    expect_near(both.as_reader(reader), product(transposed(w), reader));
    // And back again.
    expect_near(inverse.as_writer(plain.as_writer(writer)), writer);
    expect_near(both.as_writer(turned.as_writer(writer)), writer);
    expect_near(plain.as_reader(inverse.as_reader(reader)), reader);
    expect_near(turned.as_reader(both.as_reader(reader)), reader);
}

}  // namespace
}  // namespace headroom
