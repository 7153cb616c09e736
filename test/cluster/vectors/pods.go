package main

import (
	"fmt"
	"maps"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// focus gives each feature of a pod its probability.
type focus map[string]float64

func (f focus) of(feature string) float64 {
	if p, ok := f[feature]; ok {
		return p
	}
	return f["other"]
}

var namespaceNames = []string{"default", "prod", "dev"}

func (r *random) namespaces() []*v1.Namespace {
	var out []*v1.Namespace
	for i, name := range namespaceNames {
		labels := map[string]string{v1.LabelMetadataName: name, "team": []string{"a", "b", "a"}[i]}
		if r.chance(0.1) {
			delete(labels, "team")
		}
		out = append(out, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Status: v1.NamespaceStatus{Phase: v1.NamespaceActive}})
	}
	return out
}

func (r *random) podLabels() map[string]string {
	labels := map[string]string{}
	if r.chance(0.9) {
		labels["app"] = pick(r, "web", "db", "cache", "batch")
	}
	if r.chance(0.5) {
		labels["tier"] = pick(r, "front", "back")
	}
	if r.chance(0.2) {
		labels["pod-template-hash"] = pick(r, "1", "2")
	}
	return labels
}

func (r *random) bare(name string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name, Namespace: pick(r, namespaceNames...), UID: r.uid(), CreationTimestamp: r.instant(), Labels: r.podLabels(),
	}}
}

func (r *random) pending(name string, f focus) *v1.Pod {
	pod := r.bare(name)
	r.fillContainers(pod, f)
	r.fillPlacement(pod, f)
	if r.chance(f.of("gates")) {
		pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/wait"}}
	}
	pod.Spec.Priority = ptr(int32(0))
	if r.chance(f.of("priority")) {
		pod.Spec.Priority = ptr(pick(r, int32(-10), 0, 5, 10, 100, 1000))
	}
	if r.chance(0.05) {
		pod.Spec.PreemptionPolicy = ptr(pick(r, v1.PreemptNever, v1.PreemptLowerPriority))
	}
	return pod
}

func (r *random) assigned(name, node string, f focus) *v1.Pod {
	pod := r.bare(name)
	r.fillContainers(pod, f)
	if r.chance(f.of("podAffinity")) {
		pod.Spec.Affinity = &v1.Affinity{}
		r.fillPodAffinity(pod)
	}
	pod.Spec.NodeName = node
	pod.Spec.Priority = ptr(pick(r, int32(-10), 0, 0, 5, 10, 100))
	pod.Status.Phase = v1.PodRunning
	started := r.instant()
	pod.Status.StartTime = &started
	if r.chance(0.3) {
		pod.Status.StartTime = nil
		pod.Status.Phase = v1.PodPending
	}
	if r.chance(0.07) {
		at := metav1.NewTime(time.Date(2026, 1, 1, 5, 0, 0, 0, time.UTC))
		pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &at, ptr(int64(30))
		pod.Finalizers = []string{"example.com/hold"}
		if r.chance(0.5) {
			pod.Status.Conditions = []v1.PodCondition{{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler}}
		}
	}
	if r.chance(f.of("resized")) {
		r.fillResize(pod)
	}
	return pod
}

// fillResize puts the pod into an in-place resize: its requested, allocated and used resources differ.
func (r *random) fillResize(pod *v1.Pod) {
	for _, container := range pod.Spec.Containers {
		status := v1.ContainerStatus{Name: container.Name}
		if r.chance(0.8) {
			status.Resources = &v1.ResourceRequirements{Requests: r.shifted(container.Resources.Requests)}
		}
		if r.chance(0.8) {
			status.AllocatedResources = r.shifted(container.Resources.Requests)
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
	for _, container := range pod.Spec.InitContainers {
		if container.RestartPolicy != nil && r.chance(0.7) {
			pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, v1.ContainerStatus{
				Name: container.Name, AllocatedResources: r.shifted(container.Resources.Requests),
				Resources: &v1.ResourceRequirements{Requests: r.shifted(container.Resources.Requests)},
			})
		}
	}
	if pod.Spec.Resources != nil && r.chance(0.6) {
		setResources(pod, r.shifted(pod.Spec.Resources.Requests), r.shifted(pod.Spec.Resources.Requests))
	}
	if r.chance(0.5) {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
			Type: v1.PodResizePending, Status: v1.ConditionTrue, Reason: pick(r, v1.PodReasonInfeasible, v1.PodReasonDeferred),
		})
	}
}

