package main

import (
	"context"
	"maps"
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
)

// change is one change of one object; nil before or after: added or deleted.
type change struct {
	kind          string
	before, after runtime.Object
	events        []fwk.ClusterEvent
}

func makeHint(r *random) *record {
	c := r.cluster("hints")
	c.pods = nil
	var made change
	switch pick(r, "Node", "Node", "Pod", "Pod", "own", "storage") {
	case "Node":
		made = r.nodeChange(c)
	case "Pod":
		made = r.podChange(c)
	case "own":
		made = r.ownChange(c)
	default:
		made = r.storageChange(c)
	}
	for _, object := range append(c.objects(), made.before, made.after) {
		if !isNil(object) {
			legacyscheme.Scheme.Default(object)
		}
	}
	if !validPod(c.pod) {
		return nil
	}
	made.name()
	given := map[string]any{"pod": c.pod, "kind": made.kind, "old": jsonOf(made.before), "new": jsonOf(made.after)}
	if c.disks != nil {
		given["pvs"], given["pvcs"], given["storageClasses"] = c.disks.pvs, c.disks.pvcs, c.disks.classes
		given["csiNodes"], given["csiDrivers"], given["volumeAttachments"] = c.disks.nodes, c.disks.drivers, c.disks.attachments
	}
	given["namespaces"] = c.namespaces
	return &record{Given: given, Want: askHints(c, made)}
}

func isNil(object runtime.Object) bool { return object == nil || reflect.ValueOf(object).IsNil() }

func jsonOf(object runtime.Object) any {
	if isNil(object) {
		return nil
	}
	return object
}

var resources = map[string]fwk.EventResource{
	"PersistentVolume": fwk.PersistentVolume, "PersistentVolumeClaim": fwk.PersistentVolumeClaim, "StorageClass": fwk.StorageClass,
	"CSINode": fwk.CSINode, "CSIDriver": fwk.CSIDriver, "CSIStorageCapacity": fwk.CSIStorageCapacity, "VolumeAttachment": fwk.VolumeAttachment,
}

// name returns the cluster events of the change.
func (c *change) name() {
	action := fwk.Update
	switch {
	case isNil(c.before):
		action = fwk.Add
	case isNil(c.after):
		action = fwk.Delete
	}
	switch {
	case c.kind == "Node" && action == fwk.Update:
		c.events = framework.NodeSchedulingPropertiesChange(c.after.(*v1.Node), c.before.(*v1.Node))
	case c.kind == "Node":
		c.events = []fwk.ClusterEvent{{Resource: fwk.Node, ActionType: action}}
	case c.kind == "Pod" && action == fwk.Update:
		c.events = podEvents(c.after.(*v1.Pod), c.before.(*v1.Pod))
	case c.kind == "Pod" && action == fwk.Add:
		c.events = []fwk.ClusterEvent{framework.EventAssignedPodAdd}
	case c.kind == "Pod":
		c.events = []fwk.ClusterEvent{framework.EventAssignedPodDelete}
	default:
		c.events = []fwk.ClusterEvent{{Resource: resources[c.kind], ActionType: action}}
	}
}

func askHints(c *cluster, made change) any {
	s, err := newScheduler(c)
	check(err)
	defer s.stop()
	labels := []string{}
	hints := map[string]string{}
	for _, event := range made.events {
		labels = append(labels, event.Label())
		for _, plugin := range s.EnqueueExtensions() {
			if plugin.Name() == defaultpreemption.Name {
				continue
			}
			rules, err := plugin.EventsToRegister(context.Background())
			check(err)
			for _, rule := range rules {
				if !framework.MatchClusterEvents(rule.Event, event) {
					continue
				}
				hint := fwk.Queue
				if rule.QueueingHintFn != nil {
					var err error
					if hint, err = rule.QueueingHintFn(klog.Background(), c.pod, untyped(made.before), untyped(made.after)); err != nil {
						hint = fwk.Queue
					}
				}
				if hints[plugin.Name()] != fwk.Queue.String() {
					hints[plugin.Name()] = hint.String()
				}
			}
		}
	}
	return map[string]any{"events": labels, "hints": hints}
}

func untyped(object runtime.Object) any {
	if isNil(object) {
		return nil
	}
	return object
}

func (r *random) nodeChange(c *cluster) change {
	before := r.node("node-00", true)
	if r.chance(0.15) {
		return change{kind: "Node", after: before}
	}
	if r.chance(0.1) {
		return change{kind: "Node", before: before}
	}
	after := before.DeepCopy()
	for range r.between(1, 2) {
		switch r.IntN(8) {
		case 0:
			after.Labels = r.nodeLabels("node-00")
		case 1:
			after.Spec.Taints = r.taints(r.between(0, 2))
		case 2:
			after.Status.Allocatable = r.allocatable(true)
		case 3:
			after.Status.Conditions = r.conditions()
		case 4:
			after.Annotations = map[string]string{"example.com/note": pick(r, "1", "2")}
		case 5:
			after.Spec.Unschedulable = !before.Spec.Unschedulable
		case 6:
			declare(after, slices.Sorted(slices.Values(some(r, r.between(0, 3), declaredFeatures...))))
		case 7:
			name := pick(r, v1.ResourceCPU, v1.ResourceMemory, v1.ResourcePods, "example.com/gpu", "hugepages-2Mi")
			after.Status.Allocatable = maps.Clone(after.Status.Allocatable)
			after.Status.Allocatable[name] = quantity(pick(r, "1", "64", "64Gi", "500m"))
		}
	}
	return change{kind: "Node", before: before, after: after}
}

