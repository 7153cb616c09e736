import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { setsByTemplate } from '../../controllers/deployment/replica-sets.ts'
import { deployment, pod } from '../run/story.fixture.ts'
import { derivedReplicaSets } from './found-replica-sets.ts'

const web = { ...deployment('web', 3), metadata: { name: 'web', namespace: 'default', uid: 'web' } } as never

function podOf(set: string, name: string, creationTimestamp: string): Pod {
  const { spec } = pod(name, { on: 'a' }) as Pod
  const hash = set.slice(set.lastIndexOf('-') + 1)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      creationTimestamp,
      labels: { app: 'web', 'pod-template-hash': hash },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: set, uid: set, controller: true }],
    },
    spec: { ...spec, nodeName: 'a' },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  } as Pod
}

const byKey = (...objects: readonly KubeObject[]) =>
  new Map(objects.map((object) => [`${object.metadata.namespace}/${object.metadata.name}`, object]))

const none = byKey()

describe('derivedReplicaSets', () => {
  it('derives the ReplicaSet of a Deployment, with the replicas of the Deployment', () => {
    const pods = byKey(podOf('web-1', 'web-1-a', '2026-01-01T00:00:00Z'))
    const { derived, isComplete } = derivedReplicaSets(byKey(web), none, pods)
    expect(isComplete).toBe(true)
    expect(derived).toMatchObject([
      {
        metadata: { name: 'web-1', namespace: 'default', uid: 'web-1', ownerReferences: [{ name: 'web', uid: 'web' }] },
        spec: { replicas: 3, selector: { matchLabels: { app: 'web', 'pod-template-hash': '1' } } },
        status: { replicas: 1, readyReplicas: 1, availableReplicas: 1 },
      },
    ])
    expect(setsByTemplate(web, derived).newSet?.metadata.name).toBe('web-1')
  })

  it('derives the current ReplicaSet from the newest pod during a rollout, and outdated ones from the other pods', () => {
    const pods = byKey(
      podOf('web-2', 'web-2-a', '2026-01-02T00:00:00Z'),
      podOf('web-1', 'web-1-a', '2026-01-01T00:00:00Z'),
      podOf('web-1', 'web-1-b', '2026-01-01T00:00:00Z'),
    )
    const { derived } = derivedReplicaSets(byKey(web), none, pods)
    expect(derived.map(({ metadata, spec }) => [metadata.name, spec?.replicas])).toEqual([
      ['web-2', 1],
      ['web-1', 2],
    ])
    const { newSet, old } = setsByTemplate(web, derived)
    expect([newSet?.metadata.name, old.map(({ metadata }) => metadata.name)]).toEqual(['web-2', ['web-1']])
    expect(old[0]?.spec?.template?.spec).not.toHaveProperty('nodeName')
  })

  it('derives no ReplicaSet that is found, or whose Deployment is missing', () => {
    const pods = byKey(podOf('web-1', 'web-1-a', '2026-01-01T00:00:00Z'))
    const found = byKey({ metadata: { name: 'web-1', namespace: 'default' } })
    expect(derivedReplicaSets(byKey(web), found, pods)).toEqual({ derived: [], isComplete: true })
    expect(derivedReplicaSets(none, none, pods)).toEqual({ derived: [], isComplete: false })
  })
})
