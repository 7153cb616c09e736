//go:build release_1_34

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

type (
	handle         = framework.Handle
	plugin         = framework.Plugin
	nominatingInfo = framework.NominatingInfo
	claimManager   = framework.SharedDRAManager
)

// v1.34 has no comparison operators, no declared features and no status of resources at pod level.
var comparisons []v1.TolerationOperator
var restartActions = []v1.ContainerRestartRuleAction{v1.ContainerRestartRuleActionRestart}

func tolerates(toleration v1.Toleration, taint *v1.Taint, comparisons bool) bool {
	return toleration.ToleratesTaint(taint)
}

func declare(node *v1.Node, features []string)                 {}
func setResources(pod *v1.Pod, allocated, got v1.ResourceList) {}

func releaseOptions(factory informers.SharedInformerFactory, snapshot *cache.Snapshot) []frameworkruntime.Option {
	return nil
}
