! SPDX-License-Identifier: Apache-2.0
! What a stream is: its raw handle, device, priority and name. Each procedure is the C function that it calls: its errors and
! its thread rule are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_stream_facts
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_errors
  implicit none
  private
  public :: stream_facts

  !> The part of a stream_ref that submits nothing.
  type :: stream_facts
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, non_overridable :: native => stream_native
    procedure, non_overridable :: cuda_stream => stream_cuda_stream
    procedure, non_overridable :: device => stream_device
    procedure, non_overridable :: priority => stream_priority
    procedure, non_overridable :: set_name => stream_set_name
  end type

contains

  !> The cudaStream_t as a number, for acc_set_cuda_stream() and the like.
  function stream_native(self, stat) result(number)
    class(stream_facts), intent(in) :: self
    integer, intent(out), optional :: stat
    integer(c_intptr_t) :: number
    call report(gs_stream_native(self%handle, number), stat)
  end function

  !> The same as an address, for cublasSetStream() and other C functions.
  function stream_cuda_stream(self, stat) result(raw)
    class(stream_facts), intent(in) :: self
    integer, intent(out), optional :: stat
    type(c_ptr) :: raw
    raw = transfer(self%native(stat), raw)
  end function

  function stream_device(self, stat) result(number)
    class(stream_facts), intent(in) :: self
    integer, intent(out), optional :: stat
    integer :: number
    integer(c_int32_t) :: answer
    call report(gs_stream_device(self%handle, answer), stat)
    number = int(answer)
  end function

  function stream_priority(self, stat) result(number)
    class(stream_facts), intent(in) :: self
    integer, intent(out), optional :: stat
    integer :: number
    type(gs_stream_info_t) :: info
    info%struct_size = int(c_sizeof(info), c_int32_t)
    call report(gs_stream_get_info(self%handle, info), stat)
    number = int(info%priority)
  end function

  !> Shown in error texts and the checker's reports; "" is none. 63 bytes are kept.
  subroutine stream_set_name(self, name, stat)
    class(stream_facts), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(:, kind=c_char), allocatable, target :: text
    call report(gs_stream_set_name(self%handle, c_text(name, text)), stat)
  end subroutine
end module
