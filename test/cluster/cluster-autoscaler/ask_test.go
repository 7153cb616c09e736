//go:build clusterautoscaler

// Asks Cluster Autoscaler about clusters: one question a line in the file of BERTH_QUESTIONS, the answers to it a line
// in that of BERTH_ANSWERS. It is compiled inside the source of Cluster Autoscaler, because its packages cannot be
// imported as a module. The whole loop runs, in virtual time, on a fake API server.
package berth

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"sort"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	apiv1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/autoscaler/cluster-autoscaler/berth/order"
	"k8s.io/autoscaler/cluster-autoscaler/builder"
	"k8s.io/autoscaler/cluster-autoscaler/cloudprovider"
	"k8s.io/autoscaler/cluster-autoscaler/config"
	_ "k8s.io/autoscaler/cluster-autoscaler/config/flags"
	"k8s.io/autoscaler/cluster-autoscaler/core"
	"k8s.io/autoscaler/cluster-autoscaler/core/scaledown"
	"k8s.io/autoscaler/cluster-autoscaler/debuggingsnapshot"
	"k8s.io/autoscaler/cluster-autoscaler/expander"
	expanders "k8s.io/autoscaler/cluster-autoscaler/expander/factory"
	"k8s.io/autoscaler/cluster-autoscaler/expander/priority"
	"k8s.io/autoscaler/cluster-autoscaler/loop"
	"k8s.io/autoscaler/cluster-autoscaler/simulator"
	kube_util "k8s.io/autoscaler/cluster-autoscaler/utils/kubernetes"
	"k8s.io/autoscaler/cluster-autoscaler/utils/taints"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type question struct {
	NowMs  int64             `json:"nowMs"`
	Flags  map[string]string `json:"flags"`
	Groups []struct {
		Name        string                       `json:"name"`
		Min         int                          `json:"min"`
		Max         int                          `json:"max"`
		BootSeconds float64                      `json:"bootSeconds"`
		Stockout    bool                         `json:"stockout"`
		Template    *apiv1.Node                  `json:"template"`
		Devices     []*resourceapi.ResourceSlice `json:"devices"`
	} `json:"groups"`
	Objects []json.RawMessage `json:"objects"`
	Loops   []float64         `json:"loops"`
	// Times is the maximum number of attempts, Least the minimum; the answer Expected ends them earlier.
	Times    int             `json:"times"`
	Least    int             `json:"least"`
	Expected json.RawMessage `json:"expected"`
}

type loopAnswer struct {
	Targets      map[string]int      `json:"targets"`
	Triggered    []string            `json:"triggered"`
	NotTriggered map[string][]string `json:"notTriggered"`
	Unneeded     []string            `json:"unneeded"`
	Unremovable  []string            `json:"unremovable"`
	Empty        []string            `json:"empty"`
	Drained      []string            `json:"drained"`
	Candidates   []string            `json:"candidates"`
	Notes        []string            `json:"notes"`
	Status       string              `json:"status"`
}

//go:linkname createAutoscalingOptions k8s.io/autoscaler/cluster-autoscaler/config/flags.createAutoscalingOptions
func createAutoscalingOptions() config.AutoscalingOptions

func TestAsk(t *testing.T) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	in, err := os.Open(os.Getenv("BERTH_QUESTIONS"))
	if err != nil {
		t.Skip("BERTH_QUESTIONS names no file")
	}
	out, err := os.Create(os.Getenv("BERTH_ANSWERS"))
	if err != nil {
		t.Fatal(err)
	}
	writer := bufio.NewWriter(out)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<28)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(answersTo(t, q))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(writer, "%s\n", written)
		writer.Flush()
	}
}

func answersTo(t *testing.T, q question) []json.RawMessage {
	var expected any
	_ = json.Unmarshal(q.Expected, &expected)
	answers := []json.RawMessage{}
	seen := map[string]bool{}
	isFound := false
	for i := 0; i < max(1, q.Times) && (i < q.Least || !isFound); i++ {
		answer, err := json.Marshal(answerTo(t, q))
		if err != nil {
			t.Fatal(err)
		}
		if seen[string(answer)] {
			continue
		}
		seen[string(answer)] = true
		answers = append(answers, answer)
		var got any
		_ = json.Unmarshal(answer, &got)
		isFound = isFound || reflect.DeepEqual(comparable(got), comparable(expected))
	}
	return answers
}

