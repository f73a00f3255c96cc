! SPDX-License-Identifier: Apache-2.0
! Pools, memory of several streams, and the random state of a device.
module pool_tests
  use, intrinsic :: iso_c_binding
  use gpustream
  use callbacks
  use checks
  implicit none

contains

  subroutine test_pools()
    type(memory_pool) :: small, usual
    type(stream) :: work
    type(buffer) :: first, second
    type(gs_pool_stats_t) :: stats
    integer :: stat
    call work%create(device=0)
    call small%create(limit=1048576_c_int64_t, device=0)
    call first%create(700000_c_size_t, work, small)
    call second%create(700000_c_size_t, work, small, stat)
    call check_equal(stat, int(GS_ERROR_OUT_OF_MEMORY), "above the limit")
    call check(.not. c_associated(second%address), "no memory")
    stats = small%stats()
    call check(stats%limit_bytes == 1048576 .and. stats%requested_bytes == 700000 .and. stats%blocks == 1 &
               .and. stats%out_of_memory == 1, "its statistics")
    call first%close()
    call work%synchronize()
    call small%trim()
    call small%reset_peak()
    stats = small%stats()
    call check(stats%allocated_peak_bytes == 0, "a new peak")
    call small%set_limit(0_c_int64_t)
    call second%create(2000000_c_size_t, work, small)
    call small%make_current()
    call usual%current(0)
    call check(c_associated(usual%handle, small%handle), "current on this thread")
    call first%create(512_c_size_t, work)
    stats = small%stats()
    call check(stats%blocks == 2, "used by allocations")
    call usual%of_device(0)
    call usual%make_current()
    call usual%close()
    call small%current(0)
    call check(.not. c_associated(usual%handle), "closed")
  end subroutine

  subroutine drop(pool, work)
    type(memory_pool), intent(in) :: pool
    type(stream), intent(in) :: work
    type(buffer) :: dropped
    call dropped%create(4096_c_size_t, work, pool)
    call begin_capture(work)
  end subroutine

  subroutine test_captured_buffers()
    type(memory_pool) :: own
    type(stream) :: work
    type(buffer) :: closed
    type(graph) :: captured
    type(gs_pool_stats_t) :: stats
    integer :: stat, i
    call work%create()
    call own%create()
    do i = 1, 20
      call closed%create(4096_c_size_t, work, own)
      call drop(own, work)
      call closed%close(stat)
      call check_equal(stat, int(GS_ERROR_CAPTURING), "a close in a capture")
      call check(c_associated(closed%address) .and. closed%bytes == 4096, "a refused close changes nothing")
      call end_capture(work, captured)
      call closed%close()
      call captured%close()
    end do
    stat = gs_trim()
    do i = 1, 1000000
      stats = own%stats()
      if (stats%blocks == 0) exit
    end do
    call check(stats%blocks == 0, "no buffer is lost")
  end subroutine

  subroutine test_ended_pools()
    type(memory_pool) :: one, other, wrong
    type(stream) :: work
    type(buffer) :: kept
    type(gs_pool_stats_t) :: stats
    integer :: stat
    call work%create()
    call one%create()
    other = one
    call one%close()
    call kept%create(64_c_size_t, work, other)
    wrong%handle = other%handle
    call other%close()
    call work%fill(kept%address, 1, 64_c_size_t)
    call work%synchronize()
    stats = wrong%stats(stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "statistics of a pool that has ended")
    wrong%handle = c_null_ptr
    call wrong%close(stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "closed twice")
    call wrong%create(flags=1073741824, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no such flag")
  end subroutine

  subroutine test_memory_of_several_streams()
    type(stream) :: one, other
    type(buffer) :: shared
    integer :: stat
    call one%create()
    call other%create()
    call shared%create(1024_c_size_t, one)
    call other%sleep(1000000_c_int64_t)
    call shared%close_after([one%handle, c_null_ptr], stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "no such stream")
    call check(c_associated(shared%address), "a refused call leaves it")
    call shared%close_after([one%handle, other%handle])
    call check(.not. c_associated(shared%address) .and. shared%bytes == 0, "closed")
    call shared%close_after([one%handle])
    call other%synchronize()
  end subroutine

  subroutine test_random()
    type(stream) :: work
    type(gs_philox_t) :: drawn
    integer(c_int64_t) :: seed, offset
    integer :: stat
    call work%create(device=0)
    call seed_random(11_c_int64_t, 0)
    drawn = reserve_random(work, 5_c_int64_t)
    call check(drawn%captured == 0 .and. drawn%seed == 11 .and. drawn%offset == 0, "the first numbers")
    call get_random_state(seed, offset, 0)
    call check(seed == 11 .and. offset == 8, "rounded up to a multiple of 4")
    call set_random_state(12_c_int64_t, 400_c_int64_t, 0)
    drawn = reserve_random(work, 1_c_int64_t)
    call check(drawn%seed == 12 .and. drawn%offset == 400, "as it was set")
    call set_random_state(1_c_int64_t, 2_c_int64_t, 0, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no multiple of 4")
  end subroutine
end module
