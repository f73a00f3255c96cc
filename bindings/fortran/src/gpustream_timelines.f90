! SPDX-License-Identifier: Apache-2.0
! Timelines. Each procedure is the C function that it calls: its errors, whether it blocks and its thread rule
! are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_timelines
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_ends, only: close_handle, copy_handle, end_handle, take_handle
  use gpustream_errors
  use gpustream_library, only: library_status
  implicit none
  private
  public :: timeline

  !> A number that only grows: streams and threads signal it and wait for it, in any order. Streams do so by
  !! stream%signal(line, number) and stream%wait(line, number). A copy is another reference; each ends with its variable.
  type :: timeline
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, non_overridable :: create => timeline_create
    procedure, non_overridable :: close => timeline_close
    procedure, non_overridable :: signal => timeline_signal
    procedure, non_overridable :: value => timeline_value
    procedure, non_overridable :: synchronize => timeline_synchronize
    procedure, non_overridable :: abort => timeline_abort
    procedure, private :: timeline_copy
    generic :: assignment(=) => timeline_copy
    final :: timeline_end
  end type

contains

  !> With GS_TIMELINE_SIGNAL_FIRST in flags a stream waits only after the signal was submitted, and a signal is one driver call less.
  subroutine timeline_create(self, initial, device, flags, stat)
    class(timeline), intent(inout) :: self
    integer(c_int64_t), intent(in), optional :: initial
    integer, intent(in), optional :: device, flags
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int64_t) :: first
    integer(c_int32_t) :: status
    first = 0
    if (present(initial)) first = initial
    status = library_status()
    if (status == GS_OK) status = gs_timeline_create(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), &
                                                        first, int(given(flags, 0), c_int32_t), made)
    call take_handle(gs_timeline_destroy, self%handle, made, status, stat)
  end subroutine

  subroutine timeline_close(self, stat)
    class(timeline), intent(inout) :: self
    integer, intent(out), optional :: stat
    call close_handle(gs_timeline_destroy, self%handle, stat)
  end subroutine

  impure elemental subroutine timeline_copy(self, other)
    class(timeline), intent(inout) :: self
    class(timeline), intent(in) :: other
    call copy_handle(gs_timeline_retain, gs_timeline_destroy, self%handle, other%handle)
  end subroutine

  impure elemental subroutine timeline_end(self)
    type(timeline), intent(inout) :: self
    call end_handle(gs_timeline_destroy, self%handle)
  end subroutine

  !> Raises the number from this thread.
  subroutine timeline_signal(self, number, stat)
    class(timeline), intent(in) :: self
    integer(c_int64_t), intent(in) :: number
    integer, intent(out), optional :: stat
    call report(gs_timeline_signal(self%handle, number), stat)
  end subroutine

  function timeline_value(self, stat) result(number)
    class(timeline), intent(in) :: self
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: number
    call report(gs_timeline_value(self%handle, number), stat)
  end function

  !> Blocks until the number is reached, for at most so many seconds: stat is GS_ERROR_TIMEOUT if they passed.
  subroutine timeline_synchronize(self, number, seconds, stat)
    class(timeline), intent(in) :: self
    integer(c_int64_t), intent(in) :: number
    real(c_double), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: limit
    limit = -1
    if (present(seconds)) limit = nanoseconds(seconds)
    call report(gs_timeline_synchronize(self%handle, number, limit), stat)
  end subroutine

  !> Ends all waits with this status, GS_ERROR_ABORTED for example; no signal follows.
  subroutine timeline_abort(self, status, stat)
    class(timeline), intent(in) :: self
    integer, intent(in) :: status
    integer, intent(out), optional :: stat
    call report(gs_timeline_abort(self%handle, int(status, c_int32_t)), stat)
  end subroutine
end module
