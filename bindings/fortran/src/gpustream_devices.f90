! SPDX-License-Identifier: Apache-2.0
! Devices. Each procedure is the C function that it calls: its errors, whether it blocks and its thread rule
! are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_devices
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_errors
  use gpustream_library, only: library_status
  implicit none
  private
  public :: device_count, device_info, device_name, current_device, set_current_device, synchronize_device, &
            reset_device

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
end module
