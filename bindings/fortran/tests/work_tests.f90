! SPDX-License-Identifier: Apache-2.0
! Devices, memory, kernels, stricter events and timelines.
module work_tests
  use, intrinsic :: iso_c_binding
  use gpustream
  use callbacks
  use checks
  implicit none

contains

  subroutine test_devices()
    type(device_scope) :: scope
    integer :: stat
    call check_equal(device_count(), 2, "devices")
    call check(len(device_name()) > 0, "its name")
    call check_equal(device_count(77, stat), 0, "no such backend")
    call check(stat /= GS_OK, "is an error")
    call scope%enter(1)
    call check_equal(current_device(), 1, "in the scope")
    call scope%enter(0, stat)
    call check_equal(stat, int(GS_ERROR_SCOPE), "a scope that is open")
    call leave_device_by_return()
    call check_equal(current_device(), 1, "after another scope has ended with its variable")
    call scope%leave()
    call check_equal(current_device(), 0, "restored")
    call scope%leave(stat)
    call check_equal(stat, int(GS_ERROR_SCOPE), "left twice")
    call scope%enter(99, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_DEVICE), "no such device")
    call synchronize_device(1)
    call synchronize_device(seconds=60d0)
  end subroutine

  subroutine leave_device_by_return()
    type(device_scope) :: scope
    call scope%enter(0)
    call check_equal(current_device(), 0, "in the procedure")
  end subroutine

  subroutine test_memory()
    type(stream) :: work
    type(buffer) :: device
    type(host_buffer) :: from, to
    integer(c_int8_t), pointer :: sent(:), received(:)
    integer :: i, stat
    call work%create()
    call from%create(64_c_size_t)
    call to%create(64_c_size_t)
    call c_f_pointer(from%address, sent, [64])
    call c_f_pointer(to%address, received, [64])
    sent = int([(i, i=0, 63)], c_int8_t)
    call device%create(64_c_size_t, work)
    call work%copy(device%address, from%address, 64_c_size_t)
    call work%copy(to%address, device%address, device%bytes)
    call work%copy_batch([gs_copy_t(to%address, device%address, 8), gs_copy_t(c_null_ptr, c_null_ptr, 0)], GS_ACCESS_ORDER_STREAM)
    call work%fill(to%address, 9, 2_c_size_t)
    call device%close()
    call check(.not. c_associated(device%address) .and. device%bytes == 0, "a closed buffer has no address")
    call work%synchronize()
    call check(all(received(1:2) == 9) .and. all(received(3:) == sent(3:)), "copied and filled")
    call device%close(stat)
    call check(stat == GS_ERROR_INVALID_HANDLE, "a buffer that is closed twice has no stream")
    call to%close()
    call work%copy(to%address, from%address, 64_c_size_t, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "memory that is closed")
    call work%copy_batch([gs_copy_t(from%address, from%address, 0)], 4, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "an order that is none")
    call work%copy_batch([gs_copy_t ::], GS_ACCESS_ORDER_ANY)
    call device%create(64_c_size_t, stream_ref(), stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "memory of no stream")
    call outlives_its_stream()
  end subroutine

  !> The buffer keeps the stream in whose order it is freed.
  subroutine outlives_its_stream()
    type(stream) :: work
    type(buffer) :: device
    call work%create()
    call device%create(64_c_size_t, work)
    call work%close()
    call device%close()
  end subroutine

  subroutine test_kernels(native)
    character(*), intent(in) :: native
    type(stream) :: work
    type(kernel_module) :: loaded
    type(kernel) :: scale
    type(host_buffer) :: memory
    integer(c_int32_t), pointer :: words(:)
    integer(c_int32_t), target :: factor
    type(c_ptr), target :: address
    character(kind=c_char), target :: empty(0)
    character(400) :: padded
    integer :: i, stat
    call work%create()
    call memory%create(48_c_size_t)
    call c_f_pointer(memory%address, words, [12])
    words = -1
    call loaded%load_file("/nonexistent.so", 0, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no such module")
    call loaded%load(empty, 0, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "an image without bytes")
    padded = native
    call loaded%load_file(padded, 0)
    scale = loaded%get_kernel("no_such_kernel", stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no such kernel")
    padded = "parity_scale"
    scale = loaded%get_kernel(padded)
    factor = 5
    address = memory%address
    call scale%launch(work, [3], [4], [c_loc(address), c_loc(factor)])
    factor = 0 ! it was copied
    call work%synchronize()
    call check(all(words == [(5*i, i=0, 11)]), "computed by twelve threads")
    call scale%launch(work, [0], [4], [c_loc(address), c_loc(factor)], stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "an empty grid")
    call loaded%close()
    call scale%launch(work, [1], [1], stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "the module is closed")
  end subroutine

  subroutine test_launch_attributes(native)
    character(*), intent(in) :: native
    type(stream) :: work
    type(event) :: mark
    type(timed_event) :: timed
    type(kernel_module) :: loaded
    type(kernel) :: scale
    type(host_buffer) :: memory
    type(graph) :: plan
    integer(c_int32_t), pointer :: words(:)
    integer(c_int32_t), target :: factor
    integer(c_int64_t) :: node
    type(c_ptr), target :: address, values(2)
    integer :: stat
    call work%create()
    call mark%create()
    call timed%create()
    call plan%create(0)
    call memory%create(48_c_size_t)
    call c_f_pointer(memory%address, words, [12])
    call loaded%load_file(native, 0)
    scale = loaded%get_kernel("parity_scale")
    factor = 5
    address = memory%address
    values = [c_loc(address), c_loc(factor)]
    call refused([6], launch_attributes(cluster=[2, 3, 5]), "cluster of 2 x 3 x 5 blocks")
    call refused([1000000], launch_attributes(cooperative=.true.), "launch fewer")
    call refused([6], launch_attributes(programmatic_event=timed%handle), "without GS_EVENT_TIMING")
    node = plan%add_kernel(scale, [6], [2], values, attributes=launch_attributes(programmatic=.true.), stat=stat)
    call check(index(error_text(stat), "GS_LAUNCH_PROGRAMMATIC") > 0, "a programmatic node")
    node = plan%add_kernel(scale, [6], [2], values, attributes=launch_attributes( &
                           cluster=[2, 1, 1], remote_domain=.true., has_priority=.true., priority=-1))
    call scale%launch(work, [6], [2], values, attributes=launch_attributes( &
                      cluster=[2, 1, 1], programmatic=.true., remote_domain=.true., has_priority=.true., priority=-1, &
                      programmatic_event=mark%handle))
    call work%synchronize()
    call check_equal(int(words(12)), 55, "computed with attributes")

  contains

    subroutine refused(grid, attributes, text)
      integer, intent(in) :: grid(:)
      type(launch_attributes), intent(in) :: attributes
      character(*), intent(in) :: text
      call scale%launch(work, grid, [1024], values, attributes=attributes, stat=stat)
      call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), text)
      call check(index(error_text(stat), text) > 0, "the reason: "//text)
    end subroutine
  end subroutine

  subroutine test_stricter_events()
    type(stream) :: work, other
    type(event) :: mark, wrapped
    type(timed_event) :: start, finish
    call work%create()
    call other%create()
    call mark%create()
    call work%record(mark)
    call check_equal(mark%device(), 0, "its device")
    call wrap_event(mark%native(), wrapped)
    call wrapped%synchronize()
    call start%create()
    call finish%create()
    call work%record(start)
    call work%sleep(100000_c_int64_t)
    call work%record(finish)
    call work%synchronize()
    call check(elapsed_ns(start, finish) > 0, "nanoseconds")
    call check(abs(elapsed_ns(start, finish)*1d-6 - elapsed_ms(start, finish)) < 1d-3, "the same time")
  end subroutine

  subroutine test_record_once()
    type(stream) :: work
    type(event) :: mark, never
    integer :: stat
    call work%create()
    call mark%create()
    call never%create()
    call check(work%record_once(mark), "recorded once")
    call check(.not. work%record_once(mark, stat), "not recorded twice")
    call check_equal(stat, int(GS_OK), "this is a success")
    call work%close()
    call check(.not. work%record_once(mark), "a closed stream is not asked")
    call check(.not. work%record_once(never, stat), "a closed stream records nothing")
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "a closed stream")
    call check(.not. work%record_once(event_ref(), stat), "an empty event is not recorded")
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "an empty event")
  end subroutine

  subroutine test_priority_levels()
    integer(c_int32_t) :: least, greatest
    call check_equal(int(gs_device_priority_range(0_c_int32_t, least, greatest)), int(GS_OK), "the range")
    call check_equal(effective(PRIORITY_HIGH), int(greatest), "the highest priority")
    call check_equal(effective(PRIORITY_NORMAL), 0, "the usual priority")
    call check_equal(effective(PRIORITY_LOW), int(least), "the lowest priority")
  end subroutine

  integer function effective(level)
    integer, intent(in) :: level
    type(stream) :: work
    call work%create(priority=level)
    effective = work%priority()
  end function

  subroutine test_names_for_others()
    type(event) :: mark, unnamed, found
    type(gs_ipc_handle_t) :: name, nothing
    integer :: stat
    nothing%data = 0
    call mark%create(int(GS_EVENT_INTERPROCESS))
    name = mark%ipc_export()
    call unnamed%create()
    name = unnamed%ipc_export(stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "an event of one process has no name")
    call open_event(nothing, found, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no name of an event")
  end subroutine

  subroutine test_timelines()
    type(stream) :: producer, consumer
    type(timeline) :: line, same
    integer :: stat
    call producer%create()
    call consumer%create(device=1)
    call line%create(5_c_int64_t)
    call check(line%value() == 5, "the first value")
    call consumer%wait(line, 7_c_int64_t) ! before the signal
    call check(.not. consumer%query(), "the consumer waits")
    call producer%signal(line, 6_c_int64_t)
    call line%synchronize(6_c_int64_t)
    call line%synchronize(7_c_int64_t, 1d-6, stat)
    call check_equal(stat, int(GS_ERROR_TIMEOUT), "not signalled yet")
    call line%signal(7_c_int64_t)
    call consumer%synchronize()
    call line%signal(3_c_int64_t, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "a smaller number")
    same = line
    call line%close()
    call check(same%value() == 7, "the copy is a reference of its own")
    call same%abort(int(GS_ERROR_ABORTED))
    call same%synchronize(9_c_int64_t, stat=stat)
    call check_equal(stat, int(GS_ERROR_ABORTED), "aborted")
    call line%signal(9_c_int64_t, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "a closed timeline")
  end subroutine

  !> Ends device 1 for the process, so no test that uses it comes after this one.
  subroutine test_reset()
    type(stream) :: lost
    integer :: stat
    call lost%create(device=1)
    call lost%sleep(1000_c_int64_t)
    call reset_device(1)
    call lost%sleep(1_c_int64_t, stat)
    call check_equal(stat, int(GS_ERROR_CONTEXT_LOST), "work for a reset device")
    call lost%close(stat)
    call check_equal(stat, int(GS_OK), "its streams can be closed")
  end subroutine

end module
