! SPDX-License-Identifier: Apache-2.0
! Streams, events, scopes, failures, raw handles.
module stream_tests
  use, intrinsic :: iso_c_binding
  use gpustream
  use callbacks
  use checks
  implicit none
  type(stream), save :: inside_stream
  type(event), save :: inside_event
  type(host_buffer), save :: inside_memory
  integer, volatile, save :: refused = 0 ! what a host function may not end

contains

  subroutine close_inside(argument) bind(C)
    type(c_ptr), value :: argument
    integer :: stats(2)
    if (c_associated(argument)) return
    call inside_event%close(stats(1))
    call inside_memory%close(stats(2))
    refused = refused + count(stats == GS_ERROR_NOT_PERMITTED)
  end subroutine

  subroutine test_refused_inside()
    call inside_stream%create()
    call inside_event%create()
    call inside_memory%create(8_c_size_t)
    call inside_stream%launch_host(c_funloc(close_inside), c_null_ptr)
    call inside_stream%synchronize()
    call check_equal(refused, 2, "ends in a host function")
    call check(c_associated(inside_event%handle) .and. c_associated(inside_memory%address), "what was not ended is kept")
    call inside_event%close()
    call inside_memory%close()
    call inside_stream%close()
    call check(.not. (c_associated(inside_event%handle) .or. c_associated(inside_memory%address)), "and ended later")
  end subroutine

  logical function lives(handle)
    type(c_ptr), intent(in) :: handle
    integer(c_int64_t) :: id
    lives = gs_stream_id(handle, id) == GS_OK
  end function

  subroutine test_order()
    type(stream) :: producer, consumer
    type(timed_event) :: start, ready
    integer :: stat
    call producer%create()
    call consumer%create(device=1)
    call start%create()
    call ready%create()
    call producer%record(start)
    call producer%sleep(1000000_c_int64_t)
    call producer%record(ready)
    call consumer%wait(ready)
    call consumer%synchronize()
    call check(ready%query(), "the consumer waited for the producer")
    call check(elapsed_ms(start, ready) > 0, "time passed")
    call check_equal(consumer%device(), 1, "device")
    call consumer%wait(producer)
    call consumer%synchronize(3600d0, stat)
    call check_equal(stat, int(GS_OK), "synchronize within an hour")
  end subroutine

  subroutine test_references()
    type(c_ptr) :: handle
    handle = copied()
    call check(.not. lives(handle), "the last reference ends with its variable")
  end subroutine

  function copied() result(handle)
    type(c_ptr) :: handle
    type(stream) :: first, second
    integer :: stat
    call first%create()
    handle = first%handle
    second = first
    call check(c_associated(first%handle, second%handle), "a copy is the same stream")
    second = second
    call first%close()
    call check(lives(handle), "the copy is a reference of its own")
    call first%close(stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "closed twice")
    call second%create()
    call check(.not. lives(handle), "create() ends what was there")
    handle = second%handle
  end function

  subroutine test_failures()
    type(stream) :: nothing, made
    type(event) :: mark
    type(timed_event) :: start
    type(gpustream_error) :: failure
    integer :: stat
    call check(failure%device == GS_DEVICE_NONE .and. .not. c_associated(failure%stream), "no failure names no device")
    call nothing%synchronize(stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "an empty stream")
    failure = last_error()
    call check_equal(failure%status, int(GS_ERROR_INVALID_HANDLE), "its record")
    call check(failure%procedure_name == "gs_stream_synchronize", "the function: "//failure%procedure_name)
    call check(len(failure%message) > 0 .and. .not. failure%is_sticky, "the message")
    call check(status_name(stat) == "GS_ERROR_INVALID_HANDLE", "the name")
    call made%create(device=99, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_DEVICE), "no such device")
    call check(.not. c_associated(made%handle), "nothing was made")
    call mark%create(flags=int(z'40000000'), stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no such flag")
    call start%create()
    call check(elapsed_ms(start, start, stat) <= 0, "no time")
    call check_equal(stat, int(GS_ERROR_NOT_RECORDED), "never recorded")
    call wrap_stream(77_c_intptr_t, made, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "no raw stream")
  end subroutine

  !> Errors name what the call was given.
  subroutine test_failure_objects()
    type(stream) :: one, other
    type(event) :: mark
    type(gpustream_error) :: failure
    integer :: stat
    call one%create(device=0)
    call other%create(device=1)
    call mark%create()
    call one%record(mark)
    call other%record(mark, stat)
    call check_equal(stat, int(GS_ERROR_DEVICE_MISMATCH), "an event of another device")
    failure = last_error()
    call check(c_associated(failure%stream, other%handle), "the stream of the failed call")
    call check(c_associated(failure%event, mark%handle), "its event")
    call check_equal(failure%device, 1, "its device")
    call reset_device(99, stat)
    failure = last_error()
    call check(.not. c_associated(failure%stream) .and. .not. c_associated(failure%event), "a call without a stream")
    call check_equal(failure%device, 99, "the device that it was given")
  end subroutine

  subroutine test_scopes()
    type(stream) :: outer, inner
    type(stream_ref) :: before
    type(stream_scope) :: one, two
    integer :: stat
    before = current_stream()
    call outer%create()
    call inner%create(device=1)
    call one%enter(outer)
    call check(current_stream() == outer, "the outer stream is current")
    call one%enter(inner, stat)
    call check_equal(stat, int(GS_ERROR_SCOPE), "a scope that is open")
    call two%enter(inner)
    call one%leave(stat)
    call check_equal(stat, int(GS_ERROR_SCOPE), "left out of order")
    call check(current_stream() == inner, "the inner stream is still current")
    call two%leave()
    call one%leave()
    call check(current_stream() == before, "all is restored")
    call one%leave(stat)
    call check_equal(stat, int(GS_ERROR_SCOPE), "left twice")
    call leave_by_return(outer)
    call check(current_stream() == before, "a scope ends with its variable")
    call check(default_stream() == before, "the default stream")
    call end_arrays(outer)
  end subroutine

  subroutine end_arrays(work)
    type(stream), intent(in) :: work
    type(stream_ref) :: before
    type(stream) :: inner
    type(stream_scope), allocatable :: scopes(:)
    type(device_scope), allocatable :: devices(:)
    type(forbid_sync), allocatable :: forbidden(:)
    integer :: device, stat
    before = current_stream()
    device = current_device()
    call inner%create()
    allocate (scopes(2), devices(2), forbidden(2))
    call scopes(1)%enter(work)
    call scopes(2)%enter(inner)
    deallocate (scopes)
    call check(current_stream() == before, "scopes end with their array")
    call devices(1)%enter(1 - device)
    call devices(2)%enter(device)
    deallocate (devices)
    call check_equal(current_device(), device, "scopes of devices end with their array")
    allocate (scopes(1), devices(1))
    call devices(1)%enter(1 - device)
    call scopes(1)%enter(work)
    call devices(1)%leave(stat)
    call check_equal(stat, int(GS_ERROR_SCOPE), "a scope of a device does not end before one inside it")
    deallocate (devices)
    call check_equal(current_device(), device, "its end is the end of those inside it")
    deallocate (scopes)
    call check(current_stream() == before, "which have ended")
    call forbidden(1)%enter()
    call forbidden(2)%enter()
    deallocate (forbidden)
    call work%synchronize(stat=stat)
    call check_equal(stat, int(GS_OK), "what forbids waits ends with its array")
  end subroutine

  subroutine leave_by_return(other)
    type(stream), intent(in) :: other
    type(stream_scope) :: scope
    call scope%enter(other)
    call check(current_stream() == other, "in the procedure")
  end subroutine

  subroutine test_callbacks()
    type(stream) :: work
    type(event) :: mark
    integer(c_int32_t), target, volatile :: status
    integer :: stat
    call work%create()
    call mark%create()
    called = 0
    opened = 0
    call work%launch_host(c_funloc(wait_for_opening), c_null_ptr)
    call work%launch_host(c_funloc(count_call), c_null_ptr)
    call work%record(mark)
    call check(.not. mark%query(), "the event is pending")
    call check(.not. work%query(), "the stream is held")
    call mark%synchronize(1d-6, stat)
    call check_equal(stat, int(GS_ERROR_TIMEOUT), "a limit that passes")
    call work%synchronize(-1d0, stat)
    call check_equal(stat, int(GS_ERROR_TIMEOUT), "a limit that is over")
    status = 0
    call work%notify(c_funloc(store_status), c_loc(status))
    opened = 1
    call work%synchronize()
    call check_equal(int(called), 1, "host functions")
    do while (status == 0)
    end do
    call check_equal(int(status), 1000, "the notification's status")
    call work%launch_host(c_null_funptr, c_null_ptr, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no function")
  end subroutine

  subroutine test_raw_handles()
    type(stream) :: work, wrapped
    type(event) :: mark
    integer(c_intptr_t) :: native
    call work%create()
    call mark%create()
    call work%record(mark)
    native = work%native()
    call check(native /= 0, "a raw stream")
    call check(mark%native() /= 0, "a raw event")
    call check(transfer(work%cuda_stream(), native) == native, "as an address")
    call wrap_stream(native, wrapped)
    call check(wrapped == work, "wrapped")
    call check_equal(work%priority(), 0, "priority")
  end subroutine

  !> Every function has its C name too.
  subroutine test_raw_layer()
    type(gs_stats_t) :: stats
    type(gs_device_info_t) :: info
    stats%struct_size = int(c_sizeof(stats), c_int32_t)
    call check_equal(int(gs_get_stats(stats)), int(GS_OK), "gs_get_stats")
    call check(stats%streams_created > 0, "streams were created")
    info%struct_size = int(c_sizeof(info), c_int32_t)
    call check_equal(int(gs_device_get_info(0, info)), int(GS_OK), "gs_device_get_info")
    call check_equal(int(gs_device_get_info(0)), int(GS_ERROR_INVALID_ARGUMENT), "an absent argument is NULL")
    call check_equal(int(gs_abi_version()), int(GS_HEADER_ABI_VERSION), "the library fits the header")
  end subroutine
end module
