#include "cuda/attention/float_forward.h"
#include "cuda/attention/float_key_gradients.h"
#include "cuda/attention/float_query_gradients.h"

namespace headroom::cuda {

template void float_forward<128>(cudaStream_t, const FlashForward&);
template void float_key_gradients<128>(cudaStream_t, const FlashBackward&, const KeyItem*, int);
template void float_query_gradients<128>(cudaStream_t, const FlashBackward&, const HeadGradient*);

}  // namespace headroom::cuda
