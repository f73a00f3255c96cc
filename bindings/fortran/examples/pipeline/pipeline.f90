! SPDX-License-Identifier: Apache-2.0
! Drives a file through a device in chunks (copy-in, a kernel that computes CRC-32 and byte histogram, copy-out) on several
! streams, ordered by events, and checks the result against a sequential pass.
!
!   pipeline FILE KERNELS [STREAMS [CHUNK]]
!
! The kernel is that of examples/pipeline in the repository: pipeline_kernels.so for the host backend, kernels.ptx for CUDA.
! Exit status: 0 the result is right, 1 it is wrong, 2 a call failed.
program pipeline
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use gpustream
  use digests
  use lanes
  implicit none
  character(:), allocatable :: file, kernels
  integer :: streams, unit, io, stat
  integer(int64) :: chunk, length, began, ended, per_second
  type(digest) :: expected, found
  real(c_double) :: seconds

  file = argument(1)
  kernels = argument(2)
  streams = int(number(3, 6_int64, 64_int64))
  chunk = number(4, 4194304_int64, 1073741824_int64)
  if (kernels == "" .or. command_argument_count() > 4 .or. streams == 0 .or. chunk == 0) &
    call fail("usage: pipeline FILE KERNELS [1..64 streams [bytes of a chunk]]")
  open (newunit=unit, file=file, access="stream", form="unformatted", action="read", status="old", iostat=io)
  if (io /= 0) call fail("the file cannot be opened: "//file)
  inquire (unit, size=length)
  if (length <= 0) call fail("the file is empty")

  call sequential_pass(expected)
  found%bytes = length
  call system_clock(began, per_second)
  call run(found)
  call system_clock(ended)
  seconds = max(real(ended - began, c_double)/per_second, 1d-9)
  print "(i0, 2a)", streams, " streams on ", device_name(0)
  print "(f0.3, a, f0.2, a)", seconds, " s, ", length/seconds/1d9, " GB/s"
  if (.not. found == expected) then
    write (error_unit, "(a, z8.8, a, z8.8)") "the result is wrong: CRC-32 ", found%crc32(), ", wanted ", expected%crc32()
    stop 1, quiet=.true.
  end if
  print "(3a, i0, a)", "CRC-32 ", lower(found%crc32()), " and histogram agree with a sequential pass over ", length, " bytes"

contains

  function argument(position) result(text)
    integer, intent(in) :: position
    character(:), allocatable :: text
    integer :: letters
    call get_command_argument(position, length=letters)
    allocate (character(letters) :: text)
    call get_command_argument(position, text)
  end function

  !> 0 if it is no number from 1 to most.
  integer(int64) function number(position, otherwise, most)
    integer, intent(in) :: position
    integer(int64), intent(in) :: otherwise, most
    character(:), allocatable :: text
    integer :: io
    number = otherwise
    text = argument(position)
    if (text == "") return
    read (text, *, iostat=io) number
    if (io /= 0 .or. number < 1 .or. number > most) number = 0
  end function

  subroutine fail(text)
    character(*), intent(in) :: text
    write (error_unit, "(2a)") "pipeline: ", text
    stop 2, quiet=.true.
  end subroutine

  function lower(bits) result(text)
    integer(c_int32_t), intent(in) :: bits
    character(8) :: text
    integer :: i
    write (text, "(z8.8)") bits
    do i = 1, 8
      if (text(i:i) >= "A") text(i:i) = achar(iachar(text(i:i)) + 32)
    end do
  end function

  subroutine sequential_pass(into)
    type(digest), intent(inout) :: into
    integer(c_int8_t), allocatable :: content(:)
    integer :: io
    do while (into%bytes < length)
      allocate (content(min(1048576_int64, length - into%bytes)))
      read (unit, pos=into%bytes + 1, iostat=io) content
      if (io /= 0) call fail("the file has become shorter")
      call into%update(content)
      deallocate (content)
    end do
  end subroutine

  !> A lane for every three streams, each on a thread of its own. The first failure ends all of them.
  subroutine run(into)
    type(digest), intent(inout) :: into
    type(kernel_module) :: loaded
    type(kernel) :: compute
    character(:), allocatable :: failure
    integer :: count, index
    integer(int64) :: next, size_of_chunk
    call loaded%load_file(kernels, 0, stat)
    if (stat == GS_OK) compute = loaded%get_kernel("crc_and_histogram", stat)
    if (stat /= GS_OK) call fail(error_text(stat))
    size_of_chunk = min(chunk, length)
    count = (streams + 2)/3
    next = 0
    failure = ""
    !$omp parallel do num_threads(count) schedule(static, 1) shared(into, next, failure)
    do index = 0, count - 1
      call work(compute, streams/count + merge(1, 0, index < mod(streams, count)), size_of_chunk, next, into, failure)
    end do
    !$omp end parallel do
    if (failure /= "") call fail(failure)
  end subroutine

  !> Takes chunks until there are none left.
  subroutine work(compute, streams_of_lane, size_of_chunk, next, into, failure)
    type(kernel), intent(in) :: compute
    integer, intent(in) :: streams_of_lane
    integer(int64), intent(in) :: size_of_chunk
    integer(int64), intent(inout) :: next
    type(digest), intent(inout) :: into
    character(:), allocatable, intent(inout) :: failure
    type(lane) :: one
    integer(int64) :: offset
    integer :: stat
    logical :: unreadable
    unreadable = .false.
    call one%open(compute, streams_of_lane, size_of_chunk, stat)
    do while (stat == GS_OK .and. .not. unreadable)
      !$omp atomic capture
      offset = next
      next = next + size_of_chunk
      !$omp end atomic
      if (offset >= length) exit
      call one%process(unit, offset, min(size_of_chunk, length - offset), into, stat, unreadable)
    end do
    if (stat == GS_OK .and. .not. unreadable) call one%finish(into, stat)
    if (stat == GS_OK .and. .not. unreadable) return
    !$omp critical (the_failure)
    if (failure == "" .and. unreadable) failure = "the file has become shorter"
    if (failure == "") failure = error_text(stat)
    !$omp end critical (the_failure)
    !$omp atomic write
    next = length
    call one%drain()
  end subroutine
end program
