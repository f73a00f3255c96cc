! SPDX-License-Identifier: Apache-2.0
! How the tests say what is wrong: a line for each failure, and the exit status at the end.
module checks
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: check, check_equal, finish
  integer, save :: failures = 0, made = 0

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    made = made + 1
    if (right) return
    failures = failures + 1
    write (error_unit, "(2a)") "wrong: ", what
  end subroutine

  subroutine check_equal(found, wanted, what)
    integer, intent(in) :: found, wanted
    character(*), intent(in) :: what
    character(80) :: numbers
    write (numbers, "(i0, a, i0)") found, ", wanted ", wanted
    call check(found == wanted, what//": "//trim(numbers))
  end subroutine

  subroutine finish()
    write (*, "(i0, a, i0, a)") made, " checks, ", failures, " failed"
    if (failures /= 0 .or. made == 0) error stop 1
  end subroutine
end module
