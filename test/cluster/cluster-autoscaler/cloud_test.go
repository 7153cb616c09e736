//go:build clusterautoscaler

package berth

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	apiv1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/autoscaler/cluster-autoscaler/cloudprovider"
	"k8s.io/autoscaler/cluster-autoscaler/config"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/framework"
	"k8s.io/autoscaler/cluster-autoscaler/utils/errors"
	"k8s.io/autoscaler/cluster-autoscaler/utils/gpu"
	"k8s.io/client-go/kubernetes"
)

const groupLabel = "kwok-nodegroup"

// machine was requested and has no Node yet.
type machine struct {
	name  string
	dueAt time.Time
}

// cloud gives machines a boot time, and has none for groups that are out of stock.
type cloud struct {
	client  kubernetes.Interface
	groups  []*group
	limiter *cloudprovider.ResourceLimiter
	made    int
	lock    sync.Mutex
}

type group struct {
	cloud    *cloud
	name     string
	min, max int
	boot     time.Duration
	stockout bool
	template *apiv1.Node
	devices  []*resourceapi.ResourceSlice
	target   int
	machines []machine
}

func (c *cloud) Name() string { return "kwok" }
func (c *cloud) NodeGroups() []cloudprovider.NodeGroup {
	groups := make([]cloudprovider.NodeGroup, 0, len(c.groups))
	for _, g := range c.groups {
		groups = append(groups, g)
	}
	return groups
}

func (c *cloud) NodeGroupForNode(node *apiv1.Node) (cloudprovider.NodeGroup, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if !strings.HasPrefix(node.Spec.ProviderID, "kwok:") {
		return nil, nil
	}
	for _, g := range c.groups {
		if node.Labels[groupLabel] == g.name {
			return g, nil
		}
		for _, m := range g.machines {
			if node.Spec.ProviderID == "kwok:"+m.name {
				return g, nil
			}
		}
	}
	return nil, nil
}

func (c *cloud) HasInstance(*apiv1.Node) (bool, error) { return true, nil }
func (c *cloud) Pricing() (cloudprovider.PricingModel, errors.AutoscalerError) {
	return nil, cloudprovider.ErrNotImplemented
}
func (c *cloud) GetAvailableMachineTypes() ([]string, error) {
	return nil, cloudprovider.ErrNotImplemented
}
func (c *cloud) NewNodeGroup(string, map[string]string, map[string]string, []apiv1.Taint, map[string]resource.Quantity) (cloudprovider.NodeGroup, error) {
	return nil, cloudprovider.ErrNotImplemented
}
func (c *cloud) GetResourceLimiter() (*cloudprovider.ResourceLimiter, error) { return c.limiter, nil }
func (c *cloud) GPULabel() string                                            { return "" }
func (c *cloud) GetAvailableGPUTypes() map[string]struct{}                   { return map[string]struct{}{} }
func (c *cloud) GetNodeGpuConfig(node *apiv1.Node) *cloudprovider.GpuConfig {
	return gpu.GetNodeGPUFromCloudProvider(c, node)
}
func (c *cloud) Cleanup() error { return nil }

