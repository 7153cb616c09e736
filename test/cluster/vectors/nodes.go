package main

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	hostname = v1.LabelHostname
	zone     = v1.LabelTopologyZone
	region   = v1.LabelTopologyRegion
)

var images = []string{"registry.example/web:1", "registry.example/db:2", "registry.example/big:3", "nginx", "nginx:1.27", "init:1",
	"registry.example/web@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "registry.example:5000/cache", "docker.io/library/nginx:latest"}

func (r *random) nodes(count int, rich bool) []*v1.Node {
	nodes := make([]*v1.Node, 0, count)
	for i := range count {
		nodes = append(nodes, r.node(fmt.Sprintf("node-%02d", i), rich))
	}
	return nodes
}

func (r *random) node(name string, rich bool) *v1.Node {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: r.uid(), Labels: r.nodeLabels(name)}}
	node.Status.Capacity = r.allocatable(rich)
	node.Status.Allocatable = maps.Clone(node.Status.Capacity)
	if r.chance(0.3) {
		node.Spec.Taints = r.taints(r.between(1, 3))
	}
	node.Spec.Unschedulable = r.chance(0.08)
	if r.chance(0.4) {
		node.Status.Images = r.nodeImages()
	}
	if r.chance(0.3) {
		declare(node, slices.Sorted(slices.Values(some(r, r.between(0, 3), declaredFeatures...))))
	}
	if r.chance(0.3) {
		node.Status.Conditions = r.conditions()
	}
	return node
}

var declaredFeatures = []string{"RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport",
	"InPlacePodLevelResourcesVerticalScaling", "GuaranteedQoSPodCPUResize", "PodLevelResources", "Unknown"}

func (r *random) conditions() []v1.NodeCondition {
	var conditions []v1.NodeCondition
	for _, kind := range some(r, r.between(1, 3), v1.NodeReady, v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure, v1.NodeNetworkUnavailable) {
		conditions = append(conditions, v1.NodeCondition{Type: kind, Status: pick(r, v1.ConditionTrue, v1.ConditionFalse, v1.ConditionUnknown), Reason: "R"})
	}
	return conditions
}

func (r *random) nodeLabels(name string) map[string]string {
	labels := map[string]string{hostname: name, v1.LabelArchStable: pick(r, "amd64", "arm64"), v1.LabelOSStable: "linux"}
	if r.chance(0.04) {
		delete(labels, hostname)
	}
	if r.chance(0.9) {
		labels[zone] = pick(r, "zone-a", "zone-b", "zone-c")
	}
	if r.chance(0.8) {
		labels[region] = pick(r, "r1", "r1", "r2")
	}
	if r.chance(0.6) {
		labels["disk"] = pick(r, "ssd", "hdd", "nvme", "")
	}
	if r.chance(0.5) {
		labels["rank"] = pick(r, "1", "3", "4", "16", "x", "-3", "007", "+5", "9223372036854775807", "99999999999999999999", "1.5", "")
	}
	if r.chance(0.2) {
		labels["rack"] = pick(r, "k1", "k2")
	}
	return labels
}

func (r *random) allocatable(rich bool) v1.ResourceList {
	list := v1.ResourceList{
		v1.ResourceCPU:    quantity(pick(r, "2", "4", "3920m", "8", "15890m", "500m", "64", "0.5")),
		v1.ResourceMemory: quantity(pick(r, "4Gi", "7500M", "16Gi", "32847764Ki", "512Mi", "1.5Gi", "64Gi")),
		v1.ResourcePods:   quantity(pick(r, "110", "32", "250", "11", "4", "2")),
	}
	if r.chance(0.9) {
		list[v1.ResourceEphemeralStorage] = quantity(pick(r, "100Gi", "50Gi", "20G", "1Gi"))
	}
	if r.chance(0.4) {
		list["example.com/gpu"] = quantity(pick(r, "0", "1", "2", "4", "8"))
	}
	if r.chance(0.15) {
		list["example.com/fpga"] = quantity(pick(r, "0", "1", "3"))
	}
	if r.chance(0.3) {
		list["hugepages-2Mi"] = quantity(pick(r, "0", "64Mi", "128Mi"))
	}
	if r.chance(0.1) {
		list["hugepages-1Gi"] = quantity(pick(r, "0", "1Gi", "4Gi"))
	}
	if rich && r.chance(0.1) {
		list[v1.ResourceCPU] = quantity(pick(r, "0", "1", "1m", "100500m", "3.0001"))
	}
	if rich && r.chance(0.1) {
		list[v1.ResourceMemory] = quantity(pick(r, "0", "1", "123456789", "100m", "1Ti", "9Ei"))
	}
	if rich && r.chance(0.05) {
		delete(list, pick(r, v1.ResourceCPU, v1.ResourceMemory, v1.ResourcePods))
	}
	return list
}

func (r *random) taints(count int) []v1.Taint {
	taints := make([]v1.Taint, 0, count)
	for range count {
		taint := v1.Taint{
			Key:    pick(r, "a", "b", "dedicated", "node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready", "node.kubernetes.io/memory-pressure"),
			Value:  pick(r, "", "x", "y", "10", "5"),
			Effect: pick(r, v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute),
		}
		same := func(other v1.Taint) bool { return other.Key == taint.Key && other.Effect == taint.Effect }
		if !slices.ContainsFunc(taints, same) {
			taints = append(taints, taint)
		}
	}
	return taints
}

func (r *random) nodeImages() []v1.ContainerImage {
	var out []v1.ContainerImage
	for _, name := range some(r, r.between(1, 5), images...) {
		size := pick(r, int64(1), 1<<20, 23<<20, 24<<20, 100<<20, 500<<20, 1000<<20, 1001<<20, 3<<30, 20<<30)
		names := []string{name}
		if r.chance(0.3) {
			names = append(names, name+"-alias", pick(r, images...))
		}
		if r.chance(0.15) {
			names = []string{name + ":latest"}
		}
		out = append(out, v1.ContainerImage{Names: names, SizeBytes: size})
	}
	return out
}
