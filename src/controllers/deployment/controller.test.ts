import { describe, expect, it } from 'vitest'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { failure } from '../../api/status.ts'
import { annotations, labels } from '../../api/well-known.ts'
import { createReplicaSetController } from '../replica-set/controller.ts'
import { WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { createDeploymentController } from './controller.ts'

type Spec = NonNullable<Deployment['spec']>

function template(image: string): Spec['template'] {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } }
}

function deployment(more: Partial<Spec> = {}): Deployment {
  return {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: template('v1'),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      ...more,
    },
  }
}

function cluster(options: Partial<WorkloadClusterOptions> = {}): WorkloadCluster {
  return new WorkloadCluster({
    controllers: [createDeploymentController(), createReplicaSetController()],
    ...options,
  })
}

const web = (c: WorkloadCluster): Deployment => c.get('deployments.apps', 'default/web') as Deployment
const setImage = (c: WorkloadCluster, image: string) =>
  c.patch('deployments.apps', 'default/web', { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } })
const scale = (c: WorkloadCluster, replicas: number) =>
  c.patch('deployments.apps', 'default/web', { spec: { replicas } })
const imageOf = ({ spec }: ReplicaSet) => spec?.template?.spec.containers[0]?.image ?? ''

/** `image revision size/ready`, by revision. */
function sets(c: WorkloadCluster): readonly string[] {
  return c
    .list('replicasets.apps')
    .map((rs) => ({ rs, revision: Number(rs.metadata.annotations?.[annotations.deploymentRevision]) }))
    .sort((a, b) => a.revision - b.revision)
    .map(({ rs, revision }) => `${imageOf(rs)} r${revision} ${rs.spec?.replicas}/${rs.status?.readyReplicas ?? 0}`)
}

