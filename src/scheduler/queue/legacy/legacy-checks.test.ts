import { describe, expect, it } from 'vitest'
import type { Pod } from '../../../api/objects/pod.ts'
import { specificationChanged } from './legacy-checks.ts'

describe('specificationChanged', () => {
  const pod: Pod = { metadata: { name: 'p', labels: { app: 'web' } }, spec: { containers: [] }, status: {} }

  it('ignores changes of the status and the resourceVersion', () => {
    const after: Pod = { ...pod, metadata: { ...pod.metadata, resourceVersion: '2' }, status: { phase: 'Pending' } }
    expect(specificationChanged(pod, after)).toBe(false)
  })

  it('detects a change of the labels', () => {
    expect(specificationChanged(pod, { ...pod, metadata: { ...pod.metadata, labels: {} } })).toBe(true)
  })
})
