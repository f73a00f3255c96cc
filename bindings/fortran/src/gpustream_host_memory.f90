! SPDX-License-Identifier: Apache-2.0
! Memory of the host, and what it has in common with that of devices. Each procedure is the C function that it calls: its
! errors, whether it blocks and its thread rule are in gpustream.h. The argument stat gets the status; without it a failure
! ends the program.
module gpustream_host_memory
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gpustream_raw
  use gpustream_ends, only: close_handle, end_handle, take_handle
  use gpustream_errors
  use gpustream_library, only: library_status
  implicit none
  private
  public :: memory, host_buffer

  !> Memory that has one owner: an assignment of such a variable ends the program.
  type, abstract :: memory
    type(c_ptr) :: address = c_null_ptr
    integer(c_size_t) :: bytes = 0
  contains
    procedure, private :: refuse
    generic :: assignment(=) => refuse
  end type

  !> Memory of the host that devices copy from and to. It must not be freed while they do.
  type, extends(memory) :: host_buffer
  contains
    procedure, non_overridable :: create => host_buffer_create
    procedure, non_overridable :: close => host_buffer_close
    final :: host_buffer_end
  end type

contains

  impure elemental subroutine refuse(self, other)
    class(memory), intent(inout) :: self
    class(memory), intent(in) :: other
    write (error_unit, "(a, i0, a, i0, a)") "gpustream: a buffer of ", other%bytes, " bytes is assigned to one of ", self%bytes, &
      "; buffers cannot be copied"
    error stop 1
  end subroutine

  subroutine host_buffer_create(self, bytes, stat)
    class(host_buffer), intent(inout) :: self
    integer(c_size_t), intent(in) :: bytes
    integer, intent(out), optional :: stat
    type(c_ptr), target :: made
    integer(c_int32_t) :: status
    made = c_null_ptr
    status = library_status()
    if (status == GS_OK) status = gs_malloc_host(bytes, c_loc(made))
    if (status == GS_OK) self%bytes = bytes
    call take_handle(gs_free_host, self%address, made, status, stat)
  end subroutine

  subroutine host_buffer_close(self, stat)
    class(host_buffer), intent(inout) :: self
    integer, intent(out), optional :: stat
    call close_handle(gs_free_host, self%address, stat)
    if (.not. c_associated(self%address)) self%bytes = 0
  end subroutine

  impure elemental subroutine host_buffer_end(self)
    type(host_buffer), intent(inout) :: self
    call end_handle(gs_free_host, self%address)
    self%bytes = 0
  end subroutine
end module
