! SPDX-License-Identifier: Apache-2.0
! The library that the program has been linked with, as it is in this process.
module gpustream_library
  use, intrinsic :: iso_c_binding
  use gpustream_raw
  implicit none
  private
  public :: GPUSTREAM_WRONG_ABI, library_status, library_file, wrong_abi_text

  !> A status of these modules (C's are not negative): the library's ABI is not the one that gpustream_raw describes.
  integer(c_int32_t), parameter :: GPUSTREAM_WRONG_ABI = -1

contains

  !> GS_OK or GPUSTREAM_WRONG_ABI. Every procedure that makes an object asks it first.
  integer(c_int32_t) function library_status()
    library_status = GS_OK
    if (gs_abi_version() /= GS_HEADER_ABI_VERSION) library_status = GPUSTREAM_WRONG_ABI
  end function

  !> The file of the library, as the system lists it; empty if it is part of the program.
  function library_file() result(file)
    character(:), allocatable :: file
    character(4200) :: line
    integer :: unit, stat
    file = ""
    open (newunit=unit, file="/proc/self/maps", status="old", action="read", iostat=stat)
    if (stat /= 0) return
    do while (len(file) == 0)
      read (unit, "(a)", iostat=stat) line
      if (stat /= 0) exit
      if (index(line, "/libgpustream.so") > 0) file = trim(line(index(line, "/"):))
    end do
    close (unit)
  end function

  !> What is wrong when a status is GPUSTREAM_WRONG_ABI.
  function wrong_abi_text() result(text)
    character(:), allocatable :: text
    character(80) :: numbers
    write (numbers, "(a, i0, a, i0)") "its ABI version is ", gs_abi_version(), ", wanted is ", GS_HEADER_ABI_VERSION
    text = library_file()//": "//trim(numbers)
  end function
end module