// comparable removes the parts that a question does not compare.
func comparable(answer any) any {
	loops, ok := answer.([]any)
	if !ok {
		return answer
	}
	for _, one := range loops {
		delete(one.(map[string]any), "status")
		delete(one.(map[string]any), "notes")
	}
	return loops
}

func answerTo(t *testing.T, q question) []loopAnswer {
	order.Reset()
	answers := []loopAnswer{}
	synctest.Test(t, func(t *testing.T) {
		start := time.UnixMilli(q.NowMs)
		time.Sleep(time.Until(start))
		ctx, cancel := context.WithCancel(context.Background())
		asked := newAsked(t, ctx, q)
		for _, at := range q.Loops {
			synctest.Wait()
			time.Sleep(time.Until(start.Add(time.Duration(at * float64(time.Second)))))
			answer := asked.loop()
			answers = append(answers, answer)
			if len(answer.Empty)+len(answer.Drained) > 0 {
				break
			}
		}
		asked.stop()
		cancel()
		// The autoscaler gives up evictions that never succeed.
		time.Sleep(time.Hour)
		synctest.Wait()
	})
	return answers
}

type asked struct {
	client     *fake.Clientset
	cloud      *cloud
	autoscaler *core.StaticAutoscaler
	recorder   *recorder
	known      map[string]bool
}