function conditionsOf(c: WorkloadCluster): Record<string, string> {
  const entries = (web(c).status?.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`])
  return Object.fromEntries(entries)
}

describe('the Deployment controller', () => {
  it('creates a ReplicaSet for the template, with a revision and a hash label', () => {
    const c = cluster()
    c.create('deployments.apps', deployment())
    c.settle()
    const [rs] = c.list('replicasets.apps') as readonly [ReplicaSet]
    const hash = rs.metadata.labels?.[labels.podTemplateHash]
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{8,10}$/)
    expect(rs.metadata.name).toBe(`web-${hash}`)
    expect(rs.spec?.selector).toEqual({ matchLabels: { app: 'web', 'pod-template-hash': hash } })
    expect(rs.spec?.template?.metadata?.labels).toEqual({ app: 'web', 'pod-template-hash': hash })
    expect(rs.metadata.annotations).toEqual({
      'deployment.kubernetes.io/revision': '1',
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
    })
    expect(web(c).metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' })
    expect(web(c).status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    })
    expect(web(c).status?.unavailableReplicas).toBeUndefined()
    expect(web(c).status?.conditions).toEqual([
      expect.objectContaining({
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }),
      expect.objectContaining({
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `ReplicaSet "web-${hash}" has successfully progressed.`,
      }),
    ])
    expect(c.events('web')).toEqual([`ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 3`])
  })

  it('rolls out a new template within its limits and completes', () => {
    const c = cluster({ kubelet: { startMs: 1000 } })
    c.create('deployments.apps', deployment({ replicas: 10 }))
    c.advance(5000)
    let most = 0
    let fewest = 10
    c.driver.onChanges(() => {
      const pods = c.pods().filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      most = Math.max(most, pods.length)
      fewest = Math.min(fewest, pods.filter(({ status }) => status?.phase === 'Running').length)
    })
    setImage(c, 'v2')
    c.advance(60_000)
    expect(sets(c)).toEqual(['v1 r1 0/0', 'v2 r2 10/10'])
    expect(most).toBe(13)
    expect(fewest).toBe(8)
    expect(conditionsOf(c)).toEqual({
      Available: 'True MinimumReplicasAvailable',
      Progressing: 'True NewReplicaSetAvailable',
    })
    expect(web(c).metadata.annotations?.[annotations.deploymentRevision]).toBe('2')
    const names = c.list('replicasets.apps').map((rs) => [rs.metadata.name, imageOf(rs)] as const)
    const told = c.events('web').map((text) => names.reduce((t, [name, image]) => t.replace(name, image), text))
    expect(told.slice(0, 4)).toEqual([
      'ScalingReplicaSet: Scaled up replica set v1 from 0 to 10',
      'ScalingReplicaSet: Scaled up replica set v2 from 0 to 3',
      'ScalingReplicaSet: Scaled down replica set v1 from 10 to 8',
      'ScalingReplicaSet: Scaled up replica set v2 from 3 to 5',
    ])
  })

  it('pauses the rollout while new pods do not become available', () => {
    const c = cluster()
    c.create('deployments.apps', deployment({ replicas: 4 }))
    c.settle()
    c.driver.remove('instant-kubelet')
    setImage(c, 'broken')
    c.advance(1000)
    expect(sets(c)).toEqual(['v1 r1 3/3', 'broken r2 2/0'])
    expect(conditionsOf(c)).toEqual({
      Available: 'True MinimumReplicasAvailable',
      Progressing: 'True ReplicaSetUpdated',
    })
  })

  it('reports when the progress deadline is exceeded, and a later success', () => {
    const c = cluster({ kubelet: 'none' })
    c.create('deployments.apps', deployment({ replicas: 1, progressDeadlineSeconds: 60 }))
    c.advance(60_000)
    expect(conditionsOf(c).Progressing).toBe('True ReplicaSetUpdated')
    expect(conditionsOf(c).Available).toBe('False MinimumReplicasUnavailable')
    c.advance(2000)
    expect(conditionsOf(c).Progressing).toBe('False ProgressDeadlineExceeded')
    const [rs] = c.list('replicasets.apps') as readonly [ReplicaSet]
    expect(web(c).status?.conditions?.at(-1)?.message).toBe(
      `ReplicaSet "${rs.metadata.name}" has timed out progressing.`,
    )
    c.setReady(`default/${c.pods()[0]?.metadata.name}`)
    c.settle()
    expect(conditionsOf(c).Progressing).toBe('True NewReplicaSetAvailable')
  })

  it('rolls back to an earlier template by reusing its ReplicaSet with a new revision', () => {
    const c = cluster()
    c.create('deployments.apps', deployment())
    c.settle()
    setImage(c, 'v2')
    c.settle()
    setImage(c, 'v1')
    c.settle()
    expect(sets(c)).toEqual(['v2 r2 0/0', 'v1 r3 3/3'])
    setImage(c, 'v2')
    c.settle()
    setImage(c, 'v1')
    c.settle()
    expect(sets(c)).toEqual(['v2 r4 0/0', 'v1 r5 3/3'])
    const back = c.list('replicasets.apps').find((rs) => imageOf(rs) === 'v1')
    expect(back?.metadata.annotations?.['deployment.kubernetes.io/revision-history']).toBe('1,3')
  })

  it('keeps at most as many old ReplicaSets as its history limit allows', () => {
    const c = cluster()
    c.create('deployments.apps', deployment({ revisionHistoryLimit: 2 }))
    for (const image of ['v1', 'v2', 'v3', 'v4', 'v5']) {
      setImage(c, image)
      c.settle()
    }
    expect(sets(c)).toEqual(['v3 r3 0/0', 'v4 r4 0/0', 'v5 r5 3/3'])
  })

  it('deletes all old pods before it creates new ones, with the strategy Recreate', () => {
    const c = cluster()
    c.create('deployments.apps', deployment({ strategy: { type: 'Recreate' } }))
    c.settle()
    const together: string[] = []
    c.driver.onChanges(() => {
      const images = new Set(c.pods().map(({ spec }) => spec.containers[0]?.image))
      if (images.size > 1) together.push([...images].join(' and '))
    })
    setImage(c, 'v2')
    c.settle()
    expect(sets(c)).toEqual(['v1 r1 0/0', 'v2 r2 3/3'])
    expect(together).toEqual([])
  })

  it('waits for terminating pods before it creates new ones, with the strategy Recreate', () => {
    const c = cluster()
    c.create('deployments.apps', deployment({ replicas: 1, strategy: { type: 'Recreate' } }))
    c.settle()
    c.driver.remove('instant-kubelet')
    setImage(c, 'v2')
    c.settle()
    expect(sets(c)).toEqual(['v1 r1 0/0'])
    c.delete('pods', `default/${c.pods()[0]?.metadata.name}`, { gracePeriodSeconds: 0 })
    c.settle()
    expect(sets(c)).toEqual(['v1 r1 0/0', 'v2 r2 1/0'])
  })

  it('ignores a new template while the Deployment is paused, but scales', () => {
    const c = cluster()
    c.create('deployments.apps', deployment())
    c.settle()
    c.patch('deployments.apps', 'default/web', { spec: { paused: true } })
    c.settle()
    expect(conditionsOf(c).Progressing).toBe('Unknown DeploymentPaused')
    setImage(c, 'v2')
    scale(c, 5)
    c.settle()
    expect(sets(c)).toEqual(['v1 r1 5/5'])
    c.patch('deployments.apps', 'default/web', { spec: { paused: false } })
    c.settle()
    expect(sets(c)).toEqual(['v1 r1 0/0', 'v2 r2 5/5'])
    expect(conditionsOf(c).Progressing).toBe('True NewReplicaSetAvailable')
  })

  it('distributes a change of scale over the ReplicaSets of a rollout', () => {
    const c = cluster()
    c.create('deployments.apps', deployment({ replicas: 10 }))
    c.settle()
    c.driver.remove('instant-kubelet')
    setImage(c, 'v2')
    c.settle()
    expect(sets(c)).toEqual(['v1 r1 8/8', 'v2 r2 5/0'])
    scale(c, 20)
    c.settle()
    // At most 25 pods may exist. The 12 additional pods are distributed by the share of each ReplicaSet in 13.
    expect(sets(c)).toEqual(['v1 r1 15/8', 'v2 r2 10/0'])
    expect(
      c.list('replicasets.apps').map(({ metadata }) => metadata.annotations?.[annotations.deploymentMaxReplicas]),
    ).toEqual(['25', '25'])
  })

  it('scales a Deployment to zero and back', () => {
    const c = cluster()
    c.create('deployments.apps', deployment())
    c.settle()
    scale(c, 0)
    c.settle()
    expect(sets(c)).toEqual(['v1 r1 0/0'])
    expect(web(c).status).toMatchObject({ observedGeneration: 2, terminatingReplicas: 0 })
    expect(web(c).status?.replicas).toBeUndefined()
    scale(c, 2)
    c.settle()
    expect(sets(c)).toEqual(['v1 r1 2/2'])
  })

  it('copies annotations and minReadySeconds to its ReplicaSet', () => {
    const c = cluster()
    c.create('deployments.apps', deployment())
    c.settle()
    c.patch('deployments.apps', 'default/web', {
      metadata: { annotations: { 'kubernetes.io/change-cause': 'why not', [annotations.lastApplied]: '{}' } },
      spec: { minReadySeconds: 7 },
    })
    c.settle()
    const [rs] = c.list('replicasets.apps') as readonly [ReplicaSet]
    expect(rs.metadata.annotations?.['kubernetes.io/change-cause']).toBe('why not')
    expect(rs.metadata.annotations?.[annotations.lastApplied]).toBeUndefined()
    expect(rs.spec?.minReadySeconds).toBe(7)
  })

  it('counts a name collision and uses another name', () => {
    const c = cluster()
    c.create('deployments.apps', deployment())
    c.settle()
    const name = c.list('replicasets.apps')[0]?.metadata.name as string
    c.delete('deployments.apps', 'default/web', { propagationPolicy: 'Background' })
    // The garbage collector does not run here: the orphaned name belongs to a set with another owner.
    c.create('deployments.apps', deployment())
    c.settle()
    const others = c.list('replicasets.apps').filter(({ metadata }) => metadata.name !== name)
    expect(others).toHaveLength(1)
    expect(web(c).status).toMatchObject({ collisionCount: 1, replicas: 3 })
  })

  it('adopts a ReplicaSet with its template', () => {
    const c = cluster()
    c.create('deployments.apps', deployment())
    c.settle()
    c.delete('deployments.apps', 'default/web', { propagationPolicy: 'Background' })
    const [rs] = c.list('replicasets.apps') as readonly [ReplicaSet]
    c.patch('replicasets.apps', `default/${rs.metadata.name}`, { metadata: { ownerReferences: null } })
    c.create('deployments.apps', deployment())
    c.settle()
    expect(sets(c)).toEqual(['v1 r1 3/3'])
    expect(c.list('replicasets.apps')[0]?.metadata.ownerReferences?.[0]?.uid).toBe(web(c).metadata.uid)
    expect(conditionsOf(c).Progressing).toBe('True NewReplicaSetAvailable')
  })

  it('reports a ReplicaSet that could not be created, and retries', () => {
    let refused = 2
    const c = cluster({
      refuse: (call) =>
        call.verb === 'create' && call.resource === 'replicasets.apps' && refused-- > 0
          ? failure('Forbidden', 'no')
          : undefined,
    })
    c.create('deployments.apps', deployment())
    c.settle()
    expect(conditionsOf(c)).toEqual({ Progressing: 'False ReplicaSetCreateError' })
    expect(c.events('web')[0]).toMatch(/^ReplicaSetCreateError: Failed to create new replica set "web-\w+": no/)
    c.advance(1000)
    expect(sets(c)).toEqual(['v1 r1 3/3'])
    expect(conditionsOf(c).Progressing).toBe('True NewReplicaSetAvailable')
  })

  it('reports the failure of its ReplicaSet in its own status', () => {
    const c = cluster({
      refuse: (call) => (call.verb === 'create' && call.resource === 'pods' ? failure('Forbidden', 'no') : undefined),
    })
    c.create('deployments.apps', deployment())
    c.settle()
    expect(conditionsOf(c).ReplicaFailure).toBe('True FailedCreate')
  })

  it('continues a rollout after a restart of both controllers', () => {
    const c = cluster({ kubelet: { startMs: 1000 } })
    c.create('deployments.apps', deployment({ replicas: 6 }))
    c.advance(3000)
    setImage(c, 'v2')
    c.advance(1500)
    c.driver.restart('deployment-controller', createDeploymentController)
    c.driver.restart('replicaset-controller', createReplicaSetController)
    c.advance(20_000)
    expect(sets(c)).toEqual(['v1 r1 0/0', 'v2 r2 6/6'])
    expect(c.pods()).toHaveLength(6)
  })

  it('rolls out a template for two thousand pods', () => {
    const c = cluster()
    c.create('deployments.apps', deployment({ replicas: 2_000 }))
    c.settle()
    setImage(c, 'v2')
    c.settle()
    expect(sets(c)).toEqual(['v1 r1 0/0', 'v2 r2 2000/2000'])
  })
})
