// Answers questions about random clusters with the decisions of Karpenter: one question per line, one answer per line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	clock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/go-logr/logr"

	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	kwokoptions "sigs.k8s.io/karpenter/kwok/options"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1alpha1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/dynamicresources/deviceallocation"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeoverlay"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/cost"
	"sigs.k8s.io/karpenter/pkg/state/virtualpods"
)

// Question is a cluster at a time.
type Question struct {
	NowMs         int64             `json:"nowMs"`
	Flags         map[string]string `json:"flags"`
	InstanceTypes json.RawMessage   `json:"instanceTypes"`
	// Unavailable lists offerings as TYPE/ZONE/CAPACITY-TYPE.
	Unavailable []string          `json:"unavailable"`
	Objects     []json.RawMessage `json:"objects"`
	Disruption  bool              `json:"disruption"`
	// Times is the maximum number of attempts, because some choices are random.
	Times int `json:"times"`
	// Expected is an answer that ends the attempts.
	Expected string `json:"expected"`
	// Enough is the number of attempts for a question with more than Several answers.
	Enough  int `json:"enough"`
	Several int `json:"several"`
}

// Claim is a node that Karpenter would create.
type Claim struct {
	Pool  string   `json:"pool"`
	Pods  []string `json:"pods"`
	Types []string `json:"types"`
	Zones []string `json:"zones"`
}

// Plan is the decision of the provisioner.
type Plan struct {
	Claims   []Claim             `json:"claims"`
	Existing map[string][]string `json:"existing"`
	Errors   []string            `json:"errors"`
}

// Command is a decision to remove nodes.
type Command struct {
	Nodes        []string `json:"nodes"`
	Replacements []Claim  `json:"replacements"`
}

// Method is the decision for one disruption reason.
type Method struct {
	Name       string    `json:"name"`
	Candidates []string  `json:"candidates"`
	Commands   []Command `json:"commands"`
	// Reasons says why nodes and pools are not disrupted, as KIND/NAME: message.
	Reasons []string `json:"reasons"`
}

