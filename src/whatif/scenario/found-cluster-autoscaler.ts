import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Deployment } from '../../api/objects/workloads.ts'
import { parseTime } from '../../api/time.ts'
import type { Autoscaling } from '../../autoscalers/autoscaling.ts'
import { flagLimits } from '../../autoscalers/cluster-autoscaler/flag-limits.ts'
import type { NodeGroup } from '../../autoscalers/cluster-autoscaler/node-group.ts'
import {
  type AutoscalerOptions,
  isAutoscalerImage,
  readAutoscalerOptions,
  readFlagTexts,
} from '../../autoscalers/cluster-autoscaler/options.ts'
import { must } from '../../base/result.ts'
import { fileLimits, loadYaml, YamlError } from '../../base/yaml.ts'
import type { ForecastNote } from '../report/forecast.ts'
import { counted } from '../report/phrases.ts'
import { type BootTimes, bootTimesOf, defaultBootMs, templateOfMembers } from './autoscaling-reader.ts'
import type { FoundCluster } from './forecast-plan.ts'
import { membersOf } from './group-members.ts'

type FoundAutoscaler = NonNullable<Autoscaling['clusterAutoscaler']>

interface GroupStatus {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly target?: number
  readonly backoffSinceMs?: number
}

/**
 * Cluster Autoscaler as derived from the cluster: the node groups of its status ConfigMap or of --nodes, nodes of a
 * group as its template, and the flags of its Deployment. Undefined if no group is found.
 */
export function findClusterAutoscaler(
  { store }: FoundCluster,
  /** Groups that a file describes and that are not searched for. */
  described?: Pick<FoundAutoscaler, 'groups'>,
): { readonly clusterAutoscaler: FoundAutoscaler; readonly notes: readonly ForecastNote[] } | undefined {
  const flags = flagsOf(store.list('deployments.apps') as readonly Deployment[])
  const { options, rejected } = optionsOf(flags?.texts ?? {})
  const limits = flagLimits(flags?.texts ?? {})
  const groups = [
    ...statusGroups(store.list('configmaps') as readonly ConfigMap[], options),
    ...givenGroups(flags?.texts['nodes'] ?? ''),
  ]
  const known = new Map(groups.toReversed().map((group) => [group.name, group]))
  if (known.size === 0) return undefined
  const nodes = store.list('nodes') as readonly Node[]
  const named = new Set(described?.groups.map(({ name }) => name))
  const found = [...known.values()]
    .toReversed()
    .filter(({ name }) => !named.has(name))
    .map((group) => foundGroup(group, nodes))
  const usable = found.flatMap(({ group }) => group ?? [])
  return {
    clusterAutoscaler: { groups: usable, options, ...(limits.length === 0 ? {} : { limits }) },
    notes: notesOf(found, rejected, flags?.deployment),
  }
}

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

interface StatusText {
  readonly nodeGroups?: readonly {
    readonly name?: string
    readonly health?: { readonly minSize?: number; readonly maxSize?: number; readonly cloudProviderTarget?: number }
    readonly scaleUp?: { readonly status?: string; readonly lastTransitionTime?: string }
  }[]
}

/** The groups of the status ConfigMap, in the format of 1.30 and later. */
function statusGroups(maps: readonly ConfigMap[], options: AutoscalerOptions): readonly GroupStatus[] {
  const name = options['status-config-map-name']
  const map = maps.find(({ metadata }) => metadata.name === name && metadata.namespace === options.namespace)
  const status = statusOf(map?.data?.['status'] ?? '')
  const groups = Array.isArray(status?.nodeGroups) ? status.nodeGroups : []
  return groups.flatMap((group) => {
    const { minSize = 0, maxSize, cloudProviderTarget } = group.health ?? {}
    if (typeof group.name !== 'string' || !Number.isInteger(minSize) || !Number.isInteger(maxSize)) return []
    const backoffSinceMs = group.scaleUp?.status === 'Backoff' ? parseTime(group.scaleUp.lastTransitionTime) : undefined
    return {
      name: group.name,
      min: minSize,
      max: maxSize as number,
      ...(Number.isInteger(cloudProviderTarget) ? { target: cloudProviderTarget as number } : {}),
      ...(backoffSinceMs === undefined ? {} : { backoffSinceMs }),
    }
  })
}

