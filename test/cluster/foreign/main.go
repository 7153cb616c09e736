// A typical controller in Go: a shared informer and leader election, without code of berth.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()

	events := make(chan string, 100)
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	_, err = pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o interface{}) { events <- "add " + o.(*corev1.Pod).Name },
		UpdateFunc: func(_, o interface{}) { events <- "update " + o.(*corev1.Pod).Name },
		DeleteFunc: func(o interface{}) { events <- "delete " + o.(*corev1.Pod).Name },
	})
	check(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())

	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Name: "foreign", Namespace: "default"},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: "me"},
	}
	led := make(chan struct{})
	go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: time.Second, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { close(led) }, OnStoppedLeading: func() {}},
	})
	<-led
	fmt.Println("leading")

	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "go"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "nginx"}}}}
	_, err = client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
	check(err)
	expect(ctx, events, "add go")
	found, err := pods.Lister().Pods("default").Get("go")
	check(err)
	changed := found.DeepCopy()
	changed.Labels = map[string]string{"a": "b"}
	_, err = client.CoreV1().Pods("default").Update(ctx, changed, metav1.UpdateOptions{})
	check(err)
	expect(ctx, events, "update go")
	check(client.CoreV1().Pods("default").Delete(ctx, "go", metav1.DeleteOptions{}))
	expect(ctx, events, "delete go")
	fmt.Println("done")
}

func expect(ctx context.Context, events chan string, wanted string) {
	for {
		select {
		case got := <-events:
			if got == wanted {
				fmt.Println(got)
				return
			}
		case <-ctx.Done():
			check(fmt.Errorf("no %q", wanted))
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
