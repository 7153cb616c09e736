package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// A feature gate in one release.
type gate struct {
	stage     string
	on        bool
	locked    bool
	dependsOn []string
}

// The declarations of feature gates: module, path of the package in it, and the files.
var gateSources = [][3]string{
	{"apiserver", "pkg/features", "kube_features.go"},
	{"apiextensions-apiserver", "pkg/features", "kube_features.go"},
	{"client-go", "features", "known_features.go"},
	{"component-base", "logs/api/v1", "kube_features.go"},
	{"component-base", "metrics/features", "kube_features.go"},
	{"component-base", "zpages/features", "kube_features.go"},
	{"controller-manager", "pkg/features", "kube_features.go"},
	{"kubernetes", "pkg/features", "kube_features.go"},
}

// gatesOf reads the gates from files that `file` returns.
func gatesOf(minor int, file func(source [3]string) *ast.File) map[string]gate {
	gates := map[string]gate{
		"AllAlpha": {stage: "alpha"},
		"AllBeta":  {stage: "beta"},
	}
	constants := map[string]map[string]string{}
	files := []*ast.File{}
	paths := []string{}
	for _, source := range gateSources {
		parsed := file(source)
		if parsed == nil {
			continue
		}
		path := "k8s.io/" + source[0] + "/" + source[1]
		constants[path] = constantsOf(parsed)
		files = append(files, parsed)
		paths = append(paths, path)
	}
	for i, parsed := range files {
		names := namer{local: constants[paths[i]], imports: importsOf(parsed), constants: constants}
		ast.Inspect(parsed, func(node ast.Node) bool {
			literal, ok := node.(*ast.CompositeLit)
			if !ok {
				return true
			}
			switch mapOf(literal.Type) {
			case "VersionedSpecs", "FeatureSpec":
				for _, element := range literal.Elts {
					pair := element.(*ast.KeyValueExpr)
					name := names.of(pair.Key)
					specs := pair.Value.(*ast.CompositeLit)
					if mapOf(literal.Type) == "FeatureSpec" {
						specs = &ast.CompositeLit{Elts: []ast.Expr{specs}}
					}
					one := specOf(name, minor, specs)
					one.dependsOn = gates[name].dependsOn
					gates[name] = one
				}
				return false
			case "[]Feature":
				for _, element := range literal.Elts {
					pair := element.(*ast.KeyValueExpr)
					name := names.of(pair.Key)
					one := gates[name]
					one.dependsOn = nil
					for _, other := range pair.Value.(*ast.CompositeLit).Elts {
						one.dependsOn = append(one.dependsOn, names.of(other))
					}
					// As AddDependencies does.
					sort.Strings(one.dependsOn)
					gates[name] = one
				}
				return false
			}
			return true
		})
	}
	return gates
}

// mapOf is the type of the values of a map from features.
func mapOf(expr ast.Expr) string {
	of, ok := expr.(*ast.MapType)
	if !ok || lastName(of.Key) != "Feature" {
		return ""
	}
	if list, ok := of.Value.(*ast.ArrayType); ok {
		return "[]" + lastName(list.Elt)
	}
	return lastName(of.Value)
}

func lastName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		return expr.Sel.Name
	}
	return ""
}

// A namer resolves the constant that names a gate.
type namer struct {
	local     map[string]string
	imports   map[string]string
	constants map[string]map[string]string
}

func (n namer) of(expr ast.Expr) string {
	if conversion, ok := expr.(*ast.CallExpr); ok {
		expr = conversion.Args[0]
	}
	from := n.local
	if selector, ok := expr.(*ast.SelectorExpr); ok {
		from = n.constants[n.imports[selector.X.(*ast.Ident).Name]]
	}
	name, ok := from[lastName(expr)]
	if !ok {
		fail("the feature gate %s is in no package that is read", lastName(expr))
	}
	return name
}

func constantsOf(file *ast.File) map[string]string {
	found := map[string]string{}
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok || general.Tok != token.CONST {
			continue
		}
		for _, spec := range general.Specs {
			value := spec.(*ast.ValueSpec)
			for i, name := range value.Names {
				if i < len(value.Values) {
					expr := value.Values[i]
					if conversion, ok := expr.(*ast.CallExpr); ok {
						expr = conversion.Args[0]
					}
					if literal, ok := expr.(*ast.BasicLit); ok {
						found[name.Name], _ = strconv.Unquote(literal.Value)
					}
				}
			}
		}
	}
	return found
}