// Refresh sets target sizes to the existing nodes and the machines that are starting.
func (c *cloud) Refresh() error {
	counts := map[string]int{}
	for _, node := range c.nodes() {
		counts[node.Labels[groupLabel]]++
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	for _, g := range c.groups {
		g.target = counts[g.name] + len(g.machines)
	}
	return nil
}

func (c *cloud) nodes() []apiv1.Node {
	list, err := c.client.CoreV1().Nodes().List(context.Background(), metav1.ListOptions{})
	if err != nil {
		panic(err)
	}
	return list.Items
}

// join creates the Nodes of the machines that have booted. They are ready immediately.
func (c *cloud) join(now time.Time) {
	for _, g := range c.groups {
		coming := []machine{}
		for _, m := range g.machines {
			if g.stockout || m.dueAt.After(now) {
				coming = append(coming, m)
				continue
			}
			if _, err := c.client.CoreV1().Nodes().Create(context.Background(), g.nodeOf(m.name, now), metav1.CreateOptions{}); err != nil {
				panic(err)
			}
			for _, slice := range g.devices {
				if _, err := c.client.ResourceV1().ResourceSlices().Create(context.Background(), g.publish(slice, m.name), metav1.CreateOptions{}); err != nil {
					panic(err)
				}
			}
		}
		g.machines = coming
	}
}

func (g *group) nodeOf(name string, now time.Time) *apiv1.Node {
	node := g.template.DeepCopy()
	node.Name = name
	node.UID = types.UID(name)
	node.CreationTimestamp = metav1.Time{Time: now}
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	if _, has := node.Labels[apiv1.LabelHostname]; has {
		node.Labels[apiv1.LabelHostname] = name
	}
	node.Labels[groupLabel] = g.name
	if node.Annotations == nil {
		node.Annotations = map[string]string{}
	}
	node.Annotations["kwok.x-k8s.io/node"] = "fake"
	node.Spec.ProviderID = "kwok:" + name
	node.Status.Conditions = []apiv1.NodeCondition{{
		Type: apiv1.NodeReady, Status: apiv1.ConditionTrue, LastTransitionTime: metav1.Time{Time: now},
	}}
	return node
}

// publish creates the slice of a node from the slice of its group.
func (g *group) publish(slice *resourceapi.ResourceSlice, node string) *resourceapi.ResourceSlice {
	made := slice.DeepCopy()
	made.Name = strings.Replace(slice.Name, g.name, node, 1)
	made.UID = types.UID(made.Name)
	made.Spec.NodeName = &node
	made.Spec.Pool.Name = strings.Replace(slice.Spec.Pool.Name, g.name, node, 1)
	return made
}

func (g *group) MaxSize() int             { return g.max }
func (g *group) MinSize() int             { return g.min }
func (g *group) TargetSize() (int, error) { return g.target, nil }
func (g *group) Id() string               { return g.name }
func (g *group) Debug() string            { return fmt.Sprintf("%s (%d:%d)", g.name, g.min, g.max) }
func (g *group) Exist() bool              { return true }
func (g *group) Autoprovisioned() bool    { return false }
func (g *group) Delete() error            { return cloudprovider.ErrNotImplemented }
func (g *group) Create() (cloudprovider.NodeGroup, error) {
	return nil, cloudprovider.ErrNotImplemented
}
func (g *group) AtomicIncreaseSize(int) error         { return cloudprovider.ErrNotImplemented }
func (g *group) ForceDeleteNodes([]*apiv1.Node) error { return cloudprovider.ErrNotImplemented }
func (g *group) GetOptions(defaults config.NodeGroupAutoscalingOptions) (*config.NodeGroupAutoscalingOptions, error) {
	return &defaults, nil
}

func (g *group) IncreaseSize(delta int) error {
	if g.target+delta > g.max {
		return fmt.Errorf("size increase too large, desired: %d max: %d", g.target+delta, g.max)
	}
	g.cloud.lock.Lock()
	defer g.cloud.lock.Unlock()
	for i := 0; i < delta; i++ {
		g.cloud.made++
		g.machines = append(g.machines, machine{fmt.Sprintf("sz%04d-%s", g.cloud.made, g.name), time.Now().Add(g.boot)})
	}
	g.target += delta
	return nil
}

func (g *group) DeleteNodes(nodes []*apiv1.Node) error {
	// As the clouds of AWS and Google do.
	if g.target <= g.min {
		return fmt.Errorf("min size reached, nodes will not be deleted")
	}
	for _, node := range nodes {
		if !g.cancel(node.Spec.ProviderID) {
			if err := g.cloud.client.CoreV1().Nodes().Delete(context.Background(), node.Name, metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
		g.target--
	}
	return nil
}

func (g *group) cancel(id string) bool {
	g.cloud.lock.Lock()
	defer g.cloud.lock.Unlock()
	for at, m := range g.machines {
		if "kwok:"+m.name == id {
			g.machines = append(g.machines[:at:at], g.machines[at+1:]...)
			return true
		}
	}
	return false
}

// DecreaseTargetSize removes the oldest machines without a Node.
func (g *group) DecreaseTargetSize(delta int) error {
	g.cloud.lock.Lock()
	defer g.cloud.lock.Unlock()
	count := min(-delta, len(g.machines))
	g.machines = g.machines[count:]
	g.target -= count
	return nil
}

func (g *group) Nodes() ([]cloudprovider.Instance, error) {
	instances := []cloudprovider.Instance{}
	for _, node := range g.cloud.nodes() {
		if node.Labels[groupLabel] == g.name {
			instances = append(instances, cloudprovider.Instance{Id: "kwok:" + node.Name, Status: &cloudprovider.InstanceStatus{State: cloudprovider.InstanceRunning}})
		}
	}
	sort.Slice(instances, func(a, b int) bool { return instances[a].Id < instances[b].Id })
	g.cloud.lock.Lock()
	defer g.cloud.lock.Unlock()
	for _, m := range g.machines {
		status := &cloudprovider.InstanceStatus{State: cloudprovider.InstanceCreating}
		if g.stockout {
			status.ErrorInfo = &cloudprovider.InstanceErrorInfo{
				ErrorClass:   cloudprovider.OutOfResourcesErrorClass,
				ErrorCode:    "OUT_OF_RESOURCES",
				ErrorMessage: "no capacity for group " + g.name,
			}
		}
		instances = append(instances, cloudprovider.Instance{Id: "kwok:" + m.name, Status: status})
	}
	return instances, nil
}

func (g *group) TemplateNodeInfo() (*framework.NodeInfo, error) {
	node := g.nodeOf(g.name, time.Now())
	return framework.NewNodeInfo(node, g.devices, framework.NewPodInfo(cloudprovider.BuildKubeProxy(g.name), nil)), nil
}
