! SPDX-License-Identifier: Apache-2.0
! Assignments: of references, which make further ones, and of what has one owner, which end the program.
module copy_tests
  use, intrinsic :: iso_c_binding
  use gpustream
  use checks
  use stream_tests, only: lives
  implicit none

contains

  subroutine test_copied_arrays()
    type(c_ptr) :: handles(3)
    handles = copied()
    call check(.not. any([lives(handles(1)), lives(handles(2)), lives(handles(3))]), "all references end with their arrays")
    call copy_others()
  end subroutine

  function copied() result(handles)
    type(c_ptr) :: handles(3)
    type(stream), allocatable :: first(:), second(:)
    integer :: i
    allocate (first(2), second(2))
    do i = 1, 2
      call first(i)%create()
      call second(i)%create()
      handles(i) = first(i)%handle
    end do
    handles(3) = second(2)%handle
    second = first
    call check(.not. lives(handles(3)), "an assignment ends what was there")
    do i = 1, 2
      call check(c_associated(first(i)%handle, second(i)%handle), "a copy is the same stream")
      call first(i)%close()
      call check(lives(handles(i)), "each copy is a reference of its own")
    end do
    second(1:1) = second(2:2)
    call check(.not. lives(handles(1)), "a part of an array")
    first = second(2)
    call check(c_associated(first(1)%handle, handles(2)) .and. c_associated(first(2)%handle, handles(2)), "one stream for all")
  end function

  !> Of the other types: after the first array has been closed, the second is of use.
  subroutine copy_others()
    type(event), allocatable :: marks(:), same_marks(:)
    type(timeline), allocatable :: lines(:), same_lines(:)
    type(completion_queue), allocatable :: queues(:), same_queues(:)
    type(memory_pool), allocatable :: pools(:), same_pools(:)
    type(graph), allocatable :: graphs(:), same_graphs(:)
    type(executable_graph), allocatable :: execs(:), same_execs(:)
    type(stream) :: work
    type(gs_completion_t) :: entries(1)
    type(gs_pool_stats_t) :: stats
    integer :: stat
    allocate (marks(1), same_marks(1), lines(1), same_lines(1), queues(1), same_queues(1), pools(1), same_pools(1), graphs(1), &
              same_graphs(1), execs(1), same_execs(1))
    call work%create()
    call marks(1)%create()
    call lines(1)%create()
    call queues(1)%create(8)
    call pools(1)%create()
    call graphs(1)%create()
    call execs(1)%create(graphs(1))
    same_marks = marks
    same_lines = lines
    same_queues = queues
    same_pools = pools
    same_graphs = graphs
    same_execs = execs
    call marks(1)%close()
    call lines(1)%close()
    call queues(1)%close()
    call pools(1)%close()
    call graphs(1)%close()
    call execs(1)%close()
    call work%record(same_marks(1), stat)
    call check_equal(stat, int(GS_OK), "an event")
    call work%signal(same_lines(1), 1_c_int64_t, stat)
    call check_equal(stat, int(GS_OK), "a timeline")
    call check_equal(same_queues(1)%poll(entries, stat), 0, "a queue")
    call check_equal(stat, int(GS_OK), "a queue")
    stats = same_pools(1)%stats(stat)
    call check_equal(stat, int(GS_OK), "a pool")
    call same_execs(1)%launch(work, stat=stat)
    call check_equal(stat, int(GS_OK), "an executable graph")
    call same_execs(1)%create(same_graphs(1), stat=stat)
    call check_equal(stat, int(GS_OK), "a graph")
    call work%synchronize()
  end subroutine

  !> Ends the program.
  subroutine copy_owner(what, whole)
    character(*), intent(in) :: what
    logical, intent(in) :: whole
    type(host_buffer), allocatable :: buffers(:), other_buffers(:)
    type(partition), allocatable :: partitions(:), other_partitions(:)
    type(stream_pool), allocatable :: pools(:), other_pools(:)
    type(kernel_module), allocatable :: modules(:), other_modules(:)
    type(stream_scope), allocatable :: scopes(:), other_scopes(:)
    type(device_scope), allocatable :: device_scopes(:), other_device_scopes(:)
    type(named_range), allocatable :: ranges(:), other_ranges(:)
    type(forbid_sync), allocatable :: forbidden(:), other_forbidden(:)
    select case (what)
    case ("buffer")
      allocate (buffers(2), other_buffers(2))
      if (whole) other_buffers = buffers
      if (.not. whole) other_buffers(1) = buffers(1)
    case ("partition")
      allocate (partitions(2), other_partitions(2))
      if (whole) other_partitions = partitions
      if (.not. whole) other_partitions(1) = partitions(1)
    case ("pool")
      allocate (pools(2), other_pools(2))
      if (whole) other_pools = pools
      if (.not. whole) other_pools(1) = pools(1)
    case ("module")
      allocate (modules(2), other_modules(2))
      if (whole) other_modules = modules
      if (.not. whole) other_modules(1) = modules(1)
    case ("stream_scope")
      allocate (scopes(2), other_scopes(2))
      if (whole) other_scopes = scopes
      if (.not. whole) other_scopes(1) = scopes(1)
    case ("device_scope")
      allocate (device_scopes(2), other_device_scopes(2))
      if (whole) other_device_scopes = device_scopes
      if (.not. whole) other_device_scopes(1) = device_scopes(1)
    case ("named_range")
      allocate (ranges(2), other_ranges(2))
      if (whole) other_ranges = ranges
      if (.not. whole) other_ranges(1) = ranges(1)
    case ("forbid_sync")
      allocate (forbidden(2), other_forbidden(2))
      if (whole) other_forbidden = forbidden
      if (.not. whole) other_forbidden(1) = forbidden(1)
    end select
  end subroutine
end module
