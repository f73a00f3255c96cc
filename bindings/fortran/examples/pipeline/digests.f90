! SPDX-License-Identifier: Apache-2.0
! CRC-32 and histogram of a range of bytes, combined from chunks in any order. Polynomials are in CRC-32's bit order: bit 31
! is the coefficient of x^0. A raw CRC starts with 0 and is not inverted at the end; then the CRC of a concatenation is a sum
! of shifted CRCs. Integers are used for their bits.
module digests
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64
  implicit none
  private
  public :: digest, result_words, slices_of, slice_bytes, bins, threads_per_block

  !> What is agreed upon with the kernel: bytes per block of the grid, counters in front of the slices' CRCs.
  integer(int64), parameter :: slice_bytes = 16384
  integer, parameter :: bins = 256, threads_per_block = 128
  integer(int32), parameter :: polynomial = not(int(z'12477CDF', int32)) ! z'EDB88320'
  integer(int32), parameter :: one = not(huge(1_int32)), one_byte = int(z'00800000', int32) ! 1 and x^8

  type :: digest
    integer(int32), private :: raw = 0
    integer(int64) :: bytes = 0
    integer(int64) :: histogram(0:bins - 1) = 0
    integer(int32), private :: table(0:255) = 0
  contains
    procedure :: update
    procedure :: place
    procedure :: crc32
    procedure, private :: equals
    generic :: operator(==) => equals
  end type

contains

  elemental integer(int32) function times_x(a)
    integer(int32), intent(in) :: a
    times_x = ishft(a, -1)
    if (btest(a, 0)) times_x = ieor(times_x, polynomial)
  end function

  elemental integer(int32) function multiply(a, b) result(product_of_both)
    integer(int32), intent(in) :: a, b
    integer(int32) :: shifted
    integer :: bit
    product_of_both = 0
    shifted = b
    do bit = 31, 0, -1
      if (btest(a, bit)) product_of_both = ieor(product_of_both, shifted)
      shifted = times_x(shifted)
    end do
  end function

  !> x^(8 * bytes): the factor that this many further bytes multiply a raw CRC by.
  elemental integer(int32) function power_of_bytes(bytes) result(power)
    integer(int64), intent(in) :: bytes
    integer(int64) :: rest
    integer(int32) :: square
    power = one
    square = one_byte
    rest = bytes
    do while (rest /= 0)
      if (btest(rest, 0)) power = multiply(power, square)
      square = multiply(square, square)
      rest = ishft(rest, -1)
    end do
  end function

  elemental integer(int64) function slices_of(bytes)
    integer(int64), intent(in) :: bytes
    slices_of = (bytes + slice_bytes - 1)/slice_bytes
  end function

  !> 32-bit words of a chunk's result.
  elemental integer(int64) function result_words(bytes)
    integer(int64), intent(in) :: bytes
    result_words = bins + slices_of(bytes)
  end function

  !> Appends bytes.
  subroutine update(self, content)
    class(digest), intent(inout) :: self
    integer(int8), intent(in) :: content(:)
    integer(int32) :: raw, byte
    integer :: i, bit
    if (self%bytes == 0) then ! what a byte contributes to an empty register
      self%table = [(int(i, int32), i=0, 255)]
      do bit = 1, 8
        self%table = times_x(self%table)
      end do
    end if
    raw = self%raw
    do i = 1, size(content)
      byte = iand(int(content(i), int32), 255)
      raw = ieor(ishft(raw, -8), self%table(iand(ieor(raw, byte), 255)))
      self%histogram(byte) = self%histogram(byte) + 1
    end do
    self%raw = raw
    self%bytes = self%bytes + size(content)
  end subroutine

  !> Adds a chunk's result, as the kernel wrote it, at its offset in a range whose size is set.
  subroutine place(self, offset, bytes, words)
    class(digest), intent(inout) :: self
    integer(int64), intent(in) :: offset, bytes
    integer(int32), intent(in) :: words(0:)
    integer(int64) :: i
    integer(int32) :: raw
    raw = 0
    do i = 0, slices_of(bytes) - 1
      raw = ieor(multiply(raw, power_of_bytes(min(bytes - i*slice_bytes, slice_bytes))), words(bins + i))
    end do
    ! The range is the sum of its chunks, each padded with zeros.
    self%raw = ieor(self%raw, multiply(raw, power_of_bytes(self%bytes - offset - bytes)))
    self%histogram = self%histogram + words(0:bins - 1)
  end subroutine

  !> The usual CRC, which starts with all ones and is inverted at the end.
  integer(int32) function crc32(self)
    class(digest), intent(in) :: self
    crc32 = not(ieor(self%raw, multiply(-1_int32, power_of_bytes(self%bytes))))
  end function

  logical function equals(self, other)
    class(digest), intent(in) :: self, other
    equals = self%raw == other%raw .and. self%bytes == other%bytes .and. all(self%histogram == other%histogram)
  end function
end module
