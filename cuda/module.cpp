// headroom-cuda.so: what the program asks for when a CUDA device is wanted.

#include "cuda/cuda_device.h"

extern "C" headroom::Device* headroom_open_cuda_device() {
    return headroom::cuda::make_cuda_device(headroom::cuda::make_cublaslt_products).release();
}
