/** Behavior that upstream changed without a feature gate. */
export type ReleaseChange =
  | 'TaintMessageWithoutKey'
  | 'BalanceByChange'
  | 'ImageVolumesScored'
  | 'ImageVolumesCounted'
  | 'NominatedPodsWake'
  | 'AffinityWakesBothWays'
  | 'AnyAntiAffinityTermWakes'
  | 'FeatureMessageWithoutNames'
  | 'MigrationWithoutAnnotation'
  | 'MissingDriverOptIn'
  | 'TargetPodEvents'
  | 'NodeNameNarrows'
  | 'NamespaceSelectorsResolved'
  | 'HostNetworkUserNamespaces'
  | 'BindMountOptions'
  | 'RatioRequired'
  | 'MalformedIsBadRequest'
  | 'CapitalizedSetEvents'
  | 'OnDeleteCompletes'
  | 'ViolatedBudgetEnds'
  | 'UnstartedVictimsInOrder'
  | 'ParallelReplacesUnavailable'

interface ReleaseSpan {
  /**
   * The first version with the change, one for each minor that received it in a patch release. Later minors have it.
   */
  readonly since: readonly string[]
  readonly what: string
}

export const releaseChanges: Readonly<Record<ReleaseChange, ReleaseSpan>> = {
  TaintMessageWithoutKey: {
    since: ['1.34.2'],
    what: 'FailedScheduling does not name the untolerated taint (kubernetes/kubernetes#134740)',
  },
  BalanceByChange: {
    since: ['1.36.0'],
    what: 'NodeResourcesBalancedAllocation scores the change of the balance and not the balance',
  },
  ImageVolumesScored: { since: ['1.36.0'], what: 'ImageLocality scores the images of volumes' },
  ImageVolumesCounted: { since: ['1.37.0'], what: 'ImageLocality raises its threshold for the images of volumes' },
  NominatedPodsWake: {
    since: ['1.36.0'],
    what: 'changes of nominated pods retry pods that InterPodAffinity or PodTopologySpread rejected',
  },
  AffinityWakesBothWays: {
    since: ['1.36.0'],
    what: 'the deletion of a pod retries pods that its anti-affinity rejected, and new labels of a pod retry the pod itself',
  },
  AnyAntiAffinityTermWakes: {
    since: ['1.37.0'],
    what: 'a pod that matches one of several anti-affinity terms retries pods when it is deleted',
  },
  FeatureMessageWithoutNames: {
    since: ['1.36.0'],
    what: 'FailedScheduling does not name the node features that are missing',
  },
  MigrationWithoutAnnotation: {
    since: ['1.36.0'],
    what: 'CSI migration counts volumes of all in-tree plugins, regardless of the annotation of the CSINode',
  },
  MissingDriverOptIn: {
    since: ['1.36.0'],
    what: 'a missing CSI driver rejects a node only if the CSIDriver has preventPodSchedulingIfMissing',
  },
  TargetPodEvents: {
    since: ['1.37.0'],
    what: 'queue events distinguish assigned, unscheduled and target pods, and name a scale-up',
  },
  NamespaceSelectorsResolved: {
    since: ['1.37.0'],
    what: 'a namespace selector of pod affinity that matches no labels does not select all namespaces',
  },
  HostNetworkUserNamespaces: {
    since: ['1.36.0'],
    what: 'pods with hostNetwork and user namespaces need nodes that declare UserNamespacesHostNetworkSupport',
  },
  BindMountOptions: {
    since: ['1.37.0'],
    what: 'pods with bindMountOptions need nodes that declare VolumeBindMountOptions',
  },
  CapitalizedSetEvents: {
    since: ['1.35.0'],
    what: 'messages of StatefulSet events begin with a capital letter: "Create Pod web-0 in StatefulSet web successful"',
  },
  OnDeleteCompletes: {
    since: ['1.37.0'],
    what: 'a StatefulSet with the strategy OnDelete makes the new revision the current one when all pods have it',
  },
  ViolatedBudgetEnds: {
    since: ['1.37.0'],
    what: 'in preemption, a pod counts against disruption budgets only up to the first one that it violates',
  },
  UnstartedVictimsInOrder: {
    since: ['1.37.0'],
    what: 'in preemption, the most important of several pods without a start time is the one that was assigned to the node first',
  },
  ParallelReplacesUnavailable: {
    since: ['1.37.0'],
    what: 'a parallel StatefulSet replaces unavailable pods of an old revision without waiting for its budget',
  },
  RatioRequired: {
    since: ['1.36.0'],
    what: 'NodeResourcesFitArgs requires requestedToCapacityRatio for the strategy of this name, and refuses it for other strategies',
  },
  MalformedIsBadRequest: {
    since: ['1.35.0'],
    what: 'malformed DeleteOptions and impersonation without a user name are answered with 400 instead of 500',
  },
  NodeNameNarrows: { since: ['1.37.0'], what: 'NodeName narrows the search in PreFilter' },
}

export function changesOf(version: string): ReadonlySet<ReleaseChange> {
  const names = Object.keys(releaseChanges) as ReleaseChange[]
  return new Set(names.filter((name) => releaseChanges[name].since.some((since) => includes(since, version))))
}

/**
 * A patch release has the changes of its minor release; a minor release has the changes of all earlier minor releases.
 */
function includes(since: string, version: string): boolean {
  const [sinceMinor, sincePatch] = minorAndPatch(since)
  const [minor, patch] = minorAndPatch(version)
  return minor > sinceMinor || (minor === sinceMinor && patch >= sincePatch)
}

function minorAndPatch(version: string): readonly [number, number] {
  const [, minor, patch] = version.split('.')
  return [Number(minor), Number(patch)]
}