// Answer has a plan and the decisions of all methods.
type Answer struct {
	Plan    *Plan    `json:"plan,omitempty"`
	Methods []Method `json:"methods,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// recorder stores the messages of events with the reason why a node or a pool is not disrupted.
type recorder struct{ messages map[string]bool }

func (r *recorder) Publish(published ...events.Event) {
	for _, event := range published {
		if event.Reason != events.Unconsolidatable && event.Reason != events.DisruptionBlocked {
			continue
		}
		switch object := event.InvolvedObject.(type) {
		case *corev1.Node:
			r.messages["Node/"+object.Name+": "+reason(event.Message)] = true
		case *v1.NodePool:
			r.messages["NodePool/"+object.Name+": "+reason(event.Message)] = true
		}
	}
}

// reason removes the pods without a node and their reasons, because their order and the domains in the text are those of a map.
func reason(message string) string {
	if at := strings.Index(message, "ot all pods would schedule, "); at == 1 {
		return message[:at+26]
	}
	return message
}

// take returns the messages since the last call.
func (r *recorder) take() []string {
	messages := []string{}
	for message := range r.messages {
		messages = append(messages, message)
	}
	sort.Strings(messages)
	r.messages = map[string]bool{}
	return messages
}

type agrees struct{}

func (agrees) Validate(_ context.Context, cmd disruption.Command, _ time.Duration) (disruption.Command, error) {
	return cmd, nil
}

func main() {
	cloudprovider.ReservationIDLabel = "karpenter.kwok.sh/reservation-id"
	log.SetLogger(logr.Discard())
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 1<<20), 1<<28)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	wellKnown := v1.WellKnownLabels.Clone()
	for in.Scan() {
		// Labels of instance types are added to it.
		v1.WellKnownLabels = wellKnown.Clone()
		var question Question
		if err := json.Unmarshal(in.Bytes(), &question); err != nil {
			panic(err)
		}
		fmt.Fprintln(out, marshal(answersTo(question)))
	}
}

// answersTo returns the different answers to a question, in the order in which they were given first.
func answersTo(question Question) []json.RawMessage {
	answers := []json.RawMessage{}
	seen := map[string]bool{}
	for i := 0; i < max(1, question.Times); i++ {
		text := marshal(answer(question))
		if !seen[text] {
			seen[text] = true
			answers = append(answers, json.RawMessage(text))
		}
		if text == question.Expected || (i+1 >= question.Enough && len(answers) > question.Several) {
			break
		}
	}
	return answers
}

func marshal(value any) string {
	text, err := json.Marshal(value)
	must(err)
	return string(text)
}

func answer(question Question) (result Answer) {
	defer func() {
		if problem := recover(); problem != nil {
			result = Answer{Error: fmt.Sprint(problem)}
		}
	}()
	ctx := log.IntoContext(context.Background(), logr.Discard())
	opts := &options.Options{}
	fs := &options.FlagSet{FlagSet: flag.NewFlagSet("karpenter", flag.ContinueOnError)}
	opts.AddFlags(fs)
	args := []string{"--cpu-requests=1000"}
	for name, value := range question.Flags {
		args = append(args, "--"+name+"="+value)
	}
	must(opts.Parse(fs, args...))
	ctx = opts.ToContext(ctx)
	ctx = kwokoptions.ToContext(ctx, &kwokoptions.Options{InstanceTypesFilePath: write(question.InstanceTypes)})
	instanceTypes, err := kwok.ConstructInstanceTypes(ctx)
	must(err)
	setAvailable(instanceTypes, question.Unavailable)

	objects := decode(question.Objects)
	kube := clientOf(objects)
	clk := clock.NewFakeClock(time.UnixMilli(question.NowMs).UTC())
	store := nodeoverlay.NewInstanceTypeStore()
	var provider cloudprovider.CloudProvider = kwok.NewCloudProvider(ctx, kube, instanceTypes)
	given := provider
	provider = overlay.Decorate(provider, kube, store)
	cluster := state.NewCluster(clk, kube, provider)
	_, err = nodeoverlay.NewController(clk, kube, given, store, cluster).Reconcile(ctx, reconcile.Request{})
	must(err)
	events := &recorder{messages: map[string]bool{}}
	prov := provisioning.NewProvisioner(kube, events, provider, cluster, clk, deviceallocation.NewController(kube), virtualpods.NewVirtualPodCache(kube))
	clusterCost := cost.NewClusterCost(ctx, provider, kube)
	fill(ctx, cluster, clusterCost, objects)
	if !cluster.Synced(ctx) {
		panic("cluster is not synced")
	}
	if question.Disruption {
		return Answer{Methods: methods(ctx, clk, kube, cluster, prov, provider, clusterCost, events)}
	}
	results, err := prov.Schedule(ctx)
	must(err)
	return Answer{Plan: planOf(results)}
}

func methods(ctx context.Context, clk *clock.FakeClock, kube client.Client, cluster *state.Cluster, prov *provisioning.Provisioner, provider cloudprovider.CloudProvider, clusterCost *cost.ClusterCost, events *recorder) []Method {
	queue := disruption.NewQueue(kube, events, cluster, clk, prov)
	c := disruption.MakeConsolidation(clk, cluster, kube, prov, provider, events, queue)
	all := []struct {
		name   string
		method disruption.Method
	}{
		{"empty", disruption.NewEmptiness(c, disruption.WithValidator(agrees{}))},
		{"static-drift", disruption.NewStaticDrift(cluster, prov, provider)},
		{"drift", disruption.NewDrift(kube, cluster, prov, events, clk)},
		{"multi", disruption.NewMultiNodeConsolidation(c, disruption.WithValidator(agrees{}))},
		{"single", disruption.NewSingleNodeConsolidation(c, disruption.WithValidator(agrees{}))},
	}
	answers := []Method{}
	for _, each := range all {
		candidates, totals, err := disruption.GetCandidatesWithTotals(ctx, cluster, kube, events, clk, provider, each.method.ShouldDisrupt, each.method.Class(), queue, clusterCost)
		must(err)
		answer := Method{Name: each.name, Candidates: []string{}, Commands: []Command{}}
		for _, candidate := range candidates {
			answer.Candidates = append(answer.Candidates, candidate.Name())
		}
		sort.Strings(answer.Candidates)
		if len(candidates) > 0 {
			if setter, ok := each.method.(disruption.NodePoolTotalsSetter); ok {
				setter.SetNodePoolTotals(totals)
			}
			budgets, err := disruption.BuildDisruptionBudgetMapping(ctx, cluster, clk, kube, provider, events, each.method.Reason())
			must(err)
			commands, err := each.method.ComputeCommands(ctx, budgets, candidates...)
			must(err)
			for _, command := range commands {
				if command.Decision() != disruption.NoOpDecision {
					answer.Commands = append(answer.Commands, commandOf(command))
				}
			}
		}
		sort.Slice(answer.Commands, func(i, j int) bool {
			return fmt.Sprint(answer.Commands[i].Nodes) < fmt.Sprint(answer.Commands[j].Nodes)
		})
		answer.Reasons = events.take()
		answers = append(answers, answer)
	}
	return answers
}

func commandOf(command disruption.Command) Command {
	made := Command{Nodes: []string{}, Replacements: []Claim{}}
	for _, candidate := range command.Candidates {
		made.Nodes = append(made.Nodes, candidate.Name())
	}
	sort.Strings(made.Nodes)
	for _, replacement := range command.Replacements {
		made.Replacements = append(made.Replacements, claimOf(replacement.NodeClaim))
	}
	sortClaims(made.Replacements)
	return made
}

func planOf(results scheduling.Results) *Plan {
	plan := &Plan{Claims: []Claim{}, Existing: map[string][]string{}, Errors: []string{}}
	for _, claim := range results.NewNodeClaims {
		plan.Claims = append(plan.Claims, claimOf(claim))
	}
	sortClaims(plan.Claims)
	for _, node := range results.ExistingNodes {
		if len(node.Pods) > 0 {
			plan.Existing[node.Name()] = namesOf(node.Pods)
		}
	}
	for pod := range results.PodErrors {
		plan.Errors = append(plan.Errors, pod.Name)
	}
	sort.Strings(plan.Errors)
	return plan
}

func sortClaims(claims []Claim) {
	sort.Slice(claims, func(i, j int) bool { return fmt.Sprint(claims[i].Pods) < fmt.Sprint(claims[j].Pods) })
}

func claimOf(claim *scheduling.NodeClaim) Claim {
	made := Claim{Pool: claim.NodePoolName, Pods: namesOf(claim.Pods), Types: []string{}, Zones: []string{}}
	for _, instanceType := range claim.InstanceTypeOptions {
		made.Types = append(made.Types, instanceType.Name)
	}
	sort.Strings(made.Types)
	if zone := claim.Requirements.Get(corev1.LabelTopologyZone); zone.Operator() == corev1.NodeSelectorOpIn {
		made.Zones = append(made.Zones, zone.Values()...)
	}
	sort.Strings(made.Zones)
	return made
}

func namesOf(pods []*corev1.Pod) []string {
	names := []string{}
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	sort.Strings(names)
	return names
}

func decode(raw []json.RawMessage) []client.Object {
	decoder := scheme.Codecs.UniversalDeserializer()
	objects := []client.Object{}
	for _, each := range raw {
		object, _, err := decoder.Decode(each, nil, nil)
		must(err)
		objects = append(objects, object.(client.Object))
	}
	return objects
}

func clientOf(objects []client.Object) client.Client {
	builder := fake.NewClientBuilder().WithScheme(scheme.Scheme)
	builder = builder.WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} })
	builder = builder.WithIndex(&corev1.Node{}, "spec.providerID", func(o client.Object) []string { return []string{o.(*corev1.Node).Spec.ProviderID} })
	builder = builder.WithIndex(&v1.NodeClaim{}, "status.providerID", func(o client.Object) []string { return []string{o.(*v1.NodeClaim).Status.ProviderID} })
	builder = builder.WithIndex(&storagev1.VolumeAttachment{}, "spec.nodeName", func(o client.Object) []string { return []string{o.(*storagev1.VolumeAttachment).Spec.NodeName} })
	stored := []runtime.Object{}
	for _, object := range objects {
		stored = append(stored, object.DeepCopyObject())
	}
	// A real API server ignores the namespace of cluster-scoped objects.
	builder = builder.WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, kube client.WithWatch, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
			if _, ok := object.(*corev1.PersistentVolume); ok {
				key.Namespace = ""
			}
			return kube.Get(ctx, key, object, opts...)
		},
	})
	return builder.WithRuntimeObjects(stored...).WithStatusSubresource(&v1.NodePool{}, &v1.NodeClaim{}, &v1alpha1.NodeOverlay{}).Build()
}

func fill(ctx context.Context, cluster *state.Cluster, clusterCost *cost.ClusterCost, objects []client.Object) {
	for _, object := range objects {
		if claim, ok := object.(*v1.NodeClaim); ok {
			cluster.UpdateNodeClaim(claim.DeepCopy())
			must(clusterCost.UpdateNodeClaim(ctx, claim))
		}
	}
	for _, object := range objects {
		if node, ok := object.(*corev1.Node); ok {
			must(cluster.UpdateNode(ctx, node.DeepCopy()))
		}
	}
	for _, object := range objects {
		switch typed := object.(type) {
		case *corev1.Pod:
			must(cluster.UpdatePod(ctx, typed.DeepCopy()))
		case *appsv1.DaemonSet:
			must(cluster.UpdateDaemonSet(ctx, typed.DeepCopy()))
		}
	}
}

func setAvailable(instanceTypes []*cloudprovider.InstanceType, unavailable []string) {
	out := map[string]bool{}
	for _, each := range unavailable {
		out[each] = true
	}
	for _, instanceType := range instanceTypes {
		for _, offering := range instanceType.Offerings {
			if out[instanceType.Name+"/"+offering.Zone()+"/"+offering.CapacityType()] {
				offering.Available = false
			}
		}
	}
}

var catalogFile string

func write(instanceTypes []byte) string {
	if catalogFile == "" {
		file, err := os.CreateTemp("", "instance-types-*.json")
		must(err)
		catalogFile = file.Name()
		must(file.Close())
	}
	must(os.WriteFile(catalogFile, instanceTypes, 0o600))
	return catalogFile
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
