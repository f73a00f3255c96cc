! SPDX-License-Identifier: Apache-2.0
!> What a program uses: streams, events and scopes, the numbers of gpustream.h, and every C function under its own name.
module gpustream
  use gpustream_errors, only: gpustream_error, last_error, status_name
  use gpustream_events
  use gpustream_scopes
  use gpustream_streams
  use gpustream_raw
  implicit none
  public
end module
