import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StringMap } from './objects/meta.ts'
import type { NodeSelectorTerm } from './objects/node.ts'
import type { AccessMode, PersistentVolume, PersistentVolumeClaim } from './objects/storage.ts'
import { isBoundTo, reachableFrom } from './persistent-volumes.ts'
import { intValue } from './quantity.ts'
import { VolumeCandidates } from './volume-matching.ts'

const claim = (more: Partial<PersistentVolumeClaim['spec']> = {}): PersistentVolumeClaim => ({
  metadata: { name: 'data', namespace: 'default', uid: 'u1' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'local',
    resources: { requests: { storage: '10Gi' } },
    ...more,
  },
})

const volume = (
  name: string,
  more: Partial<PersistentVolume['spec']> = {},
  meta: Partial<PersistentVolume['metadata']> = {},
): PersistentVolume => ({
  metadata: { name, ...meta },
  spec: {
    capacity: { storage: '10Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'local',
    ...more,
  },
  status: { phase: 'Available' },
})

const onHost = (host: string) => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: [host] }] },
      ],
    },
  },
})

const best = (
  wanted: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  labels: StringMap = { 'kubernetes.io/hostname': 'n1' },
  taken: readonly string[] = [],
): string | undefined => new VolumeCandidates(wanted, volumes).bestFor(labels, new Set(taken))?.metadata.name

describe('the volume for a claim on a node', () => {
  const fits = volume('fits')
  const cases: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['is large enough', best(claim(), [volume('small', { capacity: { storage: '9Gi' } }), fits]), 'fits'],
    ['is the smallest one', best(claim(), [volume('large', { capacity: { storage: '20Gi' } }), fits]), 'fits'],
    ['is the first of equal volumes', best(claim(), [fits, volume('other')]), 'fits'],
    ['has the class of the claim', best(claim(), [volume('other', { storageClassName: 'fast' })]), undefined],
    ['has the class of the claim, which may be in an annotation', best(claim(), [byAnnotation('old')]), 'old'],
    ['has the access modes of the claim', best(claim({ accessModes: ['ReadWriteMany'] }), [fits]), undefined],
    ['has the volume mode of the claim', best(claim({ volumeMode: 'Block' }), [fits]), undefined],
    ['has the attributes class of the claim', best(claim({ volumeAttributesClassName: 'gold' }), [fits]), undefined],
    ['is selected by the claim', best(claim({ selector: { matchLabels: { disk: 'ssd' } } }), [fits]), undefined],
    ['is not terminating', best(claim(), [volume('x', {}, { deletionTimestamp: 'now' })]), undefined],
    ['is available', best(claim(), [{ ...fits, status: { phase: 'Released' } }]), undefined],
    [
      'does not name another claim in its claimRef',
      best(claim(), [volume('x', { claimRef: { name: 'b', namespace: 'c' } })]),
      undefined,
    ],
    ['is the volume that names the claim in its claimRef', best(claim(), [fits, promised('mine', '50Gi')]), 'mine'],
    ['is the volume that names the claim, in any phase', best(claim(), [{ ...promised('mine'), status: {} }]), 'mine'],
    [
      'is absent if the node cannot reach the volume that names the claim',
      best(claim(), [fits, { ...promised('mine', '10Gi', 'n2') }]),
      undefined,
    ],
    ['is not used for another claim of the pod', best(claim(), [fits, volume('b')], {}, ['fits']), 'b'],
    ['is on the host of the node', best(claim(), [volume('a', onHost('n2')), volume('b', onHost('n1'))]), 'b'],
    [
      'is the smaller one, even if it is local',
      best(claim(), [volume('far', { capacity: { storage: '11Gi' } }), volume('near', onHost('n1'))]),
      'near',
    ],
    [
      'is the smaller one, even if it is not local',
      best(claim(), [volume('near', { ...onHost('n1'), capacity: { storage: '11Gi' } }), volume('far')]),
      'far',
    ],
  ]
  it.each(cases)('the volume for a claim %s', (_, got, wanted) => {
    expect(got).toBe(wanted)
  })

  function byAnnotation(name: string): PersistentVolume {
    return volume(
      name,
      { storageClassName: 'x' },
      { annotations: { 'volume.beta.kubernetes.io/storage-class': 'local' } },
    )
  }
  function promised(name: string, storage = '10Gi', host = 'n1'): PersistentVolume {
    return volume(name, { capacity: { storage }, claimRef: { name: 'data', namespace: 'default' }, ...onHost(host) })
  }
})

describe('the index of the volumes of a claim', () => {
  it('finds the same volume for a claim with the index as a search of all volumes', () => {
    const term: fc.Arbitrary<NodeSelectorTerm> = fc.record({
      matchExpressions: fc.array(
        fc.record({
          key: fc.constantFrom('kubernetes.io/hostname', 'zone'),
          operator: fc.constantFrom('In' as const, 'NotIn' as const),
          values: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 2 }),
        }),
        { maxLength: 2 },
      ),
    })
    const spec = fc.record({
      size: fc.integer({ min: 8, max: 13 }),
      terms: fc.option(fc.array(term, { maxLength: 2 }), { nil: undefined }),
      owner: fc.constantFrom(undefined, undefined, undefined, 'data', 'other'),
      taken: fc.constantFrom(false, false, true),
      modes: fc.constantFrom<AccessMode[]>(['ReadWriteOnce'], ['ReadOnlyMany'], ['ReadWriteOnce', 'ReadOnlyMany']),
    })
    const hosts = fc.record({ host: fc.constantFrom('a', 'b', 'c'), zone: fc.constantFrom('a', 'b', undefined) })
    fc.assert(
      fc.property(fc.array(spec, { maxLength: 8 }), hosts, (specs, { host, zone }) => {
        const volumes = specs.map(({ size, terms, owner, modes }, i) =>
          volume(`v${i}`, {
            capacity: { storage: `${size}Gi` },
            accessModes: modes,
            ...(terms === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
            ...(owner === undefined ? {} : { claimRef: { name: owner, namespace: 'default' } }),
          }),
        )
        const taken = new Set(specs.flatMap(({ taken: is }, i) => (is ? [`v${i}`] : [])))
        const labels = { 'kubernetes.io/hostname': host, ...(zone === undefined ? {} : { zone }) }
        expect(new VolumeCandidates(claim(), volumes).bestFor(labels, taken)).toBe(
          walk(claim(), volumes, labels, taken),
        )
      }),
    )
  })
})

/** The reference: a search of all volumes, as in upstream. */
function walk(
  wanted: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  labels: StringMap,
  taken: ReadonlySet<string>,
): PersistentVolume | undefined {
  let smallest: PersistentVolume | undefined
  const size = (one: PersistentVolume) => intValue(one.spec.capacity?.['storage'])
  for (const one of volumes) {
    if (taken.has(one.metadata.name)) continue
    if (one.spec.claimRef !== undefined && !isBoundTo(one, wanted)) continue
    if (size(one) < intValue(wanted.spec.resources?.requests?.['storage'])) continue
    const reachable = reachableFrom(one.spec.nodeAffinity, labels)
    if (isBoundTo(one, wanted)) return reachable ? one : undefined
    if (!reachable || !wanted.spec.accessModes?.every((mode) => one.spec.accessModes?.includes(mode))) continue
    if (smallest === undefined || size(smallest) > size(one)) smallest = one
  }
  return smallest
}
