import { describe, expect, it } from 'vitest'
import { clusterVersion } from './cluster-version.ts'

describe('clusterVersion', () => {
  it.each([
    ['v1.34.3', { version: '1.34.3' }],
    ['v1.34.3-eks-1a2b3c', { version: '1.34.3' }],
    ['v1.35.0+k3s1', { version: '1.35.0' }],
    ['1.36.2-gke.1000', { version: '1.36.2' }],
    ['v1.36.4+berth', { version: '1.36.4' }],
  ])('reads the cluster version %s', (text, known) => {
    expect(clusterVersion(text)).toEqual(known)
  })

  it.each([
    ['v1.36.99', { version: '1.36.4', instead: '1.36.99' }],
    ['v1.33.5', { version: '1.34.11', instead: '1.33.5' }],
    ['v1.99.0', { version: '1.37.1', instead: '1.99.0' }],
  ])('uses the nearest known version for %s, and reports it', (text, known) => {
    expect(clusterVersion(text)).toEqual(known)
  })

  it.each(['', 'latest', '1.36', 'v1.x.3'])('returns no version for %j', (text) => {
    expect(clusterVersion(text)).toBeUndefined()
  })
})
