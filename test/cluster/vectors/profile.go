package main

import (
	"encoding/json"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// profileOf is the profile of a configuration file, or the default one; both without DynamicResources.
func profileOf(given map[string]any) (*config.KubeSchedulerProfile, error) {
	if given == nil {
		given = configuration(map[string]any{})
	}
	text, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	read, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	settings := read.(*config.KubeSchedulerConfiguration)
	settings.ClientConnection.Kubeconfig = ""
	if err := validation.ValidateKubeSchedulerConfiguration(settings); err != nil {
		return nil, err
	}
	return &settings.Profiles[0], nil
}

func configuration(profile map[string]any) map[string]any {
	plugins, _ := profile["plugins"].(map[string]any)
	if plugins == nil {
		plugins = map[string]any{}
	}
	point, _ := plugins["multiPoint"].(map[string]any)
	if point == nil {
		point = map[string]any{}
	}
	disabled, _ := point["disabled"].([]any)
	point["disabled"] = append(disabled, map[string]any{"name": "DynamicResources"})
	plugins["multiPoint"] = point
	profile["plugins"] = plugins
	return map[string]any{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": []any{profile}}
}

// profile is a configuration with settings of scores, filters and their arguments.
func (r *random) profile() map[string]any {
	var args []any
	arg := func(plugin string, fields map[string]any) {
		fields["apiVersion"], fields["kind"] = "kubescheduler.config.k8s.io/v1", plugin+"Args"
		args = append(args, map[string]any{"name": plugin, "args": fields})
	}
	if r.chance(0.6) {
		arg("NodeResourcesFit", r.fitArgs())
	}
	if r.chance(0.4) {
		arg("NodeResourcesBalancedAllocation", map[string]any{"resources": r.weighed(1, 1)})
	}
	if r.chance(0.4) {
		arg("InterPodAffinity", map[string]any{"hardPodAffinityWeight": pick(r, 0, 1, 50, 100), "ignorePreferredTermsOfExistingPods": r.chance(0.5)})
	}
	if r.chance(0.4) {
		arg("NodeAffinity", map[string]any{"addedAffinity": r.nodeAffinity()})
	}
	if r.chance(0.4) {
		arg("PodTopologySpread", r.spreadArgs())
	}
	profile := map[string]any{"pluginConfig": args}
	plugins := map[string]any{}
	if r.chance(0.4) {
		var enabled, disabled []any
		for _, name := range some(r, r.between(1, 3), "TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity", "NodeResourcesBalancedAllocation", "ImageLocality") {
			disabled = append(disabled, map[string]any{"name": name})
			if r.chance(0.7) {
				enabled = append(enabled, map[string]any{"name": name, "weight": r.between(1, 20)})
			}
		}
		plugins["score"] = map[string]any{"enabled": enabled, "disabled": disabled}
	}
	// A plugin without its PreFilter or PreScore fails in every cycle.
	if _, scores := plugins["score"]; !scores && r.chance(0.4) {
		name := pick(r, "NodePorts", "TaintToleration", "NodeUnschedulable", "NodeAffinity", "PodTopologySpread", "InterPodAffinity")
		plugins[pick(r, "multiPoint", "multiPoint", "filter")] = map[string]any{"disabled": []any{map[string]any{"name": name}}}
	}
	if r.chance(0.08) {
		name := pick(r, "NodePorts", "NodeResourcesFit", "NodeAffinity", "PodTopologySpread", "InterPodAffinity", "VolumeBinding", "VolumeZone", "VolumeRestrictions", "NodeVolumeLimits", "NodeDeclaredFeatures", "TaintToleration", "NodeResourcesBalancedAllocation")
		point := pick(r, "preFilter", "preScore")
		if name == "VolumeBinding" {
			point = "preFilter"
		}
		plugins[point] = map[string]any{"disabled": []any{map[string]any{"name": name}}}
	}
	profile["plugins"] = plugins
	given := configuration(profile)
	if _, err := profileOf(given); err != nil {
		refused[err.Error()]++
		return configuration(map[string]any{})
	}
	return given
}

var refused = map[string]int{}

func (r *random) weighed(low, high int) []any {
	var out []any
	for _, name := range some(r, r.between(1, 3), "cpu", "memory", "ephemeral-storage", "example.com/gpu", "example.com/fpga", "hugepages-2Mi", "pods") {
		out = append(out, map[string]any{"name": name, "weight": r.between(low, high)})
	}
	return out
}

func (r *random) fitArgs() map[string]any {
	kind := pick(r, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
	strategy := map[string]any{"type": kind, "resources": r.weighed(1, 10)}
	if kind == "RequestedToCapacityRatio" {
		shape := []any{}
		at := 0
		for range r.between(1, 4) {
			shape = append(shape, map[string]any{"utilization": at, "score": r.between(0, 10)})
			at += r.between(1, 33)
		}
		strategy["requestedToCapacityRatio"] = map[string]any{"shape": shape}
	}
	fit := map[string]any{"scoringStrategy": strategy}
	if r.chance(0.3) {
		fit["ignoredResources"] = some(r, r.between(1, 2), "example.com/gpu", "example.com/fpga", "example.com/none")
	}
	if r.chance(0.3) {
		fit["ignoredResourceGroups"] = []string{"example.com"}
	}
	return fit
}

func (r *random) spreadArgs() map[string]any {
	if r.chance(0.3) {
		return map[string]any{"defaultingType": "System"}
	}
	var constraints []any
	for _, key := range some(r, r.between(1, 2), hostname, zone, region, "disk") {
		constraints = append(constraints, map[string]any{"maxSkew": r.between(1, 4), "topologyKey": key, "whenUnsatisfiable": pick(r, "DoNotSchedule", "ScheduleAnyway")})
	}
	return map[string]any{"defaultingType": "List", "defaultConstraints": constraints}
}
