import type { Call, Outcome } from '../../src/api/call.ts'
import { deepEqual } from '../../src/api/equality.ts'
import type { AllocationResult, ResourceClaim } from '../../src/api/objects/devices.ts'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import type { SchedulerCache } from '../../src/scheduler/cache/scheduler-cache.ts'
import type {
  AnyPlugin,
  ObjectReader,
  ParsedPod,
  PreBindProgress,
  Profile,
} from '../../src/scheduler/contract/contract.ts'
import { createDefaultProfile } from '../../src/scheduler/plugins/default-plugins.ts'
import { compareSchedule, type Given, type Want } from './schedule.ts'
import type { Verdict } from './verdict.ts'

interface DraWant extends Want {
  /** By node and claim; `(extended)` is the claim for extended resources. */
  readonly allocations?: Readonly<Record<string, Readonly<Record<string, AllocationResult>>>>
}

/** The whole default profile, and its writes to the claims of the pod on each feasible node. */
export function run(given: Given, want: DraWant, release: KubernetesRelease): Verdict {
  const profile = createDefaultProfile({ release })
  return compareSchedule(given, want, { release, profile }, ({ cache, objects, pod }) => {
    const allocations: Record<string, Record<string, unknown>> = {}
    for (const node of want.feasible) {
      const written = writtenClaims(pluginOf(profile), pod, node, cache, objects)
      if (Object.keys(written).length > 0) allocations[node] = written
    }
    return deepEqual(allocations, want.allocations ?? {}) ? undefined : { allocations }
  })
}

function pluginOf({ filter }: Profile): AnyPlugin {
  const plugin = filter.find(({ name }) => name === 'DynamicResources')
  if (plugin === undefined) throw new Error('the profile has no DynamicResources')
  return plugin
}

/** Reserves and binds the claims of the pod on a node, with an API server that accepts every write. */
function writtenClaims(
  plugin: AnyPlugin,
  pod: ParsedPod,
  node: string,
  cache: SchedulerCache,
  objects: ObjectReader,
): Record<string, unknown> {
  const cluster = cache.cluster(objects)
  const prepared = plugin.preFilter?.(pod, cluster)
  if (prepared === undefined || 'code' in prepared) return {}
  plugin.filter?.(pod, cluster.node(node) as never, prepared.state)
  const reserved = plugin.reserve?.(pod, node, prepared.state, cluster)
  if (reserved?.code !== 'Success') throw new Error(`${node}: ${JSON.stringify(reserved)}`)
  const written: Record<string, unknown> = {}
  let outcomes: { call: Call; outcome: Outcome }[] = []
  for (let turns = 0; turns < 20; turns++) {
    const progress: PreBindProgress = plugin.preBind?.(pod, node, prepared.state, { objects, now: 0, outcomes }) ?? {
      kind: 'done',
    }
    if (progress.kind !== 'waiting' || progress.calls === undefined) break
    outcomes = progress.calls.map((call) => ({ call, outcome: accepted(call, written, objects) }))
  }
  for (const call of plugin.unreserve?.(pod, node, prepared.state) ?? []) {
    if (call.verb !== 'update') continue
    // The claim for extended resources is deleted again.
    cache.noteChange('resourceclaims.resource.k8s.io', call.object, undefined)
  }
  return written
}

function accepted(call: Call, written: Record<string, unknown>, objects: ObjectReader): Outcome {
  if (call.verb === 'create') {
    const { metadata } = call.object
    return {
      ok: true,
      kind: 'object',
      object: { ...call.object, metadata: { ...metadata, name: '(extended)', uid: 'new' } },
    }
  }
  if (call.verb === 'update' && call.subresource === 'status') {
    const { allocation } = (call.object as ResourceClaim).status ?? {}
    const before = objects.get('resourceclaims.resource.k8s.io', `${call.namespace ?? ''}/${call.name}`)
    // A claim that was allocated before is only reserved.
    if (before?.status?.allocation === undefined) written[call.name] = comparable(allocation as AllocationResult)
  }
  if (call.verb === 'update') return { ok: true, kind: 'object', object: call.object }
  return { ok: true, kind: 'status', status: {} as never }
}

/** Without the id of a share and the time, which differ between runs. */
function comparable({ allocationTimestamp: _, ...allocation }: AllocationResult): unknown {
  const results = allocation.devices?.results?.map(({ shareID: __, ...result }) => result)
  return { ...allocation, devices: { ...allocation.devices, ...(results === undefined ? {} : { results }) } }
}
