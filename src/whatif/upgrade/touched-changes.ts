import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node, Taint } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { CSIDriver, PersistentVolumeClaim, StorageClass } from '../../api/objects/storage.ts'
import type { ControllerRevision, Job, StatefulSet } from '../../api/objects/workloads.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { type ReleaseChange, releaseChanges } from '../../api/releases/release-changes.ts'
import type { Store } from '../../store/contract.ts'
import { hasNullTimestamp } from '../snapshot/found-revisions.ts'
import type { UpgradeFinding } from './upgrade-report.ts'

/** The condition under which a gate or a change affects a cluster: it has matching objects of a resource. */
interface Touch {
  readonly resource: string
  readonly matches: (object: KubeObject) => boolean
}

interface TouchedGate extends Touch {
  readonly gate: string
  readonly effect: string
}

interface TouchedChange extends Touch {
  readonly change: ReleaseChange
  /** A message about the object without the change, and with it. */
  readonly quote: (object: KubeObject) => { readonly without: string; readonly with: string }
}

const any = () => true
const blocks = ({ effect }: Taint) => effect !== 'PreferNoSchedule'
const features = (object: KubeObject) => (object as Node).status?.declaredFeatures ?? []
const specOf = (object: KubeObject) => (object as { readonly spec?: Readonly<Record<string, unknown>> }).spec ?? {}

/** Gates whose effect a comparison of two runs may not show, because it depends on what happens later. */
const touchedGates: readonly TouchedGate[] = [
  {
    gate: 'MaxUnavailableStatefulSet',
    resource: 'statefulsets.apps',
    // 1 is the default, and the value of releases without the gate.
    matches: (set) => ((set as StatefulSet).spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1) !== 1,
    effect: 'rolling updates honor maxUnavailable: several pods at once',
  },
  {
    gate: 'StatefulSetSemanticRevisionComparison',
    resource: 'controllerrevisions.apps',
    matches: (object) => hasNullTimestamp(object as ControllerRevision),
    effect: 'a revision that another release serialized counts as equal and the pods are not rolled',
  },
  {
    gate: 'StorageCapacityScoring',
    resource: 'storageclasses.storage.k8s.io',
    matches: (object) => (object as StorageClass).volumeBindingMode === 'WaitForFirstConsumer',
    effect: 'pods with unbound claims prefer nodes with more free storage',
  },
  {
    gate: 'VolumeLimitScaling',
    resource: 'csidrivers.storage.k8s.io',
    matches: (object) => (object as CSIDriver).spec.preventPodSchedulingIfMissing === true,
    effect: 'pods that need the driver are not placed on nodes without it',
  },
  {
    gate: 'PersistentVolumeClaimUnusedSinceTime',
    resource: 'persistentvolumeclaims',
    matches: (object) => (object as PersistentVolumeClaim).status?.phase === 'Bound',
    effect: 'bound claims get the condition Unused, which reports whether a pod uses them',
  },
  {
    gate: 'MutableSchedulingDirectivesForSuspendedJobs',
    resource: 'jobs.batch',
    matches: (object) => (object as Job).spec?.suspend === true,
    effect: 'a Job loses its startTime when it is suspended, and its scheduling directives can be changed',
  },
  {
    gate: 'TaintTolerationComparisonOperators',
    resource: 'pods',
    matches: (object) =>
      ((object as Pod).spec.tolerations ?? []).some(({ operator }) => operator === 'Gt' || operator === 'Lt'),
    effect: 'tolerations with Gt and Lt count',
  },
  {
    gate: 'NodeDeclaredFeatures',
    resource: 'nodes',
    matches: (object) => features(object).length > 0,
    effect: 'pods are placed only on nodes that declare the features they need',
  },
  {
    gate: 'DRAExtendedResource',
    resource: 'deviceclasses.resource.k8s.io',
    matches: (object) => specOf(object)['extendedResourceName'] !== undefined,
    effect: 'requests for the extended resource are allocated from devices',
  },
]

/** Changes of messages that alerts may match, with the objects that cause such messages. */
const changedMessages: readonly TouchedChange[] = [
  {
    change: 'TaintMessageWithoutKey',
    resource: 'nodes',
    matches: (object) => ((object as Node).spec?.taints ?? []).some(blocks),
    quote: (object) => {
      const { key, value = '' } = (object as Node).spec?.taints?.find(blocks) ?? { key: '' }
      const reason = '1 node(s) had untolerated taint'
      return { without: `${reason} {${key}: ${value}}`, with: `${reason}(s)` }
    },
  },
  {
    change: 'CapitalizedSetEvents',
    resource: 'statefulsets.apps',
    matches: any,
    quote: ({ metadata: { name } }) => {
      const rest = `Pod ${name}-0 in StatefulSet ${name} successful`
      return { without: `create ${rest}`, with: `Create ${rest}` }
    },
  },
  {
    change: 'FeatureMessageWithoutNames',
    resource: 'nodes',
    matches: (object) => features(object).length > 0,
    quote: (object) => {
      const named = `node declared features check failed - unsatisfied requirements: ${features(object)[0]}`
      return { without: named, with: "node(s) didn't match Pod's required features" }
    },
  },
]

/** The gates and messages that change from one release to the other and that affect this cluster. */
export function touchedBy(store: Store, from: KubernetesRelease, to: KubernetesRelease): readonly UpgradeFinding[] {
  const findings: UpgradeFinding[] = []
  for (const { gate, effect, ...touch } of touchedGates) {
    if (from.gates.has(gate) === to.gates.has(gate)) continue
    const objects = touchingObjects(store, touch)
    if (objects.length === 0) continue
    const state = to.gates.has(gate) ? 'on' : 'off'
    findings.push({ kind: 'gate', what: `${gate} is ${state} in v${to.version}; when it is on, ${effect}`, objects })
  }
  for (const { change, quote, ...touch } of changedMessages) {
    if (from.changes.has(change) === to.changes.has(change)) continue
    const first = store.list(touch.resource).find(touch.matches)
    if (first === undefined) continue
    const texts = quote(first)
    findings.push({
      kind: 'message',
      what: releaseChanges[change].what,
      before: from.changes.has(change) ? texts.with : texts.without,
      after: to.changes.has(change) ? texts.with : texts.without,
      objects: touchingObjects(store, touch),
    })
  }
  return findings
}

function touchingObjects(store: Store, { resource, matches }: Touch): readonly string[] {
  return store
    .list(resource)
    .flatMap((object) => (matches(object) ? [`${resource.split('.')[0]}/${keyOf(object)}`] : []))
}
