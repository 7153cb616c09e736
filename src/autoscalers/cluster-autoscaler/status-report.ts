import { formatTime } from '../../api/time.ts'
import type { ClusterState, Readiness } from './cluster-state.ts'
import type { NodeGroup } from './node-group.ts'

export interface StatusInput {
  readonly groups: readonly NodeGroup[]
  readonly state: ClusterState
  /** Undefined: no loop has looked for candidates of a scale-down yet. */
  readonly candidates: { readonly groups: readonly (string | undefined)[]; readonly wall: number } | undefined
  readonly now: number
  readonly wall: number
}

/** Times are null until the condition is measured. */
interface Probed {
  readonly status: string
  readonly lastProbeTime: string | null
}

interface Transition {
  readonly lastTransitionTime: string | null
}

type Conditions = Readonly<Record<string, Probed & Transition>>

/** The text of the status ConfigMap (1.36, clusterstate GetStatus and clusterstate/api). */
export class StatusReport {
  private last = new Map<string, Conditions>()

  next(input: StatusInput): string {
    const { groups, state, candidates, wall } = input
    const probedAt = formatTime(wall)
    const nodeGroups = groups.map((group) => this.groupStatus(group, input))
    const isGrowing = nodeGroups.some(({ scaleUp }) => scaleUp.status === 'InProgress')
    const clusterWide = this.withTransitions('', {
      health: {
        ...{ status: state.isHealthy ? 'Healthy' : 'Unhealthy', lastProbeTime: probedAt },
        nodeCounts: countsOf(state.total),
      },
      scaleUp: { status: isGrowing ? 'InProgress' : 'NoActivity', lastProbeTime: probedAt },
      scaleDown: scaleDownOf(candidates?.groups.length ?? 0, candidates),
    })
    return yamlOf({ autoscalerStatus: 'Running', clusterWide, nodeGroups, time: statusTime(wall) })
  }

  private groupStatus(group: NodeGroup, { state, candidates, now, wall }: StatusInput) {
    // A group without nodes and machines is not measured.
    const probedAt = state.isMeasured(group) ? formatTime(wall) : null
    const isHealthy = state.isGroupHealthy(group)
    const backoff = state.backoffs.isBackedOff(group.name, now) ? state.backoffs.errorOf(group.name) : undefined
    const isInBackoff = !state.isScalingUp(group) && isHealthy && backoff !== undefined
    const scaleUp = state.isScalingUp(group)
      ? 'InProgress'
      : !isHealthy
        ? 'Unhealthy'
        : isInBackoff
          ? 'Backoff'
          : 'NoActivity'
    const count = candidates?.groups.filter((name) => name === group.name).length ?? 0
    const conditions = this.withTransitions(group.name, {
      health: {
        ...{ status: isHealthy ? 'Healthy' : 'Unhealthy', lastProbeTime: probedAt },
        ...{ minSize: group.min, maxSize: group.max, cloudProviderTarget: state.targetOf(group) },
        nodeCounts: countsOf(state.readiness(group)),
      },
      scaleUp: {
        ...{ status: scaleUp, lastProbeTime: probedAt },
        backoffInfo: isInBackoff ? { errorCode: backoff.code, errorMessage: shortened(backoff.message) } : {},
      },
      scaleDown: scaleDownOf(count, candidates),
    })
    return { name: group.name, ...conditions }
  }

  /** A condition keeps the time of its last transition while its status does not change. */
  private withTransitions<C extends Readonly<Record<string, Probed>>>(about: string, conditions: C) {
    const before = this.last.get(about)
    const after = Object.entries(conditions).map(([name, condition]) => {
      const known = before?.[name]
      const isSame = known?.status === condition.status
      return [name, { ...condition, lastTransitionTime: isSame ? known.lastTransitionTime : condition.lastProbeTime }]
    })
    const all = Object.fromEntries(after) as { readonly [K in keyof C]: C[K] & Transition }
    this.last.set(about, all)
    return all
  }
}

function scaleDownOf(count: number, candidates: StatusInput['candidates']) {
  return {
    status: count > 0 ? 'CandidatesPresent' : 'NoCandidates',
    lastProbeTime: candidates === undefined ? null : formatTime(candidates.wall),
    ...(count > 0 ? { candidates: count } : {}),
  }
}

function countsOf({
  registered,
  ready,
  unready,
  resourceUnready,
  notStarted,
  unregistered,
  longUnregistered,
}: Readiness) {
  return {
    registered: {
      total: registered,
      ready,
      notStarted: notStarted.length,
      suspended: 0,
      unready: { total: unready, resourceUnready },
    },
    longUnregistered,
    unregistered,
  }
}

// 1.36, clusterstate maxErrorMessageSize and messageTrancated.
const longestMessage = 500
const cut = '<truncated>'

const shortened = (message: string): string =>
  message.length <= longestMessage ? message : message.slice(0, longestMessage - cut.length) + cut

/** A time in the format of Go: `2026-01-01 12:00:00.5 +0000 UTC`. */
export function statusTime(wall: number): string {
  const [date = '', time = ''] = new Date(wall).toISOString().slice(0, -1).split('T')
  return `${date} ${time.replace(/\.?0+$/, (zeros) => (time.includes('.') ? '' : zeros))} +0000 UTC`
}

/** YAML with sorted keys, as sigs.k8s.io/yaml writes it. All texts except times and messages are plain words. */
function yamlOf(value: unknown, indent = ''): string {
  const record = value as Readonly<Record<string, unknown>>
  return Object.keys(record)
    .toSorted()
    .map((key) => `${indent}${key}:${fieldOf(record[key], indent)}`)
    .join('')
}

function fieldOf(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []\n'
    return `\n${value.map((item) => `${indent}- ${yamlOf(item, `${indent}  `).slice(indent.length + 2)}`).join('')}`
  }
  if (typeof value === 'object' && value !== null)
    return Object.keys(value).length === 0 ? ' {}\n' : `\n${yamlOf(value, `${indent}  `)}`
  return ` ${typeof value === 'string' ? textOf(value) : JSON.stringify(value)}\n`
}

/** A plain scalar if YAML reads the same text again, otherwise a quoted scalar. */
function textOf(text: string): string {
  const isPlain = /^[A-Za-z][\w ./-]*$/.test(text) || /^\d{4}-\d\d-\d\d \d\d:\d\d:[\d.]+ \+0000 UTC$/.test(text)
  return isPlain && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text) && !text.endsWith(' ')
    ? text
    : JSON.stringify(text)
}