var stages = map[string]string{"Alpha": "alpha", "Beta": "beta", "GA": "ga", "Deprecated": "deprecated"}

// specOf is the last of the versioned specs that is not newer than the release.
func specOf(name string, minor int, specs *ast.CompositeLit) gate {
	found := gate{}
	for _, element := range specs.Elts {
		since, least := 0, 0
		one := gate{}
		for _, member := range element.(*ast.CompositeLit).Elts {
			pair := member.(*ast.KeyValueExpr)
			switch lastName(pair.Key) {
			case "Version":
				since = minorIn(pair.Value)
			case "Default":
				one.on = lastName(pair.Value) == "true"
			case "LockToDefault":
				one.locked = lastName(pair.Value) == "true"
			case "PreRelease":
				one.stage = stages[lastName(pair.Value)]
			case "MinCompatibilityVersion":
				// By default, a binary is compatible with the release before its own.
				least = minorIn(pair.Value) + 1
			}
		}
		if one.stage == "" {
			fail("%s has an unknown stage", name)
		}
		if since <= minor && least <= minor {
			found = one
		}
	}
	if found.stage == "" {
		fail("%s has no specification for 1.%d", name, minor)
	}
	return found
}

// minorIn is 36 for version.MustParse("1.36").
func minorIn(expr ast.Expr) int {
	text, _ := strconv.Unquote(expr.(*ast.CallExpr).Args[0].(*ast.BasicLit).Value)
	return atoi(strings.TrimPrefix(text, "1."))
}

func (g gate) text() string {
	out := fmt.Sprintf("{ stage: '%s', on: %t", g.stage, g.on)
	if g.locked {
		out += ", locked: true"
	}
	if len(g.dependsOn) > 0 {
		out += ", dependsOn: ['" + strings.Join(g.dependsOn, "', '") + "']"
	}
	return out + " }"
}

// gatesFile writes the gates of a release: all of them, or what differs from the release before.
func gatesFile(into string, r release) string {
	gates := gatesOf(r.minor, func(source [3]string) *ast.File {
		return parse(filepath.Join(r.modules[source[0]], source[1], source[2]))
	})
	before := committedGates(into, r.minor-1)
	texts := map[string]string{}
	for name, one := range gates {
		line := fmt.Sprintf("  %s: %s,\n", name, one.text())
		if len(line) > width+1 {
			line = broken(name, one)
		}
		if before[name] != line {
			texts[name] = line
		}
	}
	for name := range before {
		if _, known := gates[name]; !known {
			texts[name] = fmt.Sprintf("  %s: 'removed',\n", name)
		}
	}
	names := []string{}
	for name := range texts {
		names = append(names, name)
	}
	sort.Strings(names)
	var out strings.Builder
	out.WriteString("import type { GateChanges } from '../feature-gate.ts'\n\n")
	what := "The feature gates that the control plane of %s knows."
	if before != nil {
		what = "The feature gates of %s that differ from the previous release."
	}
	fmt.Fprintf(&out, "/** "+what+" Generated from upstream; do not edit. */\n", r.version)
	out.WriteString("export const gateChanges: GateChanges = {\n")
	for _, name := range names {
		out.WriteString(texts[name])
	}
	out.WriteString("}\n")
	return out.String()
}

// A gate in a file: on one line, or on several that end with the closing brace.
var gatePattern = regexp.MustCompile(`(?m)^  (\w+): (?:\{[^{}]*\}|'removed'),\n`)

// committedGates reads the gates of a release back, from the files of it and of the releases before it. Nil: it has none.
func committedGates(into string, minor int) map[string]string {
	text, err := os.ReadFile(filepath.Join(into, fmt.Sprintf("v1.%d", minor), "feature-gates.ts"))
	if err != nil {
		return nil
	}
	gates := committedGates(into, minor-1)
	if gates == nil {
		gates = map[string]string{}
	}
	for _, match := range gatePattern.FindAllStringSubmatch(string(text), -1) {
		if strings.HasSuffix(match[0], "'removed',\n") {
			delete(gates, match[1])
		} else {
			gates[match[1]] = match[0]
		}
	}
	return gates
}

// broken writes a gate over several lines, as the formatter does.
func broken(name string, one gate) string {
	out := fmt.Sprintf("  %s: {\n    stage: '%s',\n    on: %t,\n", name, one.stage, one.on)
	if one.locked {
		out += "    locked: true,\n"
	}
	return out + "    dependsOn: ['" + strings.Join(one.dependsOn, "', '") + "'],\n  },\n"
}
