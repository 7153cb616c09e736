package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

type random struct {
	*rand.Rand
	ids int
}

func (r *random) chance(p float64) bool { return r.Float64() < p }

// between includes both ends.
func (r *random) between(low, high int) int { return low + r.IntN(high-low+1) }

func pick[T any](r *random, from ...T) T { return from[r.IntN(len(from))] }

// some returns n different values, or all of them.
func some[T any](r *random, n int, from ...T) []T {
	out := make([]T, 0, n)
	for _, i := range r.Perm(len(from)) {
		if len(out) == n {
			break
		}
		out = append(out, from[i])
	}
	return out
}

func (r *random) uid() types.UID {
	r.ids++
	return types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", r.ids))
}

func (r *random) instant() metav1.Time {
	return metav1.NewTime(time.Date(2026, 1, 1, r.IntN(3), r.IntN(60), r.IntN(60), 0, time.UTC))
}

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

func ptr[T any](value T) *T { return &value }
