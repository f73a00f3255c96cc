! SPDX-License-Identifier: Apache-2.0
! Kernels. Each procedure is the C function that it calls: its errors, whether it blocks and its thread rule
! are in gpustream.h. The argument stat gets the status; without it a failure ends the program.
module gpustream_kernels
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use gpustream_raw
  use gpustream_ends, only: close_handle, end_handle, take_handle
  use gpustream_errors
  use gpustream_library, only: library_status
  use gpustream_streams
  implicit none
  private
  public :: kernel_module, kernel, launch_attributes, launch_config, first_argument

  !> Loaded code with kernels. It has one owner: an assignment of such a variable ends the program.
  type :: kernel_module
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, non_overridable :: load => module_load
    procedure, non_overridable :: load_file => module_load_file
    procedure, non_overridable :: get_kernel => module_get_kernel
    procedure, non_overridable :: close => module_close
    procedure, private :: module_refuse
    generic :: assignment(=) => module_refuse
    final :: module_end
  end type

  !> What a launch has beside its geometry, as gs_launch_config_t in gpustream.h.
  type :: launch_attributes
    integer :: cluster(3) = 0           !< blocks of a cluster; no clusters if all are 0
    logical :: cooperative = .false.    !< all blocks run at the same time
    logical :: programmatic = .false.   !< it may start before the kernel ahead of it in the stream has ended
    logical :: remote_domain = .false.
    logical :: has_priority = .false.   !< the priority below counts, in place of the stream's
    integer :: priority = 0
    type(c_ptr) :: programmatic_event = c_null_ptr !< an event's handle; a node has none
  end type

  !> Borrowed from its module, and of no use after that has ended.
  type :: kernel
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, non_overridable :: launch => kernel_launch
  end type

contains

  impure elemental subroutine module_refuse(self, other)
    class(kernel_module), intent(inout) :: self
    class(kernel_module), intent(in) :: other
    write (error_unit, "(a)") "gpustream: a module cannot be copied"
    if (c_associated(self%handle, other%handle)) write (error_unit, "(a)") "gpustream: it is assigned to itself"
    error stop 1
  end subroutine

  !> PTX, cubin or fatbin; on the host backend a shared object.
  subroutine module_load(self, image, device, stat)
    class(kernel_module), intent(inout) :: self
    character(kind=c_char), intent(in), target, contiguous :: image(:)
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    if (size(image) == 0) then ! which would make a path of it
      call report(refused(GS_ERROR_INVALID_ARGUMENT), stat)
      return
    end if
    call make_module(self, c_loc(image), size(image, kind=c_size_t), device, stat)
  end subroutine

  !> The same from a file.
  subroutine module_load_file(self, path, device, stat)
    class(kernel_module), intent(inout) :: self
    character(*), intent(in) :: path
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    character(:, kind=c_char), allocatable, target :: text
    call make_module(self, c_text(path, text), 0_c_size_t, device, stat)
  end subroutine

  subroutine make_module(self, image, bytes, device, stat)
    class(kernel_module), intent(inout) :: self
    type(c_ptr), intent(in) :: image
    integer(c_size_t), intent(in) :: bytes
    integer, intent(in), optional :: device
    integer, intent(out), optional :: stat
    type(c_ptr) :: made
    integer(c_int32_t) :: status
    status = library_status()
    if (status == GS_OK) status = gs_module_load(int(given(device, int(GS_DEVICE_CURRENT)), c_int32_t), image, bytes, made)
    call take_handle(gs_module_destroy, self%handle, made, status, stat)
  end subroutine

  function module_get_kernel(self, name, stat) result(found)
    class(kernel_module), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    type(kernel) :: found
    character(:, kind=c_char), allocatable, target :: text
    call report(gs_module_get_kernel(self%handle, c_text(name, text), found%handle), stat)
  end function

  subroutine module_close(self, stat)
    class(kernel_module), intent(inout) :: self
    integer, intent(out), optional :: stat
    call close_handle(gs_module_destroy, self%handle, stat)
  end subroutine

  impure elemental subroutine module_end(self)
    type(kernel_module), intent(inout) :: self
    call end_handle(gs_module_destroy, self%handle)
  end subroutine

  !> grid and block have one to three numbers each. arguments are the addresses (c_loc) of the values, which are copied.
  subroutine kernel_launch(self, on, grid, block, arguments, shared_memory_bytes, attributes, stat)
    class(kernel), intent(in) :: self
    class(stream_ref), intent(in) :: on
    integer, intent(in) :: grid(:), block(:)
    type(c_ptr), intent(in), optional, target, contiguous :: arguments(:)
    integer, intent(in), optional :: shared_memory_bytes
    type(launch_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    type(gs_launch_config_t) :: config
    config = launch_config(grid, block, shared_memory_bytes, attributes)
    call report(gs_kernel_launch(self%handle, config, first_argument(arguments), on%handle), stat)
  end subroutine

  function launch_config(grid, block, shared_memory_bytes, attributes) result(config)
    integer, intent(in) :: grid(:), block(:)
    integer, intent(in), optional :: shared_memory_bytes
    type(launch_attributes), intent(in), optional :: attributes
    type(gs_launch_config_t) :: config
    type(launch_attributes) :: more
    integer(c_int32_t) :: numbers(6), flags
    numbers = 1
    numbers(1:min(3, size(grid))) = int(grid(:min(3, size(grid))), c_int32_t)
    numbers(4:3 + min(3, size(block))) = int(block(:min(3, size(block))), c_int32_t)
    if (present(attributes)) more = attributes
    flags = 0
    if (more%cooperative) flags = ior(flags, GS_LAUNCH_COOPERATIVE)
    if (more%programmatic) flags = ior(flags, GS_LAUNCH_PROGRAMMATIC)
    if (more%remote_domain) flags = ior(flags, GS_LAUNCH_REMOTE_DOMAIN)
    if (more%has_priority) flags = ior(flags, GS_LAUNCH_PRIORITY)
    config = gs_launch_config_t(int(c_sizeof(config), c_int32_t), numbers(1), numbers(2), numbers(3), numbers(4), numbers(5), &
                                numbers(6), int(given(shared_memory_bytes, 0), c_int32_t), flags, &
                                int(more%cluster(1), c_int32_t), int(more%cluster(2), c_int32_t), &
                                int(more%cluster(3), c_int32_t), int(more%priority, c_int32_t), 0_c_int32_t, &
                                more%programmatic_event)
  end function

  function first_argument(arguments) result(address)
    type(c_ptr), intent(in), optional, target, contiguous :: arguments(:)
    type(c_ptr) :: address
    address = c_null_ptr
    if (.not. present(arguments)) return
    if (size(arguments) > 0) address = c_loc(arguments)
  end function
end module
