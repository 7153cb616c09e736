// The problems that need attention, computed from the rows and objects of the console: one item for each problem, not
// for each object.
import { findCondition } from '../../api/conditions.ts'
import { reportDevices } from '../../api/device-report.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import { parseTime } from '../../api/time.ts'
import type { AttentionItem } from '../../wire/console-tables.ts'
import type { DrainState, PodRow, Summary, Transition } from '../../wire/console-wire.ts'
import type { ConsoleBoard } from './board.ts'
import { briefReasons, isAboutNodes, reasonsOf } from './pending-reasons.ts'
import { nodeFlags } from './rows.ts'
import type { ConsoleSource } from './source.ts'

export interface AttentionScope {
  readonly source: ConsoleSource
  readonly board: ConsoleBoard
  readonly summary: Omit<Summary, 'drains'>
  readonly drains: readonly DrainState[]
  readonly now: number
}

const shownAtMost = 60

/** Sorted by severity, then in the order of the finders, then by age, oldest first. */
export function attentionOf(scope: AttentionScope): readonly AttentionItem[] {
  const items = finders.flatMap((find) => [...find(scope)].sort((a, b) => age(b.sinceMs) - age(a.sinceMs)))
  return items.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad')).slice(0, shownAtMost)
}

const age = (sinceMs: number) => (sinceMs === 0 ? Number.NEGATIVE_INFINITY : -sinceMs)

type Finder = (scope: AttentionScope) => readonly AttentionItem[]

/** Above this number, nodes with the same problem in one zone are one item. */
const nodesApart = 4

const silentNodes: Finder = ({ source, board }) => {
  const zones = new Map<string, { name: string; sinceMs: number; unknown: boolean }[]>()
  for (const [name, zone, , , , health] of board.nodes.values()) {
    if (health === 0 || health === 3) continue
    const ready = findCondition(source.get('nodes', name)?.status?.conditions, 'Ready')
    const list = zones.get(zone) ?? []
    list.push({ name, sinceMs: parseTime(ready?.lastTransitionTime) ?? 0, unknown: health === 2 })
    zones.set(zone, list)
  }
  return [...zones].flatMap(([zone, nodes]): readonly AttentionItem[] => {
    if (nodes.length > nodesApart)
      return [
        {
          id: `silent-zone ${zone}`,
          tone: 'bad',
          sinceMs: oldest(nodes.map(({ sinceMs }) => sinceMs)),
          object: zone === '' ? `${nodes.length} nodes` : `Zone ${zone}`,
          problem: `${nodes.length} nodes are not ready`,
          wayOut: 'Evictions are slower, or stop, while most nodes of a zone are silent',
          path: '/evictions',
        },
      ]
    return nodes.map(({ name, sinceMs, unknown }) => ({
      id: `silent ${name}`,
      tone: 'bad',
      sinceMs,
      object: name,
      problem: unknown ? 'the kubelet does not answer' : 'the kubelet reports that the node is not ready',
      wayOut: unknown ? 'Restore it, or add the out-of-service taint' : 'See the message of its Ready condition',
      path: `/nodes/${name}`,
    }))
  })
}

function oldest(times: readonly number[]): number {
  const known = times.filter((time) => time > 0)
  return known.length === 0 ? 0 : Math.min(...known)
}

const pressures = [
  { type: 'MemoryPressure', word: 'memory', flag: nodeFlags.memoryPressure },
  { type: 'DiskPressure', word: 'disk', flag: nodeFlags.diskPressure },
  { type: 'PIDPressure', word: 'PID', flag: nodeFlags.pidPressure },
] as const

const pressedNodes: Finder = ({ source, board }) => {
  const names: string[] = []
  const words = new Set<string>()
  const since: number[] = []
  for (const [name, , , , , health, flags] of board.nodes.values()) {
    const present = pressures.filter(({ flag }) => health === 0 && (flags & flag) !== 0)
    if (present.length === 0) continue
    names.push(name)
    for (const { type, word } of present) {
      words.add(word)
      since.push(parseTime(findCondition(source.get('nodes', name)?.status?.conditions, type)?.lastTransitionTime) ?? 0)
    }
  }
  if (names.length === 0) return []
  return [
    {
      id: 'pressure',
      tone: 'warn',
      sinceMs: oldest(since),
      object: names.length === 1 ? (names[0] as string) : `${names.length} nodes`,
      problem: `${[...words].join(' and ')} pressure`,
      wayOut: 'The kubelet evicts pods until the pressure ends',
      path: names.length === 1 ? `/nodes/${names[0]}` : '/map?color=health',
    },
  ]
}

