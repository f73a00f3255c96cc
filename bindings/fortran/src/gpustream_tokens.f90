! SPDX-License-Identifier: Apache-2.0
! Tokens: points of streams as bytes. Each procedure is the C function that it calls: its errors and its thread rule are in
! gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_tokens
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_errors
  use gpustream_library, only: library_status
  use gpustream_streams
  implicit none
  private
  public :: token

  !> The present end of a stream, for this process and others on the machine: what is sent are its bytes. The point is reached
  !! when the work that the stream had is done. A token is leased: until one process has waited and the point is reached, or
  !! GPUSTREAM_TOKEN_LEASE_MS milliseconds are over and it is reached. After that it is GS_ERROR_INVALID_HANDLE, and it never
  !! means another point. So make one for each process that is to wait.
  type :: token
    integer(c_int8_t) :: bytes(128) = 0_c_int8_t
  contains
    procedure, non_overridable :: create => token_create
    procedure, non_overridable :: wait => token_wait
    procedure, non_overridable :: query => token_query
  end type

contains

  subroutine token_create(self, on, stat)
    class(token), intent(inout) :: self
    class(stream_ref), intent(in) :: on
    integer, intent(out), optional :: stat
    type(gs_token_t) :: made
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_token_create(on%handle, made)
    if (status == GS_OK) self%bytes = made%data
    call report(status, stat)
  end subroutine

  !> Later work of the stream waits for the point. GS_ERROR_PEER_LOST: the process that made the token ended before.
  subroutine token_wait(self, on, stat)
    class(token), intent(in) :: self
    class(stream_ref), intent(in) :: on
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_token_wait(on%handle, gs_token_t(self%bytes))
    call report(status, stat)
  end subroutine

  !> Whether the point is reached. Who sees false takes part in the lease until it waits, or sees true.
  function token_query(self, stat) result(done)
    class(token), intent(in) :: self
    integer, intent(out), optional :: stat
    logical :: done
    integer(c_int32_t) :: seen, status
    seen = GS_NOT_READY
    status = library_status()
    if (status == GS_OK) status = gs_token_status(gs_token_t(self%bytes), seen)
    if (status == GS_OK .and. seen /= GS_NOT_READY) status = seen
    done = status == GS_OK .and. seen == GS_OK
    call report(status, stat)
  end function
end module
