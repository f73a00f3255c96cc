! SPDX-License-Identifier: Apache-2.0
! The ordering checker, names, failures without a record, and threads that may not wait.
module check_tests
  use, intrinsic :: iso_c_binding
  use gpustream
  use callbacks
  use checks
  use omp_lib, only: omp_get_thread_num
  implicit none
  character(kind=c_char), target, save :: said(4096) = c_null_char

contains

  !> Whether the last report has the text.
  logical function reported(part)
    character(*), intent(in) :: part
    integer :: i, j
    reported = .false.
    do i = 1, size(said) - len(part)
      if (said(i) == c_null_char) return
      reported = .true.
      do j = 1, len(part)
        if (said(i + j - 1) /= part(j:j)) reported = .false.
      end do
      if (reported) return
    end do
  end function

  subroutine test_ordering_checker()
    type(stream) :: upload, compute, nothing
    type(event) :: ready
    type(check_clock) :: clock
    integer(c_int8_t), target :: bytes(64)
    integer :: stat
    call upload%create()
    call compute%create()
    call ready%create()
    call upload%set_name("upload")
    call compute%set_name("compute")
    called = 0
    call set_check_callback(c_funloc(keep_report), c_loc(said))
    call start_check()
    call check_write(upload, c_loc(bytes), 64_c_size_t, "copy in")
    call upload%record(ready)
    call compute%wait(ready)
    call check_read(compute, c_loc(bytes), 64_c_size_t, "ordered")
    call check_equal(int(called), 0, "reports of what is ordered")
    call check_write(upload, c_loc(bytes), 8_c_size_t, "too early")
    call check_equal(int(called), 1, "reports of what nothing orders")
    call check(reported("upload") .and. reported("compute"), "the report has the streams' names")
    call check(reported("ordered") .and. reported("too early"), "the report has the labels")
    call check(said(4096) == "{", "the report as JSON")
    call upload%synchronize()
    call compute%synchronize()
    call clock%handover()
    call check_write(compute, c_loc(bytes), 64_c_size_t)
    call check_equal(int(called), 1, "reports of what this thread has waited for")
    call stop_check()
    call set_check_callback(c_null_funptr, c_null_ptr)
    call check_read(nothing, c_loc(bytes), 1_c_size_t, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "no stream")
  end subroutine

  subroutine test_checked_nodes()
    type(stream) :: work
    type(graph) :: made
    type(executable_graph) :: runs
    integer(c_int64_t) :: first, second
    integer(c_int8_t), target :: bytes(64)
    integer :: stat
    call work%create()
    call made%create()
    first = made%add_empty()
    second = made%add_empty()
    called = 0
    call set_check_callback(c_funloc(keep_report), c_loc(said))
    call start_check()
    call made%check_write(first, c_loc(bytes), 64_c_size_t, "producer")
    call made%check_read(second, c_loc(bytes), 8_c_size_t, "consumer")
    call made%check_read(0_c_int64_t, c_loc(bytes), 8_c_size_t, stat=stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "no node")
    call check_equal(int(called), 0, "reports before the launch")
    call runs%create(made)
    call runs%launch(work)
    call work%synchronize()
    call check_equal(int(called), 1, "reports of the launch")
    call check(reported("producer") .and. reported("consumer"), "the report has the labels of both nodes")
    call stop_check()
    call set_check_callback(c_null_funptr, c_null_ptr)
  end subroutine

  subroutine test_names()
    type(event) :: mark
    type(event_ref) :: stale
    type(graph) :: work
    type(gpustream_error) :: failure
    integer :: stat
    call mark%create()
    call mark%set_name("uploaded")
    stale%handle = mark%handle
    call mark%close()
    call stale%synchronize(stat=stat)
    failure = last_error()
    call check(index(failure%message, "uploaded") > 0, "the name in an error: "//failure%message)
    call stale%set_name("again", stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "the name of an ended event")
    call work%set_name("step", stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "the name of no graph")
    call work%create()
    call work%set_name("step")
    call work%set_name("")
  end subroutine

  !> What the layer refuses, or a limit that is over, hides the record of an older failure.
  subroutine test_failures_without_record()
    type(stream) :: nothing
    type(timeline) :: numbers
    type(device_scope) :: scope
    type(kernel_module) :: code
    type(gpustream_error) :: failure
    character(kind=c_char) :: image(0)
    integer :: stat
    call nothing%synchronize(stat=stat)
    call code%load(image, stat=stat)
    failure = last_error()
    call check_equal(failure%status, int(GS_ERROR_INVALID_ARGUMENT), "an empty image")
    call check(len(failure%procedure_name) == 0 .and. len(failure%message) > 0, "its message: "//failure%message)
    call scope%leave(stat)
    failure = last_error()
    call check_equal(failure%status, int(GS_ERROR_SCOPE), "a scope that is not open")
    call numbers%create()
    call numbers%synchronize(1_c_int64_t, seconds=0.0_c_double, stat=stat)
    failure = last_error()
    call check_equal(failure%status, int(GS_ERROR_TIMEOUT), "a limit")
    call nothing%synchronize(stat=stat)
    !$omp parallel num_threads(2) private(stat)
    if (omp_get_thread_num() == 1) call code%load(image, stat=stat)
    !$omp end parallel
    failure = last_error()
    call check(failure%procedure_name == "gs_stream_synchronize", "a later failure with a record: "//failure%procedure_name)
  end subroutine

  subroutine test_forbidden_waits()
    type(stream) :: work
    type(forbid_sync) :: forbidden
    integer :: stat
    call work%create()
    call forbidden%enter()
    call forbidden%enter(stat)
    call check_equal(stat, int(GS_ERROR_SCOPE), "one that is open")
    call forbid_in_a_procedure(work)
    call work%synchronize(stat=stat)
    call check_equal(stat, int(GS_ERROR_SYNC_FORBIDDEN), "a wait")
    call work%synchronize(0d0, stat)
    call check_equal(stat, int(GS_ERROR_SYNC_FORBIDDEN), "a wait with a limit")
    call forbidden%leave()
    call forbidden%leave(stat)
    call check_equal(stat, int(GS_ERROR_SCOPE), "left twice")
    call work%synchronize()
    call forbid_in_a_procedure(work)
    call work%synchronize()
  end subroutine

  subroutine forbid_in_a_procedure(work)
    type(stream), intent(in) :: work
    type(forbid_sync) :: forbidden
    integer :: stat
    call forbidden%enter()
    call work%synchronize(stat=stat)
    call check_equal(stat, int(GS_ERROR_SYNC_FORBIDDEN), "a wait in the procedure")
  end subroutine

  subroutine test_ranges()
    type(named_range) :: outer
    integer :: stat
    call outer%enter("outer")
    call inner_range()
    call outer%enter("again", stat)
    call check_equal(stat, int(GS_ERROR_SCOPE), "a range that is open")
    call outer%leave()
    call outer%leave(stat)
    call check_equal(stat, int(GS_ERROR_SCOPE), "left twice")
    call check_equal(int(gs_range_pop()), int(GS_ERROR_SCOPE), "none is open")
  end subroutine

  !> It ends with its variable.
  subroutine inner_range()
    type(named_range) :: inner
    call inner%enter("inner")
    call mark_moment("a moment")
  end subroutine
end module
