package main

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// turn is one change of a node or a placed pod; nil: added or deleted.
type turn struct {
	Resource string `json:"resource"`
	Old      any    `json:"old"`
	New      any    `json:"new"`
}

// churn changes the cluster several times, and stores the initial state and the changes. Nodes have no images, because a
// running kube-scheduler takes an image's size from the first node that reported it, and counts the nodes that have it
// again only when another field of a node changes.
func (r *random) churn(c *cluster, f focus) {
	for _, node := range c.nodes {
		node.Status.Images = nil
	}
	c.first = &beginning{slices.Clone(c.nodes), slices.Clone(c.pods)}
	gone := []*v1.Node{}
	for i := range r.between(3, 25) {
		switch r.IntN(9) {
		case 0, 1:
			at := r.IntN(len(c.nodes))
			before, after := c.nodes[at], r.changedNode(c.nodes[at])
			c.nodes[at] = after
			c.turns = append(c.turns, turn{"nodes", before, after})
		case 2:
			node := r.node(fmt.Sprintf("late-%d", i), false)
			if len(gone) > 0 && r.chance(0.6) {
				node.Name = gone[0].Name
				gone = gone[1:]
			}
			node.Status.Images = nil
			c.nodes = append(c.nodes, node)
			c.turns = append(c.turns, turn{"nodes", nil, node})
		case 3:
			if at := r.IntN(len(c.nodes)); len(c.nodes) > 1 {
				gone = append(gone, c.nodes[at])
				c.turns = append(c.turns, turn{"nodes", c.nodes[at], nil})
				c.nodes = slices.Delete(slices.Clone(c.nodes), at, at+1)
			}
		case 4, 5:
			pod := r.assigned(fmt.Sprintf("q%d", i), pick(r, c.nodes...).Name, f)
			c.pods = append(c.pods, pod)
			c.turns = append(c.turns, turn{"pods", nil, pod})
		case 6:
			if len(c.pods) > 0 {
				at := r.IntN(len(c.pods))
				c.turns = append(c.turns, turn{"pods", c.pods[at], nil})
				c.pods = slices.Delete(slices.Clone(c.pods), at, at+1)
			}
		default:
			if len(c.pods) > 0 {
				at := r.IntN(len(c.pods))
				before := c.pods[at]
				after := r.changedPod(before, f)
				probe := after.DeepCopy()
				legacyscheme.Scheme.Default(probe)
				if !validPod(probe) {
					continue
				}
				c.pods[at] = after
				c.turns = append(c.turns, turn{"pods", before, after})
			}
		}
	}
}

func (r *random) changedNode(before *v1.Node) *v1.Node {
	after := before.DeepCopy()
	other := r.node(before.Name, true)
	switch r.IntN(4) {
	case 0:
		after.Labels = other.Labels
	case 1:
		after.Spec.Taints = other.Spec.Taints
	case 2:
		after.Status.Allocatable = other.Status.Allocatable
	case 3:
		after.Spec.Unschedulable = !before.Spec.Unschedulable
	}
	return after
}

func (r *random) changedPod(before *v1.Pod, f focus) *v1.Pod {
	after := before.DeepCopy()
	switch r.IntN(4) {
	case 0:
		after.Labels = r.podLabels()
	case 1:
		after.Spec.Containers[0].Resources = r.resources(f, 0)
	case 2:
		if len(after.Status.ContainerStatuses) == 0 {
			r.fillResize(after)
		}
	case 3:
		after.DeletionTimestamp = ptr(r.instant())
		after.Finalizers = []string{"example.com/hold"}
	}
	return after
}
