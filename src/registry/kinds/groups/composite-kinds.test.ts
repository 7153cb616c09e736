import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../api/call.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import { releaseOf, withFeatureGates } from '../../../api/releases/release-of.ts'
import { createRandom } from '../../../base/random.ts'
import { must } from '../../../base/result.ts'
import { VirtualClock } from '../../../base/virtual-clock.ts'
import { createStore } from '../../../store/memory-store.ts'
import { createRegistry } from '../../registry.ts'

const composites = 'compositepodgroups.scheduling.k8s.io'
const workloads = 'workloads.scheduling.k8s.io'
const gates = ['GenericWorkload', 'TopologyAwareWorkloadScheduling', 'CompositePodGroup']

function registry(...names: readonly string[]) {
  const release = must(withFeatureGates(must(releaseOf('1.37')), new Map(names.map((gate) => [gate, true]))))
  const random = createRandom('test')
  const made = createRegistry({ store: createStore(), clock: new VirtualClock(0), random, options: { release } })
  made.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  return made
}

const create = (to: ReturnType<typeof registry>, resource: string, spec: object): Outcome =>
  to.call({
    verb: 'create',
    resource,
    namespace: 'default',
    object: { metadata: { name: 'g', namespace: 'default' }, spec } as KubeObject,
  })

const messageOf = (outcome: Outcome): string => (outcome.ok ? 'ok' : (outcome.status.message ?? ''))
const basic = { schedulingPolicy: { basic: {} } }
const leaf = { name: 'leaf', ...basic }
const workloadRef = { workloadName: 'work', templateName: 'all' }

// The messages are from kube-apiserver v1.37.1 (test/cluster/groups/composite-groups.cluster.ts).
describe('composite pod groups', () => {
  it('serves composite pod groups if CompositePodGroup is enabled, with the priority and the disruption mode of upstream', () => {
    const off = create(registry('GenericWorkload'), composites, { ...basic, workloadRef })
    expect(messageOf(off)).toBe('the server could not find the requested resource')
    expect(create(registry(...gates), composites, { ...basic, workloadRef })).toMatchObject({
      ok: true,
      object: {
        apiVersion: 'scheduling.k8s.io/v1alpha3',
        spec: { ...basic, workloadRef, priority: 0, disruptionMode: { single: {} } },
      },
    })
  })

  it.each([
    [composites, basic, 'spec.workloadRef: Required value'],
    [
      composites,
      { workloadRef, schedulingPolicy: { gang: { minGroupCount: 0 } } },
      'spec.schedulingPolicy.gang.minGroupCount: Required value',
    ],
    [workloads, {}, 'spec: Invalid value: "": must specify one of: `podGroupTemplates`, `compositePodGroupTemplates`'],
    [
      workloads,
      { compositePodGroupTemplates: [{ name: 'empty', ...basic }] },
      'spec.compositePodGroupTemplates[0]: Invalid value: "empty": must have at least one child PodGroupTemplate or CompositePodGroupTemplate',
    ],
    [
      workloads,
      { compositePodGroupTemplates: [{ name: 'leaf', ...basic, podGroupTemplates: [leaf] }] },
      'spec.compositePodGroupTemplates[0].podGroupTemplates[0].name: Duplicate value: "leaf"',
    ],
    [
      'podgroups.scheduling.k8s.io',
      { ...basic, parentCompositePodGroupName: 'all' },
      'spec.workloadRef: Required value: must be set when parentCompositePodGroupName is set',
    ],
  ])('refuses an invalid object of %s: %o', (resource, spec, problem) => {
    expect(messageOf(create(registry(...gates), resource, spec))).toBe(`${kindOf(resource)} "g" is invalid: ${problem}`)
  })

  it('refuses composite templates of a Workload if CompositePodGroup is disabled', () => {
    const spec = { compositePodGroupTemplates: [{ name: 'all', ...basic, podGroupTemplates: [leaf] }] }
    expect(messageOf(create(registry('GenericWorkload'), workloads, spec))).toMatch(
      /spec\.compositePodGroupTemplates: Forbidden/,
    )
  })

  it('reads pod groups of v1.37 in both versions', () => {
    const own = registry(...gates)
    create(own, 'podgroups.scheduling.k8s.io', { schedulingPolicy: { gang: { minCount: 2 } } })
    const read = { verb: 'get', resource: 'podgroups.scheduling.k8s.io', namespace: 'default', name: 'g' } as const
    for (const version of ['v1alpha3', 'v1beta1'])
      expect(own.call({ ...read, version })).toMatchObject({ object: { apiVersion: `scheduling.k8s.io/${version}` } })
  })
})

function kindOf(resource: string): string {
  const kind = { [composites]: 'CompositePodGroup', [workloads]: 'Workload' }[resource] ?? 'PodGroup'
  return `${kind}.scheduling.k8s.io`
}
