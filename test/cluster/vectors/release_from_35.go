//go:build !release_1_34

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

type (
	handle         = fwk.Handle
	plugin         = fwk.Plugin
	nominatingInfo = fwk.NominatingInfo
	claimManager   = fwk.SharedDRAManager
)

var comparisons = []v1.TolerationOperator{v1.TolerationOpGt, v1.TolerationOpLt, v1.TolerationOpGt, v1.TolerationOpLt}
var restartActions = []v1.ContainerRestartRuleAction{v1.ContainerRestartRuleActionRestart, v1.ContainerRestartRuleActionRestartAllContainers}

func tolerates(toleration v1.Toleration, taint *v1.Taint, comparisons bool) bool {
	return toleration.ToleratesTaint(klog.Background(), taint, comparisons)
}

func declare(node *v1.Node, features []string) { node.Status.DeclaredFeatures = features }

func setResources(pod *v1.Pod, allocated, got v1.ResourceList) {
	pod.Status.AllocatedResources = allocated
	pod.Status.Resources = &v1.ResourceRequirements{Requests: got}
}

func releaseOptions(factory informers.SharedInformerFactory, snapshot *cache.Snapshot) []frameworkruntime.Option {
	volumes := nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())
	return append(snapshotOptions(snapshot), frameworkruntime.WithSharedCSIManager(volumes))
}
