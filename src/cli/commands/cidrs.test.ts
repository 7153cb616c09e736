import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createCluster } from '../../library/create-cluster.ts'
import { runBerth } from '../run-berth.fixture.ts'

const nowMs = Date.parse('2026-03-01T00:00:00Z')
const folder = mkdtempSync(join(tmpdir(), 'berth-cidrs-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the command on a dump that comes by standard input. */
const cidrs = (stdin: unknown, ...args: readonly string[]) =>
  runBerth(['cidrs', ...args], { cwd: folder, now: () => nowMs, readStdin: async () => JSON.stringify(stdin) })

let serial = 0
const node = (name: string, cidrs: readonly string[], created = '2026-01-01T00:00:00Z', pods = '110') => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: `u${++serial}`, creationTimestamp: created, resourceVersion: '1' },
  spec: cidrs.length === 0 ? {} : { podCIDR: cidrs[0], podCIDRs: cidrs },
  status: { capacity: { pods } },
})
const list = (...items: readonly object[]) => ({ apiVersion: 'v1', kind: 'List', items })

const dump = list(
  node('a', ['10.244.0.0/24']),
  node('b', ['10.244.1.0/24'], '2026-02-01T00:00:00Z'),
  node('c', ['10.244.1.0/24'], '2026-02-10T00:00:00Z'),
  node('d', [], '2026-02-20T00:00:00Z'),
  node('e', ['10.250.0.0/24'], '2026-02-20T00:00:00Z'),
)

