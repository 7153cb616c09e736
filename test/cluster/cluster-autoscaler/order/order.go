// Package order gives the maps of Cluster Autoscaler an order where BERTH_ORDERED is set.
package order

import (
	"cmp"
	"iter"
	"maps"
	"os"
	"slices"
)

var isOrdered = os.Getenv("BERTH_ORDERED") != ""

// In is the map in the order of its keys, or in that of Go.
func In[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	if !isOrdered {
		return maps.All(m)
	}
	return func(yield func(K, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// ranks are the zones in the order in which their first nodes appeared.
var ranks = map[string]int{}

// Reset clears the zones for the next cluster.
func Reset() {
	ranks = map[string]int{}
}

// Rounds is the list in rounds over zones, as the cache of the scheduler lists nodes. A zone keeps its turn when its first
// node leaves.
func Rounds[V any](all []V, zoneOf func(V) string) []V {
	if !isOrdered {
		return all
	}
	zones := []string{}
	byZone := map[string][]V{}
	for _, value := range all {
		zone := zoneOf(value)
		if _, known := byZone[zone]; !known {
			zones = append(zones, zone)
		}
		byZone[zone] = append(byZone[zone], value)
		if _, ranked := ranks[zone]; !ranked {
			ranks[zone] = len(ranks)
		}
	}
	slices.SortFunc(zones, func(a, b string) int { return ranks[a] - ranks[b] })
	rounds := make([]V, 0, len(all))
	for i := 0; len(rounds) < len(all); i++ {
		for _, zone := range zones {
			if i < len(byZone[zone]) {
				rounds = append(rounds, byZone[zone][i])
			}
		}
	}
	return rounds
}