/** Undefined: the text is not YAML, as in versions before 1.30. */
function statusOf(text: string): StatusText | undefined {
  try {
    return (loadYaml(text, fileLimits)[0] ?? undefined) as StatusText | undefined
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}

/** `MIN:MAX:NAME` of --nodes. */
function givenGroups(text: string): readonly GroupStatus[] {
  return text.split(',').flatMap((each) => {
    const [min, max, ...name] = each.split(':')
    const sizes = [Number(min), Number(max)]
    if (name.length === 0 || !sizes.every((size) => Number.isInteger(size) && size >= 0)) return []
    return { name: name.join(':'), min: sizes[0] as number, max: sizes[1] as number }
  })
}

interface FoundFlags {
  readonly deployment: string
  readonly texts: Readonly<Record<string, string>>
}

function flagsOf(deployments: readonly Deployment[]): FoundFlags | undefined {
  for (const { metadata, spec } of deployments) {
    const container = spec?.template.spec?.containers.find(({ image }) => isAutoscalerImage(image ?? ''))
    if (container === undefined) continue
    const texts = readFlagTexts([...(container.command ?? []), ...(container.args ?? [])])
    return { deployment: `${metadata.namespace}/${metadata.name}`, texts }
  }
  return undefined
}

/** The options, and the flags with unknown values. */
function optionsOf(texts: Readonly<Record<string, string>>) {
  const rejected = Object.keys(texts).filter((name) => !readAutoscalerOptions({ [name]: texts[name] }).ok)
  const known = Object.fromEntries(Object.entries(texts).filter(([name]) => !rejected.includes(name)))
  return { options: must(readAutoscalerOptions(known)), rejected }
}

interface FoundGroup {
  readonly status: GroupStatus
  readonly boot: BootTimes | undefined
  /** Undefined: the group has no node that can serve as a template. */
  readonly group: NodeGroup | undefined
}

function foundGroup(status: GroupStatus, nodes: readonly Node[]): FoundGroup {
  const { name, min, max, target, backoffSinceMs } = status
  const { members, label, prefix } = membersOf(name, nodes)
  const boot = bootTimesOf(members)
  const template = templateOfMembers(members)
  if (template === undefined) return { status, boot, group: undefined }
  return {
    status,
    boot,
    group: {
      name,
      min,
      max,
      template,
      label,
      members: new Set(members.map(({ metadata }) => metadata.name)),
      nodePrefix: prefix,
      bootMs: boot?.medianMs ?? defaultBootMs,
      ...(target === undefined ? {} : { foundTarget: target }),
      ...(backoffSinceMs === undefined ? {} : { backoffSinceMs }),
    },
  }
}

const seconds = (ms: number) => `${Math.round(ms / 1000)}s`

function notesOf(
  found: readonly FoundGroup[],
  rejected: readonly string[],
  deployment: string | undefined,
): readonly ForecastNote[] {
  const usable = found.filter(({ group }) => group !== undefined)
  const empty = found.filter(({ group }) => group === undefined).map(({ status }) => status.name)
  const boots = usable.map(({ status, boot }) =>
    boot === undefined
      ? `${seconds(defaultBootMs)} in ${status.name} (assumed)`
      : `${seconds(boot.medianMs)} in ${status.name} (median of ${boot.count} nodes, ${seconds(boot.leastMs)} to ${seconds(boot.mostMs)})`,
  )
  const flags = deployment === undefined ? 'the default flags' : `the flags of Deployment ${deployment}`
  return [
    ...(found.length === 0
      ? []
      : [
          {
            kind: 'assumed' as const,
            text: [
              `Cluster Autoscaler acts with ${counted(usable.length, 'node group')} of the cluster and ${flags}`,
              ...(boots.length === 0 ? [] : [`new nodes take ${listed(boots)}`]),
            ].join('; '),
          },
        ]),
    ...(empty.length === 0
      ? []
      : [
          {
            kind: 'assumed' as const,
            text: `node groups ${listed(empty)} have no nodes to derive a template from, so they do not scale up: describe them with --autoscaler`,
          },
        ]),
    ...(rejected.length === 0
      ? []
      : [
          {
            kind: 'assumed' as const,
            text: `unknown flags of Cluster Autoscaler are ignored: ${listed(rejected)}`,
          },
        ]),
  ]
}

function listed(items: readonly string[]): string {
  const most = 5
  return items.length <= most ? items.join(', ') : `${items.slice(0, most).join(', ')} and ${items.length - most} more`
}