/** The owner of a pod as users know it: the Deployment instead of its ReplicaSet. */
export function workloadName(key: string, owner: string): string {
  const namespace = key.slice(0, key.indexOf('/'))
  if (owner === '') return `Pod ${key}`
  const [kind = '', name = ''] = owner.split('/')
  const hash = name.lastIndexOf('-')
  if (kind === 'ReplicaSet' && hash > 0) return `Deployment ${namespace}/${name.slice(0, hash)}`
  return `${kind} ${namespace}/${name}`
}

interface PendingGroup {
  readonly reason: string
  readonly message: string
  pods: number
  sinceMs: number
  first: string
  readonly workloads: Map<string, number>
}

const pendingPods: Finder = ({ source, board }) => {
  const groups = new Map<string, PendingGroup>()
  for (const row of board.pods.values()) {
    if (row[2] !== 0) continue
    const [key, , , , , , createdMs, , owner] = row
    const pod = source.get('pods', key)
    const scheduled = findCondition(pod?.status?.conditions, 'PodScheduled')
    // The scheduler has not tried the pod yet, or the pod is reported with its pod group.
    if (scheduled?.message === undefined || gangOf(key, pod, board) !== undefined) continue
    const reason = reasonsOf(scheduled.message)
    const group = groups.get(reason) ?? {
      reason,
      message: scheduled.message,
      pods: 0,
      sinceMs: createdMs,
      first: key,
      workloads: new Map(),
    }
    group.pods++
    if (createdMs < group.sinceMs || (createdMs === group.sinceMs && key < group.first)) {
      group.sinceMs = createdMs
      group.first = key
    }
    const workload = workloadName(key, owner)
    group.workloads.set(workload, (group.workloads.get(workload) ?? 0) + 1)
    groups.set(reason, group)
  }
  return [...groups.values()].map(({ reason, pods, sinceMs, first, workloads }) => ({
    id: `pending ${reason}`,
    tone: 'bad',
    sinceMs,
    object: workloadList(workloads),
    problem: `${pods} ${pods === 1 ? 'pod is' : 'pods are'} pending: ${briefReasons(reason)}`,
    wayOut: 'See the smallest change that would place it',
    path: `/pods/${first}`,
  }))
}

const workloadsNamed = 3

/**
 * `Deployment ml/finetune, ml/training and 4 more`: the workloads with the most pods. They are in the order of their names,
 * so that the line stays the same while their numbers of pods change.
 */
