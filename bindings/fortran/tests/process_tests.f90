! SPDX-License-Identifier: Apache-2.0
! Forked children, threads, and many lives of objects.
module process_tests
  use, intrinsic :: iso_c_binding
  use gpustream
  use checks
  implicit none

  interface
    integer(c_int) function fork() bind(C, name="fork")
      import :: c_int
    end function
    integer(c_int) function waitpid(child, status, options) bind(C, name="waitpid")
      import :: c_int
      integer(c_int), value :: child, options
      integer(c_int), intent(out) :: status
    end function
    subroutine exit_now(status) bind(C, name="_exit")
      import :: c_int
      integer(c_int), value :: status
    end subroutine
  end interface

contains

  subroutine test_fork()
    type(stream) :: work, made
    integer(c_int) :: child, ended
    integer :: stat
    call work%create()
    child = fork()
    if (child == 0) then
      call work%synchronize(stat=stat)
      if (stat /= GS_ERROR_BAD_FORK) call exit_now(1_c_int)
      call made%create(stat=stat)
      if (stat /= GS_ERROR_BAD_FORK) call exit_now(2_c_int)
      call work%close(stat)
      if (stat /= GS_OK) call exit_now(3_c_int)
      call exit_now(0_c_int)
    end if
    call check(waitpid(child, ended, 0_c_int) == child, "waitpid")
    call check_equal(int(ended), 0, "the forked child")
    call work%synchronize()
  end subroutine

  !> Ends device 1 for the process, so no test that uses it comes after this one.
  subroutine test_reset()
    type(stream) :: lost, work
    integer :: stat
    call lost%create(device=1)
    call work%create(device=0)
    call lost%sleep(1000_c_int64_t)
    call reset_device(1)
    call work%create(device=1, stat=stat)
    call check_equal(stat, int(GS_ERROR_CONTEXT_LOST), "a stream of the reset device")
    call lost%sleep(1_c_int64_t, stat)
    call check_equal(stat, int(GS_ERROR_CONTEXT_LOST), "work for it")
    call reset_device(1, stat)
    call check_equal(stat, int(GS_ERROR_CONTEXT_LOST), "a second reset")
    call reset_device(7, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_DEVICE), "no such device")
    call lost%close(stat)
    call check_equal(stat, int(GS_OK), "its streams can be closed")
    call work%sleep(1000_c_int64_t)
    call work%synchronize()
  end subroutine

  subroutine test_threads()
    type(stream) :: work
    type(event) :: mark
    integer :: i, wrong, stat
    call work%create()
    call mark%create()
    wrong = 0
    !$omp parallel do private(stat) reduction(+:wrong)
    do i = 1, 400
      call work%record(mark, stat)
      wrong = wrong + stat
      call work%wait(mark, stat)
      wrong = wrong + stat
    end do
    !$omp end parallel do
    call check_equal(wrong, 0, "calls from several threads")
    call work%synchronize()
  end subroutine

  subroutine test_lives()
    integer :: i
    type(gs_stats_t) :: stats
    integer :: stat
    do i = 1, 10
      call one_life()
    end do
    stat = int(gs_reset_stats())
    do i = 1, 1000
      call one_life()
    end do
    stats%struct_size = int(c_sizeof(stats), c_int32_t)
    stat = int(gs_get_stats(stats))
    call check_equal(int(stats%streams_created), 1000, "streams created")
    call check(stats%stream_pool_misses <= 10, "ended streams are used again")
  end subroutine

  subroutine one_life()
    type(stream) :: work
    type(event) :: mark
    call work%create()
    call mark%create()
    call work%record(mark)
    call work%synchronize()
  end subroutine
end module
