package main

import (
	"fmt"
	"go/ast"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// A table has the text of each type of each package, in the notation that src/api/schema/type-table.ts explains.
type table struct {
	packages []string
	heads    map[string]string
	entries  map[string][]entry
}

type entry struct {
	name string
	text string
}

type reader struct {
	release release
	byPath  map[string]*apiPackage
}

func typesOf(r release) table {
	packages := packagesOf(r)
	reader := reader{release: r, byPath: map[string]*apiPackage{}}
	for _, p := range packages {
		reader.byPath[p.importPath] = p
	}
	out := table{heads: map[string]string{}, entries: map[string][]entry{}}
	for _, p := range packages {
		out.packages = append(out.packages, p.id)
		group := p.group
		if p.id == "meta" {
			group = "meta.k8s.io"
		}
		out.heads[p.id] = fmt.Sprintf("%s %s", quoted(group), openAPIPrefix(p.importPath))
		if !p.enabled {
			out.heads[p.id] += " off"
		}
		out.entries[p.id] = reader.entriesOf(p)
	}
	return out
}

// The core group has no name.
func quoted(group string) string {
	if group == "" {
		return "-"
	}
	return group
}

// `io.k8s.api.core.v1` for k8s.io/api/core/v1.
func openAPIPrefix(importPath string) string {
	parts := strings.Split(importPath, "/")
	host := strings.Split(parts[0], ".")
	for i, j := 0, len(host)-1; i < j; i, j = i+1, j-1 {
		host[i], host[j] = host[j], host[i]
	}
	return strings.Join(append(host, parts[1:]...), ".")
}

// Types that have their own JSON form, or are not written at all.
var skipped = map[string]bool{
	"meta.Time": true, "meta.MicroTime": true, "meta.Duration": true, "meta.FieldsV1": true, "meta.TypeMeta": true,
	"meta.InternalEvent": true, "meta.TableRow": true, "meta.Table": true,
	"meta.Object": true, "meta.ListMetaAccessor": true, "meta.Common": true,
	"meta.ListInterface": true, "meta.Type": true, "meta.ObjectMetaAccessor": true,
	"apiextensions.JSON": true,
}

// Types with an alternative JSON form, which is written instead of an object of the type.
var alternatives = map[string]string{
	"JSONSchemaPropsOrArray": "array", "JSONSchemaPropsOrBool": "bool", "JSONSchemaPropsOrStringArray": "strings",
}

var scalars = map[string]string{
	"string": "s", "int32": "i", "int64": "l", "bool": "b", "float64": "f",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":   "q",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": "is",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":    "j",
	"k8s.io/apimachinery/pkg/types.UID":               "types.UID",
	"k8s.io/apimachinery/pkg/types.NodeName":          "types.NodeName",
	"meta.Time":                                       "t",
	"meta.MicroTime":                                  "mt",
	"meta.Duration":                                   "d",
	"meta.FieldsV1":                                   "j",
	"apiextensions.JSON":                              "j",
}

func (r reader) entriesOf(p *apiPackage) []entry {
	entries := []entry{}
	aliases := map[string][]string{}
	for _, one := range p.types {
		if skipped[p.id+"."+one.name] || !ast.IsExported(one.name) {
			continue
		}
		switch expr := one.expr.(type) {
		case *ast.StructType:
			if form, ok := alternatives[one.name]; ok {
				entries = append(entries, entry{one.name, "= |" + form + ":JSONSchemaProps " + one.name})
				continue
			}
			entries = append(entries, entry{one.name, r.structEntry(one, expr)})
		case *ast.FuncType, *ast.InterfaceType:
		default:
			of, _ := r.typeText(one, one.expr)
			if values := r.enumOf(one); values != "" {
				entries = append(entries, entry{one.name, "= " + of + " " + one.name + values})
				continue
			}
			aliases[of] = append(aliases[of], one.name)
		}
	}
	for of, names := range aliases {
		for _, name := range names {
			entries = append(entries, entry{name, "= " + of + " " + name})
		}
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].name < entries[j].name })
	return entries
}

