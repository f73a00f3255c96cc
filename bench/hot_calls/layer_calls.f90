! SPDX-License-Identifier: Apache-2.0
! Runs the parts of layer_parts.f90.
program layer_calls
  use parts
  implicit none
  integer :: pass
  call a%create()
  call b%create()
  call mark%create()
  call done%create()
  call a%record(done)
  call done%synchronize()
  call set_current_device(0)
  do pass = 1, 2 ! the last dump of a part counts: pools are warm by then
    call empty_loop()
    call c_record()
    call fortran_record()
    call c_wait()
    call fortran_wait()
    call c_query()
    call fortran_query()
    call c_synchronize()
    call fortran_synchronize()
    call c_scope()
    call fortran_scope()
  end do
  call last_part()
end program
