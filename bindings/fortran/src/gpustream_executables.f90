! SPDX-License-Identifier: Apache-2.0
! Executable graphs. Each procedure is the C function that it calls: its errors, whether it blocks and its thread rule
! are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_executables
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_ends, only: close_handle, copy_handle, end_handle, take_handle
  use gpustream_errors
  use gpustream_graphs
  use gpustream_streams
  implicit none
  private
  public :: executable_graph

  !> Can be launched any number of times. A copy is another reference; each ends with its variable.
  type :: executable_graph
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, non_overridable :: create => exec_create
    procedure, non_overridable :: launch => exec_launch
    procedure, non_overridable :: upload => exec_upload
    procedure, non_overridable :: update => exec_update
    procedure, non_overridable :: close => exec_close
    procedure, private :: exec_copy
    generic :: assignment(=) => exec_copy
    final :: exec_end
  end type

contains

  subroutine exec_create(self, from, flags, stat)
    class(executable_graph), intent(inout) :: self
    class(graph), intent(in) :: from
    integer, intent(in), optional :: flags
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = gs_graph_instantiate(from%handle, int(given(flags, 0), c_int32_t), made)
    call take_handle(gs_graph_exec_destroy, self%handle, made, status, stat)
  end subroutine

  subroutine exec_close(self, stat)
    class(executable_graph), intent(inout) :: self
    integer, intent(out), optional :: stat
    call close_handle(gs_graph_exec_destroy, self%handle, stat)
  end subroutine

  impure elemental subroutine exec_copy(self, other)
    class(executable_graph), intent(inout) :: self
    class(executable_graph), intent(in) :: other
    call copy_handle(gs_graph_exec_retain, gs_graph_exec_destroy, self%handle, other%handle)
  end subroutine

  impure elemental subroutine exec_end(self)
    type(executable_graph), intent(inout) :: self
    call end_handle(gs_graph_exec_destroy, self%handle)
  end subroutine

  subroutine exec_launch(self, on, stat)
    class(executable_graph), intent(in) :: self
    class(stream_ref), intent(in) :: on
    integer, intent(out), optional :: stat
    call report(gs_graph_exec_launch(self%handle, on%handle), stat)
  end subroutine

  !> Prepares the first launch in the stream.
  subroutine exec_upload(self, on, stat)
    class(executable_graph), intent(in) :: self
    class(stream_ref), intent(in) :: on
    integer, intent(out), optional :: stat
    call report(gs_graph_exec_upload(self%handle, on%handle), stat)
  end subroutine

  !> From now on runs what another graph of the same shape says. If reason differs from GS_UPDATE_OK, the executable is
  !! unchanged, and node is the first that does not fit.
  subroutine exec_update(self, from, reason, node, stat)
    class(executable_graph), intent(in) :: self
    class(graph), intent(in) :: from
    integer, intent(out) :: reason
    integer(c_int64_t), intent(out), optional :: node
    integer, intent(out), optional :: stat
    type(gs_graph_update_t) :: answer
    integer(c_int32_t) :: status
    answer = gs_graph_update_t(int(c_sizeof(answer), c_int32_t), 0_c_int32_t, 0_c_int64_t)
    status = gs_graph_exec_update(self%handle, from%handle, answer)
    reason = int(answer%reason)
    if (present(node)) node = answer%node
    call report(status, stat)
  end subroutine
end module
