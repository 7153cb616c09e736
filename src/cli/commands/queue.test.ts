import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { node, pod } from '../../whatif/run/story.fixture.ts'
import { runBerth } from '../run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-queue-'))
afterAll(() => rmSync(folder, { recursive: true }))
const write = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content))

const berth = (args: string) => runBerth(args, { cwd: folder, now: () => Date.UTC(2026, 0, 1, 1, 2) })

interface Manifest {
  readonly metadata: object
  readonly spec?: object
  readonly status?: object
}

/** An object as a cluster returns it. */
function stored(object: object, { spec = {}, status = {} }: { spec?: object; status?: object } = {}): object {
  const { metadata, ...rest } = object as Manifest & { readonly metadata: { readonly name: string } }
  return {
    ...rest,
    metadata: { uid: `uid-${metadata.name}`, creationTimestamp: '2026-01-01T00:10:00Z', ...metadata },
    spec: { ...rest.spec, ...spec },
    status: { ...rest.status, ...status },
  }
}

const unreachable = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }
const tolerated = { ...unreachable, operator: 'Exists', tolerationSeconds: 300 }
const pending = { schedulerName: 'default-scheduler' }
const running = { ...pending, nodeName: 'a2' }
const rejected = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  lastTransitionTime: '2026-01-01T00:50:00Z',
}
const nodes = [
  stored(node('a1')),
  stored(node('a2'), { spec: { taints: [{ ...unreachable, timeAdded: '2026-01-01T01:00:00Z' }] } }),
]
const pods = [
  stored(pod('web'), { spec: pending }),
  stored(pod('big', { cpu: '8' }), { spec: pending, status: { conditions: [rejected] } }),
  stored(pod('gated'), { spec: { ...pending, schedulingGates: [{ name: 'wait' }] } }),
  stored(pod('slow', { tolerations: [tolerated] }), { spec: running, status: { phase: 'Running' } }),
  stored(pod('now'), { spec: running, status: { phase: 'Running' } }),
]
// The newest timestamp is the time of the dump.
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a1', namespace: 'kube-node-lease', uid: 'lease', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { renewTime: '2026-01-01T01:02:00.000000Z' },
}
write('dump.json', { apiVersion: 'v1', kind: 'List', items: [...nodes, ...pods, lease] })
write('manifests.json', { apiVersion: 'v1', kind: 'List', items: [node('a1'), pod('web'), pod('big', { cpu: '8' })] })

/** An API server with these nodes and pods, and no /debug paths. */
async function withForeignCluster<T>(debugCode: number, work: () => Promise<T>): Promise<T> {
  const server = createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    const items = pathname === '/api/v1/nodes' ? nodes : pathname === '/api/v1/pods' ? pods : undefined
    const version = pathname === '/version' ? { gitVersion: 'v1.36.4', major: '1', minor: '36' } : undefined
    const body = items === undefined ? version : { apiVersion: 'v1', kind: 'List', metadata: {}, items }
    response.writeHead(body !== undefined ? 200 : pathname.startsWith('/debug') ? debugCode : 404, {
      'content-type': 'application/json',
    })
    response.end(JSON.stringify(body ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  write('kubeconfig', {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  })
  try {
    return await work()
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const queueOfDump = [
  'POD             QUEUE           FOR   ATTEMPTS   REJECTED BY                  NEXT RETRY',
  'default/big     unschedulable   12m          1   TaintToleration and 1 more   5m30s',
  'default/gated   gated           52m          0   SchedulingGates              <none>',
  '',
  'Estimated from the objects as of 2026-01-01T01:02:00Z: attempts and retries are those of a scheduler that\n  starts then; ' +
    'pending pods that the scheduler places immediately are not listed (default/web).',
  '',
].join('\n')

const evictionsOfDump = [
  'POD            NODE   IN     REASON',
  'default/now    a2     now    no toleration for taint node.kubernetes.io/unreachable:NoExecute',
  'default/slow   a2     3m0s   taint node.kubernetes.io/unreachable:NoExecute is tolerated for 300s',
  '',
  'Estimated from the objects as of 2026-01-01T01:02:00Z: a countdown starts when the taint was added, or when',
  '  the pod was bound after that.',
  '',
].join('\n')

describe('berth queue', () => {
  it('estimates the queue of a dump', async () => {
    expect(await berth('queue --from dump.json')).toEqual({ code: 0, out: queueOfDump, err: '' })
  })

  it('marks an estimate in JSON', async () => {
    const value = JSON.parse((await berth('queue --from dump.json -o json')).out) as Record<string, unknown>
    expect(value).toMatchObject({ estimated: true, placed: ['default/web'], queue: [{ pod: 'default/big' }, {}] })
  })

  it('uses the scheduler configuration for an estimate', async () => {
    write('profiles.json', {
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      profiles: [{ plugins: { multiPoint: { disabled: [{ name: 'NodeResourcesFit' }] } } }],
    })
    expect((await berth('queue --from dump.json --scheduler-config profiles.json')).out).not.toMatch(/^default\/big/m)
  })

  it('creates the pods of manifests before it estimates their queue', async () => {
    const { out } = await berth('queue --from manifests.json')
    expect(out).toMatch(/^default\/big +unschedulable/m)
    expect(out).not.toMatch(/^default\/web/m)
  })

  it.each([404, 403])('estimates the queue of a cluster whose API server answers %d to /debug', async (code) => {
    const { out, err } = await withForeignCluster(code, () =>
      berth('queue --kubeconfig kubeconfig --kube-api-qps 1000'),
    )
    expect({ out, err }).toEqual({ out: queueOfDump, err: '' })
  })
})

describe('berth evictions', () => {
  it('estimates the evictions of a dump, including those that are due', async () => {
    expect(await berth('evictions --from dump.json')).toEqual({ code: 0, out: evictionsOfDump, err: '' })
  })

  it('omits the common suffix of node names, except in wide output', async () => {
    const names = ['b1', 'b2'].map((name) => `${name}.eu-west-1.compute.internal`)
    const items = names.flatMap((nodeName, at) => [
      stored(node(nodeName), { spec: { taints: [{ ...unreachable, timeAdded: '2026-01-01T01:00:00Z' }] } }),
      stored(pod(`web-${at}`), { spec: { ...running, nodeName }, status: { phase: 'Running' } }),
    ])
    write('named.json', { apiVersion: 'v1', kind: 'List', items: [...items, lease] })
    expect((await berth('evictions --from named.json')).out).toMatch(/^default\/web-1 +b2 +now +no toleration/m)
    const wide = (await berth('evictions --from named.json -o wide')).out
    expect(wide).toMatch(/^default\/web-1 +b2\.eu-west-1\.compute\.internal +now /m)
  })

  it('marks every estimated eviction in JSON', async () => {
    const value = JSON.parse((await berth('evictions --from dump.json -o json')).out) as { estimated?: boolean }[]
    expect(value.map(({ estimated }) => estimated)).toEqual([true, true])
  })

  it('estimates the evictions of a cluster that berth does not serve', async () => {
    const { out, err } = await withForeignCluster(404, () =>
      berth('evictions --kubeconfig kubeconfig --kube-api-qps 1000'),
    )
    expect({ out, err }).toEqual({ out: evictionsOfDump, err: '' })
  })
})