func newAsked(t *testing.T, ctx context.Context, q question) *asked {
	objects := []runtime.Object{}
	known := map[string]bool{}
	for _, raw := range q.Objects {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if node, ok := object.(*apiv1.Node); ok {
			known[node.Name] = true
		}
		objects = append(objects, object)
	}
	client := fake.NewSimpleClientset(objects...)
	options := optionsOf(t, q.Flags)
	c := &cloud{client: client, limiter: cloudprovider.NewResourceLimiter(
		map[string]int64{cloudprovider.ResourceNameCores: options.MinCoresTotal, cloudprovider.ResourceNameMemory: options.MinMemoryTotal},
		map[string]int64{cloudprovider.ResourceNameCores: options.MaxCoresTotal, cloudprovider.ResourceNameMemory: options.MaxMemoryTotal},
	)}
	for _, g := range q.Groups {
		boot := time.Duration(g.BootSeconds * float64(time.Second))
		c.groups = append(c.groups, &group{cloud: c, name: g.Name, min: g.Min, max: g.Max, boot: boot, stockout: g.Stockout, template: g.Template, devices: g.Devices})
	}
	// The priority expander reads its ConfigMap through a REST client, which the fake API server does not have.
	names := options.ExpanderNames
	hasPriorities := strings.Contains(names, expander.PriorityBasedExpanderName)
	if hasPriorities {
		options.ExpanderNames = expander.RandomExpanderName
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	mgr, err := manager.New(&rest.Config{}, manager.Options{Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0"})
	if err != nil {
		t.Fatal(err)
	}
	built, _, err := builder.New(options).
		WithDebuggingSnapshotter(debuggingsnapshot.NewDebuggingSnapshotter(false)).
		WithManager(mgr).
		WithKubeClient(client).
		WithInformerFactory(factory).
		WithCloudProvider(c).
		WithPodObserver(&loop.UnschedulablePodObserver{}).
		Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	autoscaler := built.(*core.StaticAutoscaler)
	recorder := &recorder{}
	autoscaler.AutoscalingContext.Recorder = recorder
	setField(autoscaler.AutoscalingContext.LogRecorder, "recorder", record.EventRecorder(recorder))
	if os.Getenv("BERTH_ORDERED") != "" {
		autoscaler.AutoscalingContext.ListerRegistry = sortedListers{autoscaler.AutoscalingContext.ListerRegistry}
	}
	if hasPriorities {
		autoscaler.AutoscalingContext.ExpanderStrategy = chainOf(t, ctx, names, factory, recorder)
	}
	if err := autoscaler.Start(); err != nil {
		t.Fatal(err)
	}
	return &asked{client: client, cloud: c, autoscaler: autoscaler, recorder: recorder, known: known}
}

func chainOf(t *testing.T, ctx context.Context, names string, informers informers.SharedInformerFactory, recorder record.EventRecorder) expander.Strategy {
	maps := informers.Core().V1().ConfigMaps().Lister()
	informers.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	built := expanders.NewFactory()
	built.RegisterDefaultExpanders(nil, nil, nil, "", "", "")
	built.RegisterFilter(expander.PriorityBasedExpanderName, func() expander.Filter {
		return priority.NewFilter(maps.ConfigMaps("kube-system"), recorder)
	})
	chain, err := built.Build(strings.Split(names, ","))
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

// stop ends the goroutine that Start started; the cloud keeps its nodes.
func (a *asked) stop() {
	field[interface{ Stop() }](a.autoscaler, "clusterStateRegistry").Stop()
}

func (a *asked) loop() loopAnswer {
	a.cloud.join(time.Now())
	synctest.Wait()
	a.recorder.clear()
	if err := a.autoscaler.RunOnce(time.Now()); err != nil {
		a.recorder.notes = append(a.recorder.notes, "error "+err.Error())
	}
	planner := field[scaledown.Planner](a.autoscaler, "scaleDownPlanner")
	actuator := field[scaledown.Actuator](a.autoscaler, "scaleDownActuator")
	empty, drained := actuator.CheckStatus().DeletionsInProgress()
	answer := loopAnswer{
		Targets:      map[string]int{},
		Triggered:    a.recorder.triggered,
		NotTriggered: a.recorder.notTriggered,
		Unneeded:     []string{},
		Unremovable:  []string{},
		Empty:        a.names(empty),
		Drained:      a.names(drained),
		Candidates:   []string{},
		Notes:        a.recorder.notes,
	}
	for _, g := range a.cloud.groups {
		answer.Targets[g.name] = g.target
	}
	for _, node := range planner.UnneededNodes() {
		answer.Unneeded = append(answer.Unneeded, node.Node.Name)
	}
	answer.Unneeded = a.names(answer.Unneeded)
	for _, kept := range planner.UnremovableNodes() {
		text := a.name(kept.Node.Name) + " " + reasons[kept.Reason]
		if kept.BlockingPod != nil {
			text += fmt.Sprintf(" %s/%s %s", kept.BlockingPod.Pod.Namespace, kept.BlockingPod.Pod.Name, kept.BlockingPod.Reason)
		}
		answer.Unremovable = append(answer.Unremovable, text)
	}
	sort.Strings(answer.Unremovable)
	for _, node := range a.cloud.nodes() {
		if taints.HasDeletionCandidateTaint(&node) {
			answer.Candidates = append(answer.Candidates, node.Name)
		}
	}
	answer.Candidates = a.names(answer.Candidates)
	sort.Strings(answer.Triggered)
	sort.Strings(answer.Notes)
	written, err := a.client.CoreV1().ConfigMaps("kube-system").Get(context.Background(), "cluster-autoscaler-status", metav1.GetOptions{})
	if err == nil {
		answer.Status = written.Data["status"]
	}
	return answer
}

func (a *asked) names(nodes []string) []string {
	names := []string{}
	for _, node := range nodes {
		names = append(names, a.name(node))
	}
	sort.Strings(names)
	return names
}

// name is the name of the node, or for a new node the name of its group with a star.
func (a *asked) name(node string) string {
	if a.known[node] {
		return node
	}
	for _, g := range a.cloud.groups {
		if strings.HasSuffix(node, "-"+g.name) {
			return g.name + "-*"
		}
	}
	return node
}

var reasons = map[simulator.UnremovableReason]string{
	simulator.ScaleDownDisabledAnnotation:      "ScaleDownDisabledAnnotation",
	simulator.ScaleDownUnreadyDisabled:         "ScaleDownUnreadyDisabled",
	simulator.NotAutoscaled:                    "NotAutoscaled",
	simulator.NotUnneededLongEnough:            "NotUnneededLongEnough",
	simulator.NotUnreadyLongEnough:             "NotUnreadyLongEnough",
	simulator.NodeGroupMinSizeReached:          "NodeGroupMinSizeReached",
	simulator.NodeGroupMaxDeletionCountReached: "NodeGroupMaxDeletionCountReached",
	simulator.AtomicScaleDownFailed:            "AtomicScaleDownFailed",
	simulator.MinimalResourceLimitExceeded:     "MinimalResourceLimitExceeded",
	simulator.CurrentlyBeingDeleted:            "CurrentlyBeingDeleted",
	simulator.NotUnderutilized:                 "NotUnderutilized",
	simulator.NotUnneededOtherReason:           "NotUnneededOtherReason",
	simulator.RecentlyUnremovable:              "RecentlyUnremovable",
	simulator.NoPlaceToMovePods:                "NoPlaceToMovePods",
	simulator.BlockedByPod:                     "BlockedByPod",
	simulator.UnexpectedError:                  "UnexpectedError",
	simulator.NoNodeInfo:                       "NoNodeInfo",
	simulator.BlockedByOnCompletionPod:         "BlockedByOnCompletionPod",
}

// optionsOf reads flags as main does. Every question starts with the defaults.
func optionsOf(t *testing.T, given map[string]string) config.AutoscalingOptions {
	flag.VisitAll(func(f *flag.Flag) {
		if strings.HasPrefix(f.Name, "test.") {
			return
		}
		if value := reflect.ValueOf(f.Value); value.Kind() == reflect.Ptr && value.Elem().Kind() == reflect.Slice {
			value.Elem().Set(reflect.Zero(value.Elem().Type()))
			return
		}
		if f.Value.String() != f.DefValue {
			_ = f.Value.Set(f.DefValue)
		}
	})
	for name, value := range given {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(name, err)
		}
	}
	options := createAutoscalingOptions()
	if os.Getenv("BERTH_ORDERED") != "" {
		// Otherwise the first of several threads to find a node wins.
		options.PredicateParallelism = 1
	}
	return options
}

// recorder keeps the events of a loop.
type recorder struct {
	triggered    []string
	notTriggered map[string][]string
	notes        []string
}

func (r *recorder) clear() {
	*r = recorder{triggered: []string{}, notTriggered: map[string][]string{}, notes: []string{}}
}

func (r *recorder) Event(object runtime.Object, _, reason, message string) {
	switch about := object.(type) {
	case *apiv1.ConfigMap:
		r.notes = append(r.notes, reason+" "+message)
	case *apiv1.Pod:
		pod := about.Namespace + "/" + about.Name
		switch reason {
		case "TriggeredScaleUp":
			r.triggered = append(r.triggered, pod)
		case "NotTriggerScaleUp":
			why := strings.Split(strings.TrimPrefix(message, "pod didn't trigger scale-up: "), ", ")
			sort.Strings(why)
			r.notTriggered[pod] = why
		}
	}
}

func (r *recorder) Eventf(object runtime.Object, kind, reason, format string, args ...any) {
	r.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

func (r *recorder) AnnotatedEventf(object runtime.Object, _ map[string]string, kind, reason, format string, args ...any) {
	r.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

func (r *recorder) WithLogger(klog.Logger) record.EventRecorderLogger { return r }

// field reads a private field of the package.
func field[T any](object any, name string) T {
	value := reflect.ValueOf(object).Elem().FieldByName(name)
	return reflect.NewAt(value.Type(), unsafe.Pointer(value.UnsafeAddr())).Elem().Interface().(T)
}

func setField(object any, name string, to any) {
	value := reflect.ValueOf(object).Elem().FieldByName(name)
	reflect.NewAt(value.Type(), unsafe.Pointer(value.UnsafeAddr())).Elem().Set(reflect.ValueOf(to))
}

// sortedListers list nodes and pods by name. Otherwise the order is that of a map.
type sortedListers struct{ kube_util.ListerRegistry }

func (l sortedListers) AllNodeLister() kube_util.NodeLister {
	return sortedNodes{l.ListerRegistry.AllNodeLister()}
}

func (l sortedListers) ReadyNodeLister() kube_util.NodeLister {
	return sortedNodes{l.ListerRegistry.ReadyNodeLister()}
}

func (l sortedListers) AllPodLister() kube_util.PodLister {
	return sortedPods{l.ListerRegistry.AllPodLister()}
}

type sortedNodes struct{ kube_util.NodeLister }

func (l sortedNodes) List() ([]*apiv1.Node, error) {
	nodes, err := l.NodeLister.List()
	sort.Slice(nodes, func(a, b int) bool { return nodes[a].Name < nodes[b].Name })
	return nodes, err
}

type sortedPods struct{ kube_util.PodLister }

func (l sortedPods) List() ([]*apiv1.Pod, error) {
	pods, err := l.PodLister.List()
	sort.Slice(pods, func(a, b int) bool {
		return pods[a].Namespace+"/"+pods[a].Name < pods[b].Namespace+"/"+pods[b].Name
	})
	return pods, err
}
