package main

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	api "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

// cluster is the state that the scheduler reads.
type cluster struct {
	nodes      []*v1.Node
	pods       []*v1.Pod
	pod        *v1.Pod
	namespaces []*v1.Namespace
	services   []*v1.Service
	budgets    []*budget
	nominated  []nomination
	disks      *disks
	config     map[string]any
	// The initial cluster, and the changes since.
	first *beginning
	turns []turn
}

type beginning struct {
	nodes []*v1.Node
	pods  []*v1.Pod
}

type nomination struct {
	Pod  *v1.Pod `json:"pod"`
	Node string  `json:"node"`
	// Queued: the pod is in the queue of the scheduler, as outside of tests.
	Queued bool `json:"queued"`
}

var groups = []string{"resources", "taints", "node-affinity", "pod-affinity", "topology-spread", "default-spread", "ports", "images", "volumes",
	"volumes", "nominated", "preemption", "preemption-constrained", "preemption-volumes", "mixed", "mixed", "resized", "features", "profile", "profile", "churn", "churn"}

// focusOf returns the features of the pods of a group.
func focusOf(group string) focus {
	f := focus{"other": 0.03, "ephemeral": 0.1, "extended": 0.08, "resized": 0.02, "gates": 0, "declaredFeatures": 0.01, "zeroes": 0.02, "fractions": 0.01, "priority": 0.2}
	set := func(p float64, names ...string) {
		for _, name := range names {
			f[name] = p
		}
	}
	switch group {
	case "resources":
		set(0.3, "init", "overhead", "podResources", "ephemeral", "extended", "hugepages")
		set(0.08, "zeroes", "fractions")
	case "taints":
		set(0.9, "tolerations")
	case "node-affinity":
		set(0.9, "nodeAffinity")
		set(0.3, "nodeSelector")
	case "pod-affinity":
		set(0.8, "podAffinity")
	case "topology-spread":
		set(0.9, "spread")
		set(0.3, "nodeAffinity", "nodeSelector", "tolerations")
	case "ports":
		set(0.7, "ports")
		set(0.2, "hostNetwork", "init")
	case "preemption":
		set(0.3, "big", "priority", "extended")
	case "preemption-constrained":
		set(0.3, "big", "ports", "podAffinity", "spread")
	case "preemption-volumes":
		set(0.2, "big")
	case "mixed", "profile", "hints", "churn":
		set(0.2, "init", "overhead", "podResources", "ephemeral", "extended", "hugepages", "tolerations", "nodeAffinity", "podAffinity", "spread", "ports", "nodeSelector")
	case "resized":
		set(0.6, "resized")
		set(0.3, "init", "podResources", "overhead")
	case "features":
		set(0.5, "declaredFeatures")
	}
	return f
}

func makeSchedule(r *random) *record {
	group := pick(r, groups...)
	c := r.cluster(group)
	for _, object := range append(c.objects(), c.passed()...) {
		legacyscheme.Scheme.Default(object)
	}
	if !c.valid() {
		return nil
	}
	want := ask(c)
	if want == nil {
		return nil
	}
	given := map[string]any{"group": group, "nodes": c.nodes, "pods": c.pods, "pod": c.pod, "namespaces": c.namespaces}
	put := func(name string, list any, length int) {
		if length > 0 {
			given[name] = list
		}
	}
	if c.first != nil {
		given["nodes"], given["pods"], given["changes"] = c.first.nodes, c.first.pods, c.turns
	}
	put("services", c.services, len(c.services))
	put("pdbs", c.budgets, len(c.budgets))
	put("nominated", c.nominated, len(c.nominated))
	if c.disks != nil {
		put("pvs", c.disks.pvs, len(c.disks.pvs))
		put("pvcs", c.disks.pvcs, len(c.disks.pvcs))
		put("storageClasses", c.disks.classes, len(c.disks.classes))
		put("csiNodes", c.disks.nodes, len(c.disks.nodes))
		put("csiDrivers", c.disks.drivers, len(c.disks.drivers))
		put("csiStorageCapacities", c.disks.capacities, len(c.disks.capacities))
		put("volumeAttachments", c.disks.attachments, len(c.disks.attachments))
	}
	if c.config != nil {
		given["config"] = c.config
	}
	return &record{Given: given, Want: want}
}

