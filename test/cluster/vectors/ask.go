package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

type rejection struct {
	Code    string   `json:"code"`
	Plugin  string   `json:"plugin,omitempty"`
	Reasons []string `json:"reasons"`
}

type preempted struct {
	Node    string   `json:"node"`
	Victims []string `json:"victims"`
	Status  string   `json:"status"`
	Message string   `json:"message,omitempty"`
}

type answer struct {
	PreFilter      *rejection                  `json:"preFilter,omitempty"`
	PreFilterNodes []string                    `json:"preFilterNodes,omitempty"`
	Feasible       []string                    `json:"feasible"`
	Rejected       map[string]rejection        `json:"rejected"`
	Scores         map[string]map[string]int64 `json:"scores,omitempty"`
	Total          map[string]int64            `json:"total,omitempty"`
	Message        string                      `json:"message,omitempty"`
	Preemption     any                         `json:"preemption,omitempty"`
	// Errors: the cycle ended in one of these.
	Errors []string `json:"errors,omitempty"`
}

// nominator has the nominated pods, as the queue of the scheduler does.
type nominator struct{ byNode map[string][]fwk.PodInfo }

func (nominator) AddNominatedPod(klog.Logger, fwk.PodInfo, *nominatingInfo) {}
func (nominator) DeleteNominatedPodIfExists(*v1.Pod)                        {}
func (nominator) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo)      {}
func (n nominator) NominatedPodsForNode(name string) []fwk.PodInfo          { return n.byNode[name] }

// scheduler is the real framework on the given objects.
type scheduler struct {
	framework.Framework
	preemption *defaultpreemption.DefaultPreemption
	snapshot   *cache.Snapshot
	factory    informers.SharedInformerFactory
	stop       func()
}

func newScheduler(c *cluster) (*scheduler, error) {
	metrics.Register()
	ctx, cancel := context.WithCancel(context.Background())
	objects := c.objects()
	client := fake.NewSimpleClientset(objects...)
	s := &scheduler{snapshot: snapshotOf(ctx, c), factory: informers.NewSharedInformerFactory(client, 0)}
	s.stop = func() { cancel(); s.factory.Shutdown() }

	registry := plugins.NewInTreeRegistry()
	create := registry[defaultpreemption.Name]
	registry[defaultpreemption.Name] = func(ctx context.Context, args runtime.Object, handle handle) (plugin, error) {
		made, err := create(ctx, args, handle)
		if preempting, ok := made.(*defaultpreemption.DefaultPreemption); ok {
			s.preemption = preempting
		}
		return made, err
	}
	known := nominator{map[string][]fwk.PodInfo{}}
	for _, one := range c.nominated {
		info, err := framework.NewPodInfo(one.Pod)
		if err != nil {
			return nil, err
		}
		known.byNode[one.Node] = append(known.byNode[one.Node], info)
	}
	profile, err := profileOf(c.config)
	if err != nil {
		return nil, err
	}
	dra, err := claimsOf(ctx, client, s.factory)
	if err != nil {
		return nil, err
	}
	options := append(releaseOptions(s.factory, s.snapshot),
		frameworkruntime.WithClientSet(client), frameworkruntime.WithInformerFactory(s.factory),
		frameworkruntime.WithSnapshotSharedLister(s.snapshot), frameworkruntime.WithPodNominator(known),
		frameworkruntime.WithSharedDRAManager(dra),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}), frameworkruntime.WithParallelism(1),
		frameworkruntime.WithMetricsRecorder(metrics.NewMetricsAsyncRecorder(1000, 1<<40, ctx.Done())))
	s.Framework, err = frameworkruntime.NewFramework(ctx, registry, profile, options...)
	if err != nil {
		return nil, err
	}
	s.factory.Policy().V1().PodDisruptionBudgets().Lister()
	s.factory.Start(ctx.Done())
	s.wait(c.disks != nil)
	return s, nil
}

