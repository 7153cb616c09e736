import type { Call, Outcome } from '../../../src/api/call.ts'
import type { JsonObject, KubeObject } from '../../../src/api/objects/meta.ts'
import { createRandom } from '../../../src/base/random.ts'
import { RealClock } from '../../../src/base/real-clock.ts'
import { createHttpClient } from '../../../src/client/http-client.ts'
import { loadAccess } from '../../../src/client/kubeconfig/load-access.ts'
import type { Settings } from '../../../src/controlplane/settings.ts'
import { createVirtualCluster } from '../../../src/controlplane/virtual.ts'
import type { RealCluster } from '../real-parts.ts'
import { merge, specOf } from './story.ts'

/** A control plane on which a story runs. */
export interface Side {
  call(call: Call): Promise<Outcome>
  /** Waits until the state no longer changes. */
  settle(): Promise<void>
  /** Lets this time pass. */
  pass(ms: number): Promise<void>
  now(): number
  close(): void
}

const stillMs = 1_500
const pollMs = 150

export async function realSide(cluster: RealCluster): Promise<Side> {
  const access = await loadAccess({ kubeconfig: cluster.kubeconfig }, Date.now)
  const random = createRandom('stories').stream('watch')
  const client = createHttpClient({ access, clock: new RealClock(), random, maxSockets: 8 })
  const call = (one: Call) => client.call(one)
  return {
    call,
    async settle() {
      let before = ''
      for (let since = Date.now(); Date.now() - since < stillMs; ) {
        await new Promise((next) => setTimeout(next, pollMs))
        const now = JSON.stringify([await list(call, 'pods'), await list(call, 'persistentvolumeclaims')])
        if (now !== before) since = Date.now()
        before = now
      }
    },
    pass: (ms) => new Promise((next) => setTimeout(next, ms)),
    now: () => Date.now(),
    close: () => client.close(),
  }
}

export function berthSide(settings: Settings, seed: string, controllers: readonly string[]): Side {
  const startMs = Date.UTC(2026, 0, 1)
  const virtual = createVirtualCluster({ startMs, settings, seed, controllers, events: 'record' })
  virtual.driver.settle()
  return {
    async call(one) {
      const outcome = virtual.client.callNow(one)
      virtual.driver.settle()
      return outcome
    },
    async settle() {
      virtual.driver.advance(4_000)
    },
    async pass(ms) {
      virtual.driver.advance(ms)
    },
    now: () => virtual.clock.now(),
    close: () => undefined,
  }
}

export type Calling = (call: Call) => Promise<Outcome>

export async function list(call: Calling, resource: string): Promise<readonly KubeObject[]> {
  const outcome = await call({ verb: 'list', resource } as Call)
  if (!outcome.ok || outcome.kind !== 'list') throw new Error(JSON.stringify(outcome))
  return outcome.items
}

/** Replaces the kubelets: a bound pod runs, each with its own start time. Returns whether a pod was started. */
export async function startPods(call: Calling): Promise<boolean> {
  let started = false
  for (const pod of await list(call, 'pods')) {
    const { status } = pod as KubeObject & { status?: JsonObject }
    if (specOf(pod)['nodeName'] === undefined || status?.['phase'] === 'Running') continue
    const at = new Date(Date.UTC(2026, 0, 1) + 1_000 * Number(/\d+$/.exec(pod.metadata.name)))
    const startTime = at.toISOString().replace('.000', '')
    const { name, namespace } = pod.metadata
    const patch = merge({ status: { phase: 'Running', startTime } })
    await call({ verb: 'patch', resource: 'pods', subresource: 'status', name, namespace, patch } as Call)
    started = true
  }
  return started
}

export interface Observation {
  readonly pods: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly events: readonly string[]
}

/** The visible part of the decisions of a control plane, without times and identities. */
export async function observe(call: Calling, prefix: string): Promise<Observation> {
  const events = await eventsOf(call, prefix)
  return {
    pods: byName(await list(call, 'pods'), podSeen),
    claims: byName(await list(call, 'persistentvolumeclaims'), claimSeen),
    volumes: byName(await list(call, 'persistentvolumes'), volumeSeen),
    events: [...new Set(events.flatMap(eventSeen))].sort(),
  }
}

export async function eventsOf(call: Calling, prefix: string): Promise<readonly KubeObject[]> {
  return (await list(call, 'events')).filter(({ metadata }) => metadata.name.startsWith(`${prefix}-`))
}

function byName(objects: readonly KubeObject[], seen: (object: never) => unknown): Record<string, unknown> {
  return Object.fromEntries(objects.map((object) => [object.metadata.name, seen(object as never)]))
}

type Loose = KubeObject & { readonly spec: JsonObject; readonly status?: JsonObject }

export function podSeen({ metadata, spec, status }: Loose): unknown {
  const conditions = ((status?.['conditions'] ?? []) as JsonObject[])
    .map(({ type, status: is, reason, message }) => [type, is, reason ?? '', message ?? ''].join(' | '))
    .sort()
  return {
    node: spec['nodeName'] ?? '',
    nominated: status?.['nominatedNodeName'] ?? '',
    leaving: metadata.deletionTimestamp !== undefined,
    conditions,
  }
}

function claimSeen({ metadata, spec, status }: Loose): unknown {
  const annotations = Object.entries(metadata.annotations ?? {}).map(([key, value]) => `${key}=${value}`)
  return { volume: spec['volumeName'] ?? '', phase: status?.['phase'], annotations: annotations.sort() }
}

function volumeSeen({ spec, status }: Loose): unknown {
  return { claim: (spec['claimRef'] as JsonObject | undefined)?.['name'] ?? '', phase: status?.['phase'] }
}

function eventSeen(event: KubeObject): readonly string[] {
  const { type, reason, message, action, involvedObject, related, reportingComponent } = event as unknown as JsonObject
  const about = involvedObject as JsonObject
  if (about['kind'] !== 'Pod') return []
  const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
  const text = String(message).replace(uid, 'UID')
  const other = (related as JsonObject | undefined)?.['kind'] ?? ''
  return [[about['name'], type, reason, action ?? '', reportingComponent, other, text].join(' | ')]
}

/** An empty cluster again. */
export async function clear({ call, settle }: Side): Promise<void> {
  const kinds = [
    'pods',
    'leases.coordination.k8s.io',
    'persistentvolumeclaims',
    'persistentvolumes',
    'nodes',
    'poddisruptionbudgets.policy',
  ]
  const others = ['storageclasses.storage.k8s.io', 'priorityclasses.scheduling.k8s.io', 'events']
  for (const resource of [...kinds, ...others]) {
    for (const { metadata } of await list(call, resource)) {
      const { name, namespace, finalizers } = metadata
      if (name.startsWith('system-') || namespace === 'kube-system') continue
      const target = { resource, name, ...(namespace === undefined ? {} : { namespace }) }
      if (finalizers !== undefined) {
        await call({ verb: 'patch', ...target, patch: merge({ metadata: { finalizers: null } }) } as Call)
      }
      await call({ verb: 'delete', ...target, options: { gracePeriodSeconds: 0 } } as Call)
    }
  }
  await settle()
}
