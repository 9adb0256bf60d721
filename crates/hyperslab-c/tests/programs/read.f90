! Reads a block of a dataset of floats.
!
!   gfortran read.f90 $(pkg-config --libs hyperslab) -o read && ./read FILE DATASET
program read_block
    use, intrinsic :: iso_c_binding
    implicit none

    interface
        integer(c_int) function hs_open(path, file) bind(c)
            import :: c_int, c_char, c_ptr
            character(kind=c_char), intent(in) :: path(*)
            type(c_ptr), intent(out) :: file
        end function
        subroutine hs_close(file) bind(c)
            import :: c_ptr
            type(c_ptr), value :: file
        end subroutine
        integer(c_int) function hs_dataset_open(file, path, dataset) bind(c)
            import :: c_int, c_char, c_ptr
            type(c_ptr), value :: file
            character(kind=c_char), intent(in) :: path(*)
            type(c_ptr), intent(out) :: dataset
        end function
        subroutine hs_dataset_close(dataset) bind(c)
            import :: c_ptr
            type(c_ptr), value :: dataset
        end subroutine
        integer(c_int) function hs_dataset_rank(dataset, rank) bind(c)
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: dataset
            integer(c_size_t), intent(out) :: rank
        end function
        integer(c_int) function hs_dataset_shape(dataset, shape) bind(c)
            import :: c_int, c_ptr, c_int64_t
            type(c_ptr), value :: dataset
            integer(c_int64_t), intent(out) :: shape(*)
        end function
        integer(c_int) function hs_read(dataset, start, count, buffer, bytes) bind(c)
            import :: c_int, c_ptr, c_int64_t, c_size_t
            type(c_ptr), value :: dataset
            integer(c_int64_t), intent(in) :: start(*), count(*)
            type(c_ptr), value :: buffer
            integer(c_size_t), value :: bytes
        end function
    end interface

    type(c_ptr) :: file, dataset
    character(len=4096) :: path, name
    integer(c_size_t) :: rank
    integer(c_int64_t) :: shape(32), start(32)
    ! The last dimension of HDF5 varies fastest, the first of Fortran.
    real(c_float), allocatable, target :: values(:)

    call get_command_argument(1, path)
    call get_command_argument(2, name)
    call check(hs_open(trim(path) // c_null_char, file))
    call check(hs_dataset_open(file, trim(name) // c_null_char, dataset))
    call check(hs_dataset_rank(dataset, rank))
    call check(hs_dataset_shape(dataset, shape))
    start = 0
    ! All but the first along the first dimension.
    start(1) = 1
    shape(1) = shape(1) - 1
    allocate (values(product(shape(1:rank))))
    call check(hs_read(dataset, start, shape, c_loc(values), size(values, kind=c_size_t) * 4))
    print '(a, i0, a, f0.1)', 'values: ', size(values), ', sum: ', sum(real(values, c_double))
    call hs_dataset_close(dataset)
    call hs_close(file)

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status /= 0) error stop 'hyperslab could not read it'
    end subroutine

end program
