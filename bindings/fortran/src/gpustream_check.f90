! SPDX-License-Identifier: Apache-2.0
! The ordering checker, and threads that may not wait: docs/guide/debugging.md. Each procedure is the C function that it
! calls: its errors and its thread rule are in gpustream.h. The argument stat gets the status; without it a failure ends the
! program.
module gpustream_check
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gpustream_raw
  use gpustream_errors
  use gpustream_streams
  implicit none
  private
  public :: start_check, stop_check, check_read, check_write, set_check_callback, check_clock, forbid_sync

  !> What threads that share a lock tell each other about completed work. It is guarded by that lock.
  type :: check_clock
    integer(c_int64_t), private :: number = 0
  contains
    procedure, non_overridable :: handover => clock_handover
  end type

  !> From enter() to leave() or the end of the variable, calls of this thread that would wait for device work give
  !! GS_ERROR_SYNC_FORBIDDEN and wait for nothing. They nest. It cannot be assigned.
  type :: forbid_sync
    logical, private :: is_open = .false.
    integer(c_int32_t), private :: before = 0
  contains
    procedure, non_overridable :: enter => forbid_enter
    procedure, non_overridable :: leave => forbid_leave
    procedure, private :: refuse
    generic :: assignment(=) => refuse
    final :: forbid_end, forbid_end_all
  end type

contains

  !> Turns the checker on, for the whole process; flags are GS_CHECK_*.
  subroutine start_check(flags, stat)
    integer, intent(in), optional :: flags
    integer, intent(out), optional :: stat
    call report(gs_check_start(int(given(flags, 0), c_int32_t)), stat)
  end subroutine

  !> Turns it off; it forgets what it knows.
  subroutine stop_check(stat)
    integer, intent(out), optional :: stat
    call report(gs_check_stop(), stat)
  end subroutine

  !> The work submitted to the stream here reads these bytes. Call it beside the launch.
  subroutine check_read(on, address, bytes, label, stat)
    class(stream_ref), intent(in) :: on
    type(c_ptr), intent(in) :: address
    integer(c_size_t), intent(in) :: bytes
    character(*), intent(in), optional :: label
    integer, intent(out), optional :: stat
    character(:, kind=c_char), allocatable, target :: text
    call report(gs_check_read(on%handle, address, bytes, c_text(label, text)), stat)
  end subroutine

  !> It writes them, and possibly reads them.
  subroutine check_write(on, address, bytes, label, stat)
    class(stream_ref), intent(in) :: on
    type(c_ptr), intent(in) :: address
    integer(c_size_t), intent(in) :: bytes
    character(*), intent(in), optional :: label
    integer, intent(out), optional :: stat
    character(:, kind=c_char), allocatable, target :: text
    call report(gs_check_write(on%handle, address, bytes, c_text(label, text)), stat)
  end subroutine

  !> Each report goes to a procedure with bind(C) that takes three type(c_ptr) by value: the argument, the text and the same
  !! as JSON, both with a terminating zero. It runs on the thread whose access completed the race, inside its call, and may
  !! make only calls that are allowed in a host function. c_null_funptr: reports go to stderr, as at first.
  subroutine set_check_callback(function, argument, stat)
    type(c_funptr), intent(in) :: function
    type(c_ptr), intent(in) :: argument
    integer, intent(out), optional :: stat
    call report(gs_set_check_callback(function, argument), stat)
  end subroutine

  !> The caller knows what earlier callers knew, and leaves what it knows.
  subroutine clock_handover(self, stat)
    class(check_clock), intent(inout) :: self
    integer, intent(out), optional :: stat
    call report(gs_check_handover(self%number), stat)
  end subroutine

  subroutine forbid_enter(self, stat)
    class(forbid_sync), intent(inout) :: self
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    if (self%is_open) then
      status = refused(GS_ERROR_SCOPE)
    else
      status = gs_forbid_sync(1_c_int32_t, self%before)
      self%is_open = status == GS_OK
    end if
    call report(status, stat)
  end subroutine

  !> GS_ERROR_SCOPE if it is not open.
  subroutine forbid_leave(self, stat)
    class(forbid_sync), intent(inout) :: self
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status, ended
    if (self%is_open) status = gs_forbid_sync(self%before, ended)
    if (.not. self%is_open) status = refused(GS_ERROR_SCOPE)
    self%is_open = .false.
    call report(status, stat)
  end subroutine

  ! A copy would end what is open a second time.
  impure elemental subroutine refuse(self, other)
    class(forbid_sync), intent(inout) :: self
    class(forbid_sync), intent(in) :: other
    write (error_unit, "(a, l1, a, l1, a)") "gpustream: a scope (open: ", other%is_open, ") is assigned to one (open: ", &
      self%is_open, "); a forbid_sync cannot be copied"
    error stop 1
  end subroutine

  subroutine forbid_end(self)
    type(forbid_sync), intent(inout) :: self
    integer(c_int32_t) :: ignored, ended
    if (self%is_open) ignored = gs_forbid_sync(self%before, ended)
    self%is_open = .false.
  end subroutine

  ! The last one was opened last.
  subroutine forbid_end_all(all)
    type(forbid_sync), intent(inout) :: all(:)
    integer :: i
    do i = size(all), 1, -1
      call forbid_end(all(i))
    end do
  end subroutine
end module
