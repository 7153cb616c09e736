import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { releaseOf, withFeatureGates } from '../../api/releases/release-of.ts'
import type { Fields } from '../../base/fields.ts'
import { createRandom } from '../../base/random.ts'
import { must } from '../../base/result.ts'
import { createStore } from '../../store/memory-store.ts'
import { createRegistry } from '../registry.ts'

const directives = 'MutableSchedulingDirectivesForSuspendedJobs'
const resources = 'MutablePodResourcesForSuspendedJobs'
const suspended = { conditions: [{ type: 'Suspended', status: 'True' }] }
const started = '2026-01-01T00:00:00Z'

const job = (node: string, cpu: string): Fields => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j' },
  spec: {
    suspend: true,
    template: {
      spec: {
        restartPolicy: 'Never',
        nodeSelector: { node },
        containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
      },
    },
  },
})

/** The answer to a change of a suspended Job with this status. */
function answer(version: string, gates: readonly string[], status: Fields, change: Fields): string {
  const release = must(withFeatureGates(must(releaseOf(version)), new Map(gates.map((name) => [name, true]))))
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => Date.parse(started) },
    random: createRandom('jobs'),
    options: { release },
  })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } as KubeObject })
  const at = { resource: 'jobs.batch', namespace: 'default' } as const
  const made = registry.call({ verb: 'create', ...at, object: job('a', '1') as unknown as KubeObject })
  const merge = (patch: Fields, subresource?: 'status') =>
    registry.call({
      verb: 'patch',
      ...at,
      name: 'j',
      ...(subresource === undefined ? {} : { subresource }),
      patch: { kind: 'merge', patch: patch as never },
    })
  const told = merge({ status }, 'status')
  if (!made.ok || !told.ok) throw new Error(JSON.stringify([made, told]))
  const { template } = change['spec'] as Fields
  const outcome = merge({ spec: { template } })
  return outcome.ok
    ? 'accepted'
    : (/spec\.template[.a-z]*: Invalid value/.exec(outcome.status.message ?? '')?.[0] ?? '')
}

describe('the template of a suspended Job', () => {
  it.each<[string, readonly string[], Fields, string, string]>([
    // Without the gates, only a Job that never started may change its node selector.
    ['1.34', [], suspended, 'accepted', 'spec.template: Invalid value'],
    ['1.34', [], { ...suspended, startTime: started }, 'spec.template: Invalid value', 'spec.template: Invalid value'],
    ['1.35', [], suspended, 'accepted', 'spec.template: Invalid value'],
    // In v1.35 the condition is required even for a Job that never started.
    ['1.35', [directives, resources], {}, 'spec.template: Invalid value', 'spec.template: Invalid value'],
    ['1.35', [directives, resources], suspended, 'accepted', 'accepted'],
    ['1.35', [directives, resources], { ...suspended, startTime: started }, 'accepted', 'accepted'],
    ['1.35', [resources], { ...suspended, startTime: started }, 'spec.template.spec: Invalid value', 'accepted'],
    ['1.35', [directives], { ...suspended, startTime: started }, 'accepted', 'spec.template: Invalid value'],
    [
      '1.35',
      [directives, resources],
      { ...suspended, active: 1 },
      'spec.template: Invalid value',
      'spec.template: Invalid value',
    ],
    ['1.36', [], {}, 'accepted', 'accepted'],
    ['1.36', [], { startTime: started }, 'spec.template: Invalid value', 'spec.template: Invalid value'],
    ['1.37', [], suspended, 'accepted', 'accepted'],
  ])(
    'v%s with the gates %j, for a suspended Job with the status %j: change of the node selector is %s, of requests %s',
    (version, gates, status, moved, resized) => {
      expect(answer(version, gates, status, job('b', '1'))).toBe(moved)
      expect(answer(version, gates, status, job('a', '2'))).toBe(resized)
    },
  )
})
