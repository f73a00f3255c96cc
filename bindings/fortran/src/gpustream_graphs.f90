! SPDX-License-Identifier: Apache-2.0
! Graphs. Each procedure is the C function that it calls: its errors, whether it blocks and its thread rule
! are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_graphs
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_ends, only: close_handle, copy_handle, end_handle, take_handle
  use gpustream_errors
  use gpustream_library, only: library_status
  use gpustream_events
  use gpustream_kernels, only: kernel, launch_attributes
  use gpustream_nodes
  use gpustream_streams
  implicit none
  private
  public :: graph, begin_capture, end_capture, abort_capture

  !> Work with an order, captured from streams or built from nodes. A copy is another reference; each ends with its variable.
  type :: graph
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, non_overridable :: create => graph_create
    procedure, non_overridable :: clone => graph_clone
    procedure, non_overridable :: close => graph_close
    procedure, non_overridable :: native => graph_native
    procedure, non_overridable :: set_name => graph_set_name
    procedure, non_overridable :: info => graph_info
    procedure, non_overridable :: add_empty => graph_add_empty
    procedure, non_overridable :: add_host => graph_add_host
    procedure, non_overridable :: add_kernel => graph_add_kernel
    procedure, non_overridable :: add_copy => graph_add_copy
    procedure, non_overridable :: add_fill => graph_add_fill
    procedure, non_overridable :: add_record => graph_add_record
    procedure, non_overridable :: add_wait => graph_add_wait
    procedure, non_overridable :: add_graph => graph_add_graph
    procedure, non_overridable :: check_read => graph_check_read
    procedure, non_overridable :: check_write => graph_check_write
    procedure, private :: graph_copy
    generic :: assignment(=) => graph_copy
    final :: graph_end
  end type

