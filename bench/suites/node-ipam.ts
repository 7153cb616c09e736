import { type Cidr, parseCidr } from '../../src/api/cidr.ts'
import type { Node } from '../../src/api/objects/node.ts'
import { createRandom } from '../../src/base/random.ts'
import { must } from '../../src/base/result.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import { createInProcessClient } from '../../src/client/in-process-client.ts'
import { allFixes, noFixes } from '../../src/controllers/fixes.ts'
import { CidrSet } from '../../src/controllers/node-ipam/cidr-set.ts'
import { createNodeIpam, type NodeIpamInspection, nodeIpam } from '../../src/controllers/node-ipam/controller.ts'
import { readNodeIpamFlags } from '../../src/controllers/node-ipam/options.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import type { Controller } from '../../src/runtime/controller.ts'
import { createReadModel } from '../../src/runtime/read-model.ts'
import { createStepDriver } from '../../src/runtime/step-driver.ts'
import { createStore } from '../../src/store/memory-store.ts'
import { type BenchContext, formatNumber, type Suite } from '../suite.ts'

export const suite: Suite = {
  name: 'node-ipam',
  summary: '15,000 nodes on a /8 with /24s: the cost of a block as the range fills up, and of a start with all of them',
  run: async (context) => {
    await measureSet(context)
    await measureStart(context)
    await measureNodes(context)
  },
}

const nodeCount = 15_000
const flags = {
  'allocate-node-cidrs': 'true',
  'cluster-cidr': '10.0.0.0/8',
  'service-cluster-ip-range': '10.96.0.0/12',
}
const clusterRange = parseCidr('10.0.0.0/8') as Cidr
const serviceBlocks = 4096
const startAimMs = 100

const blockOf = (number: number) => `10.${128 + (number >> 8)}.${number & 255}.0/24`

function node(number: number, block?: string): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `node-${String(number).padStart(5, '0')}` },
    spec: block === undefined ? {} : { podCIDR: block, podCIDRs: [block] },
  }
}

function usedBy(controller: Controller | undefined): number | undefined {
  const inspection = controller?.inspect?.(0) as NodeIpamInspection | undefined
  return inspection?.ranges[0]?.used
}

/** Allocates and releases blocks at several fill levels; the cost must not grow much. */
async function measureSet({ measure, record, table }: BenchContext): Promise<void> {
  const rows: (readonly (string | number)[])[] = []
  const amount = 200
  for (const used of [0, nodeCount, 60_000, 65_000]) {
    const set = must(CidrSet.create(clusterRange, 24))
    for (let i = 0; i < used; i++) set.allocateNext()
    const measured = await measure({
      name: `a block taken and given back, ${used} of ${set.max} used`,
      amount,
      unit: 'blocks',
      work: () => {
        const taken: Cidr[] = []
        for (let i = 0; i < amount; i++) taken.push((set.allocateNext() as { readonly cidr: Cidr }).cidr)
        for (const cidr of taken) set.release(cidr)
      },
    })
    const nanoseconds = (measured.medianMs * 1e6) / amount
    rows.push([used, formatNumber(nanoseconds), formatNumber(measured.perSecond)])
    record({ name: `a block taken and given back, ${used} used`, value: nanoseconds, unit: 'ns' })
  }
  table('10.0.0.0/8 in blocks of /24', ['used', 'ns per block', 'blocks/s'], rows)
}

/** The first step of a controller on a cluster whose nodes all have their blocks. */
async function measureStart({ measure, record, table }: BenchContext): Promise<void> {
  const rows: (readonly (string | number)[])[] = []
  const nodes = Array.from({ length: nodeCount }, (_, number) => node(number, blockOf(number)))
  const changes = nodes.map((after) => ({ resource: 'nodes' as const, key: after.metadata.name, after }))
  const view = createReadModel()
  view.apply(changes, 1)
  const settings = must(readNodeIpamFlags(flags))
  const random = createRandom('1')
  for (const behavior of ['upstream', 'improved'] as const) {
    let started: Controller | undefined
    const measured = await measure({
      name: `start with ${nodeCount} nodes, ${behavior}`,
      setup: () => createNodeIpam({ settings, fixes: behavior === 'improved' ? allFixes : noFixes }),
      work: (controller) => {
        controller.step({ changes, results: [], answers: [], now: 0, wall: 0, random, view })
        started = controller
      },
    })
    if (usedBy(started) !== nodeCount + serviceBlocks) throw new Error('not every node was entered')
    rows.push([behavior, formatNumber(measured.medianMs), formatNumber(measured.minMs), startAimMs])
    record({
      name: `start with ${nodeCount} nodes, ${behavior}`,
      value: measured.medianMs,
      unit: 'ms',
      aim: startAimMs,
    })
  }
  table(`the first step with ${nodeCount} nodes that have their blocks`, ['behavior', 'ms', 'at best', 'aim'], rows)
}

/** Creates and deletes nodes, with all writes through the registry in memory. */
async function measureNodes({ seed, time, record, table, progress }: BenchContext): Promise<void> {
  const store = createStore()
  const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
  const random = createRandom(seed)
  const client = createInProcessClient(createRegistry({ store, clock, random }))
  const settings = must(readNodeIpamFlags(flags))
  const controllers = [createNodeIpam({ settings })]
  const driver = createStepDriver({ client, source: store, clock, random, controllers, events: 'drop' })
  driver.settle()
  const rows: (readonly (string | number)[])[] = []
  const portion = nodeCount / 5
  const lap = async (what: string, one: (number: number) => void, from: number) => {
    progress(`${what}: ${from} to ${from + portion}`)
    const { ms } = await time(() => {
      for (let number = from; number < from + portion; number++) one(number)
      driver.settle()
    })
    rows.push([what, `${from}–${from + portion}`, formatNumber((ms * 1000) / portion)])
    record({
      name: `${what}, nodes ${from} to ${from + portion}`,
      value: (ms * 1000) / portion,
      unit: 'µs',
      detail: true,
    })
  }
  const name = (number: number) => node(number).metadata.name
  for (let from = 0; from < nodeCount; from += portion) {
    await lap(
      'created and given a block',
      (number) => void client.callNow({ verb: 'create', resource: 'nodes', object: node(number) }),
      from,
    )
  }
  if (usedBy(driver.controller(nodeIpam)) !== nodeCount + serviceBlocks) throw new Error('not every node has a block')
  for (let from = 0; from < nodeCount; from += portion) {
    await lap(
      'deleted',
      (number) => void client.callNow({ verb: 'delete', resource: 'nodes', name: name(number) }),
      from,
    )
  }
  table(`${nodeCount} nodes are created and deleted, µs per node, API included`, ['', 'nodes', 'µs'], rows)
  driver.close()
}
