! SPDX-License-Identifier: Apache-2.0
! What final procedures do in a host function, which may not end anything: a thread of its own does.
module gpustream_ends
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  implicit none
  private
  public :: end_handle, run_elsewhere

  abstract interface
    function release(handle) result(answer) bind(C)
      import
      type(c_ptr), value :: handle
      integer(c_int32_t) :: answer
    end function
  end interface

  type :: postponed
    procedure(release), pointer, nopass :: destroy
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

  !> Ends a reference, or memory. The library logs a failure. Without a thread it is left.
  subroutine end_handle(destroy, handle)
    procedure(release) :: destroy
    type(c_ptr), intent(in) :: handle
    type(postponed), pointer :: late
    if (destroy(handle) /= GS_ERROR_NOT_PERMITTED) return
    allocate (late)
    late%destroy => destroy
    late%handle = handle
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
