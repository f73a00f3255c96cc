! SPDX-License-Identifier: Apache-2.0
! Queues and graphs.
module graph_tests
  use, intrinsic :: iso_c_binding
  use gpustream
  use callbacks
  use checks
  implicit none

contains

  subroutine test_queues()
    type(stream) :: work
    type(event) :: mark
    type(completion_queue) :: queue, same
    type(gs_completion_t) :: entries(4)
    integer :: stat
    call work%create()
    call mark%create()
    call queue%create(2)
    opened = 0
    call work%launch_host(c_funloc(wait_for_opening), c_null_ptr)
    call work%record(mark)
    call queue%add(work, 11_c_int64_t)
    call queue%add(mark, 12_c_int64_t)
    call queue%add(work, 13_c_int64_t, stat)
    call check_equal(stat, int(GS_ERROR_FULL), "more than the queue holds")
    call check(queue%descriptor() >= 0, "a descriptor")
    call check_equal(queue%poll(entries), 0, "nothing is done")
    call check_equal(queue%wait(entries, 1d-6, stat), 0, "within a microsecond")
    call check_equal(stat, int(GS_ERROR_TIMEOUT), "a limit that passes")
    call check_equal(queue%cancel(12_c_int64_t), 1, "cancelled")
    call check_equal(queue%wait(entries(1:1)), 1, "the cancelled one")
    call check(entries(1)%token == 12 .and. entries(1)%status == GS_ERROR_CANCELLED, "its entry")
    opened = 1
    call check_equal(queue%wait(entries), 1, "the other one")
    call check(entries(1)%token == 11 .and. entries(1)%status == GS_OK, "its entry, too")
    call queue%wake()
    call check_equal(queue%wait(entries), 0, "woken")
    same = queue
    call queue%close()
    call check_equal(same%poll(entries), 0, "the copy is a reference of its own")
    call queue%add(work, 1_c_int64_t, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "a closed queue")
    call queue%create(0, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_ARGUMENT), "room for nothing")
  end subroutine

  subroutine test_captures()
    type(stream) :: work
    type(graph) :: captured, same
    type(executable_graph) :: program
    type(gs_graph_summary_t) :: info
    integer :: stat
    call work%create()
    called = 0
    call begin_capture(work)
    call work%launch_host(c_funloc(count_call), c_null_ptr)
    call work%launch_host(c_funloc(count_call), c_null_ptr)
    call work%synchronize(stat=stat)
    call check_equal(stat, int(GS_ERROR_CAPTURING), "a wait in a capture")
    call end_capture(work, captured)
    info = captured%info()
    call check(info%node_count == 2 .and. info%edge_count == 1, "two nodes in their order")
    call program%create(captured)
    call program%upload(work)
    call program%launch(work)
    call program%launch(work)
    call work%synchronize()
    call check_equal(int(called), 4, "two launches")
    same = captured
    call captured%close()
    call check(same%native() /= 0, "the copy is a reference of its own")
    call captured%close(stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "closed twice")
    call end_capture(work, captured, stat)
    call check(stat /= GS_OK, "no capture is open")
    call begin_capture(work)
    call abort_capture(work)
    call check(work%query(), "the stream is as before")
  end subroutine

  subroutine test_nodes(native)
    character(*), intent(in) :: native
    type(stream) :: work
    type(graph) :: built, child, other
    type(executable_graph) :: program
    type(kernel_module) :: loaded
    type(kernel) :: scale
    type(host_buffer) :: memory
    type(event) :: mark
    type(gs_graph_summary_t) :: info
    integer(c_int32_t), pointer :: words(:)
    integer(c_int32_t), target :: factor
    type(c_ptr), target :: address
    integer(c_int64_t) :: first, filled, scaled, last
    integer :: reason, stat
    call work%create()
    call mark%create()
    call memory%create(16_c_size_t)
    call c_f_pointer(memory%address, words, [4])
    call loaded%load_file(native, 0)
    scale = loaded%get_kernel("parity_scale")
    call built%create(0)
    call child%create(0)
    first = child%add_empty()
    first = child%add_host(c_funloc(count_call), c_null_ptr, [first])
    first = built%add_graph(child)
    filled = built%add_fill(c_loc(words(3)), 1, 4_c_size_t, [first])
    factor = 3
    address = memory%address
    scaled = built%add_kernel(scale, [1], [2], [c_loc(address), c_loc(factor)], after=[filled])
    scaled = built%add_record(mark, [scaled])
    scaled = built%add_wait(mark, [scaled])
    last = built%add_copy(c_loc(words(4)), c_loc(words(2)), 4_c_size_t, [first, scaled])
    call check(last /= 0 .and. last /= scaled, "nodes have numbers of their own")
    last = built%add_empty([12345_c_int64_t], stat)
    call check(stat /= GS_OK .and. last == 0, "no such node")
    info = built%info()
    call check(info%node_count == 6, "six nodes")
    call program%create(built)
    called = 0
    words = 0
    call program%launch(work)
    call work%synchronize()
    call check(all(words == [0, 3, int(z'01010101'), 3]), "the nodes have run in their order")
    call check_equal(int(called), 1, "the child, too")
    call built%clone(other)
    call program%update(other, reason)
    call check_equal(reason, int(GS_UPDATE_OK), "an update with the same")
    call program%update(child, reason, last, stat)
    call check_equal(reason, int(GS_UPDATE_TOPOLOGY), "an update with another shape")
    call check_equal(stat, int(GS_OK), "this is a success")
    call program%close()
    call program%launch(work, stat)
    call check_equal(stat, int(GS_ERROR_INVALID_HANDLE), "a closed executable")
  end subroutine
end module
