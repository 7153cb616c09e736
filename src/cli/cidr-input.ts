// Reads the pod CIDRs of nodes, and the cluster CIDRs from flags, a running controller, or the nodes.
import { type Cidr, containsCidr, parseCidr } from '../api/cidr.ts'
import { bitLength } from '../api/ip-address.ts'
import type { ClusterCIDR } from '../api/objects/cluster.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import type { Pod } from '../api/objects/pod.ts'
import type { KnownResource, ObjectOf } from '../api/objects/resources.ts'
import type { Client } from '../client/contract.ts'
import { type BlockSituation, type Holder, holderOf, type RangePlan } from '../controllers/node-ipam/cidr-report.ts'
import type { NodeIpamInspection } from '../controllers/node-ipam/controller.ts'
import { type NodeIpamSettings, rangesOf, readNodeIpamFlags } from '../controllers/node-ipam/options.ts'
import { openCluster } from './cluster-access.ts'
import { readFrom } from './cluster-input.ts'
import { type CommandContext, unreachable, wrongQuestion } from './command.ts'

export interface CidrInput {
  readonly situation: BlockSituation
  /** The source of the ranges. */
  readonly ranges: 'flags' | 'berth' | 'ClusterCIDRs' | 'kube-controller-manager' | 'nodes'
  readonly now: number
  /** Nodes for which a running allocator has no pod CIDR. */
  readonly waiting: readonly string[]
}

export interface CidrChoice {
  readonly from: string | undefined
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
  readonly dataDir: string
  readonly clusterCidr: string | undefined
  readonly nodeCidrMaskSize: string | undefined
  readonly nodeCidrMaskSizeIpv4: string | undefined
  readonly nodeCidrMaskSizeIpv6: string | undefined
  readonly serviceClusterIpRange: string | undefined
}

/** The data of a cluster from which its ranges are determined. */
interface CidrFindings {
  readonly nodes: readonly Node[]
  readonly clusterCidrs: readonly ClusterCIDR[]
  readonly managers: readonly Pod[]
  readonly inspection?: NodeIpamInspection
  readonly now: number
}

export async function readCidrs(context: CommandContext<CidrChoice>): Promise<CidrInput> {
  const { from, kubeconfig, context: contextName } = context.options
  if (from !== undefined && (kubeconfig !== undefined || contextName !== undefined))
    throw wrongQuestion('--from and --kubeconfig are mutually exclusive')
  return inputOf(from === undefined ? await askCluster(context) : await readFile(from, context), context.options)
}

async function readFile(from: string, context: CommandContext<CidrChoice>): Promise<CidrFindings> {
  const { cluster, manifests } = await readFrom(from, context)
  const all = <R extends KnownResource>(kind: string, resource: R) =>
    [
      ...cluster.store.list(resource),
      ...manifests.filter((object) => object.kind === kind),
    ] as unknown as readonly ObjectOf<R>[]
  return {
    nodes: all('Node', 'nodes'),
    clusterCidrs: all('ClusterCIDR', 'clustercidrs.networking.x-k8s.io'),
    managers: all('Pod', 'pods').filter(isManager),
    now: cluster.takenAtMs,
  }
}

async function askCluster(context: CommandContext<CidrChoice>): Promise<CidrFindings> {
  const cluster = await openCluster(context.options, context)
  try {
    const inspection = (await cluster.read('/debug/cidrs').catch(() => undefined)) as NodeIpamInspection | undefined
    const nodes = await listAll(cluster.client, 'nodes')
    if (typeof nodes === 'string') throw unreachable(`cannot list the nodes of ${cluster.server}: ${nodes}`)
    const clusterCidrs = await listAll(cluster.client, 'clustercidrs.networking.x-k8s.io')
    const pods = await listAll(cluster.client, 'pods', 'kube-system')
    return {
      nodes: nodes as readonly Node[],
      clusterCidrs: typeof clusterCidrs === 'string' ? [] : (clusterCidrs as readonly ClusterCIDR[]),
      managers: typeof pods === 'string' ? [] : (pods as readonly Pod[]).filter(isManager),
      ...(inspection?.ranges === undefined ? {} : { inspection }),
      now: context.now(),
    }
  } finally {
    cluster.close()
  }
}

/** Lists in pages. If a request fails, returns the reason as a string. */
async function listAll(client: Client, resource: string, namespace?: string): Promise<readonly KubeObject[] | string> {
  const items: KubeObject[] = []
  let next: string | undefined
  do {
    const outcome = await client.call({
      verb: 'list',
      resource,
      limit: 1000,
      ...(namespace === undefined ? {} : { namespace }),
      ...(next === undefined ? {} : { continue: next }),
    })
    if (!outcome.ok) return outcome.status.message ?? outcome.status.reason ?? 'no reason given'
    if (outcome.kind !== 'list') return 'the response is not a list'
    items.push(...outcome.items)
    next = outcome.continue
  } while (next !== undefined && next !== '')
  return items
}

function isManager({ metadata, spec }: Pod): boolean {
  return metadata.namespace === 'kube-system' && spec.containers.some(({ name }) => name === 'kube-controller-manager')
}