// enumOf is `(A|B)` for a type marked +enum, as kube-openapi lists the values of one.
func (r reader) enumOf(one *declared) string {
	if !one.doc.has("enum") {
		return ""
	}
	values := []string{}
	for _, value := range one.pkg.enums[one.name] {
		text := value.text
		if from, ok := r.byPath[value.importPath]; ok {
			text = from.constants[value.name]
		}
		values = append(values, text)
	}
	sort.Strings(values)
	// Spaces separate the words of a table.
	return "(" + strings.ReplaceAll(strings.Join(values, "|"), " ", "_") + ")"
}

func (r reader) structEntry(of *declared, expr *ast.StructType) string {
	head := of.name
	if isAtomic(of.doc) {
		head += "#"
	}
	parts := []string{head}
	last := 0
	for _, field := range expr.Fields.List {
		if field.Tag == nil {
			if len(field.Names) > 0 && !ast.IsExported(field.Names[0].Name) {
				continue
			}
			fail("%s.%s has a field without a tag", of.pkg.id, of.name)
		}
		text, number := r.fieldText(of, field, last)
		if text == "" {
			continue
		}
		if number > 0 {
			last = number
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

func isAtomic(m markers) bool {
	return m.first("structType") == "atomic" || m.first("mapType") == "atomic"
}

// fieldText writes a field. `last` is the protobuf number of the field before it.
func (r reader) fieldText(of *declared, field *ast.Field, last int) (string, int) {
	where := of.pkg.id + "." + of.name
	raw, _ := strconv.Unquote(field.Tag.Value)
	tag := reflect.StructTag(raw)
	name, options, _ := strings.Cut(tag.Get("json"), ",")
	if name == "-" {
		return "", 0
	}
	number := 0
	// The wire type in the tag is not reliable (ListMeta.remainingItemCount); go-to-protobuf derives it from the Go type.
	_, rest, hasNumber := strings.Cut(tag.Get("protobuf"), ",")
	if hasNumber {
		digits, _, _ := strings.Cut(rest, ",")
		number = atoi(digits)
	}
	prefix := ""
	if number == 0 {
		prefix = "0"
	} else if number != last+1 {
		prefix = strconv.Itoa(number)
	}
	expr := field.Type
	pointer := false
	if star, ok := expr.(*ast.StarExpr); ok {
		pointer = true
		expr = star.X
	}
	text, kind := r.typeText(of, expr)
	if len(field.Names) == 0 && name == "" {
		if text == "meta.TypeMeta" || text == "TypeMeta" {
			return "...TypeMeta", 0
		}
		if pointer {
			fail("%s embeds a pointer", where)
		}
		return prefix + "..." + text, number
	}
	goName := ""
	if len(field.Names) == 0 {
		goName = text[strings.LastIndex(text, ".")+1:]
	} else {
		goName = field.Names[0].Name
	}
	out := prefix + name
	if goName != defaultGoName(name, text) {
		out += "(" + goName + ")"
	}
	out += ":"
	if pointer {
		out += "*"
	}
	// RawExtension is JSON that server-side apply replaces as a whole.
	if selector, ok := expr.(*ast.SelectorExpr); ok && selector.Sel.Name == "RawExtension" {
		return out + text + r.marks(where+"."+name, of, field, tag, options, kind, pointer) + "#", number
	}
	return out + text + r.marks(where+"."+name, of, field, tag, options, kind, pointer), number
}

// defaultGoName is the name that src/api/schema/type-table.ts assumes if the table has none.
func defaultGoName(name, text string) string {
	if name == "metadata" && strings.HasPrefix(text, "meta.") {
		return strings.TrimPrefix(text, "meta.")
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func (r reader) marks(where string, of *declared, field *ast.Field, tag reflect.StructTag, options, kind string, pointer bool) string {
	doc := markersOf(field.Doc)
	omits := strings.Contains(options, "omitempty")
	required := !omits
	if doc.has("required") {
		required = true
	} else if doc.has("optional") {
		required = false
	}
	isStruct := (kind == "struct" || kind == "time") && !pointer
	out := ""
	switch {
	case strings.Contains(options, "omitzero"):
		out += "?"
		if required {
			fail("%s is required and left out when zero", where)
		}
	case !omits && required:
		out += "!"
	case !omits && !required && !isStruct:
		out += "!?"
	case omits && required:
		out += "?!"
	}
	keys := doc["listMapKey"]
	switch doc.first("listType") {
	case "map":
		if len(keys) == 0 {
			fail("%s is a list without keys", where)
		}
		out += "@" + strings.Join(keys, ",")
	case "set":
		out += "="
	case "", "atomic":
	default:
		fail("%s has listType %s", where, doc.first("listType"))
	}
	strategies := strings.Split(tag.Get("patchStrategy"), ",")
	has := func(name string) bool {
		for _, one := range strategies {
			if one == name {
				return true
			}
		}
		return false
	}
	if has("replace") && kind == "struct" {
		out += "="
	}
	if isAtomic(doc) {
		out += "#"
	} else if doc.first("structType") == "granular" || doc.first("mapType") == "granular" {
		out += "^"
	}
	if has("merge") {
		key := tag.Get("patchMergeKey")
		if len(keys) == 1 && key == keys[0] {
			key = ""
		} else if len(keys) == 1 && key == "" {
			fail("%s merges without the key of its list", where)
		}
		out += "~" + key
	}
	if has("retainKeys") {
		out += "+"
	}
	return out
}

// typeText writes a type in the notation of the tables, and returns its kind: struct, time, list, map or scalar.
func (r reader) typeText(of *declared, expr ast.Expr) (string, string) {
	switch expr := expr.(type) {
	case *ast.Ident:
		if scalar, ok := scalars[expr.Name]; ok {
			return scalar, "scalar"
		}
		return r.named(of.pkg, of.pkg, expr.Name)
	case *ast.SelectorExpr:
		path := of.imports[expr.X.(*ast.Ident).Name]
		if scalar, ok := scalars[path+"."+expr.Sel.Name]; ok {
			if scalar == "q" {
				return scalar, "time"
			}
			return scalar, "scalar"
		}
		p := r.byPath[path]
		if p == nil {
			fail("%s.%s uses %s.%s, which is in no table", of.pkg.id, of.name, path, expr.Sel.Name)
		}
		return r.named(of.pkg, p, expr.Sel.Name)
	case *ast.ArrayType:
		if ident, ok := expr.Elt.(*ast.Ident); ok && (ident.Name == "byte" || ident.Name == "uint8") {
			return "by", "scalar"
		}
		of, _ := r.typeText(of, expr.Elt)
		return "[" + of + "]", "list"
	case *ast.MapType:
		key, _ := r.typeText(of, expr.Key)
		value, _ := r.typeText(of, expr.Value)
		if key == "s" {
			return "{" + value + "}", "map"
		}
		return "{" + key + ":" + value + "}", "map"
	case *ast.StarExpr:
		text, kind := r.typeText(of, expr.X)
		return "*" + text, kind
	}
	fail("%s.%s has a type that the tables cannot express: %T", of.pkg.id, of.name, expr)
	return "", ""
}

func (r reader) named(from, in *apiPackage, name string) (string, string) {
	id := in.id + "." + name
	if scalar, ok := scalars[id]; ok {
		if scalar == "t" || scalar == "mt" {
			return scalar, "time"
		}
		return scalar, "scalar"
	}
	text := id
	if from == in {
		text = name
	}
	one := in.byName[name]
	if one == nil {
		fail("%s does not exist", id)
	}
	switch one.expr.(type) {
	case *ast.StructType:
		return text, "struct"
	default:
		_, kind := r.typeText(one, one.expr)
		return text, kind
	}
}
