import { describe, expect, it } from 'vitest'
import type { KubeObject, StringMap } from '../../api/objects/meta.ts'
import type { Lease, Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { clusterPorts, start } from '../../client/cluster-ports.fixture.ts'
import { createStepDriver } from '../../runtime/step-driver.ts'
import { createNodeLifecycle } from '../node-lifecycle/controller.ts'
import { createHollowKubelet, type HollowKubeletOptions, hollowKubelet } from './controller.ts'
import { hollowAnnotations, hollowLabel } from './hollow-names.ts'
import { packs } from './packs.ts'

function cluster(options: HollowKubeletOptions = {}, { monitored = false } = {}) {
  const { store, clock, random, client, must } = clusterPorts(['default', 'kube-node-lease'])
  const kubelet = createHollowKubelet({ leaseRenewIntervalMs: 10_000, statusUpdateIntervalMs: 60_000, ...options })
  const lifecycle = createNodeLifecycle(
    options.heartbeats === 'computed' ? { heartbeats: (node) => kubelet.lastHeartbeat(node, clock.now()) } : {},
  )
  const controllers = monitored ? [kubelet, lifecycle] : [kubelet]
  const driver = createStepDriver({ client, source: store, clock, random, controllers })
  let writes = 0
  const history: string[] = []
  driver.onChanges((changes, by, now) => {
    if (by === hollowKubelet) writes += changes.length
    for (const { resource, key, before, after } of changes) {
      if (resource !== 'nodes') continue
      const ready = (node: KubeObject | undefined) =>
        (node as Node | undefined)?.status?.conditions?.find(({ type }) => type === 'Ready')?.status
      const taints = (node: KubeObject | undefined) =>
        ((node as Node | undefined)?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).join(' ')
      if (ready(before) !== ready(after)) history.push(`${(now - start) / 1000}s ${key} ready ${ready(after)}`)
      if (taints(before) !== taints(after)) history.push(`${(now - start) / 1000}s ${key} taints ${taints(after)}`)
    }
  })
  return {
    clock,
    must,
    kubelet,
    driver,
    history,
    writes: () => writes,
    node: (name: string) => store.get('nodes', name) as Node,
    pod: (name: string) => store.get('pods', `default/${name}`) as Pod | undefined,
    lease: (name: string) => store.get('leases.coordination.k8s.io', `kube-node-lease/${name}`) as Lease | undefined,
    addNode: (name: string, more: Partial<Node> = {}) =>
      must({ verb: 'create', resource: 'nodes', object: { metadata: { name }, ...more } as Node }),
    addPod: (
      name: string,
      node: string,
      { annotations = {}, ownerReferences, ...spec }: Record<string, unknown> = {},
    ) =>
      must({
        verb: 'create',
        resource: 'pods',
        namespace: 'default',
        object: {
          metadata: { name, annotations: annotations as StringMap, ownerReferences },
          spec: { nodeName: node, containers: [{ name: 'c', image: 'pause' }], ...spec },
        } as unknown as Pod,
      }),
    remove: (name: string) => must({ verb: 'delete', resource: 'pods', namespace: 'default', name }),
    annotate: (name: string, annotations: Record<string, string | null>) =>
      must({ verb: 'patch', resource: 'nodes', name, patch: { kind: 'merge', patch: { metadata: { annotations } } } }),
    at: (seconds: number) => driver.advanceTo(start + seconds * 1000),
  }
}

const conditions = (object: Node | Pod | undefined) =>
  Object.fromEntries((object?.status?.conditions ?? []).map(({ type, status }) => [type, status]))

describe('a hollow node', () => {
  it('makes a new hollow node ready, with capacity, address, node info and Lease', () => {
    const { addNode, driver, node, lease } = cluster()
    addNode('a')
    driver.settle()
    expect(conditions(node('a'))).toEqual({
      MemoryPressure: 'False',
      DiskPressure: 'False',
      PIDPressure: 'False',
      Ready: 'True',
    })
    expect(node('a').status?.capacity).toMatchObject({ cpu: '8', memory: '32Gi', pods: '110' })
    expect(node('a').status?.allocatable).toEqual(node('a').status?.capacity)
    expect(node('a').status?.addresses).toEqual([
      { type: 'InternalIP', address: '172.16.0.2' },
      { type: 'Hostname', address: 'a' },
    ])
    expect(node('a').status?.nodeInfo?.['kubeletVersion']).toBe('v1.37.1')
    expect(lease('a')?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 40,
      renewTime: '2026-01-01T00:00:00.000000Z',
    })
    expect(lease('a')?.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Node', name: 'a' })
  })

  it('keeps the capacity of a hollow node that has one', () => {
    const { addNode, driver, node } = cluster()
    addNode('a', { status: { capacity: { cpu: '4' }, allocatable: { cpu: '3' } } })
    driver.settle()
    expect(node('a').status?.capacity).toEqual({ cpu: '4' })
    expect(node('a').status?.allocatable).toEqual({ cpu: '3' })
  })

  it('renews the Lease and posts the status of a hollow node at their intervals', () => {
    const { addNode, at, node, lease } = cluster()
    addNode('a')
    at(59)
    expect(lease('a')?.spec?.renewTime).toBe('2026-01-01T00:00:50.000000Z')
    expect(node('a').status?.conditions?.[3]?.lastHeartbeatTime).toBe('2026-01-01T00:00:00Z')
    at(60)
    expect(lease('a')?.spec?.renewTime).toBe('2026-01-01T00:01:00.000000Z')
    expect(node('a').status?.conditions?.[3]).toMatchObject({
      lastHeartbeatTime: '2026-01-01T00:01:00Z',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })
  })

  it('writes no unchanged heartbeats if heartbeats are computed', () => {
    const { addNode, at, kubelet, writes, clock } = cluster({ heartbeats: 'computed' })
    addNode('a')
    at(1)
    expect(writes()).toBe(1)
    at(3600)
    expect(writes()).toBe(1)
    expect(kubelet.lastHeartbeat('a', clock.now())).toBe(start + 3_600_000)
    kubelet.silence(['a'], clock.now())
    at(4000)
    expect(kubelet.lastHeartbeat('a', clock.now())).toBe(start + 3_590_000)
  })

  it('stops a silenced hollow node, and reports everything at once when it is revived', () => {
    const { addNode, at, driver, kubelet, lease, clock } = cluster()
    addNode('a')
    at(15)
    kubelet.silence(['a'], clock.now())
    at(100)
    expect(lease('a')?.spec?.renewTime).toBe('2026-01-01T00:00:10.000000Z')
    at(105)
    kubelet.revive(['a'], clock.now())
    driver.wake(hollowKubelet)
    driver.settle()
    expect(lease('a')?.spec?.renewTime).toBe('2026-01-01T00:01:45.000000Z')
    at(115)
    expect(lease('a')?.spec?.renewTime).toBe('2026-01-01T00:01:55.000000Z')
  })

  it('follows the annotations for silence, pressure and not ready', () => {
    const { addNode, at, annotate, node, lease, kubelet } = cluster()
    addNode('a')
    at(5)
    annotate('a', { [hollowAnnotations.pressure]: 'memory, pid' })
    at(6)
    expect(conditions(node('a'))).toMatchObject({ MemoryPressure: 'True', DiskPressure: 'False', PIDPressure: 'True' })
    annotate('a', { [hollowAnnotations.pressure]: null, [hollowAnnotations.notReady]: 'container runtime is down' })
    at(7)
    expect(conditions(node('a'))).toMatchObject({ MemoryPressure: 'False', Ready: 'False' })
    expect(node('a').status?.conditions?.[3]?.message).toBe('container runtime is down')
    annotate('a', { [hollowAnnotations.notReady]: null, [hollowAnnotations.silent]: 'true' })
    at(60)
    expect(kubelet.isSilent('a')).toBe(true)
    expect(conditions(node('a'))['Ready']).toBe('False')
    expect(lease('a')?.spec?.renewTime).toBe('2026-01-01T00:00:00.000000Z')
    annotate('a', { [hollowAnnotations.silent]: null })
    at(61)
    expect(conditions(node('a'))['Ready']).toBe('True')
    expect(lease('a')?.spec?.renewTime).toBe('2026-01-01T00:01:00.000000Z')
  })

  it('serves only labeled nodes if configured so', () => {
    const { addNode, driver, node } = cluster({ serves: 'labeled' })
    addNode('real')
    addNode('hollow', { metadata: { name: 'hollow', labels: { [hollowLabel]: 'true' } } })
    driver.settle()
    expect(conditions(node('real'))).toEqual({})
    expect(conditions(node('hollow'))['Ready']).toBe('True')
  })

  it('silences and revives nodes at random in the chaos pack', () => {
    const { addNode, at, history } = cluster({ stages: packs.chaos }, { monitored: true })
    for (let i = 0; i < 20; i++) addNode(`n${i}`)
    at(4000)
    expect(history.some((line) => line.endsWith('ready Unknown'))).toBe(true)
    const lost = history.filter((line) => line.endsWith('ready Unknown')).length
    const back = history.filter((line) => line.endsWith('ready True')).length
    expect(back).toBeGreaterThanOrEqual(20 + lost - 5)
  })
})

describe('a pod on a hollow node', () => {
  it('makes a pod Running and Ready immediately, with an address of the node', () => {
    const { addNode, addPod, driver, pod } = cluster()
    addNode('a', { spec: { podCIDR: '10.1.2.0/24', podCIDRs: ['10.1.2.0/24', 'fd00:2::/64'] } })
    addPod('one', 'a')
    addPod('two', 'a')
    driver.settle()
    expect(pod('one')?.status).toMatchObject({
      phase: 'Running',
      podIP: '10.1.2.2',
      podIPs: [{ ip: '10.1.2.2' }, { ip: 'fd00:2::2' }],
      hostIP: '172.16.0.2',
      startTime: '2026-01-01T00:00:00Z',
      containerStatuses: [
        {
          name: 'c',
          ready: true,
          started: true,
          restartCount: 0,
          state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
        },
      ],
    })
    expect(conditions(pod('one'))).toMatchObject({ Initialized: 'True', Ready: 'True', ContainersReady: 'True' })
    expect(pod('two')?.status?.podIP).toBe('10.1.2.3')
  })

  it('releases the address of a pod when the pod is deleted', () => {
    const { addNode, addPod, remove, at, pod } = cluster()
    addNode('a', { spec: { podCIDR: '10.1.2.0/30', podCIDRs: ['10.1.2.0/30'] } })
    addPod('one', 'a', { terminationGracePeriodSeconds: 1 })
    addPod('two', 'a')
    addPod('three', 'a')
    at(1)
    expect([pod('one')?.status?.podIP, pod('two')?.status?.podIP, pod('three')?.status?.podIP]).toEqual([
      '10.1.2.2',
      '10.1.2.3',
      undefined,
    ])
    remove('one')
    at(3)
    addPod('four', 'a')
    at(4)
    expect(pod('four')?.status?.podIP).toBe('10.1.2.2')
  })

  it('deletes a pod after its whole grace period, to the millisecond', () => {
    const { addNode, addPod, remove, driver, pod, clock } = cluster()
    addNode('a')
    addPod('one', 'a', { terminationGracePeriodSeconds: 30 })
    driver.advanceTo(start + 1_500)
    remove('one')
    driver.advanceTo(start + 31_499)
    expect(pod('one')).toBeDefined()
    driver.advance(1)
    expect(pod('one')).toBeUndefined()
    expect(clock.now()).toBe(start + 31_500)
  })

  it.each([
    ['at most the limit', {}, 30, 1_000],
    ['at most the grace period', { [hollowAnnotations.stopAfter]: '1m' }, 2, 2_000],
    ['the time of its annotation', { [hollowAnnotations.stopAfter]: '5s' }, 30, 5_000],
  ])(
    'takes %s to end a pod if the grace period is limited',
    (_, annotations, terminationGracePeriodSeconds, tookMs) => {
      const { addNode, addPod, remove, driver, pod } = cluster({ stopWithinMs: 1_000 })
      addNode('a')
      addPod('one', 'a', { terminationGracePeriodSeconds, annotations })
      driver.advanceTo(start + 1_500)
      remove('one')
      driver.advance(tookMs - 1)
      expect(pod('one')).toBeDefined()
      driver.advance(1)
      expect(pod('one')).toBeUndefined()
    },
  )

  it('neither starts nor finishes pods while the node is silent, and does both immediately when the node is revived', () => {
    const { addNode, addPod, remove, at, kubelet, driver, pod, clock } = cluster()
    addNode('a')
    addPod('old', 'a', { terminationGracePeriodSeconds: 2 })
    at(1)
    kubelet.silence(['a'], clock.now())
    addPod('new', 'a')
    remove('old')
    at(50)
    expect(pod('new')?.status?.phase).not.toBe('Running')
    expect(pod('old')).toBeDefined()
    kubelet.revive(['a'], clock.now())
    driver.wake(hollowKubelet)
    driver.settle()
    expect(pod('new')?.status?.phase).toBe('Running')
    expect(pod('old')).toBeUndefined()
  })

  it('makes pods ready again after their node was lost, and restarts them only if the machine was down', () => {
    const { addNode, addPod, at, kubelet, driver, pod, clock } = cluster({}, { monitored: true })
    for (const name of ['a', 'b', 'c', 'd', 'e']) addNode(name)
    addPod('one', 'a')
    addPod('two', 'b')
    at(1)
    kubelet.silence(['a'], clock.now())
    kubelet.fail(['b'], clock.now())
    at(70)
    expect(conditions(pod('one'))['Ready']).toBe('False')
    kubelet.revive(['a', 'b'], clock.now())
    driver.wake(hollowKubelet)
    driver.settle()
    expect(conditions(pod('one'))['Ready']).toBe('True')
    expect(pod('one')?.status?.containerStatuses?.[0]?.restartCount).toBe(0)
    expect(conditions(pod('two'))['Ready']).toBe('True')
    expect(pod('two')?.status?.containerStatuses?.[0]?.restartCount).toBe(1)
    addPod('three', 'b')
    at(80)
    expect(pod('three')?.status?.containerStatuses?.[0]?.restartCount).toBe(0)
  })

  it.each([
    ['completes', {}, 'Succeeded', 0],
    ['fails', { [hollowAnnotations.exitCode]: '3' }, 'Failed', 3],
  ])('%s a pod after the time in its annotation', (_name, annotations, phase, exitCode) => {
    const { addNode, addPod, at, pod } = cluster()
    addNode('a')
    addPod('job', 'a', { restartPolicy: 'Never', annotations: { [hollowAnnotations.runFor]: '30s', ...annotations } })
    at(29)
    expect(pod('job')?.status?.phase).toBe('Running')
    at(30)
    expect(pod('job')?.status?.phase).toBe(phase)
    expect(pod('job')?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(exitCode)
    expect(conditions(pod('job'))['Ready']).toBe('False')
  })

  it('crashes and restarts a container with an increasing backoff', () => {
    const { addNode, addPod, at, pod } = cluster()
    addNode('a')
    addPod('bad', 'a', { annotations: { [hollowAnnotations.crashAfter]: '5s' } })
    const state = () => {
      const { restartCount, state } = pod('bad')?.status?.containerStatuses?.[0] ?? {}
      return `${restartCount} ${state?.running === undefined ? state?.waiting?.reason : 'running'}`
    }
    at(4)
    expect(state()).toBe('0 running')
    at(5)
    expect(state()).toBe('1 CrashLoopBackOff')
    expect(conditions(pod('bad'))['Ready']).toBe('False')
    at(15)
    expect(state()).toBe('1 running')
    at(20)
    expect(state()).toBe('2 CrashLoopBackOff')
    at(39)
    expect(state()).toBe('2 CrashLoopBackOff')
    at(40)
    expect(state()).toBe('2 running')
    expect(conditions(pod('bad'))['Ready']).toBe('True')
  })

  it('leaves a pod pending if its image cannot be pulled', () => {
    const { addNode, addPod, at, pod } = cluster()
    addNode('a')
    addPod('bad', 'a', { annotations: { [hollowAnnotations.imagePullFailure]: 'true' } })
    at(100)
    expect(pod('bad')?.status?.phase).toBe('Pending')
    expect(pod('bad')?.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ImagePullBackOff')
  })

  it('starts a pod after a delay in the realistic pack', () => {
    const { addNode, addPod, at, pod } = cluster({ stages: packs.realistic })
    addNode('a')
    addPod('one', 'a')
    at(1)
    expect(pod('one')?.status?.phase).not.toBe('Running')
    at(6)
    expect(pod('one')?.status?.phase).toBe('Running')
  })

  it('applies a user-defined stage to pods', () => {
    const { addNode, addPod, at, pod } = cluster({
      stages: [
        {
          name: 'slow-db',
          of: 'Pod',
          selector: {
            fields: [
              { field: 'metadata.name', operator: 'In', values: ['db'] },
              { field: 'status.phase', operator: 'NotIn', values: ['Running'] },
            ],
          },
          delay: { afterMs: 90_000 },
          next: { kind: 'status', status: { phase: 'Running', message: 'on {{node}}' } },
        },
        ...packs.fast.filter(({ name }) => name !== 'pod-ready-again'),
      ],
    })
    addNode('a')
    addPod('db', 'a')
    addPod('web', 'a')
    at(89)
    expect([pod('db')?.status?.podIP, pod('web')?.status?.phase]).toEqual([undefined, 'Running'])
    at(90)
    expect(pod('db')?.status).toMatchObject({ phase: 'Running', message: 'on a' })
  })
})

describe('heartbeats', () => {
  it.each([
    [7, 3],
    [11, 40],
    [130, 61],
    [60, 130],
    [305, 200],
  ])('gives the same history with computed as with written heartbeats, silent from %is for %is', (from, duration) => {
    const [written, computed] = (['written', 'computed'] as const).map((heartbeats) => {
      const one = cluster({ heartbeats, statusUpdateIntervalMs: 300_000 }, { monitored: true })
      for (const name of ['a', 'b', 'c', 'd']) one.addNode(name)
      one.driver.at(start + from * 1000, () => one.kubelet.silence(['a'], one.clock.now()))
      one.driver.at(start + (from + duration) * 1000, () => {
        one.kubelet.revive(['a'], one.clock.now())
        one.driver.wake(hollowKubelet)
      })
      one.at(from + duration + 400)
      return one
    })
    expect(computed?.history).toEqual(written?.history)
    expect(computed?.writes()).toBeLessThan(written?.writes() ?? 0)
  })
})

describe('a hollow kubelet with complete reports', () => {
  it('reports containers as ready when the initial delay of their probes is over', () => {
    const { addNode, addPod, driver, at, pod } = cluster({ reports: 'complete' })
    addNode('a')
    driver.settle()
    const probed = { name: 'c', image: 'web', readinessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 20 } }
    addPod('p', 'a', { containers: [probed, { name: 'd', image: 'web' }] })
    driver.settle()
    expect(pod('p')?.status).toMatchObject({
      phase: 'Running',
      containerStatuses: [
        { name: 'c', ready: false, started: true },
        { name: 'd', ready: true },
      ],
    })
    const ready = pod('p')?.status?.conditions?.find(({ type }) => type === 'Ready')
    expect(ready).toMatchObject({ status: 'False', message: 'containers with unready status: [c]' })
    at(20)
    expect(conditions(pod('p'))).toMatchObject({ Ready: 'False', ContainersReady: 'False' })
    at(21)
    expect(conditions(pod('p'))).toMatchObject({ Ready: 'True', ContainersReady: 'True' })
    expect(pod('p')?.status?.containerStatuses).toMatchObject([{ ready: true }, { ready: true }])
  })

  it('never ends a pod of a Job whose container only pauses', () => {
    const { addNode, addPod, driver, at, pod } = cluster({ reports: 'complete' })
    addNode('a')
    driver.settle()
    const annotations = { [hollowAnnotations.exitCode]: '0' }
    const ofJob = { restartPolicy: 'Never', annotations }
    const job = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u' }
    addPod('paused', 'a', { ...ofJob, ownerReferences: [job] })
    addPod('worked', 'a', { ...ofJob, ownerReferences: [job], containers: [{ name: 'c', image: 'work' }] })
    at(600)
    expect(pod('paused')?.status?.phase).toBe('Running')
    expect(pod('worked')?.status?.phase).toBe('Succeeded')
  })

  it('does not start a pod whose runtime handler the node does not have', () => {
    const { addNode, addPod, annotate, driver, must, at, pod } = cluster({ reports: 'complete' })
    addNode('a')
    driver.settle()
    const runtimeClass = { metadata: { name: 'sandboxed' }, handler: 'gvisor' }
    must({ verb: 'create', resource: 'runtimeclasses.node.k8s.io', object: runtimeClass as never })
    addPod('p', 'a', { runtimeClassName: 'sandboxed' })
    at(20)
    expect(pod('p')?.status?.phase).toBe('Pending')
    const events = must({ verb: 'list', resource: 'events', namespace: 'default' }) as { items?: readonly unknown[] }
    expect(events.items).toMatchObject([
      {
        reason: 'FailedCreatePodSandBox',
        message:
          'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "gvisor" is configured',
      },
    ])
    annotate('a', { [hollowAnnotations.runtimeHandlers]: 'kata, gvisor' })
    at(60)
    expect(pod('p')?.status?.phase).toBe('Running')
  })
})
