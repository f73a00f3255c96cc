! SPDX-License-Identifier: Apache-2.0
! Queues of completions. Each procedure is the C function that it calls: its errors, whether it blocks and its thread rule
! are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_queues
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_ends, only: close_handle, copy_handle, end_handle, take_handle
  use gpustream_errors
  use gpustream_library, only: library_status
  use gpustream_events
  use gpustream_streams
  implicit none
  private
  public :: completion_queue

  !> Reports when points of streams are reached. A copy is another reference; each ends with its variable.
  type :: completion_queue
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, non_overridable :: create => queue_create
    procedure, non_overridable :: close => queue_close
    procedure, non_overridable :: add_stream => queue_add_stream
    procedure, non_overridable :: add_event => queue_add_event
    generic :: add => add_stream, add_event
    procedure, non_overridable :: cancel => queue_cancel
    procedure, non_overridable :: wake => queue_wake
    procedure, non_overridable :: descriptor => queue_descriptor
    procedure, non_overridable :: poll => queue_poll
    procedure, non_overridable :: wait => queue_wait
    procedure, private :: queue_copy
    generic :: assignment(=) => queue_copy
    final :: queue_end
  end type

contains

  !> For at most so many entries that are not taken yet.
  subroutine queue_create(self, capacity, stat)
    class(completion_queue), intent(inout) :: self
    integer, intent(in) :: capacity
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_queue_create(int(capacity, c_int32_t), 0_c_int32_t, made)
    call take_handle(gs_queue_destroy, self%handle, made, status, stat)
  end subroutine

  subroutine queue_close(self, stat)
    class(completion_queue), intent(inout) :: self
    integer, intent(out), optional :: stat
    call close_handle(gs_queue_destroy, self%handle, stat)
  end subroutine

  impure elemental subroutine queue_copy(self, other)
    class(completion_queue), intent(inout) :: self
    class(completion_queue), intent(in) :: other
    call copy_handle(gs_queue_retain, gs_queue_destroy, self%handle, other%handle)
  end subroutine

  impure elemental subroutine queue_end(self)
    type(completion_queue), intent(inout) :: self
    call end_handle(gs_queue_destroy, self%handle)
  end subroutine

  !> An entry with this token when the work that the stream has now is done.
  subroutine queue_add_stream(self, work, token, stat)
    class(completion_queue), intent(in) :: self
    class(stream_ref), intent(in) :: work
    integer(c_int64_t), intent(in) :: token
    integer, intent(out), optional :: stat
    call report(gs_queue_add_stream(self%handle, work%handle, token), stat)
  end subroutine

  subroutine queue_add_event(self, mark, token, stat)
    class(completion_queue), intent(in) :: self
    class(event_ref), intent(in) :: mark
    integer(c_int64_t), intent(in) :: token
    integer, intent(out), optional :: stat
    call report(gs_queue_add_event(self%handle, mark%handle, token), stat)
  end subroutine

  !> Delivers the entries with a token now, with GS_ERROR_CANCELLED. Returns how many they are.
  function queue_cancel(self, token, stat) result(count)
    class(completion_queue), intent(in) :: self
    integer(c_int64_t), intent(in) :: token
    integer, intent(out), optional :: stat
    integer :: count
    integer(c_size_t) :: answer
    call report(gs_queue_cancel(self%handle, token, answer), stat)
    count = int(answer)
  end function

  !> Ends one thread's wait, now or its next one.
  subroutine queue_wake(self, stat)
    class(completion_queue), intent(in) :: self
    integer, intent(out), optional :: stat
    call report(gs_queue_wake(self%handle), stat)
  end subroutine

  !> A file descriptor that is readable while entries wait.
  function queue_descriptor(self, stat) result(number)
    class(completion_queue), intent(in) :: self
    integer, intent(out), optional :: stat
    integer(c_int) :: number
    call report(gs_queue_fd(self%handle, number), stat)
  end function

  !> Takes entries that are there, and returns how many.
  function queue_poll(self, entries, stat) result(count)
    class(completion_queue), intent(in) :: self
    type(gs_completion_t), intent(inout), target, contiguous :: entries(:)
    integer, intent(out), optional :: stat
    integer :: count
    integer(c_size_t) :: answer
    call report(gs_queue_poll(self%handle, c_loc(entries), size(entries, kind=c_size_t), answer), stat)
    count = int(answer)
  end function

  !> Blocks until there is one, for at most so many seconds: stat is GS_ERROR_TIMEOUT if they passed.
  function queue_wait(self, entries, seconds, stat) result(count)
    class(completion_queue), intent(in) :: self
    type(gs_completion_t), intent(inout), target, contiguous :: entries(:)
    real(c_double), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    integer :: count
    integer(c_int64_t) :: limit
    integer(c_size_t) :: answer
    limit = -1
    if (present(seconds)) limit = nanoseconds(seconds)
    call report(gs_queue_wait(self%handle, c_loc(entries), size(entries, kind=c_size_t), limit, answer), stat)
    count = int(answer)
  end function
end module