func (r *random) podChange(c *cluster) change {
	f := focusOf("mixed")
	f["resized"] = 0.1
	before := r.assigned("other", "node-00", f)
	if c.disks != nil && r.chance(0.5) {
		r.fillVolumes(before, c.disks)
	}
	if r.chance(0.2) {
		return change{kind: "Pod", after: before}
	}
	if r.chance(0.3) {
		return change{kind: "Pod", before: before}
	}
	after := before.DeepCopy()
	for range r.between(1, 2) {
		switch r.IntN(5) {
		case 0:
			after.Labels = r.podLabels()
		case 1:
			after.Spec.Containers[0].Resources = r.resources(f, 0)
		case 2:
			r.fillResize(after)
		case 3:
			after.Spec.Tolerations = r.tolerations(r.between(0, 2))
		case 4:
			after.DeletionTimestamp = ptr(r.instant())
		}
	}
	return change{kind: "Pod", before: before, after: after}
}

func (r *random) ownChange(c *cluster) change {
	before := c.pod.DeepCopy()
	after := c.pod
	for range r.between(1, 2) {
		switch r.IntN(7) {
		case 0:
			after.Labels = r.podLabels()
		case 1:
			after.Spec.Containers[0].Resources = r.resources(focusOf("mixed"), 0)
		case 2:
			after.Spec.Tolerations = append(slices.Clone(before.Spec.Tolerations), r.tolerations(r.between(0, 2))...)
		case 3:
			before.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/wait"}, {Name: "example.com/more"}}
			after.Spec.SchedulingGates = before.Spec.SchedulingGates[:r.between(0, 1)]
		case 4:
			after.Annotations = map[string]string{"example.com/note": "1"}
		case 5:
			after.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: ptr("made")}}
		case 6:
			after.Spec.NodeSelector = map[string]string{"disk": "ssd"}
		}
	}
	return change{kind: "Pod", before: before, after: after.DeepCopy()}
}

func (r *random) storageChange(c *cluster) change {
	if c.disks == nil {
		c.disks = r.storage(c.nodes)
		r.fillVolumes(c.pod, c.disks)
	}
	d := c.disks
	var made change
	switch pick(r, "PersistentVolume", "PersistentVolumeClaim", "PersistentVolumeClaim", "StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity", "VolumeAttachment") {
	case "PersistentVolume":
		made = change{kind: "PersistentVolume", before: r.volume("pv", "late"), after: r.volume("pv", "late")}
	case "PersistentVolumeClaim":
		made = r.claimChange(c)
	case "StorageClass":
		before, after := pick(r, r.storageClasses()...), pick(r, r.storageClasses()...)
		after.Name = before.Name
		made = change{kind: "StorageClass", before: before, after: after}
	case "CSINode":
		nodes := []*v1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "node-00"}}}
		before, after := r.storage(nodes).nodes, r.storage(nodes).nodes
		made = change{kind: "CSINode", before: &storage.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "node-00"}}, after: &storage.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "node-00"}}}
		if len(before) > 0 && len(after) > 0 {
			made.before, made.after = before[0], after[0]
		}
	case "CSIDriver":
		spec := func() *storage.CSIDriver {
			return &storage.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: pick(r, driver, otherDriver)}, Spec: storage.CSIDriverSpec{StorageCapacity: ptr(r.chance(0.5)), AttachRequired: ptr(r.chance(0.5))}}
		}
		made = change{kind: "CSIDriver", before: spec(), after: spec()}
		made.after.(*storage.CSIDriver).Name = made.before.(*storage.CSIDriver).Name
	case "CSIStorageCapacity":
		made = change{kind: "CSIStorageCapacity", before: r.capacity("capacity"), after: r.capacity("capacity")}
	default:
		if len(d.attachments) == 0 {
			r.attach(d, []*v1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "node-00"}}})
		}
		attachment := &storage.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "attached"}, Spec: storage.VolumeAttachmentSpec{Attacher: pick(r, driver, otherDriver), NodeName: "node-00"}}
		if len(d.pvs) > 0 && r.chance(0.8) {
			pv := pick(r, d.pvs...)
			attachment.Spec.Source.PersistentVolumeName = &pv.Name
			if pv.Spec.CSI != nil {
				attachment.Spec.Attacher = pv.Spec.CSI.Driver
			}
		}
		return change{kind: "VolumeAttachment", before: attachment}
	}
	switch r.IntN(4) {
	case 0:
		made.before = nil
	case 1:
		if r.chance(0.4) {
			made.after = nil
		}
	}
	return made
}

func (r *random) claimChange(c *cluster) change {
	d := &disks{}
	name, namespace := "incoming-claim0", c.pod.Namespace
	if r.chance(0.2) {
		name = "incoming-v0"
	}
	if r.chance(0.15) {
		namespace = pick(r, namespaceNames...)
	}
	for len(d.pvcs) < 2 {
		r.claim(d, name, namespace)
	}
	if r.chance(0.3) {
		d.pvcs[1] = d.pvcs[0].DeepCopy()
		d.pvcs[1].Labels = map[string]string{"note": "1"}
	}
	return change{kind: "PersistentVolumeClaim", before: d.pvcs[0], after: d.pvcs[1]}
}
