// Reads pod templates, one JSON object per line, and writes the hash that the controllers of Kubernetes compute. They hash
// objects that they decoded from protobuf, so the template is first encoded and decoded.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/utils/dump"
)

type question struct {
	Template       v1.PodTemplateSpec `json:"template"`
	CollisionCount *int32             `json:"collisionCount"`
}

func main() {
	shown := flag.Bool("dump", false, "write what is hashed, not the hash")
	flag.Parse()
	// A controller has written its log long since, and with that has looked for the local time zone, which a dump shows.
	_ = time.Local.String()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var asked question
		check(json.Unmarshal(lines.Bytes(), &asked))
		wire, err := asked.Template.Marshal()
		check(err)
		var template v1.PodTemplateSpec
		check(template.Unmarshal(wire))
		if *shown {
			check(json.NewEncoder(out).Encode(dump.ForHash(template)))
		} else {
			fmt.Fprintln(out, controller.ComputeHash(&template, asked.CollisionCount))
		}
	}
	check(lines.Err())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
