! SPDX-License-Identifier: Apache-2.0
! Prints what calls cost from Fortran beside the same calls in a loop of C (bench/languages/loops.c), in rounds that alternate
! between them: nanoseconds for each, the medians of the rounds; the median of the rounds' differences, which a busy
! machine disturbs least because the two halves of a round are a fraction of a millisecond apart; and what the fastest rounds
! of both differ by.   bench/languages/run fortran
module loops
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    function loop_record(n, stream, event) result(status) bind(C, name="loop_record")
      import
      integer(c_int64_t), value :: n
      type(c_ptr), value :: stream, event
      integer(c_int32_t) :: status
    end function
    function loop_wait(n, stream, event) result(status) bind(C, name="loop_wait")
      import
      integer(c_int64_t), value :: n
      type(c_ptr), value :: stream, event
      integer(c_int32_t) :: status
    end function
    function loop_query(n, event) result(status) bind(C, name="loop_query")
      import
      integer(c_int64_t), value :: n
      type(c_ptr), value :: event
      integer(c_int32_t) :: status
    end function
    function loop_scope(n, stream) result(status) bind(C, name="loop_scope")
      import
      integer(c_int64_t), value :: n
      type(c_ptr), value :: stream
      integer(c_int32_t) :: status
    end function
    function loop_event(n) result(status) bind(C, name="loop_event")
      import
      integer(c_int64_t), value :: n
      integer(c_int32_t) :: status
    end function
    function loop_stream(n) result(status) bind(C, name="loop_stream")
      import
      integer(c_int64_t), value :: n
      integer(c_int32_t) :: status
    end function
  end interface
end module

module rows
  use, intrinsic :: iso_c_binding
  use gpustream
  use loops
  implicit none
  integer, parameter :: count = 7, rounds = 801
  integer(c_int64_t), parameter :: calls = 1000
  character(22), parameter :: names(count) = [character(22) :: "record", "wait", "query", "scope", "event create, close", &
                                              "stream create, close", "event as a variable"]
  type(stream), save :: a, b
  type(event), save :: mark

contains

  !> One row, so many times, without stat: a failure ends the program.
  subroutine in_fortran(row, n)
    integer, intent(in) :: row
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t) :: i
    type(stream_scope) :: scope
    type(stream) :: other
    type(event) :: made
    select case (row)
    case (1)
      do i = 1, n
        call a%record(mark)
      end do
    case (2)
      do i = 1, n
        call b%wait(mark)
      end do
    case (3)
      do i = 1, n
        if (.not. mark%query()) error stop "the event is not done"
      end do
    case (4)
      do i = 1, n
        call scope%enter(a)
        call scope%leave()
      end do
    case (5)
      do i = 1, n
        call made%create()
        call made%close()
      end do
    case (6)
      do i = 1, n
        call other%create()
        call other%close()
      end do
    case (7)
      do i = 1, n
        call one_event()
      end do
    end select
  end subroutine

  !> The compiler's finalization ends it.
  subroutine one_event()
    type(event) :: made
    call made%create()
  end subroutine

  subroutine in_c(row, n)
    integer, intent(in) :: row
    integer(c_int64_t), intent(in) :: n
    integer(c_int32_t) :: status
    status = GS_ERROR_INTERNAL
    select case (row)
    case (1)
      status = loop_record(n, a%handle, mark%handle)
    case (2)
      status = loop_wait(n, b%handle, mark%handle)
    case (3)
      status = loop_query(n, mark%handle)
    case (4)
      status = loop_scope(n, a%handle)
    case (5, 7)
      status = loop_event(n)
    case (6)
      status = loop_stream(n)
    end select
    if (status /= GS_OK) error stop "a call of C failed"
  end subroutine

  !> Nanoseconds a call, after some that warm up.
  function measured(which, row) result(ns)
    character, intent(in) :: which
    integer, intent(in) :: row
    real(c_double) :: ns
    integer(c_int64_t) :: began, ended, per_second
    call once(calls/10)
    call system_clock(began, per_second)
    call once(calls)
    call system_clock(ended)
    ns = (ended - began)*1d9/per_second/calls
  contains
    subroutine once(n)
      integer(c_int64_t), intent(in) :: n
      if (which == "C") then
        call in_c(row, n)
      else
        call in_fortran(row, n)
      end if
    end subroutine
  end function

  pure function median(numbers) result(middle)
    real(c_double), intent(in) :: numbers(:)
    real(c_double) :: middle, sorted(size(numbers))
    integer :: i, least
    sorted = numbers
    do i = 1, (size(sorted) + 1)/2
      least = i - 1 + minloc(sorted(i:), dim=1)
      sorted([i, least]) = sorted([least, i])
    end do
    middle = sorted((size(sorted) + 1)/2)
  end function
end module

program bench_calls
  use rows
  implicit none
  real(c_double) :: times(2, rounds)
  integer :: row, round
  call a%create()
  call b%create()
  call mark%create()
  print "(2a)", device_name(), ", Fortran"
  print "(a22, 4a10)", "ns per call           ", "C", "Fortran", "over C", "fastest"
  do row = 1, count
    call a%record(mark)
    call mark%synchronize()
    do round = 1, rounds
      ! Each goes first in every other round.
      if (mod(round, 2) == 0) times(1, round) = measured("C", row)
      times(2, round) = measured("F", row)
      if (mod(round, 2) == 1) times(1, round) = measured("C", row)
      call a%synchronize()
      call b%synchronize()
    end do
    print "(a22, 4f10.1)", names(row), median(times(1, :)), median(times(2, :)), median(times(2, :) - times(1, :)), &
      minval(times(2, :)) - minval(times(1, :))
  end do
end program
