! SPDX-License-Identifier: Apache-2.0
! What the library's threads call in the tests.
module callbacks
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), volatile, save, bind(C, name="layer_test_called") :: called = 0
  integer(c_int), volatile, save, bind(C, name="layer_test_opened") :: opened = 0

contains

  subroutine count_call(argument) bind(C)
    type(c_ptr), value :: argument
    if (c_associated(argument)) called = called + 100
    called = called + 1
  end subroutine

  subroutine store_status(argument, status) bind(C)
    type(c_ptr), value :: argument
    integer(c_int32_t), value :: status
    integer(c_int32_t), pointer :: number
    call c_f_pointer(argument, number)
    number = 1000 + status
  end subroutine

  !> Of the ordering checker: keeps the last text, in a buffer of 4096 characters, and counts.
  subroutine keep_report(argument, text, json) bind(C)
    type(c_ptr), value :: argument, text, json
    character(kind=c_char), pointer :: kept(:), letters(:), first
    integer :: i
    call c_f_pointer(argument, kept, [4096])
    call c_f_pointer(text, letters, [4096])
    call c_f_pointer(json, first)
    do i = 1, 4095
      kept(i) = letters(i)
      if (letters(i) == c_null_char) exit
    end do
    kept(4096) = first
    called = called + 1
  end subroutine

  !> Holds its stream until the test opens it.
  subroutine wait_for_opening(argument) bind(C)
    type(c_ptr), value :: argument
    if (c_associated(argument)) called = called + 100
    do while (opened == 0)
    end do
  end subroutine
end module
