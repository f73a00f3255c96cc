! SPDX-License-Identifier: Apache-2.0
! Device memory. Each procedure is the C function that it calls: its errors, whether it blocks and its thread rule
! are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_memory
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_ends, only: run_elsewhere
  use gpustream_errors
  use gpustream_host_memory, only: host_buffer, memory
  use gpustream_pools, only: memory_pool
  use gpustream_streams
  use gpustream_users, only: memory_users, stand_in
  implicit none
  private
  public :: buffer

  !> Device memory, allocated and freed in stream order. The procedures work in the current stream of its device, or in the one
  !! that is named. The first use in another stream than that of the allocation waits for what the latter has then; between uses
  !! in different streams nothing waits. A graph whose nodes use the memory must not outlive it. For one thread at a time.
  type, extends(memory) :: buffer
    type(stream), private :: owner
    type(memory_users), private :: users
  contains
    procedure, non_overridable, private :: buffer_create, buffer_create_from
    generic :: create => buffer_create, buffer_create_from
    procedure, non_overridable :: fill => buffer_fill
    procedure, non_overridable :: copy_from => buffer_copy_from
    procedure, non_overridable :: copy_to => buffer_copy_to
    procedure, non_overridable :: record_stream => buffer_record_stream
    procedure, non_overridable :: close => buffer_close
    procedure, non_overridable :: close_after => buffer_close_after
    final :: buffer_end
  end type

