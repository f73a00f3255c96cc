! SPDX-License-Identifier: Apache-2.0
! y = a x + y by cuBLAS on a stream of gpustream. cuBLAS gets the stream's raw handle and so works in the stream's order,
! between the copies of this program.
!
!   gfortran /usr/include/gpustream/gpustream.f90 axpy.f90 -lgpustream -lcublas
!
! Exit status: 0 the result is right, 1 it is wrong or a call failed.
module cublas
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function cublasCreate(handle) bind(C, name="cublasCreate_v2")
      import
      type(c_ptr), intent(out) :: handle
    end function
    integer(c_int) function cublasDestroy(handle) bind(C, name="cublasDestroy_v2")
      import
      type(c_ptr), value :: handle
    end function
    !> stream is a cudaStream_t, as stream%cuda_stream() returns it.
    integer(c_int) function cublasSetStream(handle, stream) bind(C, name="cublasSetStream_v2")
      import
      type(c_ptr), value :: handle, stream
    end function
    !> x and y are addresses on the device, alpha is the host's.
    integer(c_int) function cublasDaxpy(handle, n, alpha, x, incx, y, incy) bind(C, name="cublasDaxpy_v2")
      import
      type(c_ptr), value :: handle, x, y
      integer(c_int), value :: n, incx, incy
      real(c_double), intent(in) :: alpha
    end function
  end interface
end module

program axpy
  use, intrinsic :: iso_c_binding
  use cublas
  use gpustream
  implicit none
  integer(c_int), parameter :: n = 100000
  type(stream) :: work
  type(buffer) :: x, y
  type(host_buffer) :: from_x, from_y, to
  real(c_double), pointer :: xs(:), ys(:), found(:)
  type(c_ptr) :: handle
  integer(c_size_t) :: bytes
  integer :: i
  bytes = n*c_sizeof(1d0)
  call work%create()
  call x%create(bytes, work)
  call y%create(bytes, work)
  call numbers(from_x, xs)
  call numbers(from_y, ys)
  call numbers(to, found)
  xs = [(dble(i), i=1, n)]
  ys = 1
  call succeed(cublasCreate(handle), "cublasCreate")
  call succeed(cublasSetStream(handle, work%cuda_stream()), "cublasSetStream")
  ! Nothing waits between these four: the stream has them in order.
  call work%copy(x%address, from_x%address, bytes)
  call work%copy(y%address, from_y%address, bytes)
  call succeed(cublasDaxpy(handle, n, 2d0, x%address, 1, y%address, 1), "cublasDaxpy")
  call work%copy(to%address, y%address, bytes)
  call work%synchronize()
  call succeed(cublasDestroy(handle), "cublasDestroy")
  if (any(abs(found - (2*xs + 1)) > 0)) error stop "the result is wrong"
  print "(a, i0, a)", "y = 2 x + 1 for ", n, " numbers"

contains

  subroutine numbers(memory, view)
    type(host_buffer), intent(inout) :: memory
    real(c_double), pointer, intent(out) :: view(:)
    call memory%create(bytes)
    call c_f_pointer(memory%address, view, [n])
  end subroutine

  subroutine succeed(status, name)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: name
    if (status == 0) return
    print "(2a, i0)", name, " failed with status ", status
    error stop 1
  end subroutine
end program
