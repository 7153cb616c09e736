import { describe, expect, it } from 'vitest'
import { createFaultyClient } from '../../test/doubles/faulty-client.ts'
import { passTime } from '../../test/doubles/manual-time.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Lease } from '../api/objects/node.ts'
import type { Pod } from '../api/objects/pod.ts'
import { silentLogger } from '../base/log.ts'
import { createRandom } from '../base/random.ts'
import { VirtualClock } from '../base/virtual-clock.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import { createRegistry } from '../registry/registry.ts'
import { createStore } from '../store/memory-store.ts'
import { startRemote } from './remote.ts'
import { defaultSettings } from './settings.ts'

const startMs = Date.parse('2026-01-01T00:00:00Z')

/** A cluster with one node, and processes that run the scheduler on it, each with its own connection. */
function cluster() {
  const store = createStore()
  const clock = new VirtualClock(startMs)
  const outside = createInProcessClient(createRegistry({ store, clock, random: createRandom('cluster') }))
  const create = (resource: string, object: object) => {
    const outcome = outside.callNow({ verb: 'create', resource, object: object as KubeObject })
    if (!outcome.ok) throw new Error(JSON.stringify(outcome))
  }
  for (const name of ['default', 'kube-system']) create('namespaces', { metadata: { name } })
  create('serviceaccounts', { metadata: { name: 'default', namespace: 'default' } })
  create('nodes', { metadata: { name: 'node-1' } })
  const status = { allocatable: { cpu: '8', memory: '8Gi', pods: '100' } }
  const patch = { kind: 'merge', patch: { status, spec: { taints: null } } } as const
  outside.callNow({ verb: 'patch', resource: 'nodes', name: 'node-1', patch })
  outside.callNow({ verb: 'patch', resource: 'nodes', name: 'node-1', subresource: 'status', patch })

  const addPod = (name: string) =>
    create('pods', {
      metadata: { name, namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'nginx' }] },
    })

  const start = async (identity: string) => {
    const acting = createFaultyClient(outside)
    const voting = createFaultyClient(outside)
    const news: string[] = []
    const remote = await startRemote({
      client: acting,
      abandon: () => news.push('abandoned'),
      electionClient: voting,
      clock,
      random: createRandom(identity),
      log: silentLogger,
      settings: defaultSettings,
      controllers: ['scheduler'],
      maxInFlight: 10,
      election: {
        identity,
        namespace: 'kube-system',
        name: 'berth',
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2_000,
      },
      onLead: () => news.push('leads'),
    })
    void remote.lost.then((why) => news.push(why))
    return { acting, voting, news, remote }
  }
  const pass = (ms: number) => passTime(clock, ms, promises)
  const nodeOf = (name: string) => (store.get('pods', `default/${name}`) as Pod | undefined)?.spec.nodeName
  const holder = () =>
    (store.get('leases.coordination.k8s.io', 'kube-system/berth') as Lease | undefined)?.spec?.holderIdentity
  return { start, pass, addPod, nodeOf, holder }
}

async function promises(): Promise<void> {
  for (let i = 0; i < 200; i++) await Promise.resolve()
}

describe('controllers on a remote cluster', () => {
  it('controllers on a remote cluster act while they lead; a standby takes over when the leader cannot renew, and the former leader stops', async () => {
    const { start, pass, addPod, nodeOf, holder } = cluster()
    const one = await start('one')
    await pass(1_000)
    const two = await start('two')
    addPod('first')
    await pass(5_000)
    expect([one.news, two.news, holder(), nodeOf('first')]).toEqual([['leads'], [], 'one', 'node-1'])

    // Only the connection of the election fails. The connection for pods works, so unsent requests must be withheld.
    one.voting.cut()
    await pass(11_000)
    expect(one.news).toEqual(['leads', 'abandoned', 'lost the lease'])
    addPod('second')
    await pass(1_000)
    expect([two.news, nodeOf('second')]).toEqual([[], undefined])

    await pass(20_000)
    expect([two.news, holder(), nodeOf('second')]).toEqual([['leads'], 'two', 'node-1'])
    await two.remote.stop()
    await one.remote.stop()
  })

  it('controllers on a remote cluster release the lease when they stop, so that another instance does not wait for it', async () => {
    const { start, pass, addPod, nodeOf, holder } = cluster()
    const one = await start('one')
    await pass(1_000)
    const two = await start('two')
    await pass(3_000)
    const ended = one.remote.stop()
    await pass(100)
    await ended
    expect(holder()).toBe('')
    addPod('next')
    await pass(5_000)
    expect([two.news, holder(), nodeOf('next')]).toEqual([['leads'], 'two', 'node-1'])
    await two.remote.stop()
  })

  it('controllers on a remote cluster write nothing after they are stopped', async () => {
    const { start, pass, addPod, nodeOf } = cluster()
    const one = await start('one')
    await pass(1_000)
    const ended = one.remote.stop()
    addPod('late')
    await pass(10_000)
    await ended
    expect(nodeOf('late')).toBeUndefined()
  })
})
