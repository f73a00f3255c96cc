! SPDX-License-Identifier: Apache-2.0
! Pools of streams, and tokens.
module stream_pool_tests
  use, intrinsic :: iso_c_binding
  use gpustream
  use callbacks
  use checks
  implicit none

contains

  subroutine test_stream_pools()
    type(stream_pool) :: pool
    type(stream_ref) :: kept, one
    integer :: i, stat
    call check_equal(pool%length(), 0, "nothing yet")
    call pool%create(3, device=1, priority=-1)
    call check_equal(pool%length(), 3, "three streams")
    do i = 1, 3
      one = pool%at(i)
      call check_equal(one%device(), 1, "their device")
      call check_equal(one%priority(), -1, "their priority")
      call check(.not. c_associated(one%handle, same_place(pool, i + 1)), "none is given twice")
    end do
    do i = 1, 7
      one = pool%next()
      call check(c_associated(one%handle, same_place(pool, i)), "in turn")
    end do
    call check(c_associated(same_place(pool, 0), same_place(pool, 3)), "the one before the first is the last")
    call check(c_associated(same_place(pool, -2), same_place(pool, 1)), "and so on")
    kept = pool%at(2)
    call kept%synchronize()
    call pool%create(1)
    call kept%synchronize(stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "create() ends what was there")
    one = pool%next()
    call check(c_associated(one%handle, same_place(pool, 1)), "from the first on")
    kept = life_of_a_pool()
    call kept%synchronize(stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "the streams end with the variable")
    call pool%close()
    call pool%close(stat)
    call check_equal(stat, int(GS_OK), "closed twice")
    one = pool%next()
    call one%synchronize(stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "no stream")
  end subroutine

  function same_place(pool, index) result(handle)
    type(stream_pool), intent(in) :: pool
    integer, intent(in) :: index
    type(c_ptr) :: handle
    type(stream_ref) :: one
    one = pool%at(index)
    handle = one%handle
  end function

  function life_of_a_pool() result(one)
    type(stream_ref) :: one
    type(stream_pool) :: pool
    call pool%create(2)
    one = pool%at(1)
    call one%synchronize()
  end function

  subroutine test_wrong_stream_pools()
    type(stream_pool) :: pool
    type(stream_ref) :: before, after
    type(gs_stats_t) :: stats
    type(gpustream_error) :: failure
    integer(c_int64_t) :: made
    integer :: stat
    call pool%create(2)
    before = pool%at(1)
    stats%struct_size = int(c_sizeof(stats), c_int32_t)
    call check_equal(int(gs_get_stats(stats)), int(GS_OK), "gs_get_stats")
    made = stats%streams_created
    call pool%create(0, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no stream at all")
    call pool%create(2, device=99, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_DEVICE), "no such device")
    failure = last_error()
    call check_equal(failure%device, 99, "the failure's record")
    call pool%create(2, flags=int(ior(GS_STREAM_SHARED, GS_STREAM_DEDICATED)), stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "flags that exclude each other")
    call check_equal(int(gs_get_stats(stats)), int(GS_OK), "gs_get_stats")
    call check(stats%streams_created == made, "no stream was made")
    after = pool%at(1)
    call check_equal(pool%length(), 2, "a refused call leaves the pool")
    call check(before == after, "and its streams")
  end subroutine

  subroutine test_tokens()
    type(stream) :: one, other
    type(token) :: point, sent
    call one%create()
    call other%create()
    opened = 0
    call one%launch_host(c_funloc(wait_for_opening), c_null_ptr)
    call point%create(one)
    call check(.not. point%query(), "the point is not reached")
    sent%bytes = point%bytes
    call sent%wait(other)
    call check(.not. other%query(), "the stream waits")
    opened = 1
    call other%synchronize()
    call one%synchronize()
  end subroutine

  subroutine test_wrong_tokens()
    type(stream) :: work
    type(stream_ref) :: nothing
    type(token) :: point, empty
    integer :: stat
    call work%create()
    call point%create(nothing, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "a token of no stream")
    call check(all(point%bytes == 0), "nothing was made")
    call check(.not. empty%query(stat), "no token is not reached")
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no token")
    call empty%wait(work, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "a wait for no token")
    call point%create(work)
    call point%wait(nothing, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "no stream waits")
  end subroutine
end module
