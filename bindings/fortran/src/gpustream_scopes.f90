! SPDX-License-Identifier: Apache-2.0
! The current stream and scopes of it. Each procedure is the C function that it calls: its errors, whether it blocks and its
! thread rule are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_scopes
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gpustream_raw
  use gpustream_errors
  use gpustream_library, only: library_status
  use gpustream_streams
  implicit none
  private
  public :: stream_scope, device_scope, current_stream, default_stream

  ! What a thread has current, from enter() to leave() or the end of the variable.
  type :: thread_scope
    integer(c_int64_t), private :: number = 0
  contains
    procedure, non_overridable :: leave => scope_leave
    procedure, private :: refuse
    generic :: assignment(=) => refuse
    final :: scope_end, scope_end_all
  end type

  !> Makes a stream and its device current on this thread, from enter() to leave() or the end of the variable. It cannot be
  !! assigned.
  type, extends(thread_scope) :: stream_scope
  contains
    procedure, non_overridable :: enter => stream_enter
  end type

  !> The same for a device, with the stream that it has current. At its end the current streams of both devices are as
  !! before, too.
  type, extends(thread_scope) :: device_scope
  contains
    procedure, non_overridable :: enter => device_enter
  end type

contains

  !> Borrowed until this thread next changes the device's current stream.
  function current_stream(device, stat) result(found)
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    type(stream_ref) :: found
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_current_stream(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), found%handle)
    call report(status, stat)
  end function

  function default_stream(device, stat) result(found)
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    type(stream_ref) :: found
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_default_stream(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), found%handle)
    call report(status, stat)
  end function

  subroutine stream_enter(self, on, stat)
    class(stream_scope), intent(inout) :: self
    class(stream_ref), intent(in) :: on
    integer, intent(out), optional :: stat
    call push(self, on%handle, stat)
  end subroutine

  subroutine device_enter(self, device, stat)
    class(device_scope), intent(inout) :: self
    integer, intent(in) :: device
    integer, intent(out), optional :: stat
    type(c_ptr) :: current
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_current_stream(int(device, c_int32_t), current)
    if (status /= GS_OK) then
      call report(status, stat)
    else
      call push(self, current, stat)
    end if
  end subroutine

  subroutine push(self, handle, stat)
    class(thread_scope), intent(inout) :: self
    type(c_ptr), intent(in) :: handle
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: number
    integer(c_int32_t) :: status
    if (self%number /= 0) then
      status = refused(GS_ERROR_SCOPE)
    else
      status = gs_push_current_stream(handle, number)
      if (status == GS_OK) self%number = number
    end if
    if (status /= GS_OK .or. present(stat)) call report(status, stat)
  end subroutine

  !> GS_ERROR_SCOPE if it is not this thread's innermost: it is still open then.
  subroutine scope_leave(self, stat)
    class(thread_scope), intent(inout) :: self
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    if (self%number /= 0) status = gs_pop_current_stream(self%number)
    if (self%number == 0) status = refused(GS_ERROR_SCOPE)
    if (status /= GS_ERROR_SCOPE) self%number = 0
    if (status /= GS_OK .or. present(stat)) call report(status, stat)
  end subroutine

  ! A copy would end what is open a second time.
  impure elemental subroutine refuse(self, other)
    class(thread_scope), intent(inout) :: self
    class(thread_scope), intent(in) :: other
    write (error_unit, "(a, i0, a, i0, a)") "gpustream: scope ", other%number, " is assigned to scope ", self%number, &
      "; a scope cannot be copied"
    error stop 1
  end subroutine

  subroutine scope_end(self)
    type(thread_scope), intent(inout) :: self
    integer(c_int32_t) :: ignored
    if (self%number /= 0) ignored = gs_unwind_current_stream(self%number)
    self%number = 0
  end subroutine

  ! The last one was opened last.
  subroutine scope_end_all(all)
    type(thread_scope), intent(inout) :: all(:)
    integer :: i
    do i = size(all), 1, -1
      call scope_end(all(i))
    end do
  end subroutine
end module
