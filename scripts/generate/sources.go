package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// A Go package of the API: `core` is k8s.io/api/core/v1, `autoscaling/v2` is k8s.io/api/autoscaling/v2.
type apiPackage struct {
	id         string
	importPath string
	version    string
	group      string
	enabled    bool
	types      []*declared
	byName     map[string]*declared
	enums      map[string][]constant
	// The text of each constant that is written as a literal.
	constants map[string]string
}

// The value of an enum: a text, or the constant of another package that it is converted from.
type constant struct {
	text       string
	importPath string
	name       string
}

// A type declaration.
type declared struct {
	name    string
	expr    ast.Expr
	doc     markers
	imports map[string]string
	pkg     *apiPackage
}

// The `+name=value` lines of a comment, each with all its values.
type markers map[string][]string

func markersOf(groups ...*ast.CommentGroup) markers {
	found := markers{}
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, line := range group.List {
			text := strings.TrimSpace(strings.TrimPrefix(line.Text, "//"))
			if !strings.HasPrefix(text, "+") {
				continue
			}
			name, value, _ := strings.Cut(text[1:], "=")
			found[name] = append(found[name], value)
		}
	}
	return found
}

func (m markers) has(name string) bool { return len(m[name]) > 0 }

func (m markers) first(name string) string {
	if len(m[name]) == 0 {
		return ""
	}
	return m[name][0]
}

// Packages whose types are sent but not served under their group: reviews that the server sends, discovery documents.
var unserved = []string{"admission/v1", "apidiscovery/v2", "apidiscovery/v2beta1", "imagepolicy/v1alpha1"}

func packageID(folder, version string) string {
	if version == "v1" {
		return folder
	}
	return folder + "/" + version
}

// packagesOf finds the group versions that the API server of the release can serve, and reads their types.
func packagesOf(r release) []*apiPackage {
	served := servedVersions(r)
	packages := []*apiPackage{}
	add := func(module, path, folder, version string, enabled bool) {
		directory := filepath.Join(r.modules[module], path)
		p := &apiPackage{
			id:         packageID(folder, version),
			importPath: "k8s.io/" + module + "/" + path,
			version:    version,
			enabled:    enabled,
		}
		p.read(directory)
		if p.removed(r.minor) {
			return
		}
		packages = append(packages, p)
	}
	add("apimachinery", "pkg/apis/meta/v1", "meta", "v1", false)
	paths := []string{}
	for path := range served {
		paths = append(paths, path)
	}
	for _, path := range unserved {
		if _, err := os.Stat(filepath.Join(r.modules["api"], path)); err == nil {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)
	for _, path := range paths {
		folder, version, _ := strings.Cut(path, "/")
		add("api", path, folder, version, served[path])
	}
	add("apiextensions-apiserver", "pkg/apis/apiextensions/v1", "apiextensions", "v1", true)
	add("kube-aggregator", "pkg/apis/apiregistration/v1", "apiregistration", "v1", true)
	return packages
}

// servedVersions reads the lists of group versions in pkg/controlplane: those that are served by default, and those
// that need --runtime-config.
func servedVersions(r release) map[string]bool {
	file := parse(filepath.Join(r.modules["kubernetes"], "pkg/controlplane/instance.go"))
	imports := importsOf(file)
	found := map[string]bool{}
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok || general.Tok != token.VAR {
			continue
		}
		for _, spec := range general.Specs {
			value := spec.(*ast.ValueSpec)
			name := value.Names[0].Name
			isEnabled := strings.HasSuffix(name, "GroupVersionsEnabledByDefault")
			if !isEnabled && !strings.HasSuffix(name, "GroupVersionsDisabledByDefault") {
				continue
			}
			for _, element := range value.Values[0].(*ast.CompositeLit).Elts {
				alias := element.(*ast.SelectorExpr).X.(*ast.Ident).Name
				// Some lists name the internal package of the same group and version.
				path := strings.TrimPrefix(imports[alias], "k8s.io/kubernetes/pkg/apis/")
				found[strings.TrimPrefix(path, "k8s.io/api/")] = isEnabled
			}
		}
	}
	if len(found) < 20 {
		fail("pkg/controlplane has moved its lists of group versions: only %d found", len(found))
	}
	return found
}

