! SPDX-License-Identifier: Apache-2.0
! Partitions: parts of a device's multiprocessors that have none in common, and streams that run in one. Each procedure is the C
! function that it calls: its errors, whether it blocks and its thread rule are in gpustream.h. The argument stat gets the
! status; without it a failure ends the program.
module gpustream_partitions
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gpustream_raw
  use gpustream_ends, only: close_handle, end_handle, take_handle
  use gpustream_errors
  use gpustream_library, only: library_status
  use gpustream_streams, only: stream
  implicit none
  private
  public :: partition, create_partitions

  !> A part of a device's multiprocessors. Work in its streams runs there and nowhere else; on the host backend they have so many
  !! worker threads. It ends with its variable, and its streams work on. A partition cannot be assigned.
  type :: partition
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, non_overridable :: create => partition_create
    procedure, non_overridable :: close => partition_close
    procedure, non_overridable :: info => partition_info
    procedure, non_overridable :: create_stream => partition_create_stream
    procedure, private :: refuse
    generic :: assignment(=) => refuse
    final :: partition_end
  end type

contains

  ! Elemental, so that arrays are refused as well.
  impure elemental subroutine refuse(self, other)
    class(partition), intent(inout) :: self
    class(partition), intent(in) :: other
    write (error_unit, "(a, z0, a, z0, a)") "gpustream: the partition ", transfer(other%handle, 0_c_intptr_t), &
      " is assigned to ", transfer(self%handle, 0_c_intptr_t), "; partitions cannot be copied"
    error stop 1
  end subroutine

  !> At least so many multiprocessors. flags are GS_PARTITION_*.
  subroutine partition_create(self, count, device, flags, stat)
    class(partition), intent(inout) :: self
    integer, intent(in) :: count
    integer, intent(in), optional :: device, flags
    integer, intent(out), optional :: stat
    type(c_ptr) :: made(1)
    integer(c_int32_t) :: status
    status = make([count], device, flags, made)
    call take_handle(gs_partition_destroy, self%handle, made(1), status, stat)
  end subroutine

  !> Creates partitions that share no multiprocessor, one for each number in this order. After a failure there are none.
  !! The call needs as many variables as numbers, else stat is GS_ERROR_INVALID_ARGUMENT.
  subroutine create_partitions(counts, made, device, flags, stat)
    integer, intent(in) :: counts(:)
    type(partition), intent(inout) :: made(:)
    integer, intent(in), optional :: device, flags
    integer, intent(out), optional :: stat
    type(c_ptr) :: handles(size(counts))
    integer(c_int32_t) :: status
    if (size(made) == size(counts)) status = make(counts, device, flags, handles)
    if (size(made) /= size(counts)) status = refused(GS_ERROR_INVALID_ARGUMENT)
    if (status == GS_OK) then
      call partition_end(made)
      made%handle = handles
    end if
    call report(status, stat)
  end subroutine

  function make(counts, device, flags, handles) result(status)
    integer, intent(in) :: counts(:)
    integer, intent(in), optional :: device, flags
    type(c_ptr), intent(out), target :: handles(size(counts))
    integer(c_int32_t) :: status
    integer(c_int32_t), target :: wanted(size(counts))
    type(c_ptr) :: first, first_made
    first = c_null_ptr
    first_made = c_null_ptr
    if (size(counts) > 0) then
      wanted = int(counts, c_int32_t)
      first = c_loc(wanted)
      first_made = c_loc(handles)
    end if
    status = library_status()
    if (status == GS_OK) status = gs_partition_create(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), first, &
                                                         size(counts, kind=c_size_t), int(given(flags, 0), c_int32_t), first_made)
  end function

  subroutine partition_close(self, stat)
    class(partition), intent(inout) :: self
    integer, intent(out), optional :: stat
    call close_handle(gs_partition_destroy, self%handle, stat)
  end subroutine

  impure elemental subroutine partition_end(self)
    type(partition), intent(inout) :: self
    call end_handle(gs_partition_destroy, self%handle)
  end subroutine

  !> What it really has, and how many streams it has now.
  function partition_info(self, stat) result(info)
    class(partition), intent(in) :: self
    integer, intent(out), optional :: stat
    type(gs_partition_summary_t) :: info
    integer :: i
    info = transfer([(0_c_int8_t, i=1, storage_size(info)/8)], info) ! a later release has more components
    info%struct_size = int(c_sizeof(info), c_int32_t)
    call report(gs_partition_info(self%handle, info), stat)
  end function

  !> A stream whose work runs on the partition's multiprocessors only. flags are 0 or GS_STREAM_DEDICATED.
  subroutine partition_create_stream(self, made, priority, flags, stat)
    class(partition), intent(in) :: self
    type(stream), intent(inout) :: made
    integer, intent(in), optional :: priority, flags
    integer, intent(out), optional :: stat
    type(c_ptr) :: handle
    integer(c_int32_t) :: status
    status = gs_stream_create_in(self%handle, int(given(priority, 0), c_int32_t), int(given(flags, 0), c_int32_t), handle)
    call take_handle(gs_stream_destroy, made%handle, handle, status, stat)
  end subroutine
end module