func (r *random) shifted(list v1.ResourceList) v1.ResourceList {
	out := maps.Clone(list)
	for name, value := range out {
		if (name == v1.ResourceCPU || name == v1.ResourceMemory) && r.chance(0.6) {
			twice := value.DeepCopy()
			twice.Add(value)
			if r.chance(0.5) {
				twice = *resource.NewMilliQuantity(value.MilliValue()/2, value.Format)
			}
			out[name] = twice
		}
	}
	return out
}

func (r *random) fillContainers(pod *v1.Pod, f focus) {
	big := f["big"]
	for i := range r.between(1, 3) {
		pod.Spec.Containers = append(pod.Spec.Containers, r.container(fmt.Sprintf("c%d", i+1), f, big))
	}
	if r.chance(f.of("init")) {
		for i := range r.between(1, 3) {
			init := v1.Container{Name: fmt.Sprintf("i%d", i), Image: "init:1", Resources: r.resources(f, big)}
			if r.chance(0.5) {
				init.RestartPolicy = ptr(v1.ContainerRestartPolicyAlways)
				if r.chance(f.of("ports")) {
					init.Ports = r.ports()
				}
			}
			pod.Spec.InitContainers = append(pod.Spec.InitContainers, init)
		}
	}
	if r.chance(f.of("overhead")) {
		pod.Spec.Overhead = v1.ResourceList{v1.ResourceCPU: quantity(pick(r, "50m", "1")), v1.ResourceMemory: quantity("100Mi")}
	}
	if r.chance(f.of("podResources")) {
		r.fillPodResources(pod)
	}
	if r.chance(f.of("declaredFeatures")) {
		r.fillFeatureNeeds(pod)
	}
	if r.chance(f.of("hostNetwork")) {
		pod.Spec.HostNetwork = true
		for i := range pod.Spec.Containers {
			for j := range pod.Spec.Containers[i].Ports {
				port := &pod.Spec.Containers[i].Ports[j]
				port.HostPort = port.ContainerPort
			}
		}
	}
}

func (r *random) fillPodResources(pod *v1.Pod) {
	sum := func(name v1.ResourceName) resource.Quantity {
		total := resource.Quantity{}
		for _, container := range pod.Spec.Containers {
			total.Add(container.Resources.Requests[name])
		}
		for _, container := range pod.Spec.InitContainers {
			total.Add(container.Resources.Requests[name])
		}
		return total
	}
	pod.Spec.Resources = &v1.ResourceRequirements{Requests: v1.ResourceList{}}
	for _, name := range some(r, r.between(1, 2), v1.ResourceCPU, v1.ResourceMemory) {
		total := sum(name)
		extra := quantity("250m")
		if name == v1.ResourceMemory {
			extra = quantity("300Mi")
		}
		total.Add(extra)
		pod.Spec.Resources.Requests[name] = total
		if r.chance(0.3) {
			pod.Spec.Resources.Limits = v1.ResourceList{}
			limit := total.DeepCopy()
			limit.Add(quantity("8Gi"))
			pod.Spec.Resources.Limits[name] = limit
		}
	}
}

func (r *random) fillFeatureNeeds(pod *v1.Pod) {
	if r.chance(0.1) {
		pod.Spec.HostNetwork, pod.Spec.HostUsers = true, ptr(r.chance(0.8))
		return
	}
	container := &pod.Spec.Containers[0]
	container.RestartPolicy = ptr(pick(r, v1.ContainerRestartPolicyNever, v1.ContainerRestartPolicyOnFailure))
	container.RestartPolicyRules = []v1.ContainerRestartRule{{
		Action:    pick(r, restartActions...),
		ExitCodes: &v1.ContainerRestartRuleOnExitCodes{Operator: v1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{42}},
	}}
}

func (r *random) container(name string, f focus, big float64) v1.Container {
	container := v1.Container{Name: name, Image: pick(r, images...), Resources: r.resources(f, big)}
	if r.chance(f.of("ports")) {
		container.Ports = r.ports()
	}
	return container
}