function workloadList(pods: ReadonlyMap<string, number>): string {
  const byPods = [...pods].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([workload]) => workload)
  const named = byPods.slice(0, workloadsNamed).sort()
  const words = named.map((workload, at) => {
    const kind = workload.slice(0, workload.indexOf(' ') + 1)
    return at > 0 && named[at - 1]?.startsWith(kind) ? workload.slice(kind.length) : workload
  })
  const others = byPods.length - named.length
  return `${words.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

/** Statuses of containers that waiting does not resolve. */
const brokenStatuses: ReadonlySet<string> = new Set([
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'OOMKilled',
  'Error',
])

const isBroken = (status: string) => brokenStatuses.has(status.replace(/^Init:/, ''))

const brokenPods: Finder = ({ board }) => {
  const groups = new Map<string, { workload: string; status: string; pods: number; sinceMs: number; first: string }>()
  for (const [key, , state, , , , createdMs, , owner, , , status = ''] of board.pods.values()) {
    if (state >= 5 || !isBroken(status)) continue
    const workload = workloadName(key, owner)
    const id = `${workload} ${status}`
    const group = groups.get(id) ?? { workload, status, pods: 0, sinceMs: createdMs, first: key }
    groups.set(id, { ...group, pods: group.pods + 1, sinceMs: Math.min(group.sinceMs, createdMs) })
  }
  return [...groups].map(([id, { workload, status, pods, sinceMs, first }]) => ({
    id: `broken ${id}`,
    tone: 'bad',
    sinceMs,
    object: workload,
    problem: `${pods} ${pods === 1 ? 'pod is' : 'pods are'} in ${status}`,
    wayOut: status.includes('Image') ? 'Check the image name and the pull secret' : 'See the logs of the pod',
    path: `/pods/${first}`,
  }))
}

/** Workloads whose pods wait for a node or do not start. Another item reports the cause. */
function explainedWorkloads(board: ConsoleBoard): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [key, , state, , , , , , owner, , , status = ''] of board.pods.values())
    if (state === 0 || (state < 5 && isBroken(status))) found.add(workloadName(key, owner))
  return found
}

const rollouts: Finder = ({ source, board }) => {
  const stuck = [...board.small.rows('workloads').values()].filter(([, , , , , trouble]) => trouble !== '')
  if (stuck.length === 0) return []
  const explained = explainedWorkloads(board)
  return stuck.flatMap(([key, , , , , trouble, sinceMs]) => {
    const [namespace = '', kind = '', name = ''] = key.split('/')
    if (explained.has(`${kind} ${namespace}/${name}`)) return []
    const annotations = source.get('deployments.apps', `${namespace}/${name}`)?.metadata.annotations
    // A Deployment with only one revision cannot be rolled back.
    const canUndo = kind === 'Deployment' && Number(annotations?.['deployment.kubernetes.io/revision'] ?? 1) > 1
    return [
      {
        id: `rollout ${key}`,
        tone: 'bad' as const,
        sinceMs,
        object: `${kind} ${namespace}/${name}`,
        problem: trouble,
        wayOut: canUndo ? `kubectl rollout undo deployment/${name} -n ${namespace}` : 'See its pods',
        path: `/workloads/${key}`,
      },
    ]
  })
}

const budgets: Finder = ({ source, board }) =>
  [...board.small.rows('budgets').values()].flatMap(([key, rule, , healthy, desired, expected]) =>
    expected > 0 && healthy < desired
      ? [
          {
            id: `budget ${key}`,
            tone: 'bad' as const,
            sinceMs:
              parseTime(
                findCondition(source.get('poddisruptionbudgets.policy', key)?.status?.conditions, 'DisruptionAllowed')
                  ?.lastTransitionTime,
              ) ?? 0,
            object: `Budget ${key}`,
            problem: `${healthy} of ${expected} pods are healthy, ${rule} needs ${desired}`,
            wayOut: 'No pod can be evicted until more are ready',
            path: `/budgets?search=${encodeURIComponent(key)}`,
          },
        ]
      : [],
  )

const blockedDrains: Finder = ({ drains }) =>
  drains.flatMap(({ node, since, left, blocked, done }) => {
    const [first] = blocked
    if (done || first === undefined) return []
    return [
      {
        id: `drain ${node}`,
        tone: 'bad' as const,
        sinceMs: since,
        object: node,
        problem: `the drain is blocked, ${left} ${left === 1 ? 'pod is' : 'pods are'} left: ${first.pod}: ${first.why}`,
        wayOut: 'Add replicas, or relax the disruption budget',
        path: `/nodes/${node}`,
      },
    ]
  })

const evictions: Finder = ({ summary }) => {
  const { count = 0 } = summary.evictions ?? {}
  if (count === 0) return []
  return [
    {
      id: 'evictions',
      tone: 'warn',
      sinceMs: 0,
      object: `${count} ${count === 1 ? 'pod' : 'pods'}`,
      problem: 'will be evicted because of taints',
      wayOut: 'Remove the taint, or wait: their workloads replace them',
      path: '/evictions',
    },
  ]
}

const loopMs = 15 * 60_000
const shortLifeMs = 5 * 60_000
const loopTimes = 6

/** Workloads whose pods are placed and evicted again, several times in a quarter of an hour. */
const evictionLoops: Finder = ({ board, now }) => {
  const since = now - loopMs
  const counts = new Map<string, { times: number; firstMs: number }>()
  for (const transition of board.history().transitions) {
    const before = shortLived(transition, since)
    if (before === undefined) continue
    const workload = workloadName(before[0], before[8])
    const known = counts.get(workload) ?? { times: 0, firstMs: transition[1] }
    counts.set(workload, { ...known, times: known.times + 1 })
  }
  return [...counts].flatMap(([workload, { times, firstMs }]) =>
    times < loopTimes
      ? []
      : [
          {
            id: `loop ${workload}`,
            tone: 'bad' as const,
            sinceMs: firstMs,
            object: workload,
            problem: `${times} of its pods were deleted shortly after they were placed`,
            wayOut: 'Look for a taint that its pods do not tolerate, or a preemptor that returns',
            path: '/time',
          },
        ],
  )
}

/** The pod of a transition that begins to terminate shortly after its creation, with an owner that replaces it. */
function shortLived(transition: Transition, since: number): PodRow | undefined {
  if (transition[2] !== 'p' || transition[1] < since) return undefined
  const [, at, , , before, after] = transition
  if (before === null || after === null || before[8] === '' || before[1] === '') return undefined
  const isOver = before[2] !== 5 && after[2] === 5
  return isOver && at - before[6] < shortLifeMs && !before[8].startsWith('Job/') ? before : undefined
}

const pools: Finder = ({ board }) =>
  [...board.small.rows('pools').values()].flatMap(([key, , , , , trouble]) =>
    trouble === ''
      ? []
      : [
          {
            id: `pool ${key}`,
            tone: 'bad' as const,
            sinceMs: 0,
            object: key.replace('/', ' '),
            problem: `the autoscaler adds no nodes: ${trouble}`,
            wayOut: 'Raise the limit, or reduce the requests of pods',
            path: '/nodes?view=pools',
          },
        ],
  )

/** The key of the PodGroup of a pod, if the group exists. */
function gangOf(key: string, pod: Pod | undefined, board: ConsoleBoard): string | undefined {
  const name = pod?.spec.schedulingGroup?.podGroupName
  const gang = `${key.slice(0, key.indexOf('/'))}/${name}`
  return name !== undefined && board.small.rows('gangs').has(gang) ? gang : undefined
}

/**
 * The reasons why the pods of each group are pending. The scheduler tries one of them on the nodes; the others wait for
 * it.
 */
function gangReasons({ source, board }: AttentionScope): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>()
  if (board.small.rows('gangs').size === 0) return reasons
  for (const [key, , state] of board.pods.values()) {
    const pod = state === 0 ? source.get('pods', key) : undefined
    const gang = gangOf(key, pod, board)
    const message = findCondition(pod?.status?.conditions, 'PodScheduled')?.message
    if (gang === undefined || message === undefined) continue
    if (!reasons.has(gang) || isAboutNodes(message)) reasons.set(gang, briefReasons(reasonsOf(message)))
  }
  return reasons
}

const gangs: Finder = (scope) => {
  const reasons = gangReasons(scope)
  const rows = [...scope.board.small.rows('gangs').values()]
  return rows.flatMap(([key, minCount, pods, placed, , createdMs, trouble]) => {
    const reason = trouble === '' ? (reasons.get(key) ?? '') : trouble
    if (reason === '' && (minCount === 0 || pods < minCount || placed >= minCount)) return []
    return [
      {
        id: `gang ${key}`,
        tone: 'bad' as const,
        sinceMs: createdMs,
        object: `PodGroup ${key}`,
        problem: `${placed} of ${Math.max(pods, minCount)} pods are placed${reason === '' ? '' : `: ${reason}`}`,
        wayOut: 'All of them are placed together, or none',
        path: '/workloads?kind=gangs',
      },
    ]
  })
}

const fewLeft = 0.1

const addresses: Finder = ({ summary }) =>
  (summary.cidrs ?? []).flatMap(({ range, used, max }) =>
    max - used > max * fewLeft
      ? []
      : [
          {
            id: `cidr ${range}`,
            tone: used >= max ? ('bad' as const) : ('warn' as const),
            sinceMs: 0,
            object: `Pod CIDRs ${range}`,
            problem: used >= max ? 'no block is left for a new node' : `${max - used} of ${max} blocks are left`,
            wayOut: 'Add a range, or use a larger mask size for new nodes',
            path: '/addresses',
          },
        ],
  )

const devices: Finder = ({ source }) => {
  const list = (resource: string) => source.list(resource as KnownResource)
  if (list('resourceslices.resource.k8s.io').length === 0) return []
  const drivers = new Map<string, { all: number; free: number; broken: number }>()
  for (const { driver, devices: all, free, tainted } of reportDevices(list).pools) {
    const sums = drivers.get(driver) ?? { all: 0, free: 0, broken: 0 }
    drivers.set(driver, { all: sums.all + all, free: sums.free + free, broken: sums.broken + tainted })
  }
  return [...drivers].flatMap(([driver, { all, free, broken }]): readonly AttentionItem[] => {
    const item = { sinceMs: 0, object: `Devices of ${driver}`, path: '/devices' }
    return [
      ...(free > all * fewLeft
        ? []
        : [
            {
              ...item,
              id: `devices ${driver}`,
              tone: free === 0 ? ('bad' as const) : ('warn' as const),
              problem: `${free} of ${all} are free`,
              wayOut: 'See which pods hold them',
            },
          ]),
      ...(broken === 0
        ? []
        : [
            {
              ...item,
              id: `broken devices ${driver}`,
              tone: 'warn' as const,
              problem: `${broken} ${broken === 1 ? 'has' : 'have'} a taint`,
              wayOut: 'Replace the devices, or remove the taint',
            },
          ]),
    ]
  })
}

const crashed: Finder = ({ summary }) =>
  summary.crashed.map((name) => ({
    id: `crashed ${name}`,
    tone: 'bad',
    sinceMs: 0,
    object: name,
    problem: 'the controller crashed and does not run',
    wayOut: 'Restart berth; the log has the error',
    path: '/',
  }))

const finders: readonly Finder[] = [
  crashed,
  silentNodes,
  budgets,
  blockedDrains,
  rollouts,
  pendingPods,
  gangs,
  brokenPods,
  evictionLoops,
  pools,
  addresses,
  devices,
  evictions,
  pressedNodes,
]
