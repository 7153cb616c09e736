package main

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type budget = policy.PodDisruptionBudget

const (
	alwaysAllow     = policy.AlwaysAllow
	ifHealthyBudget = policy.IfHealthyBudget
)

func (r *random) fillPlacement(pod *v1.Pod, f focus) {
	if r.chance(f.of("nodeSelector")) {
		pod.Spec.NodeSelector = map[string]string{"disk": pick(r, "ssd", "hdd", "nvme")}
	}
	if r.chance(f.of("nodeAffinity")) {
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: r.nodeAffinity()}
	}
	if r.chance(f.of("podAffinity")) {
		if pod.Spec.Affinity == nil {
			pod.Spec.Affinity = &v1.Affinity{}
		}
		r.fillPodAffinity(pod)
	}
	if r.chance(f.of("spread")) {
		r.fillSpread(pod)
	}
	if r.chance(f.of("tolerations")) {
		pod.Spec.Tolerations = r.tolerations(r.between(1, 4))
	}
}

func (r *random) tolerations(count int) []v1.Toleration {
	var out []v1.Toleration
	for range count {
		toleration := v1.Toleration{
			Key:      pick(r, "a", "b", "dedicated", "node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready", "node.kubernetes.io/memory-pressure"),
			Operator: pick(r, v1.TolerationOpExists, v1.TolerationOpEqual, v1.TolerationOpEqual, ""),
			Effect:   pick(r, v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute, ""),
		}
		if toleration.Operator != v1.TolerationOpExists {
			toleration.Value = pick(r, "", "x", "y", "10", "5")
		} else if r.chance(0.15) {
			toleration.Key = ""
		}
		if toleration.Effect == v1.TaintEffectNoExecute && r.chance(0.4) {
			toleration.TolerationSeconds = ptr(pick(r, int64(0), -1, 30, 300))
		}
		out = append(out, toleration)
	}
	return out
}

func (r *random) nodeAffinity() *v1.NodeAffinity {
	affinity := &v1.NodeAffinity{}
	if r.chance(0.7) {
		required := &v1.NodeSelector{}
		for range r.between(1, 3) {
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, r.nodeSelectorTerm(true))
		}
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	}
	if r.chance(0.6) {
		for range r.between(1, 3) {
			affinity.PreferredDuringSchedulingIgnoredDuringExecution = append(affinity.PreferredDuringSchedulingIgnoredDuringExecution,
				v1.PreferredSchedulingTerm{Weight: int32(r.between(1, 100)), Preference: r.nodeSelectorTerm(true)})
		}
	}
	return affinity
}

func (r *random) nodeSelectorTerm(fields bool) v1.NodeSelectorTerm {
	term := v1.NodeSelectorTerm{}
	if r.chance(0.05) {
		return term
	}
	if fields && r.chance(0.25) {
		term.MatchFields = []v1.NodeSelectorRequirement{{
			Key: metav1.ObjectNameField, Operator: pick(r, v1.NodeSelectorOpIn, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn),
			Values: []string{pick(r, "node-00", "node-01", "node-02", "node-03", "node-99")},
		}}
		if r.chance(0.5) {
			return term
		}
	}
	for range r.between(1, 2) {
		term.MatchExpressions = append(term.MatchExpressions, r.nodeRequirement())
	}
	return term
}

func (r *random) nodeRequirement() v1.NodeSelectorRequirement {
	operator := pick(r, v1.NodeSelectorOpIn, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn, v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist, v1.NodeSelectorOpGt, v1.NodeSelectorOpLt)
	switch operator {
	case v1.NodeSelectorOpGt, v1.NodeSelectorOpLt:
		// The API server accepts texts that are not numbers; the later reader must report them.
		if r.chance(0.05) {
			return v1.NodeSelectorRequirement{Key: "rank", Operator: operator, Values: []string{pick(r, "x", "1.5", "", "9223372036854775808")}}
		}
		return v1.NodeSelectorRequirement{Key: pick(r, "rank", "rank", "disk"), Operator: operator, Values: []string{pick(r, "0", "3", "4", "007", "10")}}
	case v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist:
		return v1.NodeSelectorRequirement{Key: pick(r, "rank", "disk", zone, region, "rack", "none"), Operator: operator}
	}
	switch r.IntN(4) {
	case 0:
		return v1.NodeSelectorRequirement{Key: "disk", Operator: operator, Values: some(r, r.between(1, 2), "ssd", "hdd", "nvme", "")}
	case 1:
		return v1.NodeSelectorRequirement{Key: "rank", Operator: operator, Values: some(r, r.between(1, 2), "1", "3", "x", "")}
	case 2:
		return v1.NodeSelectorRequirement{Key: hostname, Operator: operator, Values: some(r, r.between(1, 3), "node-00", "node-01", "node-02", "node-03", "node-04")}
	}
	return v1.NodeSelectorRequirement{Key: zone, Operator: operator, Values: some(r, r.between(1, 2), "zone-a", "zone-b", "zone-c", "zone-x")}
}

