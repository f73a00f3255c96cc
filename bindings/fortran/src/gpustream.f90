! SPDX-License-Identifier: Apache-2.0
!> What a program uses: devices, streams, events, scopes, memory, pools, kernels, timelines, tokens, queues and graphs; the
!! numbers of gpustream.h, and every C function under its own name.
module gpustream
  use gpustream_errors, only: gpustream_error, last_error, status_name, error_text
  use gpustream_check
  use gpustream_devices
  use gpustream_events
  use gpustream_executables
  use gpustream_graphs
  use gpustream_host_memory, only: host_buffer
  use gpustream_kernels, only: kernel_module, kernel, launch_attributes
  use gpustream_library
  use gpustream_memory
  use gpustream_partitions
  use gpustream_pools
  use gpustream_queues
  use gpustream_random
  use gpustream_ranges
  use gpustream_scopes
  use gpustream_stream_pools
  use gpustream_streams
  use gpustream_timelines
  use gpustream_tokens
  use gpustream_raw
  implicit none
  public
end module
