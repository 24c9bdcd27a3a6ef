#include "cuda/attention/forward.h"
#include "cuda/attention/key_gradients.h"
#include "cuda/attention/query_gradients.h"
#include "cuda/decode/prompt_block.h"

namespace headroom::cuda {

template void flash_forward<5>(cudaStream_t, const FlashForward&);
template void prompt_attention<5>(cudaStream_t, const Decoding<bf16>&, int64_t);
template void flash_key_gradients<6>(cudaStream_t, const FlashBackward&, const KeyItem*, int);
template void flash_query_gradients<6>(cudaStream_t, const FlashBackward&, const HeadGradient*);

}  // namespace headroom::cuda
