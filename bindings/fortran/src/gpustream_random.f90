! SPDX-License-Identifier: Apache-2.0
! The random state of a device: a key and a position, from which kernels draw Philox 4x32-10. The argument stat gets the
! status; without it a failure ends the program.
module gpustream_random
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_errors
  use gpustream_library, only: library_status
  use gpustream_streams, only: stream_ref
  implicit none
  private
  public :: seed_random, get_random_state, set_random_state, reserve_random

contains

  !> Sets the seed of a device, and the offset to 0.
  subroutine seed_random(seed, device, stat)
    integer(c_int64_t), intent(in) :: seed
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    call set_random_state(seed, 0_c_int64_t, device, stat)
  end subroutine

  !> Seed and offset of a device. The offset counts numbers of 32 bits and is a multiple of 4.
  subroutine get_random_state(seed, offset, device, stat)
    integer(c_int64_t), intent(out) :: seed, offset
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    seed = 0
    offset = 0
    status = library_status()
    if (status == GS_OK) status = gs_rng_get_state(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), seed, offset)
    call report(status, stat)
  end subroutine

  subroutine set_random_state(seed, offset, device, stat)
    integer(c_int64_t), intent(in) :: seed, offset
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_rng_set_state(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), seed, offset)
    call report(status, stat)
  end subroutine

  !> Reserves numbers for each thread of a kernel that is launched next in the stream. In a capture the result has addresses,
  !! from which the kernel reads where they begin.
  function reserve_random(on, count, stat) result(philox)
    class(stream_ref), intent(in) :: on
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: stat
    type(gs_philox_t) :: philox
    integer :: i
    philox = transfer([(0_c_int8_t, i=1, storage_size(philox)/8)], philox)
    philox%struct_size = int(c_sizeof(philox), c_int32_t)
    call report(gs_rng_reserve(on%handle, count, philox), stat)
  end function
end module
