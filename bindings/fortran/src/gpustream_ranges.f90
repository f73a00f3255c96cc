! SPDX-License-Identifier: Apache-2.0
! Ranges and marks of threads, which traces, the log and tools of NVTX show. The argument stat gets the status; without it a
! failure ends the program.
module gpustream_ranges
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gpustream_raw
  use gpustream_errors
  use gpustream_library, only: library_status
  implicit none
  private
  public :: named_range, mark_moment

  !> From enter() to leave() or the end of the variable, a range of this thread. They nest. It cannot be
  !! assigned.
  type :: named_range
    logical, private :: is_open = .false.
  contains
    procedure, non_overridable :: enter => range_enter
    procedure, non_overridable :: leave => range_leave
    procedure, private :: refuse
    generic :: assignment(=) => refuse
    final :: range_end
  end type

contains

  subroutine range_enter(self, name, stat)
    class(named_range), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(:, kind=c_char), allocatable, target :: text
    integer(c_int32_t) :: status
    if (self%is_open) then
      status = refused(GS_ERROR_SCOPE)
    else
      status = library_status()
      if (status == GS_OK) status = gs_range_push(c_text(name, text))
      self%is_open = status == GS_OK
    end if
    call report(status, stat)
  end subroutine

  subroutine range_leave(self, stat)
    class(named_range), intent(inout) :: self
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    if (self%is_open) status = gs_range_pop()
    if (.not. self%is_open) status = refused(GS_ERROR_SCOPE)
    self%is_open = .false.
    call report(status, stat)
  end subroutine

  ! A copy would end what is open a second time.
  impure elemental subroutine refuse(self, other)
    class(named_range), intent(inout) :: self
    class(named_range), intent(in) :: other
    write (error_unit, "(a, l1, a, l1, a)") "gpustream: a range (open: ", other%is_open, ") is assigned to one (open: ", &
      self%is_open, "); a named_range cannot be copied"
    error stop 1
  end subroutine

  impure elemental subroutine range_end(self)
    type(named_range), intent(inout) :: self
    integer(c_int32_t) :: ignored ! the library logs it
    if (self%is_open) ignored = gs_range_pop()
    self%is_open = .false.
  end subroutine

  !> A moment of this thread.
  subroutine mark_moment(text, stat)
    character(*), intent(in) :: text
    integer, intent(out), optional :: stat
    character(:, kind=c_char), allocatable, target :: kept
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_mark(c_text(text, kept))
    call report(status, stat)
  end subroutine
end module
