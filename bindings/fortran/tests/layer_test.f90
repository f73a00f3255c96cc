! SPDX-License-Identifier: Apache-2.0
! The layer on the host backend. With the file of parity's kernels as its argument all tests run. Three other arguments end the
! program early: "stop" by a failure without stat, "copy" by the assignment of a variable of the type that is named next (of an
! array of them if "array" follows), "pending" with unfinished work.
program layer_test
  use, intrinsic :: iso_c_binding
  use buffer_tests
  use check_tests
  use checks
  use copy_tests
  use graph_tests
  use gpustream
  use partition_tests
  use pool_tests
  use stream_pool_tests
  use stream_tests
  use work_tests
  implicit none
  character(4096) :: what
  character(32) :: kind, how
  type(stream), save :: kept
  call get_command_argument(1, what)
  select case (what)
  case ("stop")
    call kept%synchronize()
  case ("copy")
    call get_command_argument(2, kind)
    call get_command_argument(3, how)
    call copy_owner(trim(kind), how == "array")
  case ("pending")
    call kept%create()
    call kept%sleep(1000000_c_int64_t)
  case default
    call test_order()
    call test_references()
    call test_copied_arrays()
    call test_failures()
    call test_failures_without_record()
    call test_failure_objects()
    call test_scopes()
    call test_callbacks()
    call test_refused_inside()
    call test_raw_handles()
    call test_raw_layer()
    call test_devices()
    call test_memory()
    call test_streams_of_buffers()
    call test_first_use()
    call test_frees()
    call test_captured_fills()
    call test_no_bytes()
    call test_many_users()
    call test_ends_in_host_functions()
    call test_per_thread_streams()
    call test_pools()
    call test_ended_pools()
    call test_captured_buffers()
    call test_memory_of_several_streams()
    call test_random()
    call test_partitions()
    call test_wrong_partitions()
    call test_streams_of_partitions()
    call test_ends_of_partitions()
    call test_kernels(trim(what))
    call test_launch_attributes(trim(what))
    call test_stricter_events()
    call test_record_once()
    call test_stream_pools()
    call test_wrong_stream_pools()
    call test_tokens()
    call test_wrong_tokens()
    call test_priority_levels()
    call test_timelines()
    call test_names_for_others()
    call test_queues()
    call test_captures()
    call test_nodes(trim(what))
    call test_ordering_checker()
    call test_checked_nodes()
    call test_names()
    call test_forbidden_waits()
    call test_ranges()
    call test_reset()
    call finish()
  end select
end program