func apply(known cache.Cache, one turn) {
	logger := klog.Background()
	switch before, after := one.Old, one.New; {
	case one.Resource == "nodes" && before == nil:
		known.AddNode(logger, after.(*v1.Node))
	case one.Resource == "nodes" && after == nil:
		check(known.RemoveNode(logger, before.(*v1.Node)))
	case one.Resource == "nodes":
		known.UpdateNode(logger, before.(*v1.Node), after.(*v1.Node))
	case before == nil:
		check(known.AddPod(logger, after.(*v1.Pod)))
	case after == nil:
		check(known.RemovePod(logger, before.(*v1.Pod)))
	default:
		check(known.UpdatePod(logger, before.(*v1.Pod), after.(*v1.Pod)))
	}
}

// snapshotOf applies all changes to the cache of the scheduler, with one snapshot in between.
func snapshotOf(ctx context.Context, c *cluster) *cache.Snapshot {
	if c.first == nil {
		return cache.NewSnapshot(c.pods, c.nodes)
	}
	known := newCache(ctx)
	snapshot := cache.NewEmptySnapshot()
	for _, node := range c.first.nodes {
		known.AddNode(klog.Background(), node)
	}
	for _, pod := range c.first.pods {
		check(known.AddPod(klog.Background(), pod))
	}
	for i, one := range c.turns {
		apply(known, one)
		if i%5 == 0 {
			check(known.UpdateSnapshot(klog.Background(), snapshot))
		}
	}
	check(known.UpdateSnapshot(klog.Background(), snapshot))
	return snapshot
}

// claimsOf is needed because the fit of extended resources reads devices even if the plugin of devices is off.
func claimsOf(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (claimManager, error) {
	claims := assumecache.NewAssumeCache(klog.Background(), factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := tracker.StartTracker(ctx, tracker.Options{SliceInformer: factory.Resource().V1().ResourceSlices(), KubeClient: client})
	if err != nil {
		return nil, err
	}
	return dynamicresources.NewDRAManager(ctx, claims, slices, factory), nil
}

// wait polls faster than WaitForCacheSync does.
func (s *scheduler) wait(volumes bool) {
	now := make(chan struct{})
	close(now)
	for synced := false; !synced; time.Sleep(time.Millisecond) {
		synced = true
		for _, one := range s.factory.WaitForCacheSync(now) {
			synced = synced && one
		}
	}
	if volumes {
		// The caches of the volume binder follow the informers, and do not report whether they are synced.
		time.Sleep(20 * time.Millisecond)
	}
}

func rejected(status *fwk.Status) rejection {
	return rejection{Code: status.Code().String(), Plugin: status.Plugin(), Reasons: status.Reasons()}
}

// ask runs one scheduling cycle over all nodes, and preemption when none fits.
func ask(c *cluster) *answer {
	s, err := newScheduler(c)
	check(err)
	defer s.stop()
	ctx := context.Background()
	state := framework.NewCycleState()
	want := &answer{Feasible: []string{}, Rejected: map[string]rejection{}}
	diagnosis := framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
	narrowed, status, narrowers := s.RunPreFilterPlugins(ctx, state, c.pod)
	if !status.IsSuccess() {
		if !status.IsRejected() {
			return &answer{Errors: []string{status.Message()}}
		}
		diagnosis.NodeToStatus.SetAbsentNodesStatus(status)
		diagnosis.PreFilterMsg = status.Message()
		want.PreFilter = ptr(rejected(status))
		s.finish(ctx, c, state, diagnosis, want)
		return want
	}
	nodes, err := s.snapshot.NodeInfos().List()
	check(err)
	if !narrowed.AllNodes() {
		want.PreFilterNodes = sets.List(narrowed.NodeNames)
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(node fwk.NodeInfo) bool { return !narrowed.NodeNames.Has(node.Node().Name) })
		diagnosis.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(narrowers))))
	}
	// The nominated node is tried first, whether or not it is one of the remaining nodes.
	promised := false
	if node, err := s.snapshot.NodeInfos().Get(c.pod.Status.NominatedNodeName); err == nil {
		status := s.RunFilterPluginsWithNominatedPods(ctx, state, c.pod, node)
		promised = status.IsSuccess()
		if status.IsRejected() {
			want.Rejected[node.Node().Name] = rejected(status)
			diagnosis.NodeToStatus.Set(node.Node().Name, status)
		}
	}
	var feasible []fwk.NodeInfo
	failed := map[string]bool{}
	for _, node := range nodes {
		status := s.RunFilterPluginsWithNominatedPods(ctx, state, c.pod, node)
		switch {
		case status.IsSuccess():
			feasible = append(feasible, node)
			want.Feasible = append(want.Feasible, node.Node().Name)
		case status.Code() == fwk.Error:
			failed[status.Message()] = true
		default:
			want.Rejected[node.Node().Name] = rejected(status)
			diagnosis.NodeToStatus.Set(node.Node().Name, status)
		}
	}
	sort.Strings(want.Feasible)
	if promised && (len(failed) > 0 || !slices.Contains(want.Feasible, c.pod.Status.NominatedNodeName)) {
		// The cycle ends there, without results for other nodes.
		return nil
	}
	if len(failed) > 0 {
		return &answer{Errors: slices.Sorted(maps.Keys(failed))}
	}
	if len(feasible) > 0 {
		// A single node needs no score.
		if problem := s.score(ctx, c, state, feasible, want); problem != "" && len(feasible) > 1 {
			return &answer{Errors: []string{problem}}
		}
		return want
	}
	s.finish(ctx, c, state, diagnosis, want)
	return want
}

