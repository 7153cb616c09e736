module generate

go 1.24
