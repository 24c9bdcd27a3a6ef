// Means over several processes with a device each: where their numbers lie, whether the devices
// fit, and NCCL's calls over threads in the place of processes.
#include "cuda/group/all_reduce.h"

#include <mutex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/model/model_graph.h"
#include "cuda/group/device_group.h"
#include "cuda/group/open_all_reduce.h"
#include "tests/core/model/architectures.h"
#include "tests/cuda/emulation/fake_nccl.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thread_group.h"

extern "C" headroom::cuda::AllReduce* headroom_make_nccl_all_reduce(headroom::ProcessGroup* group);

namespace headroom::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<ValueId> gradients_of(const TrainingGraph& training) {
    std::vector<ValueId> gradients;
    for (const GraphParameter& parameter : training.parameters)
        if (parameter.gradient != kNoValue) gradients.push_back(parameter.gradient);
    return gradients;
}

TEST(Regions, GradientsOfEveryArchitectureAreOne) {
    for (const Architecture& architecture : architectures_to_test())
        for (const DType precision : {DType::kF32, DType::kBF16, DType::kF64}) {
            SCOPED_TRACE(architecture.name);
            Job job = small_job(architecture.keys);
            job.precision = precision;
            const TrainingGraph training = build_training_graph(job);
            const Plan plan = plan_memory(training.graph, 1);
            const auto regions = regions_of(gradients_of(training), training.graph, plan);
            ASSERT_EQ(regions.size(), 1u);
            EXPECT_EQ(regions[0].dtype, accumulator_of(precision));
            EXPECT_LE(regions[0].count * static_cast<int64_t>(size_of(regions[0].dtype)),
                      plan.ledger.gradients);
        }
}

TEST(Regions, OtherValuesBetweenAndOtherTypesPartThem) {
    Graph graph;
    const auto add = [&](DType dtype, int64_t count) {
        return graph.add_value(std::to_string(graph.values().size()), {dtype, {count}},
                               Role::kGradient);
    };
    const ValueId a = add(DType::kF32, 3), b = add(DType::kF32, 20), between = add(DType::kF32, 1);
    const ValueId c = add(DType::kF32, 16), d = add(DType::kF64, 2);
    const Plan plan = plan_memory(graph, 1);
    EXPECT_GT(plan.values[static_cast<size_t>(between)].offset, 0);
    const std::vector<ValueId> values{d, c, b, a};  // in any order
    EXPECT_THAT(regions_of(values, graph, plan),
                ElementsAre(Region{0, 16 + 20, DType::kF32}, Region{256, 16, DType::kF32},
                            Region{320, 2, DType::kF64}));
}

/// What each process of the group says; "" where all is well.
std::vector<std::string> complaints(const std::vector<DeviceIdentity>& devices) {
    std::vector<std::string> said(devices.size());
    ThreadGroup::run(static_cast<int>(devices.size()), [&](ProcessGroup& group) {
        const auto rank = static_cast<size_t>(group.rank());
        try {
            check_devices(devices[rank], group);
        } catch (const UserError& error) {
            said[rank] = error.what();
        }
    });
    return said;
}

TEST(DeviceGroup, EveryProcessNeedsADeviceOfItsOwn) {
    EXPECT_THAT(
        complaints({{"node1 gpu0", "H100"}, {"node1 gpu1", "H100"}, {"node2 gpu0", "H100"}}),
        ElementsAre("", "", ""));
    const auto shared = HasSubstr("processes 0 and 2 share one CUDA device");
    EXPECT_THAT(
        complaints({{"node1 gpu0", "H100"}, {"node1 gpu1", "H100"}, {"node1 gpu0", "H100"}}),
        ElementsAre(shared, shared, shared));
}

TEST(DeviceGroup, DevicesAreOfOneModel) {
    const auto other = HasSubstr("process 1 has another model of CUDA device than process 0");
    EXPECT_THAT(complaints({{"a", "H100"}, {"b", "A100"}}), ElementsAre(other, other));
}

TEST(NcclAllReduce, GivesAllProcessesTheMeansOfTheRegions) {
    const int before = fake_nccl::sums();
    std::mutex mutex;
    ThreadGroup::run(3, [&](ProcessGroup& group) {
        const std::unique_ptr<AllReduce> all_reduce(headroom_make_nccl_all_reduce(&group));
        alignas(64) struct {
            float narrow[16] = {};
            double wide[2] = {}, own = 7;
        } arena;
        for (int i = 0; i < 16; ++i) arena.narrow[i] = static_cast<float>(group.rank() + i);
        arena.wide[1] = 3.0 * group.rank();
        const std::vector<Region> regions{{4, 15, DType::kF32}, {64, 2, DType::kF64}};
        all_reduce->all_reduce_mean(regions, reinterpret_cast<std::byte*>(&arena), nullptr);
        cudaDeviceSynchronize();
        const std::lock_guard lock(mutex);
        EXPECT_EQ(arena.narrow[0], static_cast<float>(group.rank()));  // before the region
        EXPECT_EQ(arena.narrow[15], 16.0f);
        EXPECT_EQ(arena.wide[1], 3.0);
        EXPECT_EQ(arena.own, 7.0);
    });
    EXPECT_EQ(fake_nccl::sums() - before, 2 * 3);
}

TEST(NcclAllReduce, SaysInOneLineWhatNcclCouldNot) {
    ThreadGroup::run(1, [&](ProcessGroup& group) {
        const std::unique_ptr<AllReduce> all_reduce(headroom_make_nccl_all_reduce(&group));
        fake_nccl::break_network(true);
        EXPECT_THROW(headroom_make_nccl_all_reduce(&group), EnvironmentError);
        try {
            all_reduce->all_reduce_mean({}, nullptr, nullptr);
            ADD_FAILURE() << "nothing was said";
        } catch (const EnvironmentError& error) {
            EXPECT_THAT(error.what(), HasSubstr("NCCL could not reach the other processes"));
        }
        fake_nccl::break_network(false);
    });
}

TEST(OpenAllReduce, ABuildWithoutNcclSaysSo) {
    const TemporaryFolder folder;
    try {
        open_all_reduce(folder.path(), solo_group());
        ADD_FAILURE() << "it was opened";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("this build has no NCCL"));
    }
}

TEST(OpenAllReduce, AModuleThatCannotBeLoadedIsNamed) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "headroom-nccl.so") << "no library";
    EXPECT_THROW(open_all_reduce(folder.path(), solo_group()), EnvironmentError);
}

}  // namespace
}  // namespace headroom::cuda
