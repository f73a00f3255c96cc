! SPDX-License-Identifier: Apache-2.0
! Memory. Each procedure is the C function that it calls: its errors, whether it blocks and its thread rule
! are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_memory
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gpustream_raw
  use gpustream_errors
  use gpustream_library, only: library_status
  use gpustream_pools, only: memory_pool
  use gpustream_streams
  implicit none
  private
  public :: buffer, host_buffer

  !> Memory that has one owner: an assignment of such a variable ends the program.
  type, abstract :: memory
    type(c_ptr) :: address = c_null_ptr
    integer(c_size_t) :: bytes = 0
  contains
    procedure, private :: refuse
    generic :: assignment(=) => refuse
  end type

  !> Device memory, allocated and freed in the order of its stream.
  type, extends(memory) :: buffer
    type(stream), private :: owner
  contains
    procedure, non_overridable, private :: buffer_create, buffer_create_from
    generic :: create => buffer_create, buffer_create_from
    procedure, non_overridable :: close => buffer_close
    procedure, non_overridable :: close_after => buffer_close_after
    final :: buffer_end
  end type

  !> Memory of the host that devices copy from and to. It must not be freed while they do.
  type, extends(memory) :: host_buffer
  contains
    procedure, non_overridable :: create => host_buffer_create
    procedure, non_overridable :: close => host_buffer_close
    final :: host_buffer_end
  end type

contains

  impure elemental subroutine refuse(self, other)
    class(memory), intent(inout) :: self
    class(memory), intent(in) :: other
    write (error_unit, "(a, i0, a, i0, a)") "gpustream: a buffer of ", other%bytes, " bytes is assigned to one of ", self%bytes, &
      "; buffers cannot be copied"
    error stop 1
  end subroutine

  !> The stream's later work may use it; other streams wait for an event behind this call first.
  subroutine buffer_create(self, bytes, on, stat)
    class(buffer), intent(inout) :: self
    integer(c_size_t), intent(in) :: bytes
    class(stream_ref), intent(in) :: on
    integer, intent(out), optional :: stat
    type(c_ptr), target :: made
    integer(c_int32_t) :: status
    made = c_null_ptr
    status = gs_malloc_async(bytes, on%handle, c_loc(made))
    call take(self, status, made, bytes, on, stat)
  end subroutine

  !> From this pool instead of the one that the thread has current.
  subroutine buffer_create_from(self, bytes, on, from, stat)
    class(buffer), intent(inout) :: self
    integer(c_size_t), intent(in) :: bytes
    class(stream_ref), intent(in) :: on
    class(memory_pool), intent(in) :: from
    integer, intent(out), optional :: stat
    type(c_ptr), target :: made
    integer(c_int32_t) :: status
    made = c_null_ptr
    status = gs_pool_malloc(from%handle, bytes, on%handle, c_loc(made))
    call take(self, status, made, bytes, on, stat)
  end subroutine

  !> What a creation ends with: the memory belongs to the buffer, which keeps its stream.
  subroutine take(self, allocated, made, bytes, on, stat)
    class(buffer), intent(inout) :: self
    integer(c_int32_t), intent(in) :: allocated
    type(c_ptr), intent(in) :: made
    integer(c_size_t), intent(in) :: bytes
    class(stream_ref), intent(in) :: on
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status, ignored
    status = allocated
    if (status == GS_OK) then
      status = gs_stream_retain(on%handle)
      if (status /= GS_OK) ignored = gs_free_async(made, on%handle)
    end if
    if (status == GS_OK) then
      call buffer_end(self)
      self%address = made
      self%bytes = bytes
      self%owner%handle = on%handle
    end if
    call report(status, stat)
  end subroutine

  !> Frees it in its stream's order: work that is there may still use it. While the stream is being captured that is refused
  !! with GS_ERROR_CAPTURING, and the buffer is as it was.
  subroutine buffer_close(self, stat)
    class(buffer), intent(inout) :: self
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status, released
    status = gs_free_async(self%address, self%owner%handle)
    if (.not. was_refused(status)) then
      self%address = c_null_ptr
      self%bytes = 0
      released = GS_OK
      if (c_associated(self%owner%handle)) released = gs_stream_destroy(self%owner%handle)
      self%owner%handle = c_null_ptr
      if (status == GS_OK) status = released
    end if
    call report(status, stat)
  end subroutine

  !> Frees it once these streams, [a%handle, b%handle], are done with what they have now; none of them waits. After a failure
  !! the buffer is as it was.
  subroutine buffer_close_after(self, streams, stat)
    class(buffer), intent(inout) :: self
    type(c_ptr), intent(in) :: streams(:)
    integer, intent(out), optional :: stat
    type(c_ptr), target :: users(size(streams))
    integer(c_int32_t) :: status
    users = streams
    status = gs_free_after(self%address, c_loc(users), size(users, kind=c_size_t))
    if (status == GS_OK) then
      self%address = c_null_ptr
      call buffer_end(self)
    end if
    call report(status, stat)
  end subroutine

  !> While the stream is being captured, the memory lives as long as the graph.
  impure elemental subroutine buffer_end(self)
    type(buffer), intent(inout) :: self
    type(c_ptr), target :: user
    integer(c_int32_t) :: ignored ! the library logs it
    user = self%owner%handle
    if (c_associated(self%address)) then
      ignored = gs_free_async(self%address, user)
      if (ignored == GS_ERROR_CAPTURING) ignored = gs_free_after(self%address, c_loc(user), 1_c_size_t)
    end if
    self%address = c_null_ptr
    self%bytes = 0
    if (c_associated(self%owner%handle)) ignored = gs_stream_destroy(self%owner%handle)
    self%owner%handle = c_null_ptr
  end subroutine

  subroutine host_buffer_create(self, bytes, stat)
    class(host_buffer), intent(inout) :: self
    integer(c_size_t), intent(in) :: bytes
    integer, intent(out), optional :: stat
    type(c_ptr), target :: made
    integer(c_int32_t) :: status
    made = c_null_ptr
    status = library_status()
    if (status == GS_OK) status = gs_malloc_host(bytes, c_loc(made))
    if (status == GS_OK) then
      call host_buffer_end(self)
      self%address = made
      self%bytes = bytes
    end if
    call report(status, stat)
  end subroutine

  subroutine host_buffer_close(self, stat)
    class(host_buffer), intent(inout) :: self
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status
    status = gs_free_host(self%address)
    if (.not. was_refused(status)) then
      self%address = c_null_ptr
      self%bytes = 0
    end if
    call report(status, stat)
  end subroutine

  impure elemental subroutine host_buffer_end(self)
    type(host_buffer), intent(inout) :: self
    integer(c_int32_t) :: ignored
    if (c_associated(self%address)) ignored = gs_free_host(self%address)
    self%address = c_null_ptr
    self%bytes = 0
  end subroutine
end module
