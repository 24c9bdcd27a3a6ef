// headroom-nccl.so: the one file that knows NCCL, loaded where several processes train on CUDA
// devices. MPI started them and carries the one message that NCCL needs to find all of them.

#include <cstdlib>
#include <exception>

#include <nccl.h>

#include "core/base/error.h"
#include "cuda/group/all_reduce.h"

namespace headroom::cuda {
namespace {

void check_nccl(ncclResult_t status, const char* doing) {
    if (status == ncclSuccess) return;
    throw EnvironmentError(
        std::string("NCCL could not ") + doing + ": " + ncclGetErrorString(status),
        "set NCCL_DEBUG=WARN to see why");
}

class NcclAllReduce : public AllReduce {
  public:
    explicit NcclAllReduce(ProcessGroup& group) {
        // Sums inside of the switch have no fixed order; the user's own setting stands.
        setenv("NCCL_NVLS_ENABLE", "0", 0);
        ncclUniqueId id{};
        if (group.rank() == 0) check_nccl(ncclGetUniqueId(&id), "begin");
        group.broadcast(std::as_writable_bytes(std::span(&id, 1)));
        check_nccl(ncclCommInitRank(&communicator_, group.size(), id, group.rank()),
                   "connect the devices of all processes");
    }
    ~NcclAllReduce() override {
        // The others may be gone where an error brought us here, and an orderly end waits for them.
        if (std::uncaught_exceptions() > 0)
            ncclCommAbort(communicator_);
        else
            ncclCommDestroy(communicator_);
    }
    NcclAllReduce(const NcclAllReduce&) = delete;
    NcclAllReduce& operator=(const NcclAllReduce&) = delete;

    void all_reduce_mean(std::span<const Region> regions, std::byte* arena,
                         cudaStream_t stream) override {
        check_nccl(ncclGroupStart(), "begin a sum");
        for (const Region& region : regions) {
            std::byte* numbers = arena + region.offset;
            const ncclDataType_t type = region.dtype == DType::kF64 ? ncclFloat64 : ncclFloat32;
            check_nccl(ncclAllReduce(numbers, numbers, static_cast<size_t>(region.count), type,
                                     ncclAvg, communicator_, stream),
                       "add up gradients");
        }
        check_nccl(ncclGroupEnd(), "add up gradients");
        ncclResult_t later = ncclSuccess;
        check_nccl(ncclCommGetAsyncError(communicator_, &later), "tell its state");
        check_nccl(later, "reach the other processes");
    }

  private:
    ncclComm_t communicator_ = nullptr;
};

}  // namespace
}  // namespace headroom::cuda

extern "C" headroom::cuda::AllReduce* headroom_make_nccl_all_reduce(headroom::ProcessGroup* group) {
    return new headroom::cuda::NcclAllReduce(*group);
}
