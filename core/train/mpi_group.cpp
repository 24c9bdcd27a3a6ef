// headroom-mpi.so: the one file that knows MPI, loaded where mpirun or srun started the program.

#include <algorithm>
#include <climits>

#include <mpi.h>

#include "core/base/error.h"
#include "core/device/process_group.h"

namespace headroom {
namespace {

void check(int status, const char* doing) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw EnvironmentError(std::string("MPI could not ") + doing + ": " + text,
                           "check that all processes run");
}

class MpiGroup : public ProcessGroup {
  public:
    MpiGroup() {
        int provided = 0;
        check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "start");
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "tell the rank");
        check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "tell the size");
    }
    ~MpiGroup() override { MPI_Finalize(); }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    void sum(std::span<float> values) override { sum_as(values, MPI_FLOAT); }
    void sum(std::span<double> values) override { sum_as(values, MPI_DOUBLE); }
    void broadcast(std::span<std::byte> bytes) override {
        in_parts(bytes, [](std::byte* part, int count) {
            check(MPI_Bcast(part, count, MPI_BYTE, 0, MPI_COMM_WORLD), "broadcast");
        });
    }
    void abort(int status) noexcept override { MPI_Abort(MPI_COMM_WORLD, status); }

  private:
    /// Reduced to rank 0 and sent from there, so that all have the same bits whatever algorithm the
    /// library chooses.
    template <class T>
    void sum_as(std::span<T> values, MPI_Datatype type) {
        in_parts(values, [&](T* part, int count) {
            const void* from = rank_ == 0 ? MPI_IN_PLACE : part;
            check(MPI_Reduce(from, part, count, type, MPI_SUM, 0, MPI_COMM_WORLD), "add up");
            check(MPI_Bcast(part, count, type, 0, MPI_COMM_WORLD), "broadcast a sum");
        });
    }

    /// MPI counts in int.
    template <class T, class Use>
    static void in_parts(std::span<T> values, Use&& use) {
        constexpr size_t kMost = size_t{1} << 28;
        for (size_t at = 0; at < values.size(); at += kMost)
            use(values.data() + at, static_cast<int>(std::min(kMost, values.size() - at)));
    }

    int rank_ = 0, size_ = 1;
};

}  // namespace
}  // namespace headroom

extern "C" headroom::ProcessGroup* headroom_open_mpi_group() {
    return new headroom::MpiGroup();
}
