// Lets Go accept the function without a body in ask_test.go.