func (r *random) ports() []v1.ContainerPort {
	var ports []v1.ContainerPort
	for _, number := range some(r, r.between(1, 2), int32(8001), 8002, 8003, 8004) {
		port := v1.ContainerPort{ContainerPort: number, HostPort: number, Protocol: pick(r, v1.ProtocolTCP, v1.ProtocolTCP, v1.ProtocolUDP, v1.ProtocolSCTP)}
		if r.chance(0.4) {
			port.HostIP = pick(r, "127.0.0.1", "0.0.0.0", "10.0.0.1", "::1", "::")
		}
		if r.chance(0.15) {
			port.HostPort = 0
		}
		ports = append(ports, port)
	}
	return ports
}

func (r *random) resources(f focus, big float64) v1.ResourceRequirements {
	requests, limits := v1.ResourceList{}, v1.ResourceList{}
	if r.chance(0.85) {
		requests[v1.ResourceCPU] = quantity(pick(r, "100m", "250m", "500m", "1", "1500m", "10m", "1m", "2"))
	}
	if r.chance(0.85) {
		requests[v1.ResourceMemory] = quantity(pick(r, "64Mi", "128Mi", "512Mi", "1Gi", "2Gi", "100M", "1", "1Mi"))
	}
	if r.chance(big) {
		requests[v1.ResourceCPU] = quantity(pick(r, "3", "4", "7900m"))
	}
	if r.chance(f.of("ephemeral")) {
		requests[v1.ResourceEphemeralStorage] = quantity(pick(r, "1Gi", "10Gi", "100M"))
	}
	if r.chance(f.of("extended")) {
		name := pick(r, v1.ResourceName("example.com/gpu"), "example.com/gpu", "example.com/fpga", "example.com/none")
		requests[name] = quantity(pick(r, "0", "1", "1", "2"))
		limits[name] = requests[name]
	}
	if _, ok := requests[v1.ResourceCPU]; ok && r.chance(f.of("hugepages")) {
		name := pick(r, v1.ResourceName("hugepages-2Mi"), "hugepages-2Mi", "hugepages-1Gi")
		requests[name] = quantity(pick(r, "1Gi", "2Gi", "0"))
		if name == "hugepages-2Mi" {
			requests[name] = quantity(pick(r, "2Mi", "64Mi", "0"))
		}
		limits[name] = requests[name]
	}
	if r.chance(0.2) {
		for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
			if value, ok := requests[name]; ok {
				limits[name] = value
			}
		}
	}
	if r.chance(f.of("zeroes")) {
		requests[pick(r, v1.ResourceCPU, v1.ResourceMemory)] = quantity("0")
	}
	if r.chance(f.of("fractions")) {
		requests[v1.ResourceMemory] = quantity(pick(r, "100500m", "1.5", "1e3"))
		requests[v1.ResourceCPU] = quantity(pick(r, "0.0005", "100u", "1n", "1e-3", "0.1"))
		delete(limits, v1.ResourceMemory)
		delete(limits, v1.ResourceCPU)
	}
	return v1.ResourceRequirements{Requests: requests, Limits: limits}
}

func (r *random) budgets() []*budget {
	var out []*budget
	for i := range r.between(1, 4) {
		pdb := &budget{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pdb-%d", i), Namespace: pick(r, namespaceNames...)}}
		pdb.Spec.MinAvailable = ptr(intstr.FromInt32(1))
		switch r.IntN(6) {
		case 0:
			pdb.Spec.Selector = &metav1.LabelSelector{}
		case 1:
		case 2:
			pdb.Spec.Selector = r.labelSelector()
		default:
			pdb.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(r, "web", "db", "cache", "batch")}}
		}
		pdb.Status.DisruptionsAllowed = int32(pick(r, 0, 0, 1, 2, 5))
		pdb.Status.CurrentHealthy, pdb.Status.DesiredHealthy, pdb.Status.ExpectedPods = 3, 2, 3
		if r.chance(0.2) {
			pdb.Status.DisruptedPods = map[string]metav1.Time{}
			for _, j := range r.Perm(12)[:5] {
				pdb.Status.DisruptedPods[fmt.Sprintf("p%d", j)] = r.instant()
			}
		}
		if r.chance(0.2) {
			pdb.Spec.UnhealthyPodEvictionPolicy = ptr(pick(r, alwaysAllow, ifHealthyBudget))
		}
		out = append(out, pdb)
	}
	return out
}
