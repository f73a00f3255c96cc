! SPDX-License-Identifier: Apache-2.0
! Calls the made-up functions through the generated module.
module made_up
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  implicit none

contains

  integer(c_int32_t) function seen(argument, number) bind(C)
    type(c_ptr), value :: argument
    integer(c_int64_t), value :: number
    integer(c_int64_t), pointer :: sum_so_far
    call c_f_pointer(argument, sum_so_far)
    sum_so_far = sum_so_far + number
    seen = GS_OK
  end function
end module

program call_made_up
  use made_up
  implicit none
  type(gs_made_weight_t) :: weight
  type(gs_made_total_t) :: total
  type(c_ptr) :: event
  integer(c_int64_t), target :: values(3) = [3, 4, 5], squares(3), seen_sum = 0
  integer(c_int32_t) :: doubled
  integer(c_size_t) :: count
  weight = gs_made_weight_t(int(c_sizeof(weight), c_int32_t), GS_MADE_DOUBLED, 0.5d0)
  total%struct_size = int(c_sizeof(total), c_int32_t)
  if (gs_made_sum(weight, c_loc(values), 3_c_size_t, c_funloc(seen), c_loc(seen_sum), total, event) /= GS_OK) error stop 1
  if (seen_sum /= 12 .or. total%count /= 3 .or. total%first(3) /= 5) error stop 2
  if (gs_made_doubled_flags(event, doubled) /= GS_OK .or. doubled /= 2*GS_EVENT_TIMING) error stop 3
  if (gs_made_squares(20_c_int64_t, c_loc(squares), 3_c_size_t, count) /= GS_OK) error stop 4
  if (squares(3) /= 4 .or. count /= 5) error stop 5
  if (gs_event_destroy(event) /= GS_OK) error stop 6
  if (gs_made_doubled_flags(event, doubled) /= GS_ERROR_INVALID_HANDLE) error stop 7
  print "(a, i0)", "Fortran: ", seen_sum
end program