func (r *random) cluster(group string) *cluster {
	f := focusOf(group)
	c := &cluster{namespaces: r.namespaces()}
	preempting := group == "preemption" || group == "preemption-constrained" || group == "preemption-volumes"
	count := r.between(1, 10)
	if r.chance(0.06) {
		count = r.between(20, 120)
	}
	c.nodes = r.nodes(count, group == "resources" || group == "mixed")
	c.pod = r.pending("incoming", f)
	for i := range r.between(0, 5*len(c.nodes)) {
		c.pods = append(c.pods, r.assigned(fmt.Sprintf("p%d", i), pick(r, c.nodes...).Name, f))
	}
	if group == "volumes" || group == "preemption-volumes" || group == "mixed" && r.chance(0.3) || group == "hints" && r.chance(0.2) || group == "profile" && r.chance(0.2) {
		c.disks = r.storage(c.nodes)
		r.fillVolumes(c.pod, c.disks)
		for _, pod := range c.pods {
			if r.chance(0.5) {
				r.fillVolumes(pod, c.disks)
			}
		}
		if r.chance(0.3) {
			r.attach(c.disks, c.nodes)
		}
	}
	if preempting {
		c.pod.Spec.Priority = ptr(pick(r, int32(5), 10, 50, 1000))
		for _, node := range c.nodes {
			node.Status.Allocatable[v1.ResourceCPU] = quantity(pick(r, "1", "2", "3920m"))
			node.Status.Allocatable[v1.ResourcePods] = quantity(pick(r, "2", "3", "110"))
			node.Spec.Unschedulable = r.chance(0.03)
			if r.chance(0.8) {
				node.Spec.Taints = nil
			}
		}
		if r.chance(0.6) {
			c.budgets = r.budgets()
		}
		if r.chance(0.1) {
			c.pod.Status.NominatedNodeName = pick(r, c.nodes...).Name
		}
	}
	if group == "nominated" || r.chance(0.05) {
		r.nominate(c, f)
	}
	if group == "default-spread" || r.chance(0.08) {
		r.fillServices(c)
	}
	if group == "churn" {
		r.churn(c, f)
	}
	if group == "profile" {
		c.config = r.profile()
	}
	return c
}

func (r *random) nominate(c *cluster, f focus) {
	for i := range r.between(1, 4) {
		pod := r.pending(fmt.Sprintf("n%d", i), f)
		pod.Spec.Priority = ptr(pick(r, int32(-10), 0, 5, 1000))
		pod.Status.NominatedNodeName = pick(r, c.nodes...).Name
		pod.Status.Phase = v1.PodPending
		c.nominated = append(c.nominated, nomination{Pod: pod, Node: pod.Status.NominatedNodeName, Queued: true})
	}
	if r.chance(0.1) {
		c.pod.Status.NominatedNodeName = pick(r, c.nodes...).Name
	}
}

func (r *random) fillServices(c *cluster) {
	for i := range r.between(1, 3) {
		service := &v1.Service{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s%d", i), Namespace: pick(r, c.pod.Namespace, c.pod.Namespace, "default")}}
		if r.chance(0.9) {
			service.Spec.Selector = map[string]string{"app": pick(r, "web", "db", "cache", "batch")}
			if app, ok := c.pod.Labels["app"]; ok && r.chance(0.7) {
				service.Spec.Selector["app"] = app
			}
			if tier, ok := c.pod.Labels["tier"]; ok && r.chance(0.2) {
				service.Spec.Selector["tier"] = tier
			}
		}
		c.services = append(c.services, service)
	}
	if r.chance(0.8) {
		c.pod.Spec.TopologySpreadConstraints = nil
	}
}

func (c *cluster) objects() []runtime.Object {
	objects := asObjects(c.nodes)
	objects = append(objects, asObjects(c.pods)...)
	objects = append(objects, c.pod)
	objects = append(objects, asObjects(c.namespaces)...)
	objects = append(objects, asObjects(c.services)...)
	objects = append(objects, asObjects(c.budgets)...)
	for _, one := range c.nominated {
		objects = append(objects, one.Pod)
	}
	return append(objects, c.disks.objects()...)
}

// passed has the deleted objects, and the old versions of changed objects.
func (c *cluster) passed() []runtime.Object {
	var objects []runtime.Object
	for _, one := range c.turns {
		if object, ok := one.Old.(runtime.Object); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

func (d *disks) objects() []runtime.Object {
	if d == nil {
		return nil
	}
	return slices.Concat(asObjects(d.pvs), asObjects(d.pvcs), asObjects(d.classes), asObjects(d.nodes), asObjects(d.drivers), asObjects(d.capacities), asObjects(d.attachments))
}

func asObjects[T runtime.Object](list []T) []runtime.Object {
	out := make([]runtime.Object, 0, len(list))
	for _, object := range list {
		out = append(out, object)
	}
	return out
}

// valid reports whether the API server would accept the pods as new ones, so that no vector is impossible.
func (c *cluster) valid() bool {
	check := func(pod *v1.Pod) bool { return validPod(pod) }
	return check(c.pod) && !slices.ContainsFunc(c.pods, func(pod *v1.Pod) bool { return !check(pod) }) &&
		!slices.ContainsFunc(c.nominated, func(one nomination) bool { return !check(one.Pod) })
}

func validPod(pod *v1.Pod) bool {
	fresh := pod.DeepCopy()
	fresh.DeletionTimestamp, fresh.DeletionGracePeriodSeconds, fresh.Finalizers = nil, nil, nil
	internal := &api.Pod{}
	if err := legacyscheme.Scheme.Convert(fresh, internal, nil); err != nil {
		return false
	}
	errs := validation.ValidatePodCreate(internal, podutil.GetValidationOptionsFromPodSpecAndMeta(&internal.Spec, nil, &internal.ObjectMeta, nil))
	for _, err := range errs {
		refused[err.Field+" "+err.Detail]++
	}
	return len(errs) == 0
}