contains

  subroutine graph_create(self, device, stat)
    class(graph), intent(inout) :: self
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_graph_create(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), 0_c_int32_t, made)
    call take_handle(gs_graph_destroy, self%handle, made, status, stat)
  end subroutine

  !> Shown in error texts; "" is none. 63 bytes are kept.
  subroutine graph_set_name(self, name, stat)
    class(graph), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(:, kind=c_char), allocatable, target :: text
    call report(gs_graph_set_name(self%handle, c_text(name, text)), stat)
  end subroutine

  !> A graph of one's own with the same nodes.
  subroutine graph_clone(self, other, stat)
    class(graph), intent(in) :: self
    class(graph), intent(inout) :: other
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = gs_graph_clone(self%handle, made)
    call take_handle(gs_graph_destroy, other%handle, made, status, stat)
  end subroutine

  subroutine graph_close(self, stat)
    class(graph), intent(inout) :: self
    integer, intent(out), optional :: stat
    call close_handle(gs_graph_destroy, self%handle, stat)
  end subroutine

  impure elemental subroutine graph_copy(self, other)
    class(graph), intent(inout) :: self
    class(graph), intent(in) :: other
    call copy_handle(gs_graph_retain, gs_graph_destroy, self%handle, other%handle)
  end subroutine

  impure elemental subroutine graph_end(self)
    type(graph), intent(inout) :: self
    call end_handle(gs_graph_destroy, self%handle)
  end subroutine

  !> The cudaGraph_t as a number.
  function graph_native(self, stat) result(number)
    class(graph), intent(in) :: self
    integer, intent(out), optional :: stat
    integer(c_intptr_t) :: number
    call report(gs_graph_native(self%handle, number), stat)
  end function

  function graph_info(self, stat) result(info)
    class(graph), intent(in) :: self
    integer, intent(out), optional :: stat
    type(gs_graph_summary_t) :: info
    info%struct_size = int(c_sizeof(info), c_int32_t)
    call report(gs_graph_info(self%handle, info), stat)
  end function

  !> What is submitted to the stream from now on becomes a graph; GS_CAPTURE_THREAD_LOCAL by default.
  subroutine begin_capture(on, mode, stat)
    class(stream_ref), intent(in) :: on
    integer, intent(in), optional :: mode
    integer, intent(out), optional :: stat
    call report(gs_stream_begin_capture(on%handle, int(given(mode, int(GS_CAPTURE_THREAD_LOCAL)), c_int32_t)), stat)
  end subroutine

  subroutine end_capture(on, captured, stat)
    class(stream_ref), intent(in) :: on
    class(graph), intent(inout) :: captured
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = gs_stream_end_capture(on%handle, made)
    call take_handle(gs_graph_destroy, captured%handle, made, status, stat)
  end subroutine

  !> Also of a capture that a failure has broken.
  subroutine abort_capture(on, stat)
    class(stream_ref), intent(in) :: on
    integer, intent(out), optional :: stat
    call report(gs_stream_abort_capture(on%handle), stat)
  end subroutine

  ! Nodes. after has the nodes that come before; each function returns the new node's number.

  function graph_add_empty(self, after, stat) result(node)
    class(graph), intent(in) :: self
    integer(c_int64_t), intent(in), optional, target, contiguous :: after(:)
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: node
    call add(self, node_of(GS_NODE_EMPTY), after, node, stat)
  end function

  !> A procedure (bind(C), with a c_ptr by value) that runs at each launch. The argument must live as long as the graph, its
  !! executables and their launches.
  function graph_add_host(self, procedure_at, argument, after, stat) result(node)
    class(graph), intent(in) :: self
    type(c_funptr), intent(in) :: procedure_at
    type(c_ptr), intent(in) :: argument
    integer(c_int64_t), intent(in), optional, target, contiguous :: after(:)
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: node
    type(gs_node_params_t) :: what
    what = node_of(GS_NODE_HOST)
    what%host_function = procedure_at
    what%host_argument = argument
    call add(self, what, after, node, stat)
  end function

  !> As kernel%launch().
  function graph_add_kernel(self, run, grid, block, arguments, shared_memory_bytes, after, attributes, stat) result(node)
    class(graph), intent(in) :: self
    type(kernel), intent(in) :: run
    integer, intent(in) :: grid(:), block(:)
    type(c_ptr), intent(in), optional, target, contiguous :: arguments(:)
    integer, intent(in), optional :: shared_memory_bytes
    integer(c_int64_t), intent(in), optional, target, contiguous :: after(:)
    type(launch_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: node
    call add(self, kernel_node(run, grid, block, arguments, shared_memory_bytes, attributes), after, node, stat)
  end function

  function graph_add_copy(self, to, from, bytes, after, stat) result(node)
    class(graph), intent(in) :: self
    type(c_ptr), intent(in) :: to, from
    integer(c_size_t), intent(in) :: bytes
    integer(c_int64_t), intent(in), optional, target, contiguous :: after(:)
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: node
    type(gs_node_params_t) :: what
    what = node_of(GS_NODE_MEMCPY)
    what%dst = to
    what%src = from
    what%bytes = bytes
    call add(self, what, after, node, stat)
  end function

  function graph_add_fill(self, to, byte, bytes, after, stat) result(node)
    class(graph), intent(in) :: self
    type(c_ptr), intent(in) :: to
    integer, intent(in) :: byte
    integer(c_size_t), intent(in) :: bytes
    integer(c_int64_t), intent(in), optional, target, contiguous :: after(:)
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: node
    type(gs_node_params_t) :: what
    what = node_of(GS_NODE_MEMSET)
    what%dst = to
    what%value = int(byte, c_int32_t)
    what%bytes = bytes
    call add(self, what, after, node, stat)
  end function

  !> The ordering checker: the node reads these bytes at each launch of the executables that are made from then on.
  subroutine graph_check_read(self, node, address, bytes, label, stat)
    class(graph), intent(in) :: self
    integer(c_int64_t), intent(in) :: node
    type(c_ptr), intent(in) :: address
    integer(c_size_t), intent(in) :: bytes
    character(*), intent(in), optional :: label
    integer, intent(out), optional :: stat
    character(:, kind=c_char), allocatable, target :: text
    call report(gs_graph_check_read(self%handle, node, address, bytes, c_text(label, text)), stat)
  end subroutine

  !> It writes them, and possibly reads them.
  subroutine graph_check_write(self, node, address, bytes, label, stat)
    class(graph), intent(in) :: self
    integer(c_int64_t), intent(in) :: node
    type(c_ptr), intent(in) :: address
    integer(c_size_t), intent(in) :: bytes
    character(*), intent(in), optional :: label
    integer, intent(out), optional :: stat
    character(:, kind=c_char), allocatable, target :: text
    call report(gs_graph_check_write(self%handle, node, address, bytes, c_text(label, text)), stat)
  end subroutine

  function graph_add_record(self, mark, after, stat) result(node)
    class(graph), intent(in) :: self
    class(event_ref), intent(in) :: mark
    integer(c_int64_t), intent(in), optional, target, contiguous :: after(:)
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: node
    type(gs_node_params_t) :: what
    what = node_of(GS_NODE_RECORD)
    what%event = mark%handle
    call add(self, what, after, node, stat)
  end function

  function graph_add_wait(self, mark, after, stat) result(node)
    class(graph), intent(in) :: self
    class(event_ref), intent(in) :: mark
    integer(c_int64_t), intent(in), optional, target, contiguous :: after(:)
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: node
    type(gs_node_params_t) :: what
    what = node_of(GS_NODE_WAIT)
    what%event = mark%handle
    call add(self, what, after, node, stat)
  end function

  !> A copy of another graph as one node.
  function graph_add_graph(self, child, after, stat) result(node)
    class(graph), intent(in) :: self
    class(graph), intent(in) :: child
    integer(c_int64_t), intent(in), optional, target, contiguous :: after(:)
    integer, intent(out), optional :: stat
    integer(c_int64_t) :: node
    type(gs_node_params_t) :: what
    what = node_of(GS_NODE_GRAPH)
    what%graph = child%handle
    call add(self, what, after, node, stat)
  end function

  subroutine add(self, what, after, node, stat)
    class(graph), intent(in) :: self
    type(gs_node_params_t), intent(in) :: what
    integer(c_int64_t), intent(in), optional, target, contiguous :: after(:)
    integer(c_int64_t), intent(out) :: node
    integer, intent(out), optional :: stat
    type(c_ptr) :: first
    integer(c_size_t) :: count
    first = c_null_ptr
    count = 0
    if (present(after)) count = size(after, kind=c_size_t)
    if (count > 0) first = c_loc(after)
    call report(gs_graph_add_node(self%handle, first, count, what, node), stat)
  end subroutine
end module
