! SPDX-License-Identifier: Apache-2.0
! References of the library in variables: how they are taken, copied, closed and ended. In a host function, which may not end
! anything, a thread of its own ends what final procedures end.
module gpustream_ends
  use, intrinsic :: iso_c_binding
  use gpustream_errors, only: report, was_refused
  use gpustream_raw
  implicit none
  private
  public :: close_handle, copy_handle, end_handle, run_elsewhere, take_handle

  abstract interface
    function one_reference(handle) result(answer) bind(C)
      import
      type(c_ptr), value :: handle
      integer(c_int32_t) :: answer
    end function
  end interface

  type :: postponed
    procedure(one_reference), pointer, nopass :: destroy
    type(c_ptr) :: handle
  end type

  interface
    function pthread_create(thread, attributes, start, argument) result(failed) bind(C)
      import
      integer(c_long), intent(out) :: thread
      type(c_ptr), value :: attributes
      type(c_funptr), value :: start
      type(c_ptr), value :: argument
      integer(c_int) :: failed
    end function
    function pthread_detach(thread) result(failed) bind(C)
      import
      integer(c_long), value :: thread
      integer(c_int) :: failed
    end function
  end interface

contains

  !> What each creation ends with: if all is well the variable refers to what was made, in place of what it had.
  subroutine take_handle(destroy, handle, made, status, stat)
    procedure(one_reference) :: destroy
    type(c_ptr), intent(inout) :: handle
    type(c_ptr), intent(in) :: made
    integer(c_int32_t), intent(in) :: status
    integer, intent(out), optional :: stat
    if (status == GS_OK) then
      call end_handle(destroy, handle)
      handle = made
    end if
    call report(status, stat)
  end subroutine

  !> The variable gets a reference of its own to what another one has.
  subroutine copy_handle(retain, destroy, handle, other)
    procedure(one_reference) :: retain, destroy
    type(c_ptr), intent(inout) :: handle
    type(c_ptr), value :: other
    if (c_associated(other)) call report(retain(other))
    call end_handle(destroy, handle)
    handle = other
  end subroutine

  !> Ends the reference and says how that went.
  subroutine close_handle(destroy, handle, stat)
    procedure(one_reference) :: destroy
    type(c_ptr), intent(inout) :: handle
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    status = destroy(handle)
    if (.not. was_refused(status)) handle = c_null_ptr
    call report(status, stat)
  end subroutine

  !> Ends a reference, or memory, if there is one. The library logs a failure. Without a thread it is left.
  subroutine end_handle(destroy, handle)
    procedure(one_reference) :: destroy
    type(c_ptr), intent(inout) :: handle
    type(postponed), pointer :: late
    type(c_ptr) :: ended
    ended = handle
    handle = c_null_ptr
    if (.not. c_associated(ended)) return
    if (destroy(ended) /= GS_ERROR_NOT_PERMITTED) return
    allocate (late)
    late%destroy => destroy
    late%handle = ended
    if (.not. run_elsewhere(c_funloc(end_postponed), c_loc(late))) deallocate (late)
  end subroutine

  function end_postponed(argument) result(nothing) bind(C, name="gpustream_fortran_end_handle")
    type(c_ptr), value :: argument
    type(c_ptr) :: nothing
    type(postponed), pointer :: late
    integer(c_int32_t) :: ignored
    call c_f_pointer(argument, late)
    ignored = late%destroy(late%handle)
    deallocate (late)
    nothing = c_null_ptr
  end function

  !> Calls a function of C, void *(*)(void *), on a thread of its own. False: there is none.
  logical function run_elsewhere(function, argument)
    type(c_funptr), intent(in) :: function
    type(c_ptr), intent(in) :: argument
    integer(c_long) :: thread
    run_elsewhere = pthread_create(thread, c_null_ptr, function, argument) == 0
    if (run_elsewhere) run_elsewhere = pthread_detach(thread) == 0
  end function
end module
