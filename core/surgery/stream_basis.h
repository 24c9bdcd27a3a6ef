#pragma once

#include <optional>

#include "core/linalg/lu.h"
#include "core/linalg/matrix.h"

namespace headroom {

/// A basis of the residual stream, Theta = W, W^-1, W^T or W^-T. Factors W when an inverse is asked
/// for, and keeps the factors.
class StreamBasis {
  public:
    struct Form {
        bool inverse = false, transposed = false;
    };

    /// REQUIRES: `w` is square.
    StreamBasis(Form form, Matrix w) : form_(form), w_(std::move(w)) {}

    /// Theta^-1 W for a matrix that reads the stream, [d_model, n]. UserError if that takes an
    /// inverse which does not exist.
    Matrix as_reader(Matrix w) const { return left(!form_.inverse, std::move(w)); }
    /// W Theta for a matrix that writes to the stream, [n, d_model]; also for rows of the stream.
    Matrix as_writer(Matrix w) const;

  private:
    Matrix left(bool inverse, Matrix x) const;
    Matrix rows_as_writer(const Matrix& rows) const;
    const LuFactors& factors() const;

    Form form_;
    Matrix w_;
    mutable std::optional<LuFactors> factors_;
};

}  // namespace headroom
