import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../api/call.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import { releaseOf, withFeatureGates } from '../../../api/releases/release-of.ts'
import { createRandom } from '../../../base/random.ts'
import { must } from '../../../base/result.ts'
import { VirtualClock } from '../../../base/virtual-clock.ts'
import { createStore } from '../../../store/memory-store.ts'
import { createRegistry } from '../../registry.ts'

const groupResource = 'podgroups.scheduling.k8s.io'

function registry(version: string, ...gates: readonly string[]) {
  const release = must(withFeatureGates(must(releaseOf(version)), new Map(gates.map((gate) => [gate, true]))))
  const made = createRegistry({
    store: createStore(),
    clock: new VirtualClock(0),
    random: createRandom('test'),
    options: { release },
  })
  made.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  return made
}

const create = (to: ReturnType<typeof registry>, resource: string, name: string, spec: object): Outcome =>
  to.call({
    verb: 'create',
    resource,
    namespace: 'default',
    object: { metadata: { name, namespace: 'default' }, spec } as KubeObject,
  })

const messageOf = (outcome: Outcome): string => (outcome.ok ? 'ok' : (outcome.status.message ?? ''))
const gang = { schedulingPolicy: { gang: { minCount: 2 } } }

describe('the kinds of pod groups', () => {
  it('serves the kinds of pod groups only if GenericWorkload is enabled', () => {
    expect(messageOf(create(registry('1.36'), groupResource, 'g', gang))).toBe(
      'the server could not find the requested resource',
    )
    expect(create(registry('1.36', 'GenericWorkload'), groupResource, 'g', gang).ok).toBe(true)
  })

  it.each([
    ['1.36', 'scheduling.k8s.io/v1alpha2'],
    ['1.37', 'scheduling.k8s.io/v1beta1'],
  ])('serves the kinds of pod groups of v%s in version %s', (version, apiVersion) => {
    const outcome = create(registry(version, 'GenericWorkload'), groupResource, 'g', gang)
    expect(outcome).toMatchObject({ ok: true, object: { apiVersion, kind: 'PodGroup' } })
  })

  it.each([
    ['1.36', 'accepted'],
    ['1.37', 'refused'],
  ])('v%s responds to a PUT of a pod group without a resourceVersion: %s', (version, expected) => {
    const r = registry(version, 'GenericWorkload')
    const made = create(r, groupResource, 'g', gang)
    if (!made.ok || made.kind !== 'object') throw new Error(messageOf(made))
    const { resourceVersion: _, ...metadata } = made.object.metadata
    const object = { ...made.object, metadata } as KubeObject
    const put = r.call({ verb: 'update', resource: groupResource, namespace: 'default', name: 'g', object })
    expect(put.ok ? 'accepted' : 'refused').toBe(expected)
    if (!put.ok) expect(messageOf(put)).toContain('metadata.resourceVersion: Invalid value: 0: must be specified')
  })

  it('adds a finalizer to pod groups, and drops fields whose gate is off', () => {
    const spec = { ...gang, schedulingConstraints: { topology: [{ key: 'zone' }] }, disruptionMode: 'PodGroup' }
    const off = create(registry('1.36', 'GenericWorkload'), groupResource, 'g', spec)
    expect(off).toMatchObject({
      object: { metadata: { finalizers: ['scheduling.k8s.io/podgroup-protection'] }, spec: gang },
    })
    const gates = ['GenericWorkload', 'GangScheduling', 'TopologyAwareWorkloadScheduling', 'WorkloadAwarePreemption']
    const on = create(registry('1.36', ...gates), groupResource, 'g', spec)
    expect(on).toMatchObject({ object: { spec: { ...spec, priority: 0 } } })
  })

  it.each([
    [{}, 'spec.schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`'],
    [{ schedulingPolicy: { gang: {} } }, 'spec.schedulingPolicy.gang.minCount: Required value'],
    [
      { schedulingPolicy: { gang: { minCount: -1 } } },
      'spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1',
    ],
  ])('validates pod groups: %j', (spec, problem) => {
    expect(messageOf(create(registry('1.36', 'GenericWorkload'), groupResource, 'g', spec))).toContain(problem)
  })

  it('requires that the Workload of a pod group and its template exist', () => {
    const r = registry('1.36', 'GenericWorkload')
    const podGroupTemplateRef = { workload: { workloadName: 'w', podGroupTemplateName: 't' } }
    const group = { ...gang, podGroupTemplateRef }
    expect(messageOf(create(r, groupResource, 'g', group))).toContain('PodGroup rejected: Workload "w" not found')
    expect(create(r, 'workloads.scheduling.k8s.io', 'w', { podGroupTemplates: [{ name: 'other', ...gang }] }).ok).toBe(
      true,
    )
    expect(messageOf(create(r, groupResource, 'g', group))).toContain(
      'PodGroup rejected: PodGroupTemplate "t" not found in Workload "w"',
    )
  })

  it('accepts a pod group of a Workload that does not exist, from v1.37 on', () => {
    const group = { ...gang, workloadRef: { workloadName: 'w', templateName: 't' } }
    expect(create(registry('1.37', 'GenericWorkload'), groupResource, 'g', group).ok).toBe(true)
  })

  it('computes the preemption policy of a group from its class, and rejects another one (PodGroupPreemptionPolicy)', () => {
    const r = registry('1.37', 'GenericWorkload', 'PodGroupPreemptionPolicy')
    const shy = { metadata: { name: 'shy' }, value: 5, preemptionPolicy: 'Never' } as KubeObject
    r.call({ verb: 'create', resource: 'priorityclasses.scheduling.k8s.io', object: shy })
    const group = { ...gang, priorityClassName: 'shy' }
    const given = create(r, groupResource, 'g', { ...group, preemptionPolicy: 'Never' })
    expect(given).toMatchObject({ object: { spec: { priority: 5, preemptionPolicy: 'Never' } } })
    // Its default is the other policy.
    expect(messageOf(create(r, groupResource, 'h', group))).toContain(
      'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod group spec; priority admission controller computed Never from the given PriorityClass name',
    )
  })

  it('rejects changes of pod groups', () => {
    const r = registry('1.36', 'GenericWorkload')
    create(r, groupResource, 'g', gang)
    const outcome = r.call({
      verb: 'patch',
      resource: groupResource,
      namespace: 'default',
      name: 'g',
      patch: { kind: 'merge', patch: { spec: { schedulingPolicy: { gang: { minCount: 3 } } } } },
    })
    expect(messageOf(outcome)).toContain('field is immutable')
  })

  it('keeps the scheduling group of a pod, and drops it if the gate is off', () => {
    const spec = { containers: [{ name: 'c', image: 'i' }], schedulingGroup: { podGroupName: 'g' } }
    const on = create(registry('1.36', 'GenericWorkload'), 'pods', 'p', spec)
    expect(on).toMatchObject({ object: { spec: { schedulingGroup: { podGroupName: 'g' } } } })
    const off = create(registry('1.36'), 'pods', 'p', spec)
    expect(off.ok && off.kind === 'object' && 'schedulingGroup' in ((off.object as { spec?: object }).spec ?? {})).toBe(
      false,
    )
  })
})
