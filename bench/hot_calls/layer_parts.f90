! SPDX-License-Identifier: Apache-2.0
! The same calls as the C functions and as the types have them, for bench/instructions --fortran: each part is one call,
! repeated, with its status checked. They are in a file of their own, so that the compiler cannot put them into the program.
module parts
  use, intrinsic :: iso_c_binding
  use gpustream
  implicit none
  integer, parameter :: repeats = 1000 ! REPEAT of bench/instructions
  type(stream), save :: a, b
  type(event), save :: mark, done
  integer, volatile, save :: sink = 0
  integer, save :: flag = 0

contains

  subroutine c(status)
    integer(c_int32_t), intent(in) :: status
    if (status /= GS_OK) error stop "a call of C failed"
  end subroutine

  subroutine empty_loop() bind(C, name="part_empty_loop")
    integer :: i
    do i = 1, repeats
      sink = 0
    end do
  end subroutine

  subroutine c_record() bind(C, name="part_c_record")
    integer :: i
    do i = 1, repeats
      sink = 0
      call c(gs_stream_record_event(a%handle, mark%handle))
    end do
  end subroutine

  subroutine fortran_record() bind(C, name="part_fortran_record")
    integer :: i
    do i = 1, repeats
      sink = 0
      call a%record(mark)
    end do
  end subroutine

  subroutine c_wait() bind(C, name="part_c_wait")
    integer :: i
    do i = 1, repeats
      sink = 0
      call c(gs_stream_wait_event(b%handle, done%handle))
    end do
  end subroutine

  subroutine fortran_wait() bind(C, name="part_fortran_wait")
    integer :: i
    do i = 1, repeats
      sink = 0
      call b%wait(done)
    end do
  end subroutine

  subroutine c_query() bind(C, name="part_c_query")
    integer :: i
    integer(c_int32_t) :: answer
    do i = 1, repeats
      sink = 0
      call c(gs_event_query(done%handle, answer))
      if (answer /= 0) flag = i
    end do
  end subroutine

  subroutine fortran_query() bind(C, name="part_fortran_query")
    integer :: i
    do i = 1, repeats
      sink = 0
      if (done%query()) flag = i
    end do
  end subroutine

  subroutine c_synchronize() bind(C, name="part_c_synchronize")
    integer :: i
    do i = 1, repeats
      sink = 0
      call c(gs_event_synchronize(done%handle))
    end do
  end subroutine

  subroutine fortran_synchronize() bind(C, name="part_fortran_synchronize")
    integer :: i
    do i = 1, repeats
      sink = 0
      call done%synchronize()
    end do
  end subroutine

  subroutine c_scope() bind(C, name="part_c_scope")
    integer :: i
    integer(c_int64_t) :: scope
    do i = 1, repeats
      sink = 0
      call c(gs_push_current_stream(a%handle, scope))
      call c(gs_pop_current_stream(scope))
    end do
  end subroutine

  subroutine fortran_scope() bind(C, name="part_fortran_scope")
    integer :: i
    type(stream_scope) :: scope
    do i = 1, repeats
      sink = 0
      call scope%enter(a)
      call scope%leave()
    end do
  end subroutine

  subroutine last_part() bind(C, name="part_end")
    sink = 1
  end subroutine
end module
