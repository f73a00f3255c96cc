! SPDX-License-Identifier: Apache-2.0
! A program whose library has another ABI: each first call is GPUSTREAM_WRONG_ABI. Prints what is wrong with the library.
program loading
  use, intrinsic :: iso_c_binding
  use checks
  use gpustream
  implicit none
  type(stream) :: a_stream
  type(stream_ref) :: borrowed
  type(event) :: an_event
  type(timed_event) :: timed
  type(timeline) :: a_timeline
  type(completion_queue) :: queue
  type(graph) :: a_graph
  type(kernel_module) :: code
  type(host_buffer) :: memory
  type(memory_pool) :: pool
  type(partition) :: part
  type(partition), allocatable :: parts(:)
  type(device_scope) :: scope
  type(gs_device_info_t) :: info
  integer(c_int64_t) :: seed, offset
  integer :: stat, number
  call check_equal(int(library_status()), int(GPUSTREAM_WRONG_ABI), "the library")
  call a_stream%create(stat=stat)
  call refused("stream")
  call wrap_stream(0_c_intptr_t, a_stream, stat=stat)
  call refused("wrapped stream")
  borrowed = current_stream(stat=stat)
  call refused("current stream")
  borrowed = default_stream(stat=stat)
  call refused("default stream")
  call an_event%create(stat=stat)
  call refused("event")
  call wrap_event(0_c_intptr_t, an_event, stat=stat)
  call refused("wrapped event")
  call timed%create(stat=stat)
  call refused("timed event")
  call a_timeline%create(stat=stat)
  call refused("timeline")
  call queue%create(4, stat=stat)
  call refused("queue")
  call a_graph%create(stat=stat)
  call refused("graph")
  call code%load_file("nothing", stat=stat)
  call refused("kernels")
  call memory%create(8_c_size_t, stat=stat)
  call refused("memory")
  call pool%create(stat=stat)
  call refused("pool")
  call pool%of_device(stat=stat)
  call refused("default pool")
  call pool%current(stat=stat)
  call refused("current pool")
  call seed_random(1_c_int64_t, stat=stat)
  call refused("seed")
  call get_random_state(seed, offset, stat=stat)
  call refused("random state")
  call set_random_state(0_c_int64_t, 0_c_int64_t, stat=stat)
  call refused("random state to be set")
  call part%create(1, stat=stat)
  call refused("partition")
  allocate (parts(2))
  call create_partitions([1, 1], parts, stat=stat)
  call refused("partitions")
  call scope%enter(0, stat=stat)
  call refused("device scope")
  info = device_info(stat=stat)
  call refused("device's properties")
  number = device_count(stat=stat)
  call refused("devices")
  call check_equal(number, 0, "without one")
  number = current_device(stat=stat)
  call refused("current device")
  call set_current_device(0, stat=stat)
  call refused("device to be set")
  print "(a)", error_text(int(GPUSTREAM_WRONG_ABI))
  call finish()

contains

  subroutine refused(what)
    character(*), intent(in) :: what
    call check_equal(stat, int(GPUSTREAM_WRONG_ABI), what)
  end subroutine
end program
