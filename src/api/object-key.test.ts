import { describe, expect, it } from 'vitest'
import { keyOf, objectKey, splitKey } from './object-key.ts'
import { controllerOf, controllerReference, isControlledBy, isOwnedBy } from './owner-references.ts'

describe('object keys', () => {
  it('builds keys of namespaced and cluster-scoped objects', () => {
    expect(keyOf({ metadata: { namespace: 'default', name: 'web-0' } })).toBe('default/web-0')
    expect(keyOf({ metadata: { name: 'node-1' } })).toBe('node-1')
    expect([objectKey('a', 'b'), objectKey(undefined, 'b')]).toEqual(['a/b', 'b'])
    expect([splitKey('a/b'), splitKey('b')]).toEqual([{ namespace: 'a', name: 'b' }, { name: 'b' }])
  })
})

describe('owner references', () => {
  const owner = { metadata: { name: 'rs', uid: 'u1' } }
  const reference = controllerReference(owner, { apiVersion: 'apps/v1', kind: 'ReplicaSet' })

  it('finds the controller in owner references', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u2' }
    const owned = { metadata: { name: 'p', ownerReferences: [other, reference] } }
    expect(controllerOf(owned)?.uid).toBe('u1')
    expect([isControlledBy(owned, owner), isControlledBy({ metadata: { name: 'q' } }, owner)]).toEqual([true, false])
    expect([isOwnedBy(owned, 'u2'), isOwnedBy(owned, 'u3')]).toEqual([true, false])
  })

  it('does not treat an object without a uid as an owner', () => {
    expect(isControlledBy({ metadata: { name: 'p' } }, { metadata: { name: 'x' } })).toBe(false)
  })
})
