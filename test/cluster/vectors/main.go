// Generates random questions for the real components of Kubernetes, and writes the answers in the format of
// test/golden: one JSON object per line, `given` and `want`. The same seed gives the same questions.
package main

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

type record struct {
	Given map[string]any `json:"given"`
	Want  any            `json:"want"`
}

// Each maker returns one case; nil is an invalid question (with an object that the API server would reject).
var makers = map[string]func(r *random) *record{
	"schedule":    makeSchedule,
	"hints":       makeHint,
	"tolerations": makeToleration,
	"quantity":    makeQuantity,
	"selector":    makeSelector,
	"cidrset":     makeCIDRSet,
}

func main() {
	seed := flag.Uint64("seed", 1, "names the questions")
	out := flag.String("out", "vectors", "folder to write to")
	kinds := flag.String("kinds", "schedule=100", "what to ask and how often: kind=count,...")
	verbose := flag.Bool("verbose", false, "say which questions could not be asked")
	only := flag.Int("only", -1, "this case alone")
	flag.Parse()
	klog.SetLogger(logr.Discard())

	check(os.MkdirAll(*out, 0o755))
	for _, part := range strings.Split(*kinds, ",") {
		kind, number, _ := strings.Cut(part, "=")
		count, err := strconv.Atoi(number)
		check(err)
		check(write(filepath.Join(*out, kind+".jsonl.gz"), kind, *seed, count, *only))
	}
	if *verbose {
		for reason, times := range refused {
			fmt.Printf("refused %d times: %s\n", times, reason)
		}
	}
}

func write(path, kind string, seed uint64, count, only int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	zipped := gzip.NewWriter(file)
	lines := json.NewEncoder(zipped)
	lines.SetEscapeHTML(false)
	written := 0
	for i := range count {
		if only >= 0 && i != only {
			continue
		}
		name := fnv.New64a()
		fmt.Fprint(name, kind, i)
		asked := makers[kind](&random{Rand: rand.New(rand.NewPCG(seed, name.Sum64()))})
		if asked == nil {
			continue
		}
		written++
		group := kind
		if given, ok := asked.Given["group"].(string); ok {
			group = given
			delete(asked.Given, "group")
		}
		asked.Given["id"] = fmt.Sprintf("%s/%d-%d", group, seed, i)
		if err := lines.Encode(asked); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d\n", kind, written)
	return zipped.Close()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
