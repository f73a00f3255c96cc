! SPDX-License-Identifier: Apache-2.0
! Pools: memory of a device with a limit and statistics. Each procedure is the C function that it calls: its errors, whether it
! blocks and its thread rule are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_pools
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_ends, only: close_handle, copy_handle, end_handle, take_handle
  use gpustream_errors
  use gpustream_library, only: library_status
  implicit none
  private
  public :: memory_pool

  !> One reference to a pool. A copy is another reference; each ends with its variable. What was allocated from the pool
  !! outlives it. Buffers take their memory from one by buffer%create(bytes, on, from).
  type :: memory_pool
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, non_overridable :: create => pool_create
    procedure, non_overridable :: of_device => pool_of_device
    procedure, non_overridable :: current => pool_current
    procedure, non_overridable :: close => pool_close
    procedure, non_overridable :: make_current => pool_make_current
    procedure, non_overridable :: stats => pool_stats
    procedure, non_overridable :: reset_peak => pool_reset_peak
    procedure, non_overridable :: trim => pool_trim
    procedure, non_overridable :: set_limit => pool_set_limit
    procedure, private :: pool_copy
    generic :: assignment(=) => pool_copy
    final :: pool_end
  end type

contains

  !> limit is what the pool takes from the driver at most, keep what the driver keeps of freed memory when something is
  !! synchronized, in bytes; without them neither is limited. flags are GS_POOL_*.
  subroutine pool_create(self, limit, keep, device, flags, stat)
    class(memory_pool), intent(inout) :: self
    integer(c_int64_t), intent(in), optional :: limit, keep
    integer, intent(in), optional :: device, flags
    integer, intent(out), optional :: stat
    type(gs_pool_options_t) :: options
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    integer :: i
    options = transfer([(0_c_int8_t, i=1, storage_size(options)/8)], options) ! a later release has more components
    options%struct_size = int(c_sizeof(options), c_int32_t)
    options%flags = int(given(flags, 0), c_int32_t)
    if (present(limit)) options%limit_bytes = limit
    if (present(keep)) options%keep_bytes = keep
    status = library_status()
    if (status == GS_OK) status = gs_pool_create(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), options, made)
    call take_handle(gs_pool_destroy, self%handle, made, status, stat)
  end subroutine

  !> Makes it a reference to the pool that allocations on a device use unless they or their thread have another.
  subroutine pool_of_device(self, device, stat)
    class(memory_pool), intent(inout) :: self
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    type(c_ptr) :: found
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_pool_default(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), found)
    call take_handle(gs_pool_destroy, self%handle, found, status, stat)
  end subroutine

  !> Makes it a reference to the pool that this thread's allocations on a device use.
  subroutine pool_current(self, device, stat)
    class(memory_pool), intent(inout) :: self
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    type(c_ptr) :: found
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_current_pool(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), found)
    if (status == GS_OK) status = gs_pool_retain(found)
    call take_handle(gs_pool_destroy, self%handle, found, status, stat)
  end subroutine

  subroutine pool_close(self, stat)
    class(memory_pool), intent(inout) :: self
    integer, intent(out), optional :: stat
    call close_handle(gs_pool_destroy, self%handle, stat)
  end subroutine

  impure elemental subroutine pool_copy(self, other)
    class(memory_pool), intent(inout) :: self
    class(memory_pool), intent(in) :: other
    call copy_handle(gs_pool_retain, gs_pool_destroy, self%handle, other%handle)
  end subroutine

  impure elemental subroutine pool_end(self)
    type(memory_pool), intent(inout) :: self
    call end_handle(gs_pool_destroy, self%handle)
  end subroutine

  !> This thread's allocations on the pool's device use it from now on.
  subroutine pool_make_current(self, stat)
    class(memory_pool), intent(in) :: self
    integer, intent(out), optional :: stat
    call report(gs_set_current_pool(self%handle), stat)
  end subroutine

  !> What it has and has had.
  function pool_stats(self, stat) result(found)
    class(memory_pool), intent(in) :: self
    integer, intent(out), optional :: stat
    type(gs_pool_stats_t) :: found
    integer :: i
    found = transfer([(0_c_int8_t, i=1, storage_size(found)/8)], found)
    found%struct_size = int(c_sizeof(found), c_int32_t)
    call report(gs_pool_get_stats(self%handle, found), stat)
  end function

  !> The peaks of the statistics begin again at what it has now.
  subroutine pool_reset_peak(self, stat)
    class(memory_pool), intent(in) :: self
    integer, intent(out), optional :: stat
    call report(gs_pool_reset_peak(self%handle), stat)
  end subroutine

  !> What is freed goes back to the driver, but for so many bytes.
  subroutine pool_trim(self, keep, stat)
    class(memory_pool), intent(in) :: self
    integer(c_int64_t), intent(in), optional :: keep
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: rest
    rest = 0
    if (present(keep)) rest = keep
    call report(gs_pool_trim(self%handle, rest), stat)
  end subroutine

  !> An allocation that would exceed so many bytes is GS_ERROR_OUT_OF_MEMORY; 0 is no limit.
  subroutine pool_set_limit(self, bytes, stat)
    class(memory_pool), intent(in) :: self
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: stat
    call report(gs_pool_set_limit(self%handle, bytes), stat)
  end subroutine
end module
