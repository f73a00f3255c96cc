! SPDX-License-Identifier: Apache-2.0
! Buffers and the streams in which they are used.
module buffer_tests
  use, intrinsic :: iso_c_binding
  use callbacks
  use checks
  use gpustream
  use omp_lib, only: omp_get_thread_num
  implicit none
  private
  public :: test_streams_of_buffers, test_first_use, test_frees, test_captured_fills, test_no_bytes, test_many_users, &
            test_ends_in_host_functions, test_per_thread_streams

  !> What a host function ends.
  type(stream), allocatable, save :: ending_stream
  type(event), allocatable, save :: ending_event
  type(buffer), allocatable, save :: ending_buffers(:)

  !> Made once: its end would wait for streams that are held.
  type(host_buffer), save :: seen

contains

  subroutine hold(held)
    type(stream), intent(in) :: held
    opened = 0
    call held%launch_host(c_funloc(wait_for_opening), c_null_ptr)
  end subroutine

  !> Whether all bytes of the memory have the value, after the stream's work.
  logical function has(memory, value, on)
    type(buffer), intent(inout) :: memory
    integer, intent(in) :: value
    type(stream), intent(in) :: on
    integer(c_int8_t), pointer :: bytes(:)
    call memory%copy_to(seen, on)
    call on%synchronize()
    call c_f_pointer(seen%address, bytes, [seen%bytes])
    has = all(bytes == value)
  end function

  subroutine test_streams_of_buffers()
    type(stream) :: there, named, here
    type(stream_scope) :: outer, inner
    type(stream_ref) :: nothing
    type(buffer) :: memory, source, larger
    integer :: stat
    call seen%create(8_c_size_t)
    call there%create(device=1)
    call named%create(device=1)
    call here%create(device=0)
    call memory%create(8_c_size_t, named)
    call source%create(8_c_size_t, named)
    call source%fill(1, named)
    call named%synchronize()
    call hold(there)
    call outer%enter(there)
    call inner%enter(here)
    call memory%fill(2)
    call memory%copy_from(source)
    call check(here%query(), "the device of the buffer says which stream is current")
    call inner%leave()
    call outer%leave()
    call memory%fill(3, named)
    call check(has(memory, 3, named), "the held stream is not waited for")
    opened = 1
    call check(has(memory, 1, there), "the work of the current stream")
    call larger%create(9_c_size_t, named)
    call memory%copy_from(larger, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "more bytes than there are")
    call memory%fill(1, nothing, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "a fill in no stream")
    call memory%record_stream(nothing, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "use by no stream")
  end subroutine

  subroutine test_first_use()
    type(stream) :: own, other, late
    type(buffer) :: memory
    call own%create()
    call other%create()
    call late%create()
    call hold(own)
    call memory%create(8_c_size_t, own)
    call memory%fill(1, other)
    call check(.not. other%query(), "the first use elsewhere waits for the allocation")
    opened = 1
    call other%synchronize()
    call hold(own)
    call memory%fill(2, late)
    call check(has(memory, 2, late), "the allocation is known to be done")
    call check(.not. own%query(), "and not waited for")
    opened = 1
  end subroutine

  subroutine test_frees()
    type(stream) :: own, user
    type(buffer) :: source, target, next
    type(c_ptr) :: address
    integer :: i
    call own%create()
    call user%create()
    do i = 1, 2
      call source%create(8_c_size_t, own)
      call target%create(8_c_size_t, user)
      call source%fill(7, own)
      call own%synchronize()
      call hold(user)
      address = source%address
      if (i == 1) then
        call target%copy_from(source, user)
      else
        call source%record_stream(user)
        call user%copy(target%address, address, 8_c_size_t)
      end if
      call source%close()
      call next%create(8_c_size_t, own) ! at once, in the order of the other stream
      call check(.not. c_associated(next%address, address), "memory is freed behind all streams that use it")
      call next%fill(9, own)
      call own%synchronize()
      opened = 1
      call check(has(target, 7, user), "the copy has seen what was there")
      call next%close()
    end do
  end subroutine

  subroutine test_captured_fills()
    type(stream) :: own, work, side
    type(stream_scope) :: scope
    type(buffer) :: memory, inside
    type(graph) :: recorded
    type(executable_graph) :: ready
    integer :: stat
    call own%create()
    call work%create()
    call side%create()
    call own%sleep(20000000_c_int64_t)
    call memory%create(8_c_size_t, own)
    call scope%enter(work)
    call begin_capture(work)
    call memory%fill(5) ! the host waits for the allocation, which no graph can
    call check(own%query(), "a capture's first use waits on the host")
    call inside%create(8_c_size_t, work) ! the graph's
    call inside%fill(6, own, stat)
    call check_equal(stat, int(GS_ERROR_CAPTURING), "an allocation that a capture hides")
    call side%wait(work)
    call inside%fill(6, side)
    call memory%copy_from(inside, side)
    call inside%close()
    call work%wait(side)
    call end_capture(work, recorded)
    call scope%leave()
    call memory%fill(1, own)
    call check(has(memory, 1, own), "a captured fill has not run")
    call ready%create(recorded)
    call ready%launch(work)
    call ready%launch(work)
    call check(has(memory, 6, work), "a captured fill runs at each launch")
  end subroutine

  subroutine test_no_bytes()
    type(stream) :: own, other
    type(buffer) :: nothing, more
    type(host_buffer) :: host
    call own%create()
    call other%create()
    call nothing%create(0_c_size_t, own)
    call more%create(0_c_size_t, other)
    call host%create(0_c_size_t)
    call check(.not. (c_associated(nothing%address) .or. c_associated(host%address)), "no bytes have no address")
    call nothing%fill(1, other)
    call nothing%copy_from(more)
    call nothing%copy_from(host, other)
    call nothing%copy_to(host)
    call nothing%close_after([other%handle])
    call more%close()
    call host%close()
  end subroutine

  !> A buffer that lives long keeps no streams that are done, but for those that use it by its address.
  subroutine test_many_users()
    type(stream) :: own
    type(stream), allocatable :: users(:)
    type(buffer) :: memory
    type(stream_ref) :: first, recorded
    logical :: done
    integer :: i, stat
    call own%create()
    call memory%create(8_c_size_t, own)
    allocate (users(40))
    do i = 1, size(users)
      call users(i)%create()
      if (i == 1) call memory%record_stream(users(i))
      call memory%fill(1, users(i))
      call users(i)%synchronize()
    end do
    recorded%handle = users(1)%handle
    first%handle = users(2)%handle
    deallocate (users)
    done = first%query(stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "a stream that is done is forgotten")
    done = recorded%query(stat)
    call check_equal(stat, int(GS_OK), "one that uses the address is not")
  end subroutine

  subroutine end_owners(argument) bind(C)
    type(c_ptr), value :: argument
    if (c_associated(argument)) called = called + 100
    deallocate (ending_stream, ending_event, ending_buffers)
  end subroutine

  subroutine test_ends_in_host_functions()
    type(stream) :: work
    type(stream_ref) :: stream_left
    type(event_ref) :: event_left
    type(memory_pool) :: counted
    type(gs_pool_stats_t) :: stats
    logical :: done
    integer :: i, stat, other
    call work%create()
    call counted%create()
    allocate (ending_stream, ending_event, ending_buffers(3))
    call ending_stream%create()
    call ending_event%create()
    do i = 1, 3
      call ending_buffers(i)%create(merge(0_c_size_t, 64_c_size_t, i == 3), work, counted)
      if (i > 1) call ending_buffers(i)%record_stream(ending_stream)
    end do
    stream_left%handle = ending_stream%handle
    event_left%handle = ending_event%handle
    call work%launch_host(c_funloc(end_owners), c_null_ptr)
    call work%synchronize()
    do i = 1, 10000000 ! other threads end them
      done = stream_left%query(stat)
      done = event_left%query(other)
      stats = counted%stats()
      if (stat == GS_ERROR_INVALID_HANDLE .and. other == stat .and. stats%blocks == 0) exit
    end do
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "a stream that ends in a host function")
    call check_equal(other, int(GS_ERROR_INVALID_HANDLE), "an event that does")
    call check(stats%blocks == 0, "the buffers that do")
  end subroutine

  !> It is another stream on each thread, and its memory is freed behind that of its thread. The poison shows when.
  subroutine test_per_thread_streams()
    type(memory_pool) :: poisoned
    type(stream_ref) :: own
    type(buffer) :: memory
    integer(c_int8_t), pointer :: bytes(:)
    integer(c_int32_t) :: status
    call poisoned%create(flags=int(GS_POOL_POISON))
    !$omp parallel num_threads(2) private(own, status)
    status = gs_per_thread_stream(GS_DEVICE_CURRENT, own%handle)
    if (omp_get_thread_num() == 1) then
      call memory%create(8_c_size_t, own, poisoned)
      call memory%fill(7, own)
      opened = 0
      call own%launch_host(c_funloc(wait_for_opening), c_null_ptr)
      call memory%copy_to(seen, own)
    end if
    !$omp barrier
    if (omp_get_thread_num() == 0) then
      call memory%close()
      call own%synchronize()
      opened = 1
    end if
    !$omp end parallel
    call synchronize_device()
    call c_f_pointer(seen%address, bytes, [seen%bytes])
    call check(all(bytes == 7), "memory of a per-thread stream")
  end subroutine
end module
