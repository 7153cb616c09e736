import { describe, expect, it } from 'vitest'
import type { Lease, Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import type { Job } from '../../src/api/objects/workloads.ts'
import { start, startSteppedCluster } from './stepped-cluster.ts'

const hourSeconds = 3600
const steps = [
  ['two minutes forward', 120],
  ['an hour forward', hourSeconds],
  ['an hour back', -hourSeconds],
] as const

const leases = 'leases.coordination.k8s.io'
const container = { name: 'main', image: 'nginx' }
const nodes = ['node-1', 'node-2', 'node-3']

function pod(name: string, spec: object = {}) {
  return { metadata: { name, namespace: 'default' }, spec: { containers: [container], ...spec } }
}

describe.each(steps)('when the wall clock is set %s', (_what, seconds) => {
  it('keeps healthy nodes healthy and their Leases renewed every ten seconds', async () => {
    const { clock, store, pass, history, crashes } = await startSteppedCluster(nodes)
    await pass(30)
    clock.stepWall(seconds * 1000)
    history.length = 0
    for (let minute = 0; minute < 10; minute++) {
      await pass(60)
      const found = nodes.map((name) => store.get('nodes', name) as Node)
      expect(found.flatMap(({ spec }) => spec?.taints ?? [])).toEqual([])
      const ready = found.map(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status)
      expect(ready).toEqual(['True', 'True', 'True'])
    }
    const renewals = (name: string) =>
      history.filter((line) => line.endsWith(`${leases} kube-node-lease/${name} changed`)).length
    expect(nodes.map(renewals)).toEqual([60, 60, 60])
    expect(crashes).toEqual([])
  })

  it('keeps all durations as without the step of the wall clock', async () => {
    const live = async (stepSeconds: number) => {
      const { clock, call, create, pass, history } = await startSteppedCluster(nodes)
      create('pods', pod('web', { nodeName: 'node-1' }))
      const tolerations = [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }]
      create('pods', pod('tolerant', { nodeName: 'node-2', tolerations }))
      // Never fits, so it is retried in the scheduling queue.
      create('pods', pod('large', { containers: [{ ...container, resources: { requests: { cpu: '1000' } } }] }))
      await pass(20)
      const taints = [{ key: 'k', effect: 'NoExecute' }]
      call({ verb: 'patch', resource: 'nodes', name: 'node-2', patch: { kind: 'merge', patch: { spec: { taints } } } })
      await pass(30)
      clock.stepWall(stepSeconds * 1000)
      // A change of nodes requeues the pod that does not fit, so that its backoff counts.
      for (let i = 0; i < 20; i++) {
        const labels = { [`round-${i}`]: '' }
        call({
          verb: 'patch',
          resource: 'nodes',
          name: 'node-3',
          patch: { kind: 'merge', patch: { metadata: { labels } } },
        })
        await pass(7)
      }
      // A silent node is detected exactly after the grace period.
      const annotations = { 'berth.dev/silent': 'true' }
      call({
        verb: 'patch',
        resource: 'nodes',
        name: 'node-1',
        patch: { kind: 'merge', patch: { metadata: { annotations } } },
      })
      await pass(500)
      return history.filter((line) => !/ events|resourcequota/.test(line))
    }
    const [expected, found] = [await live(0), await live(seconds)]
    expect(expected).toContain('81s pods default/tolerant changed')
    expect(
      expected.some((line) => line.endsWith('pods default/web gone') || line.includes('default/web changed')),
    ).toBe(true)
    expect(found).toEqual(expected)
  })

  it('writes the time of the wall clock into objects', async () => {
    const { clock, store, call, create, pass } = await startSteppedCluster(nodes)
    clock.stepWall(seconds * 1000)
    const annotations = { 'berth.dev/silent': 'true' }
    call({
      verb: 'patch',
      resource: 'nodes',
      name: 'node-1',
      patch: { kind: 'merge', patch: { metadata: { annotations } } },
    })
    create('pods', pod('web'))
    await pass(120)
    const shown = (text: string | undefined) => (Date.parse(text ?? '') - start) / 1000 - seconds
    const silent = store.get('nodes', 'node-1') as Node
    const taint = silent.spec?.taints?.find(({ effect }) => effect === 'NoExecute')
    const web = store.get('pods', 'default/web') as Pod
    const stamps = [
      taint?.timeAdded,
      silent.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime,
      web.metadata.creationTimestamp,
      web.status?.startTime,
      web.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime,
      ...store
        .list('events')
        .filter((event) => (event as { reason?: string }).reason === 'NodeNotReady')
        .map((event) => (event as { lastTimestamp?: string }).lastTimestamp),
    ].map(shown)
    expect(stamps.length).toBeGreaterThan(5)
    for (const stamp of stamps) {
      expect(stamp).toBeGreaterThanOrEqual(0)
      expect(stamp).toBeLessThanOrEqual(121)
    }
    // A renewal never looks older than the one before, or node lifecycle would not count it.
    const renewedAt = shown((store.get(leases, 'kube-node-lease/node-2') as Lease).spec?.renewTime)
    expect(renewedAt).toBeGreaterThanOrEqual(seconds > 0 ? 110 : hourSeconds)
    expect(renewedAt).toBeLessThanOrEqual(seconds > 0 ? 121 : hourSeconds + 2)
  })
})

describe('timestamps of objects are compared with the wall clock', () => {
  const job = (name: string, spec: object) => ({
    metadata: { name, namespace: 'default' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } }, ...spec },
  })
  const hasEnded = (found: unknown) =>
    (found as Job | undefined)?.status?.conditions?.some(({ type }) => type === 'Failed') === true

  it('ends a Job by activeDeadlineSeconds when the wall clock has passed its startTime by that time', async () => {
    const { clock, store, create, pass } = await startSteppedCluster(nodes)
    // Its pod never fits, so that nothing else wakes the Job.
    const resources = { requests: { cpu: '1000' } }
    const template = { spec: { restartPolicy: 'Never', containers: [{ ...container, resources }] } }
    create('jobs.batch', job('deadline', { activeDeadlineSeconds: 600, template }))
    await pass(10)
    clock.stepWall(hourSeconds * 1000)
    // As in upstream, the wait was computed before the clock step, and the first event of the Job after it finds the deadline passed.
    await pass(580)
    expect(hasEnded(store.get('jobs.batch', 'default/deadline'))).toBe(false)
    await pass(11)
    expect(hasEnded(store.get('jobs.batch', 'default/deadline'))).toBe(true)
  })

  it('starts a CronJob when the wall clock shows its time, also after it was set back', async () => {
    const { clock, store, create, pass } = await startSteppedCluster(nodes)
    const jobTemplate = { spec: job('', {}).spec }
    create('cronjobs.batch', {
      metadata: { name: 'daily', namespace: 'default' },
      spec: { schedule: '0 1 * * *', jobTemplate },
    })
    await pass(10)
    const started = () => store.list('jobs.batch').length
    clock.stepWall(-hourSeconds * 1000)
    await pass(hourSeconds + 60)
    expect(started()).toBe(0)
    await pass(hourSeconds)
    expect(started()).toBe(1)
    expect(store.list('jobs.batch')[0]?.metadata.creationTimestamp).toBe('2026-01-01T01:00:00Z')
  })
})
