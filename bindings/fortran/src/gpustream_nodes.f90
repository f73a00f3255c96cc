! SPDX-License-Identifier: Apache-2.0
! What nodes of graphs do, as gs_graph_add_node() takes it.
module gpustream_nodes
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  use gpustream_kernels, only: kernel, launch_attributes, launch_config, first_argument
  implicit none
  private
  public :: node_of, kernel_node

contains

  function node_of(kind) result(what)
    integer(c_int32_t), intent(in) :: kind
    type(gs_node_params_t) :: what
    integer :: i
    what = transfer([(0_c_int8_t, i=1, storage_size(what)/8)], what)
    what%struct_size = int(c_sizeof(what), c_int32_t)
    what%kind = kind
  end function

  function kernel_node(run, grid, block, arguments, shared_memory_bytes, attributes) result(what)
    type(kernel), intent(in) :: run
    integer, intent(in) :: grid(:), block(:)
    type(c_ptr), intent(in), optional, target, contiguous :: arguments(:)
    integer, intent(in), optional :: shared_memory_bytes
    type(launch_attributes), intent(in), optional :: attributes
    type(gs_node_params_t) :: what
    type(gs_launch_config_t) :: config
    config = launch_config(grid, block, shared_memory_bytes, attributes)
    what = node_of(GS_NODE_KERNEL)
    what%kernel = run%handle
    what%arguments = first_argument(arguments)
    what%grid_x = config%grid_x
    what%grid_y = config%grid_y
    what%grid_z = config%grid_z
    what%block_x = config%block_x
    what%block_y = config%block_y
    what%block_z = config%block_z
    what%shared_memory_bytes = config%shared_memory_bytes
    what%flags = config%flags
    what%cluster_x = config%cluster_x
    what%cluster_y = config%cluster_y
    what%cluster_z = config%cluster_z
    what%priority = config%priority
    what%event = config%programmatic_event
  end function
end module
