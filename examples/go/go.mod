module example.com/indim-affine

go 1.21
