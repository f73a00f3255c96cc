! SPDX-License-Identifier: Apache-2.0
! Pools of streams. The argument stat gets the status; without it a failure ends the program.
module gpustream_stream_pools
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gpustream_raw
  use gpustream_ends, only: end_handle
  use gpustream_errors
  use gpustream_library, only: library_status
  use gpustream_streams
  implicit none
  private
  public :: stream_pool

  !> A fixed number of streams that a program's parts share on purpose: for work that is spread over a few streams, more often
  !! than there are streams. They end with the variable. A pool cannot be assigned.
  type :: stream_pool
    type(c_ptr), allocatable, private :: handles(:)
    integer, private :: turns = 0
  contains
    procedure, non_overridable :: create => stream_pool_create
    procedure, non_overridable :: close => stream_pool_close
    procedure, non_overridable :: at => stream_pool_at
    procedure, non_overridable :: next => stream_pool_next
    procedure, non_overridable :: length => stream_pool_length
    procedure, private :: refuse
    generic :: assignment(=) => refuse
    final :: stream_pool_end
  end type

contains

  impure elemental subroutine refuse(self, other)
    class(stream_pool), intent(inout) :: self
    class(stream_pool), intent(in) :: other
    write (error_unit, "(a, i0, a, i0, a)") "gpustream: a pool of ", other%length(), " streams is assigned to one of ", &
      self%length(), "; pools cannot be copied"
    error stop 1
  end subroutine

  !> All streams, made as stream%create() does, or none. GS_ERROR_INVALID_ARGUMENT: the length is below 1.
  subroutine stream_pool_create(self, length, device, priority, flags, stat)
    class(stream_pool), intent(inout) :: self
    integer, intent(in) :: length
    integer, intent(in), optional :: device, priority, flags
    integer, intent(out), optional :: stat
    type(c_ptr), allocatable :: made(:)
    integer(c_int32_t) :: status, ignored
    integer :: i, j, failed
    status = library_status()
    if (status == GS_OK .and. length < 1) status = refused(GS_ERROR_INVALID_ARGUMENT)
    if (status == GS_OK) then
      allocate (made(length), stat=failed)
      if (failed /= 0) status = refused(GS_ERROR_OUT_OF_MEMORY)
    end if
    do i = 1, length
      if (status /= GS_OK) exit
      status = gs_stream_create(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), int(given(priority, 0), c_int32_t), &
                                int(given(flags, 0), c_int32_t), made(i))
      if (status == GS_OK) cycle
      do j = 1, i - 1
        ignored = gs_stream_destroy(made(j)) ! leaves no record if all is well, so that of the failure stays
      end do
    end do
    if (status == GS_OK) then
      call stream_pool_end(self)
      call move_alloc(made, self%handles)
    end if
    call report(status, stat)
  end subroutine

  !> Ends the streams, whose work goes on; an empty pool has none. stat is the first failure.
  subroutine stream_pool_close(self, stat)
    class(stream_pool), intent(inout) :: self
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status, one
    integer :: i
    status = GS_OK
    do i = 1, self%length()
      one = gs_stream_destroy(self%handles(i))
      if (status == GS_OK) status = one
    end do
    if (allocated(self%handles)) deallocate (self%handles)
    self%turns = 0
    call report(status, stat)
  end subroutine

  impure elemental subroutine stream_pool_end(self)
    type(stream_pool), intent(inout) :: self
    integer :: i
    do i = 1, self%length()
      call end_handle(gs_stream_destroy, self%handles(i))
    end do
    if (allocated(self%handles)) deallocate (self%handles)
    self%turns = 0
  end subroutine

  !> The stream with an index from 1 on; above the length they begin again, so threads may take that of their number plus 1. Of
  !! an empty pool it is an empty one, which makes calls fail with GS_ERROR_INVALID_HANDLE.
  pure function stream_pool_at(self, index) result(found)
    class(stream_pool), intent(in) :: self
    integer, intent(in) :: index
    type(stream_ref) :: found
    if (self%length() > 0) found%handle = self%handles(modulo(index - 1, self%length()) + 1)
  end function

  !> The next stream in turn. Threads that share a pool call it one at a time, or use at().
  function stream_pool_next(self) result(found)
    class(stream_pool), intent(inout) :: self
    type(stream_ref) :: found
    if (self%length() > 0) self%turns = modulo(self%turns, self%length()) + 1
    found = self%at(self%turns)
  end function

  !> How many streams there are; 0 before create().
  pure integer function stream_pool_length(self) result(length)
    class(stream_pool), intent(in) :: self
    length = 0
    if (allocated(self%handles)) length = size(self%handles)
  end function
end module
