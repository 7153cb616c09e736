import { describe, expect, it } from 'vitest'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { deploymentOf } from '../run/story.fixture.ts'
import { podOfTemplate } from './template-pod.ts'

describe('a pod of a template', () => {
  it('a pod of a template requests its limits, like a pod that the API server stores', () => {
    const container = {
      name: 'c',
      image: 'a',
      resources: { requests: { cpu: '1' }, limits: { 'nvidia.com/gpu': '4' } },
    }
    const trainer = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      ...deploymentOf('trainer', 1, { containers: [container] }),
    }
    expect(podOfTemplate(trainer as never, defaultRelease)).toMatchObject({
      metadata: {
        namespace: 'default',
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'trainer' }],
      },
      spec: { containers: [{ resources: { requests: { cpu: '1', 'nvidia.com/gpu': '4' } } }] },
    })
  })
})
