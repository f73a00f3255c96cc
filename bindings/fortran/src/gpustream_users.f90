! SPDX-License-Identifier: Apache-2.0
! The streams that use a buffer. The first use in another stream than that of the allocation is ordered behind the allocation;
! between uses in different streams nothing waits. The memory is freed behind all of them.
module gpustream_users
  use, intrinsic :: iso_c_binding
  use gpustream_errors, only: refused
  use gpustream_raw
  implicit none
  private
  public :: memory_users, stand_in

  integer, parameter :: MANY = 16

  type :: memory_users
    !> That of the allocation, which is the buffer's; those that were recorded; those that entered. Each but the first has a
    !! reference. It is allocated once there are others.
    type(c_ptr), allocatable, private :: all(:)
    integer, private :: before_entered = 1
    !> An event behind the allocation, when another stream first used the memory.
    type(c_ptr), private :: begun = c_null_ptr
  contains
    procedure, non_overridable :: any => users_any
    procedure, non_overridable :: enter => users_enter
    procedure, non_overridable :: note => users_note
    procedure, non_overridable :: free => users_free
    procedure, non_overridable :: release => users_release
  end type

contains

  pure logical function users_any(self)
    class(memory_users), intent(in) :: self
    users_any = allocated(self%all)
  end function

  !> The stream is about to use the memory.
  function users_enter(self, own, stream) result(status)
    class(memory_users), intent(inout) :: self
    type(c_ptr), intent(in) :: own, stream
    integer(c_int32_t) :: status
    status = GS_OK
    if (c_associated(stream, own)) return
    if (find(self, stream) > 0) return
    status = order(self, own, stream)
    if (status == GS_OK) status = self%note(own, stream, by_address=.false.)
  end function

  !> The stream uses the memory. If that is by address, it may be given work at any time until the memory is freed.
  function users_note(self, own, stream, by_address) result(status)
    class(memory_users), intent(inout) :: self
    type(c_ptr), intent(in) :: own, stream
    logical, intent(in) :: by_address
    type(c_ptr) :: noted, first
    integer(c_int32_t) :: status
    integer :: at
    status = stand_in(stream, noted)
    if (status == GS_OK) status = stand_in(own, first)
    if (status /= GS_OK .or. c_associated(noted, first)) return
    at = find(self, noted)
    if (at == 0) then
      if (.not. allocated(self%all)) self%all = [first]
      ! A buffer that lives long would keep every stream that ever used it.
      if (size(self%all) > MANY .and. popcnt(size(self%all)) == 1) call forget_idle(self)
      status = gs_stream_retain(noted)
      if (status /= GS_OK) return
      self%all = [self%all, noted]
      at = size(self%all)
    end if
    if (by_address .and. at > self%before_entered) then
      self%before_entered = self%before_entered + 1
      self%all(at) = self%all(self%before_entered)
      self%all(self%before_entered) = noted
    end if
  end function

  function users_free(self, address) result(status)
    class(memory_users), intent(in) :: self
    type(c_ptr), intent(in) :: address
    type(c_ptr), target :: all(size(self%all))
    integer(c_int32_t) :: status
    integer :: i
    all = self%all
    status = gs_free_after(address, c_loc(all), size(all, kind=c_size_t))
    if (status /= GS_ERROR_INVALID_ARGUMENT) return
    ! Memory that a capture has allocated is freed in one stream, as a node or later.
    do i = 2, size(all)
      status = gs_stream_wait_stream(all(1), all(i))
      if (status /= GS_OK) return
    end do
    status = gs_free_async(address, all(1))
  end function

  subroutine users_release(self)
    class(memory_users), intent(inout) :: self
    integer(c_int32_t) :: ignored ! the library logs it
    integer :: i
    if (c_associated(self%begun)) ignored = gs_event_destroy(self%begun)
    self%begun = c_null_ptr
    self%before_entered = 1
    if (.not. allocated(self%all)) return
    do i = 2, size(self%all)
      ignored = gs_stream_destroy(self%all(i))
    end do
    deallocate (self%all)
  end subroutine

  pure integer function find(self, stream)
    class(memory_users), intent(in) :: self
    type(c_ptr), intent(in) :: stream
    find = 0
    if (.not. allocated(self%all)) return
    do find = size(self%all), 1, -1
      if (c_associated(self%all(find), stream)) return
    end do
  end function

  subroutine forget_idle(self)
    class(memory_users), intent(inout) :: self
    logical :: keeps(size(self%all))
    integer(c_int32_t) :: status, done
    integer :: i
    keeps = .true.
    do i = self%before_entered + 1, size(self%all)
      status = gs_stream_query(self%all(i), done)
      keeps(i) = status /= GS_OK .or. done == 0
      if (.not. keeps(i)) status = gs_stream_destroy(self%all(i))
    end do
    self%all = pack(self%all, keeps)
  end subroutine

  !> A per-thread stream is another one on each thread. The default stream's work comes after that of all of them.
  function stand_in(stream, noted) result(status)
    type(c_ptr), intent(in) :: stream
    type(c_ptr), intent(out) :: noted
    integer(c_int32_t) :: status, device
    integer(c_int64_t) :: id
    noted = stream
    status = gs_stream_id(stream, id)
    if (status /= GS_OK .or. id /= 2) return
    status = gs_stream_device(stream, device)
    if (status == GS_OK) status = gs_default_stream(device, noted)
  end function

  !> Makes the stream wait for the allocation. A graph cannot wait for work from outside of it, so the host does.
  function order(self, own, stream) result(status)
    class(memory_users), intent(inout) :: self
    type(c_ptr), intent(in) :: own, stream
    integer(c_int32_t) :: status, is_captured, is_begin_hidden, ignored
    type(c_ptr) :: made, first
    status = gs_stream_is_capturing(stream, is_captured)
    if (status /= GS_OK) return
    if (.not. c_associated(self%begun)) then
      status = gs_stream_is_capturing(own, is_begin_hidden)
      if (status /= GS_OK) return
      if (is_begin_hidden /= 0) then
        if (is_captured /= 0) status = order_in_capture(own, stream)
        if (is_captured == 0) status = refused(GS_ERROR_CAPTURING)
        return
      end if
      status = stand_in(own, first)
      if (status /= GS_OK) return
      status = gs_event_create(0_c_int32_t, made)
      if (status == GS_OK) status = gs_event_record(made, first)
      if (status /= GS_OK) then
        if (c_associated(made)) ignored = gs_event_destroy(made)
        return
      end if
      self%begun = made
    end if
    if (is_captured /= 0) then
      status = gs_event_synchronize(self%begun)
    else
      status = gs_stream_wait_event(stream, self%begun)
    end if
  end function

  !> The memory may be the graph's, or from before the capture.
  function order_in_capture(own, stream) result(status)
    type(c_ptr), intent(in) :: own, stream
    type(gs_capture_info_t) :: mine, other
    integer(c_int32_t) :: status
    mine%struct_size = int(c_sizeof(mine), c_int32_t)
    other%struct_size = mine%struct_size
    status = gs_stream_capture_info(own, mine)
    if (status == GS_OK) status = gs_stream_capture_info(stream, other)
    if (status == GS_OK .and. mine%id == other%id) status = gs_stream_wait_stream(stream, own)
  end function
end module