func (r *random) labelSelector() *metav1.LabelSelector {
	selector := &metav1.LabelSelector{}
	if r.chance(0.06) {
		return selector
	}
	if r.chance(0.6) {
		selector.MatchLabels = map[string]string{"app": pick(r, "web", "db", "cache", "batch")}
	}
	if selector.MatchLabels == nil || r.chance(0.3) {
		operator := pick(r, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)
		requirement := metav1.LabelSelectorRequirement{Key: pick(r, "app", "tier", "none"), Operator: operator}
		if operator == metav1.LabelSelectorOpIn || operator == metav1.LabelSelectorOpNotIn {
			requirement.Values = some(r, r.between(1, 4), "front", "back", "web", "db", "cache", "batch")
		}
		selector.MatchExpressions = append(selector.MatchExpressions, requirement)
	}
	return selector
}

func (r *random) affinityTerm(pod *v1.Pod) v1.PodAffinityTerm {
	term := v1.PodAffinityTerm{TopologyKey: pick(r, hostname, zone, zone, region, "disk", "rack", "none"), LabelSelector: r.labelSelector()}
	if r.chance(0.05) {
		term.LabelSelector = nil
	}
	if r.chance(0.25) {
		term.Namespaces = some(r, r.between(1, 2), "default", "prod", "dev", "gone")
	}
	if r.chance(0.25) {
		switch r.IntN(4) {
		case 0:
			term.NamespaceSelector = &metav1.LabelSelector{}
		case 1:
			term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": pick(r, "a", "b", "none")}}
		case 2:
			term.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: pick(r, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)}}}
		default:
			term.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: pick(r, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn), Values: []string{"a"}}}}
		}
	}
	// The effect of matchLabelKeys and mismatchLabelKeys in the API server when a pod is created.
	if value, ok := pod.Labels["tier"]; ok && term.LabelSelector != nil && term.LabelSelector.MatchExpressions == nil && r.chance(0.2) {
		operator := metav1.LabelSelectorOpIn
		if r.chance(0.5) {
			term.MatchLabelKeys = []string{"tier"}
		} else {
			operator, term.MismatchLabelKeys = metav1.LabelSelectorOpNotIn, []string{"tier"}
		}
		term.LabelSelector.MatchExpressions = append(slices.Clone(term.LabelSelector.MatchExpressions),
			metav1.LabelSelectorRequirement{Key: "tier", Operator: operator, Values: []string{value}})
	}
	return term
}

func (r *random) fillPodAffinity(pod *v1.Pod) {
	required := func() (terms []v1.PodAffinityTerm) {
		for range r.between(0, 2) {
			terms = append(terms, r.affinityTerm(pod))
		}
		return
	}
	preferred := func() (terms []v1.WeightedPodAffinityTerm) {
		for range r.between(0, 2) {
			terms = append(terms, v1.WeightedPodAffinityTerm{Weight: int32(r.between(1, 100)), PodAffinityTerm: r.affinityTerm(pod)})
		}
		return
	}
	if r.chance(0.6) {
		pod.Spec.Affinity.PodAffinity = &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: preferred()}
		if r.chance(0.6) {
			pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = required()
		}
	}
	if r.chance(0.6) {
		pod.Spec.Affinity.PodAntiAffinity = &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: preferred()}
		if r.chance(0.6) {
			pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = required()
		}
	}
}

func (r *random) fillSpread(pod *v1.Pod) {
	for range r.between(1, 3) {
		constraint := v1.TopologySpreadConstraint{
			MaxSkew: int32(r.between(1, 3)), TopologyKey: pick(r, hostname, zone, zone, region, "disk", "rack"),
			WhenUnsatisfiable: pick(r, v1.DoNotSchedule, v1.DoNotSchedule, v1.ScheduleAnyway), LabelSelector: r.labelSelector(),
		}
		if r.chance(0.05) {
			constraint.LabelSelector = nil
		}
		if constraint.WhenUnsatisfiable == v1.DoNotSchedule && r.chance(0.3) {
			constraint.MinDomains = ptr(int32(r.between(1, 5)))
		}
		if r.chance(0.4) {
			constraint.NodeAffinityPolicy = ptr(pick(r, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore))
		}
		if r.chance(0.4) {
			constraint.NodeTaintsPolicy = ptr(pick(r, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore))
		}
		if constraint.LabelSelector != nil && r.chance(0.25) {
			constraint.MatchLabelKeys = some(r, r.between(1, 2), "tier", "pod-template-hash", "absent")
		}
		same := func(other v1.TopologySpreadConstraint) bool {
			return other.TopologyKey == constraint.TopologyKey && other.WhenUnsatisfiable == constraint.WhenUnsatisfiable
		}
		if !slices.ContainsFunc(pod.Spec.TopologySpreadConstraints, same) {
			pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, constraint)
		}
	}
}
