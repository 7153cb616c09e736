//go:build release_1_34 || release_1_35

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func newCache(ctx context.Context) cache.Cache { return cache.New(ctx, 0, nil) }

func podEvents(after, before *v1.Pod) []fwk.ClusterEvent {
	return framework.PodSchedulingPropertiesChange(after, before)
}

func snapshotOptions(snapshot *cache.Snapshot) []frameworkruntime.Option {
	return nil
}
