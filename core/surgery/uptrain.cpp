#include "core/surgery/uptrain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/linalg/svd.h"

namespace headroom {
namespace {

/// The n largest norms, as indices in rising order; of equal ones the first.
std::vector<int64_t> largest(const std::vector<double>& norms, int64_t n) {
    std::vector<int64_t> order(norms.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return norms[static_cast<size_t>(a)] > norms[static_cast<size_t>(b)];
    });
    order.resize(static_cast<size_t>(n));
    std::sort(order.begin(), order.end());
    return order;
}

/// Squared Frobenius norms of the heads' column blocks.
std::vector<double> column_block_norms(const Matrix& m, int64_t n_head) {
    const int64_t width = m.cols / n_head;
    std::vector<double> norms(static_cast<size_t>(n_head));
    for (int64_t i = 0; i < m.rows; ++i)
        for (int64_t j = 0; j < m.cols; ++j)
            norms[static_cast<size_t>(j / width)] += m.at(i, j) * m.at(i, j);
    return norms;
}

std::vector<double> row_block_norms(const Matrix& m, int64_t n_head) {
    const int64_t height = m.rows / n_head;
    std::vector<double> norms(static_cast<size_t>(n_head));
    for (int64_t i = 0; i < m.rows; ++i)
        for (int64_t j = 0; j < m.cols; ++j)
            norms[static_cast<size_t>(i / height)] += m.at(i, j) * m.at(i, j);
    return norms;
}

Matrix picked_columns(const Matrix& m, int64_t n_head, const std::vector<int64_t>& heads) {
    const int64_t width = m.cols / n_head;
    Matrix result(m.rows, static_cast<int64_t>(heads.size()) * width);
    for (int64_t i = 0; i < result.rows; ++i)
        for (int64_t j = 0; j < result.cols; ++j)
            result.at(i, j) = m.at(i, heads[static_cast<size_t>(j / width)] * width + j % width);
    return result;
}

/// Blocks of rows of W_O moved to the front, the rest 0.
Matrix picked_rows(const Matrix& o, int64_t n_head, const std::vector<int64_t>& heads) {
    const int64_t height = o.rows / n_head;
    Matrix result(o.rows, o.cols);
    for (int64_t i = 0; i < static_cast<int64_t>(heads.size()) * height; ++i)
        for (int64_t j = 0; j < o.cols; ++j)
            result.at(i, j) = o.at(heads[static_cast<size_t>(i / height)] * height + i % height, j);
    return result;
}

Matrix mean_of_row_pairs(const Matrix& o, int64_t n_head) {
    const int64_t height = o.rows / n_head;
    Matrix result(o.rows, o.cols);
    for (int64_t i = 0; i < o.rows / 2; ++i) {
        const int64_t first = i / height * 2 * height + i % height;
        for (int64_t j = 0; j < o.cols; ++j)
            result.at(i, j) = (o.at(first, j) + o.at(first + height, j)) / 2;
    }
    return result;
}

}  // namespace

Matrix mean_of_head_groups(const Matrix& projection, int64_t n_head, int64_t n_group) {
    CHECK(n_group > 0 && n_head % n_group == 0, "groups do not divide the heads");
    const int64_t width = projection.cols / n_head, size = n_head / n_group;
    Matrix result(projection.rows, n_group * width);
    for (int64_t i = 0; i < result.rows; ++i)
        for (int64_t j = 0; j < result.cols; ++j) {
            double sum = 0;
            for (int64_t head = j / width * size; head < (j / width + 1) * size; ++head)
                sum += projection.at(i, head * width + j % width);
            result.at(i, j) = sum / static_cast<double>(size);
        }
    return result;
}

ValueOutput uptrain_mean_v(const ValueOutput& layer, int64_t n_head) {
    return {mean_of_head_groups(layer.v, n_head, n_head / 2),
            mean_of_head_groups(layer.v_bias, n_head, n_head / 2), layer.o, layer.o_bias};
}

ValueOutput uptrain_mean_vo(const ValueOutput& layer, int64_t n_head) {
    ValueOutput result = uptrain_mean_v(layer, n_head);
    result.o = mean_of_row_pairs(layer.o, n_head);
    return result;
}

ValueOutput uptrain_top_v(const ValueOutput& layer, int64_t n_head) {
    const std::vector<int64_t> heads = largest(column_block_norms(layer.v, n_head), n_head / 2);
    return {picked_columns(layer.v, n_head, heads), picked_columns(layer.v_bias, n_head, heads),
            layer.o, layer.o_bias};
}

ValueOutput uptrain_top_vo(const ValueOutput& layer, int64_t n_head) {
    ValueOutput result = uptrain_top_v(layer, n_head);
    result.o = picked_rows(layer.o, n_head, largest(row_block_norms(layer.o, n_head), n_head / 2));
    return result;
}

ValueOutput uptrain_svd(const ValueOutput& layer, int64_t n_head) {
    const int64_t rank = layer.v.cols / n_head * (n_head / 2);
    const Svd parts = svd(product(layer.v, layer.o));
    ValueOutput result{Matrix(layer.v.rows, rank), Matrix(layer.v_bias.rows, rank),
                       Matrix(layer.o.rows, layer.o.cols), layer.o_bias};
    // Heads wider than the model leave columns that no singular value fills.
    for (int64_t r = 0; r < std::min(rank, static_cast<int64_t>(parts.s.size())); ++r) {
        const double root = std::sqrt(parts.s[static_cast<size_t>(r)]);
        for (int64_t i = 0; i < layer.v.rows; ++i) result.v.at(i, r) = parts.u.at(i, r) * root;
        for (int64_t j = 0; j < layer.o.cols; ++j) result.o.at(r, j) = root * parts.vt.at(r, j);
    }
    if (layer.v_bias.empty()) return result;
    // The weights of attention sum to 1, so every token gets the whole of v_bias W_O.
    const Matrix constant = product(layer.v_bias, layer.o);
    for (int64_t j = 0; j < constant.cols; ++j) result.o_bias.at(0, j) += constant.at(0, j);
    return result;
}

namespace {

struct ValueRule {
    std::string_view conversion;
    ValueOutput (*values)(const ValueOutput& layer, int64_t n_head);
    bool changes_output;
};

constexpr std::array kRules{
    ValueRule{"mean_v", uptrain_mean_v, false}, ValueRule{"mean_vo", uptrain_mean_vo, true},
    ValueRule{"top_v", uptrain_top_v, false}, ValueRule{"top_vo", uptrain_top_vo, true},
    ValueRule{"svd", uptrain_svd, true}};

const ValueRule& rule_of(std::string_view conversion) {
    const auto* rule = std::find_if(kRules.begin(), kRules.end(), [&](const ValueRule& candidate) {
        return candidate.conversion == conversion;
    });
    CHECK(rule != kRules.end(), "not a conversion of values");
    return *rule;
}

}  // namespace

ValueOutput uptrain_values(std::string_view conversion, const ValueOutput& layer, int64_t n_head) {
    CHECK(n_head % 2 == 0 && layer.v.cols % n_head == 0, "heads do not come in pairs");
    return rule_of(conversion).values(layer, n_head);
}

bool changes_output(std::string_view conversion) {
    return rule_of(conversion).changes_output;
}

}  // namespace headroom
