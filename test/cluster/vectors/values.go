package main

import (
	"fmt"
	"net"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/controller/nodeipam/ipam/cidrset"
)

func makeToleration(r *random) *record {
	keys := []string{"", "a", "b", "a", "node.kubernetes.io/not-ready"}
	values := []string{"", "x", "10", "5", "-3", "007", "0", "-0", "+5", "00", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1.5", "1e3", " 5", "0x10", "1_000", "10 "}
	effects := []v1.TaintEffect{"", v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute}
	toleration := v1.Toleration{
		Key: pick(r, keys...), Value: pick(r, values...), Effect: pick(r, effects...),
		Operator: pick(r, append(comparisons, "", v1.TolerationOpExists, v1.TolerationOpEqual, "Weird")...),
	}
	if r.chance(0.2) {
		toleration.TolerationSeconds = ptr(int64(r.between(-1, 300)))
	}
	taint := v1.Taint{Key: pick(r, keys[1:]...), Value: pick(r, values...), Effect: pick(r, effects[1:]...)}
	if r.chance(0.6) {
		taint.Key = toleration.Key
	}
	if r.chance(0.6) {
		taint.Effect = toleration.Effect
	}
	if r.chance(0.2) {
		taint.Value = toleration.Value
	}
	comparison := len(comparisons) > 0 && r.chance(0.7)
	return &record{
		Given: map[string]any{"toleration": toleration, "taint": taint, "comparisonOperators": comparison},
		Want:  map[string]any{"tolerates": tolerates(toleration, &taint, comparison)},
	}
}

func makeQuantity(r *random) *record {
	text := r.quantityText()
	given := map[string]any{"text": text}
	parsed, err := resource.ParseQuantity(text)
	if err != nil {
		return &record{Given: given, Want: map[string]any{"error": err.Error()}}
	}
	return &record{Given: given, Want: map[string]any{
		"canonical": parsed.String(), "format": string(parsed.Format),
		"value": fmt.Sprint(parsed.Value()), "milliValue": fmt.Sprint(parsed.MilliValue()),
	}}
}

func (r *random) digits(most int) string {
	var out strings.Builder
	for range r.between(0, most) {
		out.WriteByte(pick(r, []byte("00123456789999")...))
	}
	return out.String()
}

func (r *random) quantityText() string {
	number := r.digits(pick(r, 2, 4, 19, 20, 30))
	if r.chance(0.5) {
		number += "." + r.digits(pick(r, 1, 3, 9, 12, 25))
	}
	if r.chance(0.15) {
		number = pick(r, "9223372036854775807", "9223372036854775808", "9223372036854775806.999", "0.000000001", "0.0000000001", "0.0000000009", "18446744073709551616", "999999999999999999", "1000000000000000000", "8388607", "1023", "1024", "1025", "1048576", "0.9999999999")
	}
	suffix := pick(r, "", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
		"e0", "e3", "E3", "e-3", "E-9", "e18", "e19", "e-10", "e+3", "e1", "E2", "e-1", "e05", "e-", "e", "K", "mi", "ki", "ei", "e100", "E-30", "Zi", "B", " ")
	return pick(r, "", "", "", "-", "+", "--") + number + suffix
}

func makeSelector(r *random) *record {
	text := r.selectorText()
	sets := []map[string]string{}
	for range 6 {
		one := map[string]string{}
		for _, key := range some(r, r.between(0, 4), "a", "b", "env", "k.io/n", "in", "x") {
			one[key] = pick(r, "", "1", "2", "10", "-1", "x", "y", "v", "prod", "in", "007")
		}
		sets = append(sets, one)
	}
	given := map[string]any{"text": text, "labels": sets}
	selector, err := labels.Parse(text)
	if err != nil {
		return &record{Given: given, Want: map[string]any{"error": err.Error()}}
	}
	matches := []bool{}
	for _, one := range sets {
		matches = append(matches, selector.Matches(labels.Set(one)))
	}
	return &record{Given: given, Want: map[string]any{"canonical": selector.String(), "matches": matches}}
}

func (r *random) selectorText() string {
	space := func() string { return pick(r, "", "", "", " ", "  ", "\t", "\n") }
	word := func() string {
		return pick(r, "a", "b", "env", "k.io/n", "in", "notin", "x", "1", "2", "10", "-1", "", "prod", "a.b", "a_b", "A-", "é", "a/b/c", "!a", "(", ")", "=", "007", "1.5",
			"exists", "In", "K.io/n", "k..io/n", "-k.io/n", strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 253)+"/n", strings.Repeat("a", 254)+"/n")
	}
	var parts []string
	for range r.between(1, 3) {
		key := pick(r, "a", "b", "env", "k.io/n", "in", "notin", word())
		value := func() string { return pick(r, "1", "2", "x", "prod", "10", word()) }
		var part string
		switch r.IntN(9) {
		case 0:
			part = key
		case 1:
			part = "!" + space() + key
		case 2, 3:
			part = key + space() + pick(r, "=", "==", "!=") + space() + value()
		case 4, 5, 6:
			var values []string
			for range r.between(0, 3) {
				values = append(values, space()+value()+space())
			}
			part = key + pick(r, " ", " ", "  ", "\t", "") + pick(r, "in", "notin", "In") + space() + pick(r, "(", "(", "(", "") + strings.Join(values, pick(r, ",", ",", ",", ",,", " ")) + pick(r, ")", ")", ")", "")
		case 7:
			part = key + space() + pick(r, "<", ">", ">=") + space() + pick(r, "1", "0", "-1", "x", "007", "9223372036854775808", "1.5", "+1")
		default:
			part = word() + space() + word()
		}
		parts = append(parts, space()+part+space())
	}
	return strings.Join(parts, pick(r, ",", ",", ",", ",", ",,", " ", ""))
}

