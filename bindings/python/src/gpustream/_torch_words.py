# SPDX-License-Identifier: Apache-2.0
"""Words of torch.cuda that look like names of a backend and are none."""

# What torch calls every GPU, of whatever make. Here it means the default backend, so that code written for GPUs also
# runs without one.
ANY_GPU = "cuda"
NOT_A_GPU = "Expected a cuda device, but got: "
