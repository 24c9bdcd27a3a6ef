#include "tests/cuda/emulation/fake_nccl.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <nccl.h>

namespace {

std::atomic<int> sums_made{0}, next_id{1};
std::atomic<bool> network_broken{false};

/// What the members of one communicator share.
struct Meeting {
    explicit Meeting(int members) : barrier(members), places(static_cast<size_t>(members)) {}
    std::barrier<> barrier;
    std::vector<const void*> places;
};

std::shared_ptr<Meeting> meeting_of(int id, int size) {
    static std::mutex mutex;
    static std::map<int, std::shared_ptr<Meeting>> meetings;
    const std::lock_guard lock(mutex);
    auto& meeting = meetings[id];
    if (!meeting) meeting = std::make_shared<Meeting>(size);
    return meeting;
}

}  // namespace

struct ncclComm {
    std::shared_ptr<Meeting> meeting;
    int rank;

    template <class T>
    void all_reduce_mean(const T* from, T* to, size_t count) {
        meeting->places[static_cast<size_t>(rank)] = from;
        meeting->barrier.arrive_and_wait();
        std::vector<T> sums(count);
        for (const void* place : meeting->places)
            for (size_t i = 0; i < count; ++i) sums[i] += static_cast<const T*>(place)[i];
        for (T& sum : sums) sum /= static_cast<T>(meeting->places.size());
        meeting->barrier.arrive_and_wait();
        std::copy(sums.begin(), sums.end(), to);
        meeting->barrier.arrive_and_wait();
    }
};

const char* ncclGetErrorString(ncclResult_t) {
    return "unhandled system error";
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    if (network_broken) return ncclSystemError;
    const int number = next_id++;
    std::memcpy(id->internal, &number, sizeof(number));
    return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int size, ncclUniqueId id, int rank) {
    int number = 0;
    std::memcpy(&number, id.internal, sizeof(number));
    if (number == 0) return ncclInvalidUsage;
    *communicator = new ncclComm{meeting_of(number, size), rank};
    return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
    delete communicator;
    return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t communicator) {
    return ncclCommDestroy(communicator);
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* result) {
    *result = network_broken ? ncclSystemError : ncclSuccess;
    return ncclSuccess;
}
ncclResult_t ncclGroupStart() {
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    return ncclSuccess;
}
ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                           ncclRedOp_t, ncclComm_t communicator, cudaStream_t stream) {
    ++sums_made;
    emulate_launch(stream, [=] {
        if (type == ncclFloat64)
            communicator->all_reduce_mean(static_cast<const double*>(from),
                                          static_cast<double*>(to), count);
        else
            communicator->all_reduce_mean(static_cast<const float*>(from), static_cast<float*>(to),
                                          count);
    });
    return ncclSuccess;
}

namespace headroom::fake_nccl {

int sums() {
    return sums_made;
}
void break_network(bool broken) {
    network_broken = broken;
}

}  // namespace headroom::fake_nccl
