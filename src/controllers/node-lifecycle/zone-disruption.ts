import type { Gauge, MetricRegistry } from '../../base/metrics.ts'
import type { FixSet } from '../fixes.ts'
import type { NoExecuteTaints } from './no-execute-taints.ts'
import type { MonitorPass, NodeMonitor } from './node-monitor.ts'
import type { NodeLifecycleSettings } from './options.ts'
import type { StepContext } from './step-context.ts'
import type { ZoneCensus } from './zone-census.ts'
import type { ZoneTainter } from './zone-tainter.ts'
import { decideDisruption, evictionRateIn, type ZoneState } from './zones.ts'

export interface ZoneDisruptionOptions {
  readonly settings: NodeLifecycleSettings
  readonly fixes: FixSet
  readonly census: ZoneCensus
  readonly tainter: ZoneTainter
  readonly taints: NoExecuteTaints
  readonly monitor: NodeMonitor
  readonly metrics: MetricRegistry
}

/** The state of each zone and the rate at which its nodes are tainted (v1.36, nodelifecycle handleDisruption). */
export class ZoneDisruption {
  private readonly options: ZoneDisruptionOptions
  private readonly gauges: Readonly<Record<'health' | 'size' | 'unhealthy', Gauge>>
  private readonly stopsWhenFull: boolean

  constructor(options: ZoneDisruptionOptions) {
    this.options = options
    this.gauges = registerGauges(options.metrics)
    this.stopsWhenFull = options.fixes.has('full-disruption-stops')
  }

  /** Called when all nodes of a pass have been examined. */
  judge(pass: MonitorPass, context: StepContext): void {
    const { census, tainter, monitor, settings } = this.options
    const { states } = census
    const found = census.judge(settings.unhealthyZoneThreshold)
    this.report(found)
    for (const zone of found.keys()) if (!states.has(zone)) states.set(zone, 'Initial')
    for (const zone of [...states.keys()]) {
      if (found.has(zone)) continue
      states.delete(zone)
      // Nodes that do not count leave their zone without a state, so every pass opens the zone again.
      monitor.examineAgain(census.nodesIn(zone), context.now)
    }
    const disruption = decideDisruption(states, found)
    switch (disruption.kind) {
      case 'unchanged':
        return
      case 'enter-master-disruption':
        if (!pass.resuming) this.releaseAll(context)
        for (const zone of states.keys()) {
          tainter.setRate(zone, 0, context.now)
          states.set(zone, 'FullDisruption')
        }
        return
      case 'exit-master-disruption':
        monitor.resetProbes(pass)
        for (const [zone, state] of found) this.enter(zone, state, context)
        return
      case 'judge-zones':
        for (const [zone, state] of found) {
          if (states.get(zone) === state) continue
          this.enter(zone, state, context)
          if (state === 'FullDisruption' && this.stopsWhenFull && !pass.resuming) {
            this.release(census.nodesIn(zone), context)
          }
        }
    }
  }

  private enter(zone: string, state: ZoneState, { now }: StepContext): void {
    const { census, tainter, settings } = this.options
    const size = census.countIn(zone)?.size ?? 0
    const rate = evictionRateIn(state, size, settings, { fullDisruptionStops: this.stopsWhenFull })
    if (rate !== undefined) tainter.setRate(zone, rate, now)
    census.states.set(zone, state)
  }

  private releaseAll(context: StepContext): void {
    const names = context.nodes().map((node) => node.metadata.name)
    this.release(names, context)
  }

  /** Removes the taints that nodes got while fewer nodes were silent. The next pass queues the nodes again. */
  private release(names: Iterable<string>, context: StepContext): void {
    const { taints, monitor } = this.options
    for (const name of names) {
      const node = context.node(name)
      if (node !== undefined) taints.remove(node, context)
    }
    monitor.examineAgain(names, context.now)
  }

  private report(found: ReadonlyMap<string, ZoneState>): void {
    const { census } = this.options
    const { health, size: sizes, unhealthy: unhealthies } = this.gauges
    for (const zone of found.keys()) {
      const { size, unhealthy } = census.countIn(zone) as { size: number; unhealthy: number }
      sizes.set(size, zone)
      unhealthies.set(unhealthy, zone)
      health.set((100 * (size - unhealthy)) / size, zone)
    }
    for (const zone of census.states.keys()) {
      if (found.has(zone)) continue
      sizes.set(0, zone)
      unhealthies.set(0, zone)
      health.set(100, zone)
    }
  }
}

function registerGauges(metrics: MetricRegistry) {
  const gauge = (name: string, help: string) =>
    metrics.gauge({ name: `node_collector_${name}`, help, labels: ['zone'] })
  return {
    health: gauge('zone_health', 'Gauge measuring percentage of healthy nodes per zone.'),
    size: gauge('zone_size', 'Gauge measuring number of registered Nodes per zones.'),
    unhealthy: gauge('unhealthy_nodes_in_zone', 'Gauge measuring number of not Ready Nodes per zones.'),
  }
}