func parse(path string) *ast.File {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		fail("%v", err)
	}
	return file
}

func importsOf(file *ast.File) map[string]string {
	imports := map[string]string{}
	for _, one := range file.Imports {
		path, _ := strconv.Unquote(one.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if one.Name != nil {
			name = one.Name.Name
		}
		imports[name] = path
	}
	return imports
}

func (p *apiPackage) read(directory string) {
	p.byName = map[string]*declared{}
	p.enums = map[string][]constant{}
	p.constants = map[string]string{}
	paths, _ := filepath.Glob(filepath.Join(directory, "*.go"))
	sort.Strings(paths)
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "zz_generated") || strings.HasSuffix(name, ".pb.go") {
			continue
		}
		p.readFile(parse(path))
	}
	if len(p.types) == 0 {
		fail("no types in %s", directory)
	}
}

func (p *apiPackage) readFile(file *ast.File) {
	imports := importsOf(file)
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				// Markers may stand apart from the comment, with an empty line between.
				doc := markersOf(append(commentsBefore(file, general), spec.Doc)...)
				one := &declared{name: spec.Name.Name, expr: spec.Type, doc: doc, imports: imports, pkg: p}
				p.types = append(p.types, one)
				p.byName[one.name] = one
			case *ast.ValueSpec:
				p.readConstant(spec, imports)
			}
		}
	}
}

func (p *apiPackage) readConstant(spec *ast.ValueSpec, imports map[string]string) {
	for i, name := range spec.Names {
		if i >= len(spec.Values) {
			continue
		}
		value := spec.Values[i]
		of, _ := spec.Type.(*ast.Ident)
		// `AddressTypeFQDN = AddressType("FQDN")` declares the type by a conversion.
		if call, ok := value.(*ast.CallExpr); ok && of == nil && len(call.Args) == 1 {
			of, _ = call.Fun.(*ast.Ident)
			value = call.Args[0]
		}
		switch value := value.(type) {
		case *ast.BasicLit:
			if value.Kind != token.STRING {
				continue
			}
			text, _ := strconv.Unquote(value.Value)
			if name.Name == "GroupName" {
				p.group = text
			}
			p.constants[name.Name] = text
			if of != nil {
				p.enums[of.Name] = append(p.enums[of.Name], constant{text: text})
			}
		case *ast.SelectorExpr:
			if from, ok := value.X.(*ast.Ident); ok && of != nil {
				one := constant{importPath: imports[from.Name], name: value.Sel.Name}
				p.enums[of.Name] = append(p.enums[of.Name], one)
			}
		}
	}
}

// commentsBefore are the comment groups between the declaration before this one and this one.
func commentsBefore(file *ast.File, of *ast.GenDecl) []*ast.CommentGroup {
	var start token.Pos
	for _, declaration := range file.Decls {
		if declaration.End() < of.Pos() && declaration.End() > start {
			start = declaration.End()
		}
	}
	found := []*ast.CommentGroup{}
	for _, group := range file.Comments {
		if group.Pos() > start && group.End() < of.Pos() {
			found = append(found, group)
		}
	}
	return found
}

// removed reports whether every kind of an alpha or beta package is removed in this minor release. prerelease-lifecycle-gen
// deprecates a kind three releases after its introduction and removes it another three later, unless a comment says otherwise.
func (p *apiPackage) removed(minor int) bool {
	if !strings.Contains(p.version, "alpha") && !strings.Contains(p.version, "beta") {
		return false
	}
	kinds := 0
	for _, one := range p.types {
		at := func(step string) (int, bool) {
			text := one.doc.first("k8s:prerelease-lifecycle-gen:" + step)
			return atoi(strings.TrimPrefix(text, "1.")), text != ""
		}
		introduced, isKind := at("introduced")
		if !isKind {
			continue
		}
		kinds++
		deprecated, said := at("deprecated")
		if !said {
			deprecated = introduced + 3
		}
		removed, said := at("removed")
		if !said {
			removed = deprecated + 3
		}
		if removed > minor {
			return false
		}
	}
	return kinds > 0
}
