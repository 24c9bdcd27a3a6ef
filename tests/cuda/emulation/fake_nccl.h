#pragma once

namespace headroom::fake_nccl {

/// Sums that all communicators made since the program began.
int sums();
/// From now on NCCL finds no network (true), or does again.
void break_network(bool broken);

}  // namespace headroom::fake_nccl
