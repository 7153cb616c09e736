// Reads questions about numbers of replicas, one JSON object a line, and writes what the calculator of the Horizontal Pod
// Autoscaler answers. Times are in seconds before now.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	autoscaling "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
)

type pod struct {
	Name     string  `json:"name"`
	Phase    string  `json:"phase"`
	Deleted  bool    `json:"deleted"`
	Ready    string  `json:"ready"`
	ReadyAgo float64 `json:"readyAgo"`
	StartAgo float64 `json:"startAgo"`
	Request  string  `json:"request"`
	Usage    *int64  `json:"usage"`
}

type question struct {
	Kind            string `json:"kind"`
	CurrentReplicas int32  `json:"currentReplicas"`
	Target          int64  `json:"target"`
	Value           int64  `json:"value"`
	Resource        string `json:"resource"`
	Pods            []pod  `json:"pods"`
}

type answer struct {
	Replicas    int32  `json:"replicas"`
	Usage       int64  `json:"usage"`
	Utilization *int32 `json:"utilization,omitempty"`
	Error       string `json:"error,omitempty"`
}

type source struct {
	asked question
	now   time.Time
}

func (s source) samples() (metrics.PodMetricsInfo, time.Time, error) {
	found := metrics.PodMetricsInfo{}
	for _, pod := range s.asked.Pods {
		if pod.Usage != nil {
			found[pod.Name] = metrics.PodMetric{Timestamp: s.now, Window: 15 * time.Second, Value: *pod.Usage}
		}
	}
	return found, s.now, nil
}

func (s source) GetResourceMetric(context.Context, v1.ResourceName, string, labels.Selector, string) (metrics.PodMetricsInfo, time.Time, error) {
	return s.samples()
}

func (s source) GetRawMetric(string, string, labels.Selector, labels.Selector) (metrics.PodMetricsInfo, time.Time, error) {
	return s.samples()
}

func (s source) GetObjectMetric(string, string, *autoscaling.CrossVersionObjectReference, labels.Selector) (int64, time.Time, error) {
	return s.asked.Value, s.now, nil
}

func (s source) GetExternalMetric(string, string, labels.Selector) ([]int64, time.Time, error) {
	return []int64{s.asked.Value}, s.now, nil
}

func podOf(from pod, name v1.ResourceName, now time.Time) *v1.Pod {
	before := func(seconds float64) metav1.Time {
		return metav1.NewTime(now.Add(-time.Duration(seconds * float64(time.Second))))
	}
	made := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: from.Name, Namespace: "default"}}
	if from.Deleted {
		at := before(1)
		made.DeletionTimestamp = &at
	}
	container := v1.Container{Name: "c"}
	if from.Request != "" {
		container.Resources.Requests = v1.ResourceList{name: resource.MustParse(from.Request)}
	}
	made.Spec.Containers = []v1.Container{container}
	made.Status.Phase = v1.PodPhase(from.Phase)
	start := before(from.StartAgo)
	made.Status.StartTime = &start
	if from.Ready != "" {
		made.Status.Conditions = []v1.PodCondition{{
			Type: v1.PodReady, Status: v1.ConditionStatus(from.Ready), LastTransitionTime: before(from.ReadyAgo),
		}}
	}
	return made
}

func answerTo(asked question) answer {
	now := time.Now()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	name := v1.ResourceName(asked.Resource)
	for _, each := range asked.Pods {
		check(indexer.Add(podOf(each, name, now)))
	}
	calculator := podautoscaler.NewReplicaCalculator(
		source{asked, now}, corelisters.NewPodLister(indexer), 5*time.Minute, 30*time.Second)
	tolerances := tolerancesOf(0.1)
	all := labels.Everything()
	object := &autoscaling.CrossVersionObjectReference{Kind: "Service", Name: "s"}
	var found answer
	var err error
	switch asked.Kind {
	case "utilization":
		var utilization int32
		found.Replicas, utilization, found.Usage, _, err = calculator.GetResourceReplicas(
			context.Background(), asked.CurrentReplicas, int32(asked.Target), name, tolerances, "default", all, "")
		found.Utilization = &utilization
	case "average":
		found.Replicas, found.Usage, _, err = calculator.GetRawResourceReplicas(
			context.Background(), asked.CurrentReplicas, asked.Target, name, tolerances, "default", all, "")
	case "pods":
		found.Replicas, found.Usage, _, err = calculator.GetMetricReplicas(
			asked.CurrentReplicas, asked.Target, "m", tolerances, "default", all, all)
	case "value":
		found.Replicas, found.Usage, _, err = calculator.GetObjectMetricReplicas(
			asked.CurrentReplicas, asked.Target, "m", tolerances, "default", object, all, all)
	case "perPod":
		found.Replicas, found.Usage, _, err = calculator.GetExternalPerPodMetricReplicas(
			asked.CurrentReplicas, asked.Target, "m", tolerances, "default", nil)
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	return found
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var asked question
		check(json.Unmarshal(lines.Bytes(), &asked))
		check(json.NewEncoder(out).Encode(answerTo(asked)))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
