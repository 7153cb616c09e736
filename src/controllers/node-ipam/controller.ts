import { cidrsOverlap, formatCidr } from '../../api/cidr.ts'
import { type Logger, silentLogger } from '../../base/log.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import { Refusal } from '../../base/refusal.ts'
import type { Result } from '../../base/result.ts'
import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController, type Reconciler } from '../../runtime/reconciler.ts'
import { type FixSet, noFixes } from '../fixes.ts'
import { type Accounting, BlockPool } from './block-pool.ts'
import { CidrSet, noBlockLeft } from './cidr-set.ts'
import { CloudAllocator } from './cloud-allocator.ts'
import { CloudSync, type SyncMode } from './cloud-sync.ts'
import { ClusterCidrKeeper, clusterCidrKey, isClusterCidrKey } from './cluster-cidr-keeper.ts'
import { ClusterLedger } from './cluster-ledger.ts'
import { clusterCidrs } from './cluster-range.ts'
import { inspectSet, type Ledger } from './ledger.ts'
import { type AllocatorInspection, NodeAllocator } from './node-allocator.ts'
import { type NodeIpamSettings, type RangeSetting, rangesOf } from './options.ts'
import { ownRanges, ownServiceRange } from './own-range.ts'
import { RangeLedger } from './range-ledger.ts'
import { clusterCidrMeters, type MeterMaker, rangeMeters } from './range-meter.ts'

export const nodeIpam = 'node-ipam-controller'

export interface NodeIpamOptions {
  readonly settings: NodeIpamSettings
  /** The cluster is berth's own, so nodes get blocks of a default range unless flags say otherwise. */
  readonly isOwnCluster?: boolean
  readonly fixes?: FixSet
  readonly metrics?: MetricRegistry
  readonly log?: Logger
}

/** The inspection that `/debug/cidrs` shows. */
export interface NodeIpamInspection extends AllocatorInspection {
  readonly allocator: string
  /** ClusterCIDRs that cannot be used, with the reason. */
  readonly refused?: Readonly<Record<string, string>>
  /** Nodes that a cloud allocator is working on, or checks periodically. */
  readonly inWork?: readonly unknown[]
}

/** The common options of all allocators, with defaults applied. */
interface Setup {
  readonly settings: NodeIpamSettings
  readonly ranges: readonly RangeSetting[]
  /** These ranges are defaults, so nodes outside of them are accepted. */
  readonly isByDefault: boolean
  readonly fixesLeaks: boolean
  readonly metrics: MetricRegistry
  readonly log: Logger
}

export function createNodeIpam(options: NodeIpamOptions): Controller {
  const { settings, isOwnCluster = false, log = silentLogger } = options
  const isWanted = settings.allocateNodeCidrs ?? isOwnCluster
  if (!isWanted) {
    log.info({}, 'pod CIDRs are not allocated: --allocate-node-cidrs is not set')
    return idle()
  }
  const isByDefault = isOwnCluster && settings.clusterCidrs.length === 0
  const setup: Setup = {
    settings: withOwnServices(settings, isOwnCluster),
    ranges: isByDefault ? ownRanges(settings) : asked(rangesOf(settings)),
    isByDefault,
    fixesLeaks: (options.fixes ?? noFixes).has('cidr-leaks'),
    metrics: options.metrics ?? new MetricRegistry(),
    log,
  }
  switch (settings.allocatorType) {
    case 'RangeAllocator':
      return rangeAllocator(setup)
    case 'MultiCIDRRangeAllocator':
      return multiCidrAllocator(setup)
    case 'CloudAllocator':
      return cloudAllocator(setup)
    case 'IPAMFromCluster':
      return cloudSync(setup, 'SyncFromCluster')
    case 'IPAMFromCloud':
      return cloudSync(setup, 'SyncFromCloud')
  }
}

function idle(): Controller {
  return { name: nodeIpam, watches: [], step: () => ({}), inspect: () => ({ allocator: 'none' }) }
}

function rangeAllocator(setup: Setup): Controller {
  const { ranges, settings, fixesLeaks, log } = setup
  if (ranges.length === 0) throw new Refusal('Must specify --cluster-cidr if --allocate-node-cidrs is set')
  const meters = rangeMeters(setup.metrics)
  const pools = ranges.map((range) => poolOf(range, meters, fixesLeaks ? 'counted' : 'marked'))
  const misfits = fixesLeaks || setup.isByDefault ? 'report' : 'refuse'
  const ledger = new RangeLedger({
    pools,
    isCounted: fixesLeaks,
    serviceRanges: settings.serviceRanges,
    misfits,
    log,
  })
  const allocator = nodeAllocator(setup, ledger, 'cidrAllocator')
  const inspect = (): NodeIpamInspection => ({ allocator: 'RangeAllocator', ...allocator.inspect() })
  return beginning(nodeReconciler(allocator, inspect), () => allocator.begun())
}