contains

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

  !> Sets every byte to a value from 0 to 255.
  subroutine buffer_fill(self, value, on, stat)
    class(buffer), intent(inout) :: self
    integer, intent(in) :: value
    class(stream_ref), intent(in), optional :: on
    integer, intent(out), optional :: stat
    type(c_ptr) :: used
    integer(c_int32_t) :: status
    status = use_in(self, on, used)
    if (status == GS_OK) status = gs_memset_async(self%address, int(value, c_int32_t), self%bytes, used)
    call report(status, stat)
  end subroutine

  !> Copies all bytes of a buffer or of a host_buffer to the beginning of this one; GS_ERROR_INVALID_ARGUMENT if they are more.
  subroutine buffer_copy_from(self, source, on, stat)
    class(buffer), intent(inout) :: self
    class(memory), intent(inout) :: source
    class(stream_ref), intent(in), optional :: on
    integer, intent(out), optional :: stat
    type(c_ptr) :: used
    integer(c_int32_t) :: status
    if (source%bytes <= self%bytes) status = use_in(self, on, used)
    if (source%bytes > self%bytes) status = refused(GS_ERROR_INVALID_ARGUMENT)
    if (status == GS_OK) then
      select type (source)
      type is (buffer)
        status = source%users%enter(source%owner%handle, used)
      end select
    end if
    if (status == GS_OK) status = gs_memcpy_async(self%address, source%address, source%bytes, used)
    call report(status, stat)
  end subroutine

  !> Fills the host_buffer from the beginning of this one.
  subroutine buffer_copy_to(self, target, on, stat)
    class(buffer), intent(inout) :: self
    type(host_buffer), intent(in) :: target
    class(stream_ref), intent(in), optional :: on
    integer, intent(out), optional :: stat
    type(c_ptr) :: used
    integer(c_int32_t) :: status
    if (target%bytes <= self%bytes) status = use_in(self, on, used)
    if (target%bytes > self%bytes) status = refused(GS_ERROR_INVALID_ARGUMENT)
    if (status == GS_OK) status = gs_memcpy_async(target%address, self%address, target%bytes, used)
    call report(status, stat)
  end subroutine

  !> The stream that is named, or the current one of the memory's device, which is about to use it.
  function use_in(self, on, used) result(status)
    class(buffer), intent(inout) :: self
    class(stream_ref), intent(in), optional :: on
    type(c_ptr), intent(out) :: used
    integer(c_int32_t) :: status, device
    used = c_null_ptr
    status = GS_OK
    if (present(on)) then
      used = on%handle
    else
      status = gs_stream_device(self%owner%handle, device)
      if (status == GS_OK) status = gs_current_stream(device, used)
    end if
    if (status == GS_OK) status = self%users%enter(self%owner%handle, used)
  end function

  !> Another stream uses the memory by its address: it is freed once that stream, too, has done what it has then. Nothing waits,
  !! also not for the allocation.
  subroutine buffer_record_stream(self, user, stat)
    class(buffer), intent(inout) :: self
    class(stream_ref), intent(in) :: user
    integer, intent(out), optional :: stat
    call report(self%users%note(self%owner%handle, user%handle, by_address=.true.), stat)
  end subroutine

  !> Frees it in stream order: work that the streams which use it have now may still do so. While its only stream is being
  !! captured that is refused with GS_ERROR_CAPTURING, and the buffer is as it was.
  subroutine buffer_close(self, stat)
    class(buffer), intent(inout) :: self
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status, released
    status = free(self)
    if (.not. was_refused(status)) then
      released = GS_OK
      if (c_associated(self%owner%handle)) released = forget(self)
      if (status == GS_OK) status = released
    end if
    call report(status, stat)
  end subroutine

  !> Records these streams, [a%handle, b%handle], and frees it behind all that use it. After a failure the buffer is still there.
  subroutine buffer_close_after(self, streams, stat)
    class(buffer), intent(inout) :: self
    type(c_ptr), intent(in) :: streams(:)
    integer, intent(out), optional :: stat
    integer(c_int32_t) :: status, ignored
    integer :: i
    status = GS_OK
    if (c_associated(self%owner%handle)) then
      do i = 1, size(streams)
        if (status == GS_OK) status = self%users%note(self%owner%handle, streams(i), by_address=.true.)
      end do
      if (status == GS_OK) status = free(self)
      if (status == GS_OK) ignored = forget(self)
    end if
    call report(status, stat)
  end subroutine

  function free(self) result(status)
    class(buffer), intent(in) :: self
    type(c_ptr) :: own
    integer(c_int32_t) :: status
    if (self%users%any()) then
      status = self%users%free(self%address)
    else
      status = stand_in(self%owner%handle, own)
      if (status == GS_OK) status = gs_free_async(self%address, own)
    end if
  end function

  !> What follows a free. The library logs a failure.
  function forget(self) result(status)
    class(buffer), intent(inout) :: self
    integer(c_int32_t) :: status
    self%address = c_null_ptr
    self%bytes = 0
    call self%users%release()
    status = gs_stream_destroy(self%owner%handle)
    self%owner%handle = c_null_ptr
  end function

  !> While its only stream is being captured, the memory lives as long as the graph. In a host function, which may not free it,
  !! another thread does.
  impure elemental subroutine buffer_end(self)
    type(buffer), intent(inout) :: self
    type(c_ptr), target :: user
    integer(c_int32_t) :: status
    user = self%owner%handle
    if (.not. c_associated(user)) return
    status = free(self)
    if (status == GS_ERROR_NOT_PERMITTED) then
      call end_elsewhere(self)
    else
      if (status == GS_ERROR_CAPTURING .and. .not. self%users%any()) status = gs_free_after(self%address, c_loc(user), 1_c_size_t)
      status = forget(self)
    end if
  end subroutine

  subroutine end_elsewhere(self)
    type(buffer), intent(inout) :: self
    type(buffer), pointer :: moved
    type(memory_users) :: no_users
    allocate (moved)
    moved%address = self%address
    moved%owner%handle = self%owner%handle
    moved%users = self%users
    self%address = c_null_ptr
    self%bytes = 0
    self%owner%handle = c_null_ptr
    self%users = no_users
    if (.not. run_elsewhere(c_funloc(end_moved), c_loc(moved))) return ! it is left
  end subroutine

  function end_moved(argument) result(nothing) bind(C, name="gpustream_fortran_end_buffer")
    type(c_ptr), value :: argument
    type(c_ptr) :: nothing
    type(buffer), pointer :: moved
    call c_f_pointer(argument, moved)
    deallocate (moved)
    nothing = c_null_ptr
  end function
end module
