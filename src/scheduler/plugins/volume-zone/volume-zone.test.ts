import { describe, expect, it } from 'vitest'
import { assembleProfile } from '../default-plugins.ts'
import {
  boundClaim,
  claim,
  node,
  podWith,
  storageClass,
  type VolumeCluster,
  verdicts,
  volume,
} from '../volume-cluster.fixture.ts'
import { volumeZone } from './volume-zone.ts'

const elsewhere = 'VolumeZone!: node(s) had no available volume zone'
const zone = 'topology.kubernetes.io/zone'
const region = 'topology.kubernetes.io/region'
const betaZone = 'failure-domain.beta.kubernetes.io/zone'
const betaRegion = 'failure-domain.beta.kubernetes.io/region'

describe('volumes with zone labels', () => {
  const cases: readonly (readonly [string, Record<string, string>, Record<string, string>, boolean])[] = [
    ['volume in the zone of the node', { [zone]: 'a' }, { [zone]: 'a' }, true],
    ['volume in another zone', { [zone]: 'a' }, { [zone]: 'b' }, false],
    ['volume in several zones', { [zone]: 'a__b' }, { [zone]: 'b' }, true],
    [
      'volume in a zone with the same name in another region',
      { [zone]: 'a', [region]: 'r' },
      { [zone]: 'a', [region]: 's' },
      false,
    ],
    ['volume and node with deprecated labels', { [betaZone]: 'a' }, { [betaZone]: 'a' }, true],
    [
      'volume with deprecated labels, node with current labels',
      { [betaZone]: 'a', [betaRegion]: 'r' },
      { [zone]: 'a', [region]: 'r' },
      true,
    ],
    ['volume with deprecated labels, node in another zone', { [betaZone]: 'a' }, { [zone]: 'b' }, false],
    ['volume with current labels, node with deprecated labels', { [zone]: 'a' }, { [betaZone]: 'a' }, false],
    ['node without zone and region labels', { [zone]: 'a' }, {}, true],
    ['node with a region label only', { [zone]: 'a' }, { [region]: 'r' }, false],
    ['volume with an invalid zone label', { [zone]: 'a__' }, { [zone]: 'b' }, true],
    ['volume without labels', {}, { [zone]: 'b' }, true],
  ]
  it.each(cases)('VolumeZone checks zone labels: %s', (_, ofVolume, ofNode, fits) => {
    const cluster: VolumeCluster = {
      nodes: [node('n1', ofNode)],
      claims: [boundClaim('data')],
      volumes: [volume('data', {}, { labels: ofVolume })],
    }
    expect(verdicts(cluster, podWith('p', ['data']))).toEqual({ n1: fits ? 'ok' : elsewhere })
  })
})

describe('unbound claims', () => {
  const answer = (cluster: Partial<VolumeCluster>, name = 'data') => {
    const profile = assembleProfile('s', [{ plugin: volumeZone, weight: 0 }])
    const lists: Record<string, readonly { metadata: { name: string; namespace?: string } }[]> = {
      persistentvolumeclaims: cluster.claims ?? [],
      'storageclasses.storage.k8s.io': cluster.classes ?? [],
    }
    const objects = {
      get: (resource: string, key: string) =>
        lists[resource]?.find(
          ({ metadata }) => key === metadata.name || key === `${metadata.namespace}/${metadata.name}`,
        ) as never,
      list: () => [],
    }
    const pod = { pod: podWith('p', [name]), shape: { claims: [`default/${name}`] } } as never
    const result = profile.preFilter[0]?.preFilter?.(pod, { objects } as never)
    return result !== undefined && 'reasons' in result ? [result.code, ...result.reasons] : result
  }
  const unresolvable = 'UnschedulableAndUnresolvable'
  it('accepts all nodes for an unbound claim that waits for its first consumer', () => {
    expect(answer({ claims: [claim('data', { storageClassName: 'c' })], classes: [storageClass('c')] })).toEqual([
      'Skip',
    ])
  })
  it('rejects all nodes for other unbound claims', () => {
    const classes = [storageClass('c', { volumeBindingMode: 'Immediate' })]
    expect(answer({ claims: [claim('data', { storageClassName: 'c' })], classes })).toEqual([
      unresolvable,
      'PersistentVolume had no name',
    ])
    expect(answer({ claims: [claim('data')] })).toEqual([
      unresolvable,
      'PersistentVolumeClaim had no pv name and storageClass name',
    ])
    expect(answer({ claims: [claim('data', { storageClassName: 'c' })] })).toEqual([
      unresolvable,
      'storageclass.storage.k8s.io "c" not found',
    ])
    expect(answer({})).toEqual([unresolvable, 'persistentvolumeclaim "data" not found'])
    expect(answer({}, '')).toEqual([unresolvable, 'PersistentVolumeClaim had no name'])
    expect(answer({ claims: [boundClaim('data')] })).toEqual([unresolvable, 'persistentvolume "data" not found'])
  })
})
