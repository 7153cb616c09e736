// Rows of the small tables: one function for each resource that has a row.
import { findCondition } from '../../api/conditions.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { Condition, KubeObject } from '../../api/objects/meta.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import type {
  DaemonSet,
  Deployment,
  Job,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { parseTime } from '../../api/time.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { selectorText } from '../../registry/printed/text.ts'
import type { BudgetRow, GangRow, SmallTableName, SmallTables, WorkloadRow } from '../../wire/console-tables.ts'

/** The table of a resource, and the row of an object; undefined: the object has no row. */
export interface SmallRowMaker {
  readonly table: SmallTableName
  readonly keyOf: (key: string) => string
  readonly rowOf: (object: KubeObject) => SmallTables[SmallTableName] | undefined
}

interface Progress {
  readonly wanted: number
  readonly ready: number
  readonly updated: number
  readonly trouble?: Trouble | undefined
}

interface Trouble {
  readonly text: string
  readonly sinceMs: number
}

function workloads<Kind extends KubeObject>(kind: string, progressOf: (object: Kind) => Progress | undefined) {
  const keyOf = (key: string) => `${key.slice(0, key.indexOf('/'))}/${kind}/${key.slice(key.indexOf('/') + 1)}`
  const maker: SmallRowMaker = {
    table: 'workloads',
    keyOf,
    rowOf(object): WorkloadRow | undefined {
      const progress = progressOf(object as Kind)
      if (progress === undefined) return undefined
      const { namespace, name, creationTimestamp } = object.metadata
      const { wanted, ready, updated, trouble } = progress
      return [
        `${namespace}/${kind}/${name}`,
        wanted,
        ready,
        updated,
        parseTime(creationTimestamp) ?? 0,
        trouble?.text ?? '',
        trouble?.sinceMs ?? 0,
      ]
    },
  }
  return maker
}

function deploymentProgress({ spec, status }: Deployment): Progress {
  const failing = findCondition(status?.conditions, 'ReplicaFailure')
  const progressing = findCondition(status?.conditions, 'Progressing')
  return {
    wanted: spec?.replicas ?? 1,
    ready: status?.readyReplicas ?? 0,
    updated: status?.updatedReplicas ?? 0,
    trouble:
      failing?.status === 'True'
        ? troubleOf(failing)
        : progressing?.status === 'False'
          ? troubleOf(progressing)
          : undefined,
  }
}

const troubleOf = ({ reason, message, lastTransitionTime }: Condition): Trouble => ({
  text: [reason, message].filter((part) => part !== undefined && part !== '').join(': '),
  sinceMs: parseTime(lastTransitionTime) ?? 0,
})

/** The console shows a Deployment instead of its ReplicaSets. */
const replicaProgress = (object: ReplicaSet | ReplicationController): Progress | undefined =>
  controllerOf(object) === undefined
    ? {
        wanted: object.spec?.replicas ?? 1,
        ready: object.status?.readyReplicas ?? 0,
        updated: object.status?.replicas ?? 0,
        trouble: failure(object.status?.conditions),
      }
    : undefined

function failure(conditions: readonly Condition[] | undefined): Trouble | undefined {
  const found = findCondition(conditions, 'ReplicaFailure')
  return found?.status === 'True' ? troubleOf(found) : undefined
}

const statefulProgress = ({ spec, status }: StatefulSet): Progress => ({
  wanted: spec?.replicas ?? 1,
  ready: status?.readyReplicas ?? 0,
  updated: status?.updatedReplicas ?? 0,
})

const daemonProgress = ({ status }: DaemonSet): Progress => ({
  wanted: status?.desiredNumberScheduled ?? 0,
  ready: status?.numberReady ?? 0,
  updated: status?.updatedNumberScheduled ?? 0,
})

function jobProgress({ spec, status }: Job): Progress | undefined {
  const failed = findCondition(status?.conditions, 'Failed')
  if (findCondition(status?.conditions, 'Complete')?.status === 'True') return undefined
  const left = Math.max(0, (spec?.completions ?? spec?.parallelism ?? 1) - (status?.succeeded ?? 0))
  return {
    wanted: spec?.suspend === true ? 0 : Math.min(spec?.parallelism ?? 1, left),
    ready: status?.ready ?? 0,
    updated: status?.active ?? 0,
    trouble: failed?.status === 'True' ? troubleOf(failed) : undefined,
  }
}

function budgetRow(object: KubeObject): BudgetRow {
  const { metadata, spec, status } = object as PodDisruptionBudget
  const rule =
    spec?.maxUnavailable === undefined
      ? `minAvailable ${spec?.minAvailable ?? 1}`
      : `maxUnavailable ${spec.maxUnavailable}`
  return [
    `${metadata.namespace}/${metadata.name}`,
    rule,
    selectorText(spec?.selector ?? {}),
    status?.currentHealthy ?? 0,
    status?.desiredHealthy ?? 0,
    status?.expectedPods ?? 0,
    status?.disruptionsAllowed ?? 0,
    parseTime(metadata.creationTimestamp) ?? 0,
  ]
}

/** The pods of groups are counted later: see `gangRow`. */
function groupRow(object: KubeObject): GangRow {
  const { metadata, spec, status } = object as PodGroup
  const scheduled = (status?.conditions ?? []).find(({ type }) => type === 'PodGroupScheduled')
  return [
    `${metadata.namespace}/${metadata.name}`,
    spec.schedulingPolicy?.gang?.minCount ?? 0,
    0,
    0,
    spec.schedulingConstraints?.topology?.[0]?.key ?? '',
    parseTime(metadata.creationTimestamp) ?? 0,
    scheduled === undefined || scheduled.status === 'True' ? '' : (scheduled.message ?? scheduled.reason ?? ''),
  ]
}

/** The row of a group with the counts of its pods. */
export function gangRow(row: GangRow, pods: Iterable<Pod>): GangRow {
  let all = 0
  let placed = 0
  for (const { spec } of pods) {
    all++
    if (spec.nodeName !== undefined && spec.nodeName !== '') placed++
  }
  const [key, minCount, , , topology, createdMs, trouble] = row
  return [key, minCount, all, placed, topology, createdMs, trouble]
}

const same = (key: string) => key

export const smallRowMakers = lookupTable<SmallRowMaker>({
  'deployments.apps': workloads<Deployment>('Deployment', deploymentProgress),
  'replicasets.apps': workloads<ReplicaSet>('ReplicaSet', replicaProgress),
  'statefulsets.apps': workloads<StatefulSet>('StatefulSet', statefulProgress),
  'daemonsets.apps': workloads<DaemonSet>('DaemonSet', daemonProgress),
  'jobs.batch': workloads<Job>('Job', jobProgress),
  replicationcontrollers: workloads<ReplicationController>('ReplicationController', replicaProgress),
  'poddisruptionbudgets.policy': { table: 'budgets', keyOf: same, rowOf: budgetRow },
  'podgroups.scheduling.k8s.io': { table: 'gangs', keyOf: same, rowOf: groupRow },
})