/** A controller of nodes alone. */
function nodeReconciler(
  allocator: Pick<NodeAllocator, 'observe' | 'reconcile' | 'onResults' | 'onAnswers'>,
  inspect: () => NodeIpamInspection,
): Controller {
  return createReconcilerController({
    name: nodeIpam,
    wakes: { nodes: (change) => allocator.observe(change) },
    reconcile: (key, context) => allocator.reconcile(key, context),
    onResults: (key, results, context) => allocator.onResults(key, results, context),
    onAnswers: (key, answers) => allocator.onAnswers(key, answers),
    inspect,
  })
}

function nodeAllocator({ fixesLeaks, log }: Setup, ledger: Ledger, eventComponent: string): NodeAllocator {
  return new NodeAllocator({ ledger, whenInDoubt: fixesLeaks ? 'ask' : 'lose', eventComponent, log })
}

function multiCidrAllocator(setup: Setup): Controller {
  const { settings, isByDefault, log } = setup
  const ledger = new ClusterLedger(settings.serviceRanges)
  const keeper = new ClusterCidrKeeper({
    ledger,
    meters: clusterCidrMeters(setup.metrics),
    ranges: isByDefault ? [] : setup.ranges,
    log,
  })
  const allocator = nodeAllocator(setup, ledger, 'multiCIDRRangeAllocator')
  const reconciler: Reconciler = {
    name: nodeIpam,
    wakes: {
      [clusterCidrs]: (change) => [...keeper.observe(change), ...allocator.waitingNodes()],
      nodes: (change) => {
        const key = allocator.observe(change)
        const ranges = change.after === undefined ? ledger.terminating().map(clusterCidrKey) : keeper.missing()
        return key === undefined ? ranges : [...ranges, key]
      },
    },
    reconcile: (key, context) => {
      keeper.arrange()
      return isClusterCidrKey(key) ? keeper.reconcile(key, context) : allocator.reconcile(key, context)
    },
    onResults: (key, results, context) =>
      isClusterCidrKey(key) ? undefined : allocator.onResults(key, results, context),
    onAnswers: (key, answers) => allocator.onAnswers(key, answers),
    inspect: (): NodeIpamInspection => ({
      allocator: 'MultiCIDRRangeAllocator',
      ...allocator.inspect(),
      refused: keeper.refusals(),
    }),
  }
  return createReconcilerController(reconciler)
}

function cloudAllocator({ log }: Setup): Controller {
  const allocator = new CloudAllocator(log)
  return nodeReconciler(allocator, () => ({ allocator: 'CloudAllocator', ...nothing, inWork: allocator.inspect() }))
}

function cloudSync(setup: Setup, mode: SyncMode): Controller {
  const { ranges, settings, fixesLeaks, log } = setup
  const [first, ...others] = ranges
  if (first === undefined) throw new Refusal('Must specify --cluster-cidr if --allocate-node-cidrs is set')
  if (others.length > 0) log.warn({ range: formatCidr(first.range) }, 'only the first range is used')
  const pool = poolOf(first, rangeMeters(setup.metrics), 'marked')
  for (const range of settings.serviceRanges) if (cidrsOverlap(range, first.range)) pool.occupy(range)
  if (pool.set.free === 0) throw new Refusal(`failed after occupy serviceCIDR: ${noBlockLeft}`)
  const sync = new CloudSync({ pool, mode, keepsReserved: fixesLeaks, log })
  return nodeReconciler(sync, () => ({
    allocator: settings.allocatorType,
    ...nothing,
    ranges: [inspectSet(pool.set)],
    serviceRanges: settings.serviceRanges.map(formatCidr),
    reserved: [...sync.reservedBlocks()].map(([node, cidrs]) => ({ node, cidrs, stage: 'reserved' })),
    inWork: sync.inspect(),
  }))
}

/** The view of an allocator without a ledger. */
const nothing: AllocatorInspection = {
  ranges: [],
  serviceRanges: [],
  holders: [],
  outOfRange: [],
  leaked: [],
  reserved: [],
  waiting: [],
}

function poolOf({ range, maskSize, ...where }: RangeSetting, meters: MeterMaker, accounting: Accounting): BlockPool {
  const set = asked(CidrSet.create(range, maskSize, where))
  return new BlockPool(set, meters(set.max, formatCidr(range)), accounting)
}

/** The first step gets all existing objects; later steps get changes. */
function beginning(controller: Controller, begun: () => void): Controller {
  return {
    ...controller,
    step: (input) => {
      const output = controller.step(input)
      begun()
      return output
    },
  }
}

function asked<T>(result: Result<T>): T {
  if (!result.ok) throw new Refusal(`node IPAM does not start: ${result.message}`)
  return result.value
}

function withOwnServices(settings: NodeIpamSettings, isOwnCluster: boolean): NodeIpamSettings {
  if (!isOwnCluster || settings.serviceRanges.length > 0) return settings
  return { ...settings, serviceRanges: [ownServiceRange] }
}