func makeCIDRSet(r *random) *record {
	type operation struct {
		Op   string `json:"op"`
		CIDR string `json:"cidr,omitempty"`
	}
	shape := pick(r, [2]any{"10.0.0.0/24", []int{24, 26, 28, 30, 32, 20}}, [2]any{"10.10.0.0/16", []int{16, 20, 24, 28, 32}}, [2]any{"192.168.0.0/30", []int{30, 31, 32}},
		[2]any{"10.0.0.0/8", []int{12, 16, 24, 30}}, [2]any{"2001:db8::/56", []int{56, 60, 64, 72, 73}}, [2]any{"fd00::/48", []int{48, 52, 64, 65}}, [2]any{"2001:db8::/40", []int{56, 57, 64}},
		[2]any{"fd00:1::/112", []int{112, 120, 128}}, [2]any{"172.16.0.0/12", []int{16, 20, 28}}, [2]any{"10.1.2.3/16", []int{24}}, [2]any{"0.0.0.0/0", []int{0, 8, 16}}, [2]any{"::/0", []int{8, 16}},
		[2]any{"255.255.255.0/24", []int{28, 32}}, [2]any{"ffff:ffff:ffff:ff00::/56", []int{64}}, [2]any{"fd00::/120", []int{120, 124, 128}})
	base := shape[0].(string)
	mask := pick(r, shape[1].([]int)...)
	_, within, err := net.ParseCIDR(base)
	check(err)
	given := map[string]any{"cidr": base, "mask": mask}
	ops := []operation{}
	for range r.between(3, 40) {
		switch r.IntN(5) {
		case 0, 1, 2:
			ops = append(ops, operation{Op: "allocate"})
		default:
			ops = append(ops, operation{Op: pick(r, "occupy", "release"), CIDR: r.cidr(within, mask)})
		}
	}
	given["ops"] = ops
	set, err := cidrset.NewCIDRSet(within, mask)
	if err != nil {
		return &record{Given: given, Want: map[string]any{"error": err.Error()}}
	}
	results := []map[string]string{}
	for _, op := range ops {
		result := map[string]string{}
		var failed error
		if op.Op == "allocate" {
			var block *net.IPNet
			if block, failed = set.AllocateNext(); failed == nil {
				result["cidr"] = block.String()
			}
		} else {
			_, block, err := net.ParseCIDR(op.CIDR)
			check(err)
			if op.Op == "occupy" {
				failed = set.Occupy(block)
			} else {
				failed = set.Release(block)
			}
		}
		if failed != nil {
			result["error"] = failed.Error()
		}
		results = append(results, result)
	}
	return &record{Given: given, Want: map[string]any{"results": results}}
}

// cidr is a block in the range, around it or next to it.
func (r *random) cidr(within *net.IPNet, mask int) string {
	if r.chance(0.15) {
		return pick(r, "11.0.0.0/24", "192.168.0.2/32", "fd00::/64", "fe80::/64", "10.0.0.0/8", "0.0.0.0/0", "::/0", "172.16.16.0/20", "2001:db8:0:6::/64")
	}
	ip := make(net.IP, len(within.IP))
	copy(ip, within.IP)
	ones, bits := within.Mask.Size()
	for bit := ones; bit < bits; bit++ {
		if (bit < mask && r.chance(0.3)) || (bit >= mask && r.chance(0.1)) {
			ip[bit/8] |= 1 << (7 - bit%8)
		}
	}
	size := min(bits, max(0, mask+pick(r, 0, 0, 0, 0, 1, -1, 2, -2, 4)))
	if r.chance(0.05) {
		size = ones
	}
	if r.chance(0.05) {
		size = max(0, ones-1)
	}
	return fmt.Sprintf("%s/%d", ip, size)
}
