import { describe, expect, it } from 'vitest'
import type { PersistentVolume, PersistentVolumeClaim } from './objects/storage.ts'
import {
  claimHasClass,
  classOfClaim,
  isBoundTo,
  isFullyBound,
  topologyAllows,
  volumeBoundTo,
} from './persistent-volumes.ts'

const claim: PersistentVolumeClaim = {
  metadata: { name: 'data', namespace: 'default', uid: 'u1', resourceVersion: '7' },
  spec: {},
}
const volume = (
  claimRef?: PersistentVolume['spec']['claimRef'],
  annotations?: Record<string, string>,
): PersistentVolume => ({
  metadata: { name: 'v', ...(annotations === undefined ? {} : { annotations }) },
  spec: claimRef === undefined ? {} : { claimRef },
})
const byUser = { namespace: 'default', name: 'data' }

describe('the claim of a persistent volume', () => {
  it.each([
    ['a volume without a claim', undefined, false],
    ['a volume that names the claim', byUser, true],
    ['a volume that is bound to the claim', { ...byUser, uid: 'u1' }, true],
    ['a volume that is bound to an earlier claim with this name', { ...byUser, uid: 'u0' }, false],
    ['a volume that names a claim in another namespace', { ...byUser, namespace: 'dev' }, false],
  ])('decides whether a volume belongs to a claim: %s', (_, claimRef, wanted) => {
    expect(isBoundTo(volume(claimRef), claim)).toBe(wanted)
  })

  it('binds a volume by the reference to the claim, with the annotation of the controller', () => {
    expect(volumeBoundTo(volume(), claim)).toEqual({
      metadata: { name: 'v', annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: {
        claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...byUser, uid: 'u1', resourceVersion: '7' },
      },
    })
  })

  it('keeps the annotations of a volume that a user reserved for a claim', () => {
    const bound = volumeBoundTo(volume(byUser), claim)
    expect(bound.metadata.annotations).toBeUndefined()
    expect(bound.spec.claimRef?.uid).toBe('u1')
  })

  it('returns the same volume if it is already bound', () => {
    const bound = volume({ ...byUser, uid: 'u1' })
    expect(volumeBoundTo(bound, claim)).toBe(bound)
  })
})

describe('the class of a claim', () => {
  const withClass = (storageClassName: string): PersistentVolumeClaim => ({ ...claim, spec: { storageClassName } })
  it('reads an absent or explicitly empty class of a claim', () => {
    expect([classOfClaim(claim), claimHasClass(claim)]).toEqual(['', false])
    expect([classOfClaim(withClass('')), claimHasClass(withClass(''))]).toEqual(['', true])
    expect(classOfClaim(withClass('fast'))).toBe('fast')
  })
  it('prefers the class in the old annotation of a claim', () => {
    const annotations = { 'volume.beta.kubernetes.io/storage-class': 'old' }
    const old = { ...withClass('fast'), metadata: { ...claim.metadata, annotations } }
    expect([classOfClaim(old), claimHasClass(old)]).toEqual(['old', true])
  })
})

describe('a claim', () => {
  it('treats a claim as bound if it has a volume and the binder has finished', () => {
    const named = { ...claim, spec: { volumeName: 'v' } }
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' }
    const finished = { ...claim.metadata, annotations }
    expect(isFullyBound(named)).toBe(false)
    expect(isFullyBound({ ...claim, metadata: finished })).toBe(false)
    expect(isFullyBound({ ...named, metadata: finished })).toBe(true)
  })
})

describe('the topology of a class', () => {
  const zones = (...values: string[]) => ({ matchLabelExpressions: [{ key: 'zone', values }] })
  it.each([
    ['anywhere for a class without terms', [], { zone: 'a' }, true],
    ['nowhere for a class with an empty term', [{ matchLabelExpressions: [] }], { zone: 'a' }, false],
    ['in a zone of the term', [zones('a', 'b')], { zone: 'b' }, true],
    ['not in another zone', [zones('a')], { zone: 'b' }, false],
    ['not on a node without the label', [zones('a')], {}, false],
    ['where one of the terms matches', [zones('a'), zones('c')], { zone: 'c' }, true],
    [
      'where all labels of a term match',
      [
        {
          matchLabelExpressions: [
            { key: 'zone', values: ['a'] },
            { key: 'rack', values: ['1'] },
          ],
        },
      ],
      { zone: 'a' },
      false,
    ],
  ])('decides where volumes of a class can be provisioned: %s', (_, terms, labels, wanted) => {
    expect(topologyAllows(terms, labels)).toBe(wanted)
  })
})