describe('berth cidrs', () => {
  it('prints used and free pod CIDRs, problems, and the time of exhaustion', async () => {
    const flags = ['--cluster-cidr', '10.244.0.0/20', '--service-cluster-ip-range', '10.244.15.0/24']
    const { code, out } = await cidrs(dump, '--from', '-', ...flags)
    expect(out).toBe(
      [
        'RANGE             BLOCKS   USED   SERVICES   LEAKED   FREE   LARGEST FREE',
        '10.244.0.0/20   16 × /24      2          1        0     13   10.244.4.0/22',
        '',
        'room for 12 more nodes; exhausted on 2026-05-21 at the growth of the last 30 days (4 nodes)',
        'without a pod CIDR: d',
        'overlapping: b (10.244.1.0/24) with c (10.244.1.0/24)',
        'out of range: e (10.250.0.0/24)',
        '',
      ].join('\n'),
    )
    expect(code).toBe(0)
  })

  it('prints every node with -o wide', async () => {
    const { out } = await cidrs(dump, '--from', '-', '--cluster-cidr', '10.244.0.0/16', '-o', 'wide')
    expect(out.split('\n').slice(0, 3)).toEqual([
      'NODE   PODCIDRS        AGE',
      'a      10.244.0.0/24   50d',
      'b      10.244.1.0/24   19d',
    ])
  })

  it('prints JSON with -o json', async () => {
    const { out } = await cidrs(dump, '--from', '-', '--cluster-cidr', '10.244.0.0/20', '-o', 'json')
    expect(JSON.parse(out)).toMatchObject({
      rangesFrom: 'flags',
      isEstimated: false,
      ranges: [{ range: '10.244.0.0/20', blocks: 16, used: 2, free: 14, largestFree: '10.244.8.0/21' }],
      withoutBlock: ['d'],
      outOfRange: [{ node: 'e', cidr: '10.250.0.0/24' }],
      room: 13,
      forecast: { created: 4, days: 30 },
      holders: [{ node: 'a', cidrs: ['10.244.0.0/24'] }, {}, {}, {}, {}],
    })
  })

  it.each([
    ['10.244.1.77', ['b', 'c'], 0],
    ['10.244.0.0/23', ['a', 'b', 'c'], 0],
    ['e', ['e'], 0],
    ['10.244.9.9', [], 1],
  ])('finds the node that has %s', async (what, nodes, exit) => {
    const { out, code } = await cidrs(dump, '--from', '-', what, '-o', 'json')
    expect(JSON.parse(out).map((holder: { readonly node: string }) => holder.node)).toEqual(nodes)
    expect(code).toBe(exit)
  })

  it.each([
    [['--if-node-cidr-mask-size', '26'], 'pod CIDRs of 10.244.0.0/20 have 64 addresses, fewer than the 110 pods', 1],
    [['--if-cluster-cidr', '10.240.0.0/12'], 'all pod CIDRs are in range', 0],
    [['--if-cluster-cidr', '10.240.0.0/12', '--if-node-cidr-mask-size', '25'], '8192 × /25', 0],
    [
      ['--if-cluster-cidr', '10.0.0.0/14'],
      '4 pod CIDRs are out of range: kube-controller-manager v1.36 would not start',
      1,
    ],
  ])('compares with another range or mask size: %j', async (args, text, exit) => {
    const { out, code } = await cidrs(dump, '--from', '-', '--cluster-cidr', '10.244.0.0/20', ...args)
    expect(out.slice(out.indexOf('what if:'))).toContain(text)
    expect(code).toBe(exit)
  })

  it('reads the ranges from ClusterCIDRs, from kube-controller-manager, or estimates them', async () => {
    const clusterCidr = {
      apiVersion: 'networking.x-k8s.io/v1',
      kind: 'ClusterCIDR',
      metadata: { name: 'east', uid: 'x', resourceVersion: '1' },
      spec: { perNodeHostBits: 8, ipv4: '10.244.0.0/16', ipv6: 'fd00::/112' },
    }
    const manager = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'kube-controller-manager-1', namespace: 'kube-system', uid: 'y', resourceVersion: '1' },
      spec: {
        containers: [
          {
            name: 'kube-controller-manager',
            command: ['kube-controller-manager', '--cluster-cidr=10.244.0.0/18', '--node-cidr-mask-size=25'],
          },
        ],
      },
    }
    const of = async (...more: readonly object[]) => {
      const { out } = await cidrs(list(...dump.items, ...more), '--from', '-', '-o', 'json')
      const { rangesFrom, ranges } = JSON.parse(out)
      return [rangesFrom, ...ranges.map((one: Record<string, unknown>) => `${one['range']} in /${one['maskSize']}`)]
    }
    expect(await of(clusterCidr)).toEqual(['ClusterCIDRs', '10.244.0.0/16 in /24', 'fd00::/112 in /120'])
    expect(await of(manager)).toEqual(['kube-controller-manager', '10.244.0.0/18 in /25'])
    expect(await of()).toEqual(['nodes', '10.240.0.0/12 in /24'])
  })

  it.each([
    [['--from', '-', '--cluster-cidr', '10.244.0.0'], 'cluster-cidr: "10.244.0.0" is not a range'],
    [['--from', '-', '--kubeconfig', 'x'], '--from and --kubeconfig are mutually exclusive'],
    [['--from', '-', '--if-cluster-cidr', '10.0.0.0/25'], 'mask size of cluster CIDR must be less than or equal to'],
  ])('rejects wrong options: %j', async (args, message) => {
    const { code, err } = await cidrs(dump, ...args)
    expect(err).toContain(message)
    expect(code).toBe(2)
  })

  it('reads a live cluster', async () => {
    const cluster = await createCluster({ nodes: 3 })
    const server = await cluster.serve()
    const kubeconfig = join(folder, 'kubeconfig')
    // The client library insists on this for plain HTTP.
    writeFileSync(kubeconfig, server.kubeconfig.replace('"server":', '"insecure-skip-tls-verify": true, "server":'))
    const { out, err } = await cidrs({}, '--kubeconfig', kubeconfig, '--cluster-cidr', '10.244.0.0/16', '-o', 'json')
    await cluster.close()
    expect(err).toBe('')
    expect(JSON.parse(out)).toMatchObject({ nodes: 3, ranges: [{ used: 3, free: 253 }], withoutBlock: [] })
  })
})
