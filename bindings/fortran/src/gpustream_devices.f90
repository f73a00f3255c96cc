! SPDX-License-Identifier: Apache-2.0
! Devices. Each procedure is the C function that it calls: its errors, whether it blocks and its thread rule
! are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_devices
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gpustream_raw
  use gpustream_errors
  use gpustream_library, only: library_status
  implicit none
  private
  public :: device_count, device_info, device_name, current_device, set_current_device, synchronize_device, &
            reset_device, device_scope

  !> Makes a device current on this thread, from enter() to leave() or the end of the variable. It cannot be
  !! assigned.
  type :: device_scope
    logical, private :: is_open = .false.
    integer(c_int32_t), private :: before = 0
  contains
    procedure, non_overridable :: enter => device_enter
    procedure, non_overridable :: leave => device_leave
    procedure, private :: refuse
    generic :: assignment(=) => refuse
    final :: device_end, device_end_all
  end type

contains

  !> Devices of a backend, GS_BACKEND_DEFAULT by default.
  function device_count(backend, stat) result(count)
    integer, intent(in), optional :: backend
    integer, intent(out), optional :: stat
    integer :: count
    integer(c_int32_t) :: answer, status
    answer = 0
    status = library_status()
    if (status == GS_OK) status = gs_device_count(int(given(backend, int(GS_BACKEND_DEFAULT)), c_int32_t), answer)
    call report(status, stat)
    count = int(answer)
  end function

  function device_info(device, stat) result(info)
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    type(gs_device_info_t) :: info
    integer(c_int32_t) :: status
    info%name = c_null_char
    info%struct_size = int(c_sizeof(info), c_int32_t)
    status = library_status()
    if (status == GS_OK) status = gs_device_get_info(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), info)
    call report(status, stat)
  end function

  function device_name(device, stat) result(name)
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    character(:), allocatable :: name
    type(gs_device_info_t) :: info
    info = device_info(device, stat)
    name = text_in(info%name)
  end function

  function current_device(stat) result(device)
    integer, intent(out), optional :: stat
    integer :: device
    integer(c_int32_t) :: answer, status
    answer = GS_DEVICE_NONE
    status = library_status()
    if (status == GS_OK) status = gs_current_device(answer)
    call report(status, stat)
    device = int(answer)
  end function

  !> For this thread.
  subroutine set_current_device(device, stat)
    integer, intent(in) :: device
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_set_current_device(int(device, c_int32_t))
    call report(status, stat)
  end subroutine

  !> Blocks until all work of the device is done, for at most so many seconds: stat is GS_ERROR_TIMEOUT if they passed.
  subroutine synchronize_device(device, seconds, stat)
    integer, intent(in), optional :: device
    real(c_double), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: number
    number = int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t)
    if (present(seconds)) then
      call report(gs_device_synchronize_for(number, nanoseconds(seconds)), stat)
    else
      call report(gs_device_synchronize(number), stat)
    end if
  end subroutine

  !> Waits for the device and ends it for this process, with all that was made on it: stat is GS_ERROR_CONTEXT_LOST from then
  !! on. Raw handles and memory that other libraries have of it are dead.
  subroutine reset_device(device, stat)
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_device_reset(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t))
    call report(status, stat)
  end subroutine

  subroutine device_enter(self, device, stat)
    class(device_scope), intent(inout) :: self
    integer, intent(in) :: device
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: before, status
    if (self%is_open) then
      status = refused(GS_ERROR_SCOPE)
    else
      status = library_status()
      if (status == GS_OK) status = gs_exchange_device(int(device, c_int32_t), before)
      if (status == GS_OK) then
        self%before = before
        self%is_open = .true.
      end if
    end if
    call report(status, stat)
  end subroutine

  subroutine device_leave(self, stat)
    class(device_scope), intent(inout) :: self
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    if (self%is_open) status = gs_set_current_device(self%before)
    if (.not. self%is_open) status = refused(GS_ERROR_SCOPE)
    self%is_open = .false.
    call report(status, stat)
  end subroutine

  ! A copy would restore the device a second time.
  impure elemental subroutine refuse(self, other)
    class(device_scope), intent(inout) :: self
    class(device_scope), intent(in) :: other
    write (error_unit, "(a, l1, a, l1, a)") "gpustream: a scope (open: ", other%is_open, ") is assigned to one (open: ", &
      self%is_open, "); a device_scope cannot be copied"
    error stop 1
  end subroutine

  subroutine device_end(self)
    type(device_scope), intent(inout) :: self
    integer(c_int32_t) :: ignored
    if (self%is_open) ignored = gs_set_current_device(self%before)
    self%is_open = .false.
  end subroutine

  ! The last one was opened last.
  subroutine device_end_all(all)
    type(device_scope), intent(inout) :: all(:)
    integer :: i
    do i = size(all), 1, -1
      call device_end(all(i))
    end do
  end subroutine
end module