func (s *scheduler) score(ctx context.Context, c *cluster, state fwk.CycleState, nodes []fwk.NodeInfo, want *answer) string {
	if status := s.RunPreScorePlugins(ctx, state, c.pod, nodes); !status.IsSuccess() {
		return status.Message()
	}
	scored, status := s.RunScorePlugins(ctx, state, c.pod, nodes)
	if !status.IsSuccess() {
		return status.Message()
	}
	want.Scores, want.Total = map[string]map[string]int64{}, map[string]int64{}
	for _, node := range scored {
		want.Total[node.Name] = node.TotalScore
		for _, one := range node.Scores {
			if want.Scores[one.Name] == nil {
				want.Scores[one.Name] = map[string]int64{}
			}
			want.Scores[one.Name][node.Name] = one.Score
		}
	}
	return ""
}

func (s *scheduler) finish(ctx context.Context, c *cluster, state fwk.CycleState, diagnosis framework.Diagnosis, want *answer) {
	nodes, err := s.snapshot.NodeInfos().List()
	check(err)
	failure := &framework.FitError{Pod: c.pod, NumAllNodes: len(nodes), Diagnosis: diagnosis}
	want.Message = failure.Error()
	if s.preemption == nil {
		return
	}
	outcomes := map[string]preempted{}
	for range 12 {
		one := s.preempt(ctx, c, state, diagnosis.NodeToStatus)
		outcomes[fmt.Sprint(one)] = one
	}
	var all []preempted
	for _, one := range outcomes {
		all = append(all, one)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Node < all[j].Node })
	if len(all) == 1 {
		want.Preemption = all[0]
		return
	}
	want.Preemption = map[string]any{"anyOf": all}
}

func (s *scheduler) preempt(ctx context.Context, c *cluster, state fwk.CycleState, statuses *framework.NodeToStatus) preempted {
	eligible, _ := s.preemption.PodEligibleToPreemptOthers(ctx, c.pod, statuses.Get(c.pod.Status.NominatedNodeName))
	potential, err := statuses.NodesForStatusCode(s.snapshot.NodeInfos(), fwk.Unschedulable)
	check(err)
	if eligible && len(potential) > 0 {
		pdbs, err := s.factory.Policy().V1().PodDisruptionBudgets().Lister().List(labels.Everything())
		check(err)
		candidates, _, _ := s.preemption.Evaluator.DryRunPreemption(ctx, state, c.pod, potential, pdbs, 0, int32(len(potential)))
		if len(candidates) > 0 {
			return chosen(s.preemption.Evaluator.SelectCandidate(ctx, candidates))
		}
	}
	_, status := s.RunPostFilterPlugins(ctx, state, c.pod, statuses)
	if status.IsSuccess() {
		check(errors.New("a candidate out of nowhere"))
	}
	return preempted{Victims: []string{}, Status: status.Code().String(), Message: status.Message()}
}

func chosen(candidate preemption.Candidate) preempted {
	victims := []string{}
	for _, pod := range candidate.Victims().Pods {
		victims = append(victims, pod.Namespace+"/"+pod.Name)
	}
	sort.Strings(victims)
	return preempted{Node: candidate.Name(), Victims: victims, Status: fwk.Success.String()}
}
