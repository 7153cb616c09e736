// Command allocator answers questions about device allocation with the allocator of Kubernetes. It reads one question per
// line from standard input and writes one answer per line to standard output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

type question struct {
	Features map[string]bool              `json:"features"`
	Node     v1.Node                      `json:"node"`
	Slices   []*resourceapi.ResourceSlice `json:"slices"`
	Classes  []*resourceapi.DeviceClass   `json:"classes"`
	// Held are the allocated claims, Claims the claims to allocate.
	Held   []*resourceapi.ResourceClaim `json:"held"`
	Claims []*resourceapi.ResourceClaim `json:"claims"`
}

type answer struct {
	Results []resourceapi.AllocationResult `json:"results,omitempty"`
	Error   string                         `json:"error,omitempty"`
}

type classes []*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, fmt.Errorf("deviceclass.resource.k8s.io %q not found", name)
}

func setFields(target any, values map[string]bool) {
	fields := reflect.ValueOf(target).Elem()
	for name, value := range values {
		if field := fields.FieldByName(name); field.IsValid() {
			field.SetBool(value)
		}
	}
}

// allocatedState has the same counts as the scheduler plugin.
func allocatedState(held []*resourceapi.ResourceClaim, consumable bool) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, claim := range held {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if result.AdminAccess != nil && *result.AdminAccess {
				continue
			}
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			if consumable && result.ShareID != nil {
				share := types.UID(*result.ShareID)
				state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, &share))
				if result.ConsumedCapacity != nil {
					state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, result.ConsumedCapacity))
				}
				continue
			}
			state.AllocatedDevices.Insert(id)
		}
	}
	return state
}

func ask(q question) answer {
	ctx := context.Background()
	var features structured.Features
	setFields(&features, q.Features)
	var celFeatures cel.Features
	setFields(&celFeatures, map[string]bool{
		"EnableConsumableCapacity": q.Features["ConsumableCapacity"],
		"EnableListTypeAttributes": q.Features["SelectListTypeAttributes"],
	})
	state := allocatedState(q.Held, q.Features["ConsumableCapacity"])
	allocator, err := structured.NewAllocator(ctx, features, state, classes(q.Classes), q.Slices, cel.NewCache(10, celFeatures))
	if err != nil {
		return answer{Error: err.Error()}
	}
	results, err := allocator.Allocate(ctx, &q.Node, q.Claims)
	if err != nil {
		return answer{Error: err.Error()}
	}
	for i := range results {
		for j := range results[i].Devices.Results {
			if results[i].Devices.Results[j].ShareID != nil {
				share := types.UID("share")
				results[i].Devices.Results[j].ShareID = &share
			}
		}
	}
	return answer{Results: results}
}

func run() error {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 64<<20)
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	for scanner.Scan() {
		var q question
		if err := json.Unmarshal(scanner.Bytes(), &q); err != nil {
			return err
		}
		a := ask(q)
		line, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := writer.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return errors.Join(scanner.Err())
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
