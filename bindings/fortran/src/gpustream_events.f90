! SPDX-License-Identifier: Apache-2.0
! Events. Each procedure is the C function that it calls: its errors, whether it blocks and its thread rule
! are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_events
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_ends, only: close_handle, copy_handle, end_handle, take_handle
  use gpustream_errors
  use gpustream_library, only: library_status
  implicit none
  private
  public :: event_ref, event, timed_event, wrap_event, open_event, elapsed_ms, elapsed_ns

  !> An event that someone else owns. A dead or empty one makes calls fail with GS_ERROR_INVALID_HANDLE.
  type :: event_ref
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, non_overridable :: query => event_query
    procedure, non_overridable :: synchronize => event_synchronize
    procedure, non_overridable :: native => event_native
    procedure, non_overridable :: device => event_device
    procedure, non_overridable :: set_name => event_set_name
    procedure, non_overridable :: ipc_export => event_ipc_export
  end type

  !> One reference to an event. A copy is another reference; each ends with its variable.
  type, extends(event_ref) :: event
  contains
    procedure :: create => event_create
    procedure, non_overridable :: close => event_close
    procedure, private :: event_copy
    generic :: assignment(=) => event_copy
    final :: event_end
  end type

  !> An event with a time stamp: only these have an elapsed time.
  type, extends(event) :: timed_event
  contains
    procedure :: create => timed_event_create
  end type

contains

  subroutine event_create(self, flags, stat)
    class(event), intent(inout) :: self
    integer, intent(in), optional :: flags
    integer, intent(out), optional :: stat
    call make_event(self, given(flags, 0), stat)
  end subroutine

  subroutine timed_event_create(self, flags, stat)
    class(timed_event), intent(inout) :: self
    integer, intent(in), optional :: flags
    integer, intent(out), optional :: stat
    call make_event(self, ior(given(flags, 0), int(GS_EVENT_TIMING)), stat)
  end subroutine

  subroutine make_event(self, flags, stat)
    class(event), intent(inout) :: self
    integer, intent(in) :: flags
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_event_create(int(flags, c_int32_t), made)
    call take_handle(gs_event_destroy, self%handle, made, status, stat)
  end subroutine

  !> Ends the reference and says how that went.
  subroutine event_close(self, stat)
    class(event), intent(inout) :: self
    integer, intent(out), optional :: stat
    call close_handle(gs_event_destroy, self%handle, stat)
  end subroutine

  impure elemental subroutine event_copy(self, other)
    class(event), intent(inout) :: self
    class(event), intent(in) :: other
    call copy_handle(gs_event_retain, gs_event_destroy, self%handle, other%handle)
  end subroutine

  impure elemental subroutine event_end(self)
    type(event), intent(inout) :: self
    call end_handle(gs_event_destroy, self%handle)
  end subroutine

  !> Whether the work before the last record is done.
  function event_query(self, stat) result(done)
    class(event_ref), intent(in) :: self
    integer, intent(out), optional :: stat
    logical :: done
    integer(c_int32_t) :: answer, status
    status = gs_event_query(self%handle, answer)
    if (status /= GS_OK .or. present(stat)) call report(status, stat)
    done = answer /= 0
  end function

  !> Blocks until it is, for at most so many seconds: stat is GS_ERROR_TIMEOUT if they passed.
  subroutine event_synchronize(self, seconds, stat)
    class(event_ref), intent(in) :: self
    real(c_double), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    if (present(seconds)) then
      call report(gs_event_synchronize_for(self%handle, nanoseconds(seconds)), stat)
    else
      call report(gs_event_synchronize(self%handle), stat)
    end if
  end subroutine

  !> The cudaEvent_t as a number.
  function event_native(self, stat) result(number)
    class(event_ref), intent(in) :: self
    integer, intent(out), optional :: stat
    integer(c_intptr_t) :: number
    call report(gs_event_native(self%handle, number), stat)
  end function

  !> GS_DEVICE_NONE before the first record.
  function event_device(self, stat) result(number)
    class(event_ref), intent(in) :: self
    integer, intent(out), optional :: stat
    integer :: number
    integer(c_int32_t) :: answer
    call report(gs_event_device(self%handle, answer), stat)
    number = int(answer)
  end function

  !> Shown in error texts and the checker's reports; "" is none. 63 bytes are kept.
  subroutine event_set_name(self, name, stat)
    class(event_ref), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(:, kind=c_char), allocatable, target :: text
    call report(gs_event_set_name(self%handle, c_text(name, text)), stat)
  end subroutine

  !> Wraps a raw event (a cudaEvent_t as a number) that its owner keeps alive.
  subroutine wrap_event(native, wrapped, device, stat)
    integer(c_intptr_t), intent(in) :: native
    type(event), intent(inout) :: wrapped
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_event_from_native(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), native, made)
    call take_handle(gs_event_destroy, wrapped%handle, made, status, stat)
  end subroutine

  !> The name of an event with GS_EVENT_INTERPROCESS for other processes.
  function event_ipc_export(self, stat) result(name)
    class(event_ref), intent(in) :: self
    integer, intent(out), optional :: stat
    type(gs_ipc_handle_t) :: name
    call report(gs_event_ipc_export(self%handle, name), stat)
  end function

  !> Opens an event of another process.
  subroutine open_event(name, opened, device, stat)
    type(gs_ipc_handle_t), intent(in) :: name
    type(event), intent(inout) :: opened
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_event_ipc_open(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), name, made)
    call take_handle(gs_event_destroy, opened%handle, made, status, stat)
  end subroutine

  !> Milliseconds between two records, both of which must be complete: GS_NOT_READY otherwise.
  function elapsed_ms(start, finish, stat) result(ms)
    class(timed_event), intent(in) :: start, finish
    integer, intent(out), optional :: stat
    real(c_double) :: ms
    call report(gs_event_elapsed_ms(start%handle, finish%handle, ms), stat)
  end function

  !> The same in nanoseconds.
  function elapsed_ns(start, finish, stat) result(ns)
    class(timed_event), intent(in) :: start, finish
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: ns
    real(c_double) :: ms
    call report(gs_event_elapsed_ms(start%handle, finish%handle, ms), stat)
    ns = nint(ms * 1d6, c_int64_t)
  end function
end module
