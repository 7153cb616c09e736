// Prints random objects of the kinds named on standard input ("apps/v1 Deployment", a line each): their JSON and their
// protobuf encoding, both by Go's own code. Arguments: how many of each, and the seed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/randfill"
)

type line struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	JSON       json.RawMessage `json:"json"`
	Protobuf   []byte          `json:"protobuf"`
}

func main() {
	count, _ := strconv.Atoi(os.Args[1])
	seed, _ := strconv.ParseInt(os.Args[2], 10, 64)
	all := runtime.NewScheme()
	must(scheme.AddToScheme(all))
	must(apiextensionsv1.AddToScheme(all))
	must(apiregistrationv1.AddToScheme(all))
	must(metav1.AddMetaToScheme(all))
	serializer := protobuf.NewSerializer(all, all)
	filler := newFiller(seed)
	out := json.NewEncoder(os.Stdout)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		apiVersion, kind, _ := strings.Cut(in.Text(), " ")
		version, err := schema.ParseGroupVersion(apiVersion)
		must(err)
		for range count {
			object, err := all.New(version.WithKind(kind))
			must(err)
			filler.Fill(object)
			object.GetObjectKind().SetGroupVersionKind(version.WithKind(kind))
			text, err := json.Marshal(object)
			must(err)
			// Values that JSON omits (an empty list that is not nil) are omitted from both.
			again, err := all.New(version.WithKind(kind))
			must(err)
			must(json.Unmarshal(text, again))
			encoded, err := runtime.Encode(serializer, again)
			must(err)
			must(out.Encode(line{apiVersion, kind, text, encoded}))
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var letters = []rune("abcdefghijklmnopqrstuvwxyz0123456789-./äß世🙂\"\\<>&\n ")

func text(c randfill.Continue) string {
	made := make([]rune, c.Intn(20))
	for i := range made {
		made[i] = letters[c.Intn(len(letters))]
	}
	return string(made)
}

func newFiller(seed int64) *randfill.Filler {
	schemaDepth := 0
	return randfill.New().RandSource(rand.NewSource(seed)).NilChance(0.3).NumElements(0, 3).MaxDepth(14).Funcs(
		func(to *string, c randfill.Continue) { *to = text(c) },
		func(to *int32, c randfill.Continue) { *to = int32(c.Uint32()) >> c.Intn(32) },
		func(to *int64, c randfill.Continue) { *to = int64(c.Uint64()) >> c.Intn(64) },
		func(to *float64, c randfill.Continue) { *to = float64(c.Intn(2000)-1000) / 8 },
		func(to *metav1.Time, c randfill.Continue) {
			if c.Intn(4) > 0 {
				*to = metav1.Unix(c.Int63n(4_000_000_000)-1_000_000_000, 0)
			}
		},
		func(to *metav1.MicroTime, c randfill.Continue) {
			if c.Intn(4) > 0 {
				*to = metav1.NewMicroTime(time.Unix(c.Int63n(4_000_000_000), c.Int63n(1_000_000)*1000))
			}
		},
		func(to *metav1.Duration, c randfill.Continue) { to.Duration = time.Duration(c.Intn(10_000)) * time.Second },
		func(to *resource.Quantity, c randfill.Continue) {
			*to = resource.MustParse(fmt.Sprintf("%d%s", c.Intn(5000), []string{"", "m", "Mi", "Gi", "k"}[c.Intn(5)]))
			_ = to.String()
		},
		func(to *intstr.IntOrString, c randfill.Continue) {
			if c.Intn(2) == 0 {
				*to = intstr.FromInt32(int32(c.Uint32()))
			} else {
				*to = intstr.FromString(text(c) + "x")
			}
		},
		func(to *runtime.RawExtension, c randfill.Continue) { to.Raw = raw(c) },
		func(to *metav1.FieldsV1, c randfill.Continue) { to.Raw = []byte(`{"f:metadata":{"f:labels":{".":{},"f:a":{}}}}`) },
		func(to *apiextensionsv1.JSON, c randfill.Continue) { to.Raw = raw(c) },
		func(to *[]byte, c randfill.Continue) {
			*to = make([]byte, 1+c.Intn(8))
			for i := range *to {
				(*to)[i] = byte(c.Intn(256))
			}
		},
		func(to *apiextensionsv1.JSONSchemaProps, c randfill.Continue) {
			schemaDepth++
			defer func() { schemaDepth-- }()
			if schemaDepth < 4 {
				c.FillNoCustom(to)
			} else {
				to.Type, to.Nullable = text(c), c.Bool()
			}
		},
		func(to *apiextensionsv1.JSONSchemaPropsOrArray, c randfill.Continue) {
			if c.Bool() {
				to.Schema = &apiextensionsv1.JSONSchemaProps{}
				c.Fill(to.Schema)
			} else {
				to.JSONSchemas = make([]apiextensionsv1.JSONSchemaProps, 1+c.Intn(2))
				for i := range to.JSONSchemas {
					c.Fill(&to.JSONSchemas[i])
				}
			}
		},
		func(to *apiextensionsv1.JSONSchemaPropsOrBool, c randfill.Continue) {
			to.Allows = c.Bool()
			if c.Bool() {
				to.Allows = true
				to.Schema = &apiextensionsv1.JSONSchemaProps{}
				c.Fill(to.Schema)
			}
		},
		func(to *apiextensionsv1.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				to.Schema = &apiextensionsv1.JSONSchemaProps{}
				c.Fill(to.Schema)
			} else {
				to.Property = []string{text(c), text(c)}
			}
		},
	)
}

func raw(c randfill.Continue) []byte {
	return [][]byte{[]byte(`{"a":[1,2.5,"x"],"b":{"c":null}}`), []byte(`"text"`), []byte(`9007199254740993`), []byte(`[true]`)}[c.Intn(4)]
}
