//go:build release_1_37

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func newCache(ctx context.Context) cache.Cache { return cache.New(ctx, nil, false, false) }

// podEvents: a pending pod that changes is the target of the event.
func podEvents(after, before *v1.Pod) []fwk.ClusterEvent {
	return framework.PodSchedulingPropertiesChange(after, before, true)
}

func snapshotOptions(snapshot *cache.Snapshot) []frameworkruntime.Option {
	return []frameworkruntime.Option{frameworkruntime.WithMutableSnapshotLister(snapshot)}
}
