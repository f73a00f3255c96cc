! SPDX-License-Identifier: Apache-2.0
! Partitions: what they have, what is refused, their ends, and that a stream in one is a stream like any other.
module partition_tests
  use, intrinsic :: iso_c_binding
  use gpustream
  use checks
  implicit none

contains

  !> The smallest partition, and how many of them the current device can be divided into.
  subroutine division(unit, units, all)
    integer, intent(out) :: unit, units, all
    type(partition) :: smallest
    type(gs_partition_summary_t) :: info
    call smallest%create(1)
    info = smallest%info()
    unit = info%unit_sm_count
    all = info%device_sm_count
    units = all/unit
  end subroutine

  subroutine test_partitions()
    type(partition) :: part
    type(partition), allocatable :: parts(:)
    type(stream) :: first, second
    type(gs_partition_summary_t) :: info
    integer :: unit, units, all, i
    call division(unit, units, all)
    call part%create(1)
    info = part%info()
    call check_equal(int(info%requested_sm_count), 1, "what was asked for")
    call check_equal(int(info%sm_count), unit, "rounded up to one unit")
    call check_equal(int(info%device_sm_count), all, "what the device has")
    call check((info%native == 0) .eqv. gs_default_backend_is_host(), "the driver's handle")
    call part%create_stream(first)
    call part%create_stream(second)
    info = part%info()
    call check_equal(int(info%streams), 2, "two streams")
    call first%close()
    call second%close()
    info = part%info()
    call check_equal(int(info%streams), 0, "no stream")
    allocate (parts(min(units, 3)))
    call create_partitions([(1, i=1, size(parts))], parts)
    do i = 1, size(parts)
      info = parts(i)%info()
      call check_equal(int(info%sm_count), unit, "one of several")
    end do
    call part%create(1, flags=int(GS_PARTITION_FINE))
    info = part%info()
    call check(info%unit_sm_count <= unit, "fine units")
  end subroutine

  logical function gs_default_backend_is_host() result(host)
    integer(c_int32_t) :: backend
    call check_equal(int(gs_default_backend(backend)), int(GS_OK), "gs_default_backend")
    host = backend == GS_BACKEND_HOST
  end function

  subroutine test_wrong_partitions()
    type(partition) :: part
    type(partition), allocatable :: parts(:)
    type(partition) :: none(0)
    type(stream) :: work
    type(c_ptr) :: before
    integer :: unit, units, all, i, stat
    call division(unit, units, all)
    call part%create(1)
    before = part%handle
    call part%create(0, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no multiprocessor")
    call check(c_associated(part%handle, before), "a refused call leaves the partition")
    call part%create_stream(work, flags=int(GS_STREAM_SHARED), stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "a shared stream")
    call check(.not. c_associated(work%handle), "no stream was made")
    allocate (parts(units + 1))
    call create_partitions([(unit, i=1, units + 1)], parts, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "too many")
    call create_partitions([1], parts, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "more variables than numbers")
    call create_partitions([integer ::], none, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no partition")
    call parts(1)%close(stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "nothing to close")
  end subroutine

  subroutine test_streams_of_partitions()
    type(partition) :: part
    type(stream) :: work
    integer(c_int32_t) :: least, greatest

    call part%create(1)
    call part%create_stream(work, priority=PRIORITY_HIGH, flags=int(GS_STREAM_DEDICATED))
    call check_equal(int(gs_device_priority_range(GS_DEVICE_CURRENT, least, greatest)), int(GS_OK), "gs_device_priority_range")
    call check_equal(work%priority(), int(greatest), "its priority")
  end subroutine

  subroutine test_ends_of_partitions()
    type(partition) :: part
    type(stream) :: work
    type(event) :: done
    type(c_ptr) :: handle
    type(gs_partition_summary_t) :: info
    integer :: stat
    call life_of_a_partition(work, handle)
    call done%create()
    call work%record(done)
    call work%synchronize()
    call check(done%query(), "the stream works on")
    info%struct_size = int(c_sizeof(info), c_int32_t)
    call check_equal(int(gs_partition_info(handle, info)), int(GS_ERROR_INVALID_HANDLE), "the partition ends with its variable")
    call part%create(1)
    call part%close()
    info = part%info(stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "a closed partition")
  end subroutine

  subroutine life_of_a_partition(work, handle)
    type(stream), intent(inout) :: work
    type(c_ptr), intent(out) :: handle
    type(partition) :: part
    call part%create(1)
    call part%create_stream(work)
    handle = part%handle
  end subroutine
end module
