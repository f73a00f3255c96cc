! SPDX-License-Identifier: Apache-2.0
! Failures, as Fortran's own statements report them: a procedure with the optional argument stat sets it, and without it
! the program ends with the error's text.
module gpustream_errors
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gpustream_library, only: GPUSTREAM_WRONG_ABI, wrong_abi_text
  use gpustream_raw
  implicit none
  private
  public :: gpustream_error, last_error, status_name, error_text, report, refused, was_refused, given, nanoseconds, text_in, c_text

  !> The record of the calling thread's last failure.
  type :: gpustream_error
    integer :: status = GS_OK
    integer :: reason = GS_REASON_NONE
    integer :: backend = GS_BACKEND_DEFAULT
    !> The driver's code, or errno beside GS_ERROR_SYSTEM; 0 if there is none.
    integer :: native_code = 0
    !> The device has become unusable in this process.
    logical :: is_sticky = .false.
    character(:), allocatable :: procedure_name, native_function, message, origin
    !> The gs_stream_t and gs_event_t that the failed call was given, if any. They may have ended since.
    type(c_ptr) :: stream = c_null_ptr, event = c_null_ptr
    !> The device that it was given, else that of its stream or event.
    integer :: device = GS_DEVICE_NONE
  end type

  !> The status of a thread's last failure if the library has no record of it, what refused() was given for the next report(), and
  !! that thread: without -fopenmp all threads share these.
  integer(c_int32_t), save :: unrecorded = GS_OK, found_here = GS_OK
  integer(c_long), save :: thread = 0
  !$omp threadprivate(unrecorded, found_here, thread)

  interface
    integer(c_long) function pthread_self() bind(C)
      import
    end function
    pure function strlen(text) result(length) bind(C, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  !> A C string as a Fortran one.
  function text_of(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    text = ""
    if (.not. c_associated(address)) return
    call c_f_pointer(address, letters, [strlen(address)])
    text = text_in(letters)
  end function

  !> A Fortran string without its trailing blanks as a C one, which `kept` holds; NULL if it is absent.
  function c_text(text, kept) result(address)
    character(*), intent(in), optional :: text
    character(:, kind=c_char), allocatable, target, intent(inout) :: kept
    type(c_ptr) :: address
    address = c_null_ptr
    if (.not. present(text)) return
    kept = trim(text)//c_null_char
    address = c_loc(kept)
  end function

  !> The same of a character array with a terminating zero.
  function text_in(letters) result(text)
    character(kind=c_char), intent(in) :: letters(:)
    character(:), allocatable :: text
    integer :: i, length
    length = 0
    do while (length < size(letters))
      if (letters(length + 1) == c_null_char) exit
      length = length + 1
    end do
    text = repeat(" ", length)
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function

  function status_name(status) result(name)
    integer, intent(in) :: status
    character(:), allocatable :: name
    if (status == GPUSTREAM_WRONG_ABI) then
      name = "GPUSTREAM_WRONG_ABI"
    else
      name = text_of(gs_status_name(int(status, c_int32_t)))
    end if
  end function

  !> Of a failure without a record, as a limit that is over, it has the status and what that means.
  function last_error() result(found)
    type(gpustream_error) :: found
    type(gs_error_info_t) :: info
    integer(c_int32_t) :: status
    info%struct_size = int(c_sizeof(info), c_int32_t)
    status = GS_OK
    if (thread == pthread_self()) status = unrecorded
    if (status == GS_OK) status = gs_last_error(info)
    if (status /= GS_OK) then
      found%status = status
      found%procedure_name = ""
      found%native_function = ""
      found%message = text_of(gs_status_message(status))
      found%origin = ""
      return
    end if
    found%status = info%status
    found%reason = info%reason
    found%backend = info%backend
    found%native_code = info%native_code
    found%is_sticky = info%sticky /= 0
    found%procedure_name = text_in(info%function)
    found%native_function = text_in(info%native_function)
    found%message = text_in(info%message)
    found%origin = text_in(info%origin)
    found%stream = info%stream
    found%event = info%event
    found%device = info%device
  end function

  !> What every procedure of the layer ends with. The status is passed by value so that callers keep it in a register.
  subroutine report(status, stat)
    integer(c_int32_t), value :: status
    integer, intent(out), optional :: stat
    if (status /= GS_OK) then
      call failed(status, stat)
    else if (present(stat)) then
      stat = GS_OK
    end if
  end subroutine

  subroutine failed(status, stat)
    integer(c_int32_t), value :: status
    integer, intent(out), optional :: stat
    if (thread /= pthread_self()) found_here = GS_OK
    unrecorded = found_here
    if (status == GS_ERROR_TIMEOUT .or. status == GS_NOT_READY) unrecorded = status
    found_here = GS_OK
    thread = pthread_self()
    if (present(stat)) then
      stat = int(status)
      return
    end if
    write (error_unit, "(a)") error_text(int(status))
    error stop 1
  end subroutine

  !> The status of a call that the layer refuses, before the library sees it.
  integer(c_int32_t) function refused(status)
    integer(c_int32_t), intent(in) :: status
    refused = status
    found_here = status
    thread = pthread_self()
  end function

  !> Refused where or when the call was made, in a host function or during a capture: what it was to end is as it was.
  pure logical function was_refused(status)
    integer(c_int32_t), intent(in) :: status
    was_refused = status == GS_ERROR_NOT_PERMITTED .or. status == GS_ERROR_CAPTURING
  end function

  !> One line about a status that a call on this thread has just returned: its name, the C function, what happened.
  function error_text(status) result(text)
    integer, intent(in) :: status
    character(:), allocatable :: text
    type(gpustream_error) :: failure
    if (status == GPUSTREAM_WRONG_ABI) then
      text = status_name(status)//": "//wrong_abi_text()
      return
    end if
    failure = last_error()
    if (failure%status == status) then
      text = status_name(status)//": "//failure%message
    else
      text = status_name(status)//": "//text_of(gs_status_message(int(status, c_int32_t)))
    end if
  end function

  pure integer function given(value, otherwise)
    integer, intent(in), optional :: value
    integer, intent(in) :: otherwise
    given = otherwise
    if (present(value)) given = value
  end function

  !> A negative limit is over already; without one the C functions want a negative number.
  pure integer(c_int64_t) function nanoseconds(seconds)
    real(c_double), intent(in) :: seconds
    nanoseconds = 0
    if (seconds >= 9.2e9_c_double) then
      nanoseconds = huge(nanoseconds)
    else if (seconds > 0) then
      nanoseconds = ceiling(seconds*1e9_c_double, c_int64_t)
    end if
  end function
end module
