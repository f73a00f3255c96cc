! SPDX-License-Identifier: Apache-2.0
! Streams. Each procedure is the C function that it calls: its errors, whether it blocks and its thread rule
! are in gpustream.h. The argument stat gets the status; without it a failure ends the program. What programs call most has
! the test for a failure in place, which saves a call.
module gpustream_streams
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_ends, only: close_handle, copy_handle, end_handle, take_handle
  use gpustream_errors
  use gpustream_library, only: library_status
  use gpustream_events
  use gpustream_stream_facts
  use gpustream_timelines
  implicit none
  private
  public :: stream_ref, stream, wrap_stream, operator(==), PRIORITY_HIGH, PRIORITY_NORMAL, PRIORITY_LOW

  !> Priorities without a device's numbers: the highest that it has, the usual one, and the lowest.
  integer, parameter :: PRIORITY_HIGH = -huge(0_c_int32_t) - 1, PRIORITY_NORMAL = 0, PRIORITY_LOW = huge(0_c_int32_t)

  !> A stream that someone else owns.
  type, extends(stream_facts) :: stream_ref
  contains
    procedure, non_overridable, private :: record_or_end => stream_record_or_end
    procedure, non_overridable, private :: record_status => stream_record_status
    generic :: record => record_or_end, record_status
    procedure, non_overridable :: record_once => stream_record_once
    procedure, non_overridable :: wait_event => stream_wait_event
    procedure, non_overridable :: wait_stream => stream_wait_stream
    procedure, non_overridable :: wait_timeline => stream_wait_timeline
    generic :: wait => wait_event, wait_stream, wait_timeline
    procedure, non_overridable :: signal => stream_signal
    procedure, non_overridable :: query => stream_query
    procedure, non_overridable :: synchronize => stream_synchronize
    procedure, non_overridable :: sleep => stream_sleep
    procedure, non_overridable :: notify => stream_notify
    procedure, non_overridable :: launch_host => stream_launch_host
    procedure, non_overridable :: copy => stream_copy_bytes
    procedure, non_overridable :: copy_batch => stream_copy_batch
    procedure, non_overridable :: fill => stream_fill
  end type

  !> One reference to a stream. A copy is another reference; each ends with its variable.
  type, extends(stream_ref) :: stream
  contains
    procedure, non_overridable :: create => stream_create
    procedure, non_overridable :: close => stream_close
    procedure, private :: stream_copy
    generic :: assignment(=) => stream_copy
    final :: stream_end
  end type

  interface operator(==)
    module procedure same_stream
  end interface

