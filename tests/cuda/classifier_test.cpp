// The classifier in chunks.
#include <gtest/gtest.h>

#include "core/data/batch.h"
#include "core/op_cases/op_case_list.h"
#include "cuda/ops/classifier_chunks.h"
#include "tests/cuda/guarded_call.h"

namespace headroom {
namespace {

using cuda::ClassifierChunks;

TEST(ClassifierChunks, TakeSmallVocabulariesAtOnce) {
    const ClassifierChunks chunks({DType::kBF16, {64, 1024, 384}}, {DType::kBF16, {256, 384}}, true,
                                  true);
    EXPECT_EQ(chunks.chunk_rows, 65536);
    EXPECT_EQ(chunks.losses_at, 65536 * 256 * 2);
}

TEST(ClassifierChunks, CutLargeOnesIntoEqualParts) {
    const TensorType x{DType::kBF16, {16, 1024, 768}}, w{DType::kBF16, {50304, 768}};
    const ClassifierChunks gradient(x, w, true, true), loss(x, w, true, false);
    EXPECT_EQ(gradient.chunk_rows, 8192);  // 824 MB of bfloat16
    EXPECT_EQ(loss.chunk_rows, 4096);      // as many bytes of float
    EXPECT_EQ(gradient.workspace_bytes(), 8192 * 50304 * 2 + 16384 * 8 + 8);
}

TEST(ClassifierChunks, HaveRowsOfWholePacks) {
    const TensorType x{DType::kF32, {1, 10, 8}};
    EXPECT_EQ(ClassifierChunks(x, {DType::kF32, {50257, 8}}, true, true).stride, 50260);
    EXPECT_EQ(ClassifierChunks(x, {DType::kF32, {8, 65}}, false, true).stride, 68);
    EXPECT_EQ(ClassifierChunks(x, {DType::kF32, {8, 65}}, false, true).chunk_rows, 10);
}

TEST(ClassifierChunks, GiveTheLossAndGradientsOfOne) {
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kBF16})
        for (const bool tied : {true, false})
            for (const bool gradient : {true, false}) {
                OpCaseList cases{dtype, true, {}};
                CaseInput weight = cases.normal("w", tied ? Shape{65, 6} : Shape{6, 65});
                weight.weight = true;
                CaseInput x = cases.normal("x", {3, 111, 6});
                x.differentiate = weight.differentiate = gradient;
                const LinearCrossEntropyOptions options{tied, 0.5};
                OpCase& loss = cases.add("loss", LinearCrossEntropy(options),
                                         {x, weight, cases.tokens({3, 111}, kIgnoredTarget, 65)});
                loss.is_loss = true;
                loss.loss_scale = 0.5;
                CaseRun run(loss);
                const auto inputs = run.graph().graph.types_of(run.node(0).inputs);
                const ClassifierChunks chunks(inputs[0], inputs[1], tied, gradient, 1);
                EXPECT_EQ(chunks.chunk_rows, 128);
                check_kernel(run, loss, 0, cuda::make_classifier(options, gradient, inputs, 1),
                             false);
                check_kernel(run, loss, 0, cuda::make_classifier(options, gradient, inputs, 1),
                             true);
            }
}

}  // namespace
}  // namespace headroom
