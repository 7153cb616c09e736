package main

import (
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/controller/podautoscaler"
)

// The fields of Tolerances are private to upstream's package.
func tolerancesOf(value float64) podautoscaler.Tolerances {
	var tolerances podautoscaler.Tolerances
	fields := reflect.ValueOf(&tolerances).Elem()
	for i := range fields.NumField() {
		*(*float64)(unsafe.Pointer(fields.Field(i).UnsafeAddr())) = value
	}
	return tolerances
}
