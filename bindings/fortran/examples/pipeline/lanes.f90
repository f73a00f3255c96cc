! SPDX-License-Identifier: Apache-2.0
! A thread and its streams: copy-in, kernel and copy-out overlap and are ordered by events alone.
module lanes
  use, intrinsic :: iso_c_binding
  use gpustream
  use digests
  implicit none
  private
  public :: lane

  !> The buffers of a chunk and the events at the ends of its stages.
  type :: slot
    integer(c_int64_t) :: offset = 0, bytes = 0 ! of the chunk in progress
    type(host_buffer) :: input, answer
    type(buffer) :: device_input, device_answer
    type(event) :: copied_in, computed, copied_out
  end type

  !> One chunk is read and copied in while another is computed. The slots are allocatable because gfortran 12 finalizes arrays
  !! of fixed size in a type at wrong addresses.
  type :: lane
    type(kernel), private :: compute
    type(stream), allocatable, private :: streams(:)
    type(stream_scope), private :: scope
    type(slot), allocatable, private :: slots(:)
    integer, private :: next = 1
  contains
    procedure :: open => lane_open
    procedure :: process => lane_process
    procedure :: finish => lane_finish
    procedure :: drain => lane_drain
  end type

contains

  !> Kernels run in the calling thread's current stream, which is one of the lane's until its end.
  subroutine lane_open(self, compute, streams, chunk, stat)
    class(lane), intent(inout), target :: self
    type(kernel), intent(in) :: compute
    integer, intent(in) :: streams
    integer(c_int64_t), intent(in) :: chunk
    integer, intent(out) :: stat
    integer :: i
    self%compute = compute
    allocate (self%streams(0:streams - 1), self%slots(2))
    do i = 0, streams - 1
      call self%streams(i)%create(0, stat=stat)
      if (stat /= GS_OK) return
    end do
    associate (owner => self%streams(mod(1, streams)))
      call self%scope%enter(owner, stat)
      do i = 1, 2
        if (stat == GS_OK) call slot_open(self%slots(i), owner, chunk, stat)
      end do
      ! Memory is allocated in the order of its stream; the others may use it from here on.
      do i = 0, streams - 1
        if (stat == GS_OK) call self%streams(i)%wait(owner, stat)
      end do
    end associate
  end subroutine

  subroutine slot_open(self, owner, chunk, stat)
    type(slot), intent(inout) :: self
    type(stream), intent(in) :: owner
    integer(c_int64_t), intent(in) :: chunk
    integer, intent(out) :: stat
    call self%input%create(int(chunk, c_size_t), stat)
    if (stat == GS_OK) call self%answer%create(4*result_words(chunk), stat)
    if (stat == GS_OK) call self%device_input%create(int(chunk, c_size_t), owner, stat)
    if (stat == GS_OK) call self%device_answer%create(4*result_words(chunk), owner, stat)
    if (stat == GS_OK) call self%copied_in%create(int(GS_EVENT_BLOCKING), stat)
    if (stat == GS_OK) call self%computed%create(stat=stat)
    if (stat == GS_OK) call self%copied_out%create(int(GS_EVENT_BLOCKING), stat)
  end subroutine

  !> Reads a chunk and submits its stages. Blocks only on the chunk whose buffers it reuses.
  subroutine lane_process(self, unit, offset, bytes, into, stat, unreadable)
    class(lane), intent(inout), target :: self
    integer, intent(in) :: unit
    integer(c_int64_t), intent(in) :: offset, bytes
    type(digest), intent(inout) :: into
    integer, intent(out) :: stat
    logical, intent(out) :: unreadable
    type(slot), pointer :: one
    integer(c_int8_t), pointer :: content(:)
    integer :: io
    one => self%slots(self%next)
    self%next = 3 - self%next
    unreadable = .false.
    call slot_deliver(one, into, stat) ! has waited for the slot's last use: its buffers are idle
    if (stat /= GS_OK) return
    call c_f_pointer(one%input%address, content, [bytes])
    !$omp critical (the_unit)
    read (unit, pos=offset + 1, iostat=io) content
    !$omp end critical (the_unit)
    unreadable = io /= 0
    if (.not. unreadable) call submit(self, one, bytes, stat)
    if (stat /= GS_OK .or. unreadable) return
    one%offset = offset
    one%bytes = bytes
  end subroutine

  subroutine submit(self, one, bytes, stat)
    type(lane), intent(in), target :: self
    type(slot), intent(in) :: one
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out) :: stat
    type(c_ptr), target :: from, to
    integer(c_int32_t), target :: count
    associate (last => size(self%streams))
      associate (reader => self%streams(0), computer => self%streams(mod(1, last)), writer => self%streams(mod(2, last)))
        call reader%copy(one%device_input%address, one%input%address, int(bytes, c_size_t), stat)
        if (stat == GS_OK) call reader%record(one%copied_in, stat)
        if (stat == GS_OK) call computer%wait(one%copied_in, stat)
        if (stat == GS_OK) call computer%fill(one%device_answer%address, 0, int(4*bins, c_size_t), stat)
        from = one%device_input%address
        to = one%device_answer%address
        count = int(bytes, c_int32_t)
        if (stat == GS_OK) call self%compute%launch(current_stream(0), [int(slices_of(bytes))], [threads_per_block], &
                                                    [c_loc(from), c_loc(count), c_loc(to)], stat=stat)
        if (stat == GS_OK) call computer%record(one%computed, stat)
        if (stat == GS_OK) call writer%wait(one%computed, stat)
        if (stat == GS_OK) call writer%copy(one%answer%address, one%device_answer%address, 4*result_words(bytes), stat)
        if (stat == GS_OK) call writer%record(one%copied_out, stat)
      end associate
    end associate
  end subroutine

  subroutine slot_deliver(self, into, stat)
    type(slot), intent(inout) :: self
    type(digest), intent(inout) :: into
    integer, intent(out) :: stat
    integer(c_int32_t), pointer :: words(:)
    stat = GS_OK
    if (self%bytes == 0) return
    call self%copied_out%synchronize(stat=stat)
    if (stat /= GS_OK) return
    call c_f_pointer(self%answer%address, words, [result_words(self%bytes)])
    !$omp critical (the_digest)
    call into%place(self%offset, self%bytes, words)
    !$omp end critical (the_digest)
    self%bytes = 0
  end subroutine

  subroutine lane_finish(self, into, stat)
    class(lane), intent(inout) :: self
    type(digest), intent(inout) :: into
    integer, intent(out) :: stat
    call slot_deliver(self%slots(1), into, stat)
    if (stat == GS_OK) call slot_deliver(self%slots(2), into, stat)
  end subroutine

  !> After a failure work may be pending on buffers that are about to be freed; the failure that was first is reported.
  subroutine lane_drain(self)
    class(lane), intent(inout) :: self
    integer :: i, ignored
    do i = 0, size(self%streams) - 1
      call self%streams(i)%synchronize(stat=ignored)
    end do
  end subroutine
end module
