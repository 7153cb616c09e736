module berth.example/regexp-reference

go 1.24