contains

  !> A lower priority is higher; out of range is clamped. flags are GS_STREAM_*.
  subroutine stream_create(self, device, priority, flags, stat)
    class(stream), intent(inout) :: self
    integer, intent(in), optional :: device, priority, flags
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_stream_create(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), &
                                                      int(given(priority, 0), c_int32_t), int(given(flags, 0), c_int32_t), made)
    call take_handle(gs_stream_destroy, self%handle, made, status, stat)
  end subroutine

  subroutine stream_close(self, stat)
    class(stream), intent(inout) :: self
    integer, intent(out), optional :: stat
    call close_handle(gs_stream_destroy, self%handle, stat)
  end subroutine

  impure elemental subroutine stream_copy(self, other)
    class(stream), intent(inout) :: self
    class(stream), intent(in) :: other
    call copy_handle(gs_stream_retain, gs_stream_destroy, self%handle, other%handle)
  end subroutine

  impure elemental subroutine stream_end(self)
    type(stream), intent(inout) :: self
    call end_handle(gs_stream_destroy, self%handle)
  end subroutine

  !> Wraps a raw stream (a cudaStream_t as a number, acc_get_cuda_stream() for example) that its owner keeps alive.
  subroutine wrap_stream(native, wrapped, device, stat)
    integer(c_intptr_t), intent(in) :: native
    type(stream), intent(inout) :: wrapped
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_stream_from_native(int(given(device, int(GS_DEVICE_NONE)), c_int32_t), native, made)
    call take_handle(gs_stream_destroy, wrapped%handle, made, status, stat)
  end subroutine

  !> call s%record(mark) and call s%record(mark, stat), two procedures: the first has nothing to keep over the call.
  subroutine stream_record_or_end(self, mark)
    class(stream_ref), intent(in) :: self
    class(event_ref), intent(in) :: mark
    integer(c_int32_t) :: status
    status = gs_stream_record_event(self%handle, mark%handle)
    if (status /= GS_OK) call report(status)
  end subroutine

  subroutine stream_record_status(self, mark, stat)
    class(stream_ref), intent(in) :: self
    class(event_ref), intent(in) :: mark
    integer, intent(out) :: stat
    call report(gs_stream_record_event(self%handle, mark%handle), stat)
  end subroutine

  !> Does so if the event has no record yet, and says whether it did.
  function stream_record_once(self, mark, stat) result(recorded)
    class(stream_ref), intent(in) :: self
    class(event_ref), intent(in) :: mark
    integer, intent(out), optional :: stat
    logical :: recorded
    type(gs_event_info_t) :: info
    integer(c_int32_t) :: status
    info%struct_size = int(c_sizeof(info), c_int32_t)
    status = gs_event_get_info(mark%handle, info)
    recorded = status == GS_OK .and. info%recorded == 0
    if (recorded) status = gs_stream_record_event(self%handle, mark%handle)
    recorded = recorded .and. status == GS_OK
    call report(status, stat)
  end function

  !> Later work waits for what the event marks now.
  subroutine stream_wait_event(self, mark, stat)
    class(stream_ref), intent(in) :: self
    class(event_ref), intent(in) :: mark
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    status = gs_stream_wait_event(self%handle, mark%handle)
    if (status /= GS_OK .or. present(stat)) call report(status, stat)
  end subroutine

  !> Later work waits for what the other stream has now.
  subroutine stream_wait_stream(self, other, stat)
    class(stream_ref), intent(in) :: self
    class(stream_ref), intent(in) :: other
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    status = gs_stream_wait_stream(self%handle, other%handle)
    if (status /= GS_OK .or. present(stat)) call report(status, stat)
  end subroutine

  !> Later work waits until the timeline has reached the number, which may be before someone signals it.
  subroutine stream_wait_timeline(self, line, number, stat)
    class(stream_ref), intent(in) :: self
    class(timeline), intent(in) :: line
    integer(c_int64_t), intent(in) :: number
    integer, intent(out), optional :: stat
    call report(gs_stream_wait_timeline(self%handle, line%handle, number), stat)
  end subroutine

  !> Raises the timeline to the number when the work so far is done.
  subroutine stream_signal(self, line, number, stat)
    class(stream_ref), intent(in) :: self
    class(timeline), intent(in) :: line
    integer(c_int64_t), intent(in) :: number
    integer, intent(out), optional :: stat
    call report(gs_stream_signal_timeline(self%handle, line%handle, number), stat)
  end subroutine

  function stream_query(self, stat) result(done)
    class(stream_ref), intent(in) :: self
    integer, intent(out), optional :: stat
    logical :: done
    integer(c_int32_t) :: answer, status
    status = gs_stream_query(self%handle, answer)
    if (status /= GS_OK .or. present(stat)) call report(status, stat)
    done = answer /= 0
  end function

  !> Blocks until all work is done, for at most so many seconds: stat is GS_ERROR_TIMEOUT if they passed.
  subroutine stream_synchronize(self, seconds, stat)
    class(stream_ref), intent(in) :: self
    real(c_double), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    if (present(seconds)) then
      call report(gs_stream_synchronize_for(self%handle, nanoseconds(seconds)), stat)
    else
      call report(gs_stream_synchronize(self%handle), stat)
    end if
  end subroutine

  !> Keeps the device busy, for tests and examples.
  subroutine stream_sleep(self, cycles, stat)
    class(stream_ref), intent(in) :: self
    integer(c_int64_t), intent(in) :: cycles
    integer, intent(out), optional :: stat
    call report(gs_stream_sleep(self%handle, cycles), stat)
  end subroutine

  !> Calls a procedure (bind(C), with a c_ptr and a status by value) on a thread of the library when the work so far is
  !! done.
  subroutine stream_notify(self, procedure_at, argument, stat)
    class(stream_ref), intent(in) :: self
    type(c_funptr), intent(in) :: procedure_at
    type(c_ptr), intent(in) :: argument
    integer, intent(out), optional :: stat
    call report(gs_stream_notify(self%handle, procedure_at, argument), stat)
  end subroutine

  !> Calls a procedure (bind(C), with a c_ptr by value) in the stream's order; later work waits until it has returned.
  subroutine stream_launch_host(self, procedure_at, argument, stat)
    class(stream_ref), intent(in) :: self
    type(c_funptr), intent(in) :: procedure_at
    type(c_ptr), intent(in) :: argument
    integer, intent(out), optional :: stat
    call report(gs_stream_launch_host(self%handle, procedure_at, argument), stat)
  end subroutine

  !> Copies bytes between any two places. Memory of the host that is not a host_buffer's may make the call block.
  subroutine stream_copy_bytes(self, to, from, bytes, stat)
    class(stream_ref), intent(in) :: self
    type(c_ptr), intent(in) :: to, from
    integer(c_size_t), intent(in) :: bytes
    integer, intent(out), optional :: stat
    call report(gs_memcpy_async(to, from, bytes, self%handle), stat)
  end subroutine

  !> Several copies, in one call of the driver where it has one. order: GS_ACCESS_ORDER_STREAM, or GS_ACCESS_ORDER_DURING_CALL or
  !> GS_ACCESS_ORDER_ANY, whose sources do not wait for the stream's earlier work.
  subroutine stream_copy_batch(self, copies, order, stat)
    class(stream_ref), intent(in) :: self
    type(gs_copy_t), intent(in) :: copies(:)
    integer(c_int32_t), intent(in) :: order
    integer, intent(out), optional :: stat
    type(gs_copy_t), allocatable, target :: all(:)
    allocate(all(size(copies) + 1)) ! has a first one
    all(:size(copies)) = copies
    call report(gs_memcpy_batch_async(c_loc(all), size(copies, kind=c_size_t), order, self%handle), stat)
  end subroutine

  !> Sets bytes to a value from 0 to 255.
  subroutine stream_fill(self, to, byte, bytes, stat)
    class(stream_ref), intent(in) :: self
    type(c_ptr), intent(in) :: to
    integer, intent(in) :: byte
    integer(c_size_t), intent(in) :: bytes
    integer, intent(out), optional :: stat
    call report(gs_memset_async(to, int(byte, c_int32_t), bytes, self%handle), stat)
  end subroutine

  !> The same device and driver stream, owned or not.
  function same_stream(left, right) result(same)
    class(stream_ref), intent(in) :: left, right
    logical :: same
    integer(c_int32_t) :: answer
    same = gs_stream_equal(left%handle, right%handle, answer) == GS_OK
    if (same) same = answer /= 0
  end function
end module
