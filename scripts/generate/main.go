// Command generate writes the tables of a Kubernetes release from the Go sources of that release: the types of the API
// with their protobuf numbers, and the feature gates. `npm run generate -- v1.37.1` runs it.
//
// It parses the sources instead of importing them: half of the data for the tables (list types, enums, optional fields)
// is in comments, and one program can then read every release.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	into := flag.String("into", "src/api/releases", "folder of the tables")
	check := flag.Bool("check", false, "compare with the committed tables instead of writing them")
	flag.Parse()
	if flag.NArg() == 0 {
		fail("usage: npm run generate -- [--check] vX.Y.Z…")
	}
	stale := 0
	for _, version := range flag.Args() {
		files := generate(version, *into)
		for _, file := range files {
			stale += write(file, *check)
		}
	}
	if stale > 0 {
		fail("%d files differ from the sources of the release: run npm run generate", stale)
	}
}

// A file that the generator writes.
type output struct {
	path string
	text string
}

var versionPattern = regexp.MustCompile(`^v1\.(\d+)\.(\d+)$`)

func generate(version, into string) []output {
	match := versionPattern.FindStringSubmatch(version)
	if match == nil {
		fail("%q is not a release: name it as v1.37.1", version)
	}
	release := release{version: version, minor: atoi(match[1]), patch: atoi(match[2])}
	release.locate()
	folder := filepath.Join(into, fmt.Sprintf("v1.%d", release.minor))
	types := typesOf(release)
	before := committed(into, release.minor-1)
	gates := output{filepath.Join(folder, "feature-gates.ts"), gatesFile(into, release)}
	return append(typesFiles(folder, release, types, before), gates)
}

// The sources of a release: a folder for each module.
type release struct {
	version string
	minor   int
	patch   int
	modules map[string]string
}

// Every module that holds types or feature gates. The staging modules have the version v0.Y.Z.
var modules = []string{
	"api", "apimachinery", "apiextensions-apiserver", "kube-aggregator", "apiserver", "client-go", "component-base",
	"controller-manager", "kubernetes",
}

// locate finds the modules in the module cache, and downloads the missing ones.
func (r *release) locate() {
	r.modules = map[string]string{}
	cache := strings.TrimSpace(string(run("go", "env", "GOMODCACHE")))
	for _, name := range modules {
		version := strings.Replace(r.version, "v1.", "v0.", 1)
		if name == "kubernetes" {
			version = r.version
		}
		module := "k8s.io/" + name + "@" + version
		directory := filepath.Join(cache, filepath.FromSlash(module))
		if _, err := os.Stat(directory); err != nil {
			var downloaded struct{ Dir string }
			if err := json.Unmarshal(run("go", "mod", "download", "-json", module), &downloaded); err != nil {
				fail("%s: %v", module, err)
			}
			directory = downloaded.Dir
		}
		r.modules[name] = directory
	}
}

func run(name string, arguments ...string) []byte {
	command := exec.Command(name, arguments...)
	// Outside of any module, so that only the versions in this file are used.
	command.Dir = os.TempDir()
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		fail("%s: %v", strings.Join(append([]string{name}, arguments...), " "), err)
	}
	return out
}

func write(file output, check bool) int {
	old, err := os.ReadFile(file.path)
	if err == nil && string(old) == file.text {
		return 0
	}
	if check {
		fmt.Fprintf(os.Stderr, "%s differs\n", file.path)
		return 1
	}
	if err := os.MkdirAll(filepath.Dir(file.path), 0o755); err != nil {
		fail("%v", err)
	}
	if err := os.WriteFile(file.path, []byte(file.text), 0o644); err != nil {
		fail("%v", err)
	}
	fmt.Printf("wrote %s\n", file.path)
	return 0
}

func atoi(text string) int {
	n := 0
	for _, digit := range text {
		n = n*10 + int(digit-'0')
	}
	return n
}

func fail(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, "generate: "+format+"\n", arguments...)
	os.Exit(1)
}