function inputOf(findings: CidrFindings, options: CidrChoice): CidrInput {
  const holders = findings.nodes.map(holderOf)
  const { inspection, now } = findings
  const given = flagsGiven(options)
  const common = { now, waiting: inspection?.waiting ?? [] }
  if (given['cluster-cidr'] !== undefined) {
    return { ...common, ranges: 'flags', situation: { ...rangesIn(given), holders } }
  }
  const services = rangesIn({ 'service-cluster-ip-range': given['service-cluster-ip-range'] }).serviceRanges
  if (inspection !== undefined && inspection.ranges.length > 0) {
    return { ...common, ranges: 'berth', situation: fromInspection(inspection, holders) }
  }
  if (findings.clusterCidrs.length > 0) {
    const ranges = findings.clusterCidrs.flatMap(rangesOfClusterCidr)
    return { ...common, ranges: 'ClusterCIDRs', situation: { ranges, serviceRanges: services, holders } }
  }
  const manager = findings.managers.map(managerFlags).find((flags) => flags['cluster-cidr'] !== undefined)
  if (manager !== undefined) {
    return {
      ...common,
      ranges: 'kube-controller-manager',
      situation: { ...rangesIn({ ...manager, ...given }), holders },
    }
  }
  return { ...common, ranges: 'nodes', situation: { ranges: guessRanges(holders), serviceRanges: services, holders } }
}

type GivenFlags = Readonly<Record<string, string | undefined>>

function flagsGiven(options: CidrChoice): GivenFlags {
  const flags = {
    'cluster-cidr': options.clusterCidr,
    'node-cidr-mask-size': options.nodeCidrMaskSize,
    'node-cidr-mask-size-ipv4': options.nodeCidrMaskSizeIpv4,
    'node-cidr-mask-size-ipv6': options.nodeCidrMaskSizeIpv6,
    'service-cluster-ip-range': options.serviceClusterIpRange,
  }
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}

export function rangesIn(flags: GivenFlags): Pick<BlockSituation, 'ranges' | 'serviceRanges'> {
  const read = readNodeIpamFlags(flags)
  if (!read.ok) throw wrongQuestion(read.message)
  const settings: NodeIpamSettings = read.value
  const ranges = rangesOf(settings)
  if (!ranges.ok) throw wrongQuestion(ranges.message)
  return { ranges: ranges.value, serviceRanges: settings.serviceRanges }
}

function fromInspection(inspection: NodeIpamInspection, holders: readonly Holder[]): BlockSituation {
  return {
    ranges: inspection.ranges.map(({ range, maskSize, name }) => ({
      range: parseCidr(range) as Cidr,
      maskSize,
      ...(name === undefined ? {} : { name }),
    })),
    serviceRanges: inspection.serviceRanges.map((text) => parseCidr(text) as Cidr),
    holders,
    leaked: inspection.leaked,
    reserved: inspection.reserved.flatMap(({ cidrs }) => cidrs),
  }
}

export function rangesOfClusterCidr({ metadata, spec }: ClusterCIDR): readonly RangePlan[] {
  return [spec.ipv4, spec.ipv6].flatMap((text) => {
    const range = text === undefined ? undefined : parseCidr(text)
    if (range === undefined) return []
    return [{ range, maskSize: bitLength(range.family) - spec.perNodeHostBits, name: metadata.name }]
  })
}

/** The CIDR flags of kube-controller-manager. */
function managerFlags({ spec }: Pod): GivenFlags {
  const words = spec.containers.flatMap(({ command = [], args = [] }) => [...command, ...args])
  const known = ['cluster-cidr', 'service-cluster-ip-range', 'node-cidr-mask-size']
  const pairs = words.flatMap((word) => {
    const match = /^--?([a-z0-9-]+)=(.*)$/.exec(word)
    return match !== null && known.some((name) => match[1]?.startsWith(name)) ? [[match[1], match[2]]] : []
  })
  return Object.fromEntries(pairs)
}

/** For each address family, the smallest range that contains all pod CIDRs, with their most common mask size. */
function guessRanges(holders: readonly Holder[]): readonly RangePlan[] {
  const plans: RangePlan[] = []
  for (const family of [4, 6] as const) {
    const held = holders
      .flatMap(({ cidrs }) => cidrs.map(parseCidr))
      .filter((cidr): cidr is Cidr => cidr !== undefined && cidr.family === family)
    const [first] = held
    if (first === undefined) continue
    let range = first
    while (!held.every((cidr) => containsCidr(range, cidr))) range = wider(range)
    plans.push({ range, maskSize: mostCommon(held.map(({ prefix }) => prefix)) })
  }
  if (plans.length === 0)
    throw wrongQuestion('no node has a pod CIDR and the cluster CIDR is unknown: pass --cluster-cidr')
  return plans
}

function wider({ family, base, prefix }: Cidr): Cidr {
  const hostBits = BigInt(bitLength(family) - prefix + 1)
  return { family, base: (base >> hostBits) << hostBits, prefix: prefix - 1 }
}

function mostCommon(values: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}
