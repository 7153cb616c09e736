import { formatGoDurationMs } from '../api/go-duration.ts'
import type { JsonObject } from '../api/objects/meta.ts'
import { labels } from '../api/well-known.ts'
import { lookupTable } from '../base/lookup-table.ts'
import { rackLabel } from '../whatif/scenario/step-reader.ts'
import type { FaultTarget, StepContent } from './fault.ts'
import type { FaultScope } from './fault-scope.ts'

export const faultGroups = [
  'nodes',
  'racks',
  'pools',
  'zones',
  'control-plane',
  'operators',
  'autoscaling',
  'clock',
] as const
export type FaultGroup = (typeof faultGroups)[number]

/** A kind of fault: its targets, and the steps of a scenario for it. */
export interface FaultKind {
  readonly group: FaultGroup
  readonly summary: string
  /** `losing node-17`: completes "… leaves checkout with 0 of 3 ready". */
  readonly phrase: (target: string) => string
  readonly targets: (scope: FaultScope) => readonly FaultTarget[]
  /** A requirement on the cluster for a target, if not every cluster has one. */
  readonly needs?: string
  /** Durations to try if the fault model has none; undefined: the fault does not end. */
  readonly durationsMs: readonly (number | undefined)[]
  readonly steps: (target: FaultTarget, forMs: number | undefined, scope: FaultScope) => readonly OffsetStep[]
  /** False: it affects only some nodes of a class, so classes do not hold for its pairs. */
  readonly isPaired?: boolean
}

export interface OffsetStep {
  readonly afterMs: number
  readonly content: StepContent
}

const minuteMs = 60_000

const lasting = (forMs: number | undefined): JsonObject =>
  forMs === undefined ? {} : { for: formatGoDurationMs(forMs) }

const once = (content: StepContent): readonly OffsetStep[] => [{ afterMs: 0, content }]

const eachNode = (scope: FaultScope) => scope.nodes
const losing = (target: string) => `losing ${target}`

/** Selects the nodes of a target: one by its name, several by their names. */
function nodesOf({ nodes }: FaultTarget): JsonObject {
  return nodes.length === 1 ? { node: nodes[0] as string } : { nodes: nodes as never }
}

/** All kinds of faults. To add a fault, add a row here and a line in a fault model. */
export const faultKinds = lookupTable<FaultKind>({
  'node-fails': {
    group: 'nodes',
    summary: 'a machine fails and does not come back',
    phrase: losing,
    targets: eachNode,
    durationsMs: [undefined],
    steps: (target, forMs) => once({ fail: { ...nodesOf(target), ...lasting(forMs) } }),
  },
  'node-reboots': {
    group: 'nodes',
    summary: 'a machine fails and comes back',
    phrase: (target) => `losing ${target} for a while`,
    targets: eachNode,
    durationsMs: [3 * minuteMs, 15 * minuteMs],
    steps: (target, forMs) => once({ fail: { ...nodesOf(target), ...lasting(forMs) } }),
  },
  'node-flaps': {
    group: 'nodes',
    summary: 'a kubelet is repeatedly silent for longer than the grace period',
    phrase: (target) => `flapping of ${target}`,
    targets: eachNode,
    durationsMs: [undefined],
    steps: (target) => once({ silence: { ...nodesOf(target), for: '1m10s', every: '1m40s', times: 6 } }),
  },
  'kubelet-slow': {
    group: 'nodes',
    summary: 'a kubelet is repeatedly silent for almost the grace period',
    phrase: (target) => `a slow kubelet on ${target}`,
    targets: eachNode,
    durationsMs: [undefined],
    steps: (target) => once({ silence: { ...nodesOf(target), for: '45s', every: '1m0s', times: 10 } }),
  },
  'kubelet-silent': {
    group: 'nodes',
    summary: 'a kubelet is silent and comes back; its containers keep running',
    phrase: (target) => `a silent kubelet on ${target}`,
    targets: eachNode,
    durationsMs: [2 * minuteMs, 10 * minuteMs],
    steps: (target, forMs) => once({ silence: { ...nodesOf(target), ...lasting(forMs) } }),
  },
  'node-removed': {
    group: 'nodes',
    summary: 'a machine and its Node object disappear',
    phrase: (target) => `removing ${target}`,
    targets: eachNode,
    durationsMs: [undefined],
    steps: (target) => [
      { afterMs: 0, content: { fail: nodesOf(target) } },
      { afterMs: 0, content: { remove: nodesOf(target) } },
    ],
  },
  'rack-fails': {
    group: 'racks',
    summary: 'all machines of a rack fail',
    phrase: losing,
    targets: (scope) => scope.racks,
    needs: `nodes with the label ${rackLabel}`,
    durationsMs: [10 * minuteMs, undefined],
    steps: (target, forMs) => once({ fail: { ...nodesOf(target), ...lasting(forMs) } }),
  },
  'pool-fails': {
    group: 'pools',
    summary: 'all machines of a node pool fail',
    phrase: losing,
    targets: (scope) => scope.pools,
    needs: 'nodes with the label of a node pool',
    durationsMs: [10 * minuteMs],
    steps: (target, forMs) => once({ fail: { ...nodesOf(target), ...lasting(forMs) } }),
  },
  'zone-fails': {
    group: 'zones',
    summary: 'all machines of a zone fail',
    phrase: losing,
    targets: (scope) => scope.zones,
    needs: `nodes with the label ${labels.zone}`,
    durationsMs: [10 * minuteMs, undefined],
    steps: (target, forMs) => once({ fail: { ...nodesOf(target), ...lasting(forMs) } }),
  },
  'zone-partial': {
    group: 'zones',
    summary: 'the number of machines of a zone that makes its disruption partial fails, or one machine less',
    phrase: losing,
    targets: (scope) => scope.zoneParts,
    needs: 'a zone of three nodes',
    isPaired: false,
    durationsMs: [15 * minuteMs],
    steps: (target, forMs) => once({ fail: { ...nodesOf(target), ...lasting(forMs) } }),
  },
  'api-outage': {
    group: 'control-plane',
    summary: 'the API server does not answer for a while',
    phrase: () => 'an outage of the API server',
    targets: (scope) => scope.controlPlane,
    durationsMs: [30_000, 5 * minuteMs],
    steps: (_, forMs = minuteMs) => once({ outage: lasting(forMs) }),
  },
  'controller-restarts': {
    group: 'control-plane',
    summary: 'another instance of a controller takes over, without its state',
    phrase: (target) => `a restart of ${target}`,
    targets: (scope) => scope.controllers,
    durationsMs: [undefined],
    steps: ({ name }) => once({ restart: { controller: name } }),
  },
  'controller-paused': {
    group: 'control-plane',
    summary: 'a controller does nothing for a while',
    phrase: (target) => `a pause of ${target}`,
    targets: (scope) => scope.controllers,
    durationsMs: [5 * minuteMs],
    steps: ({ name }, forMs = minuteMs) => once({ pause: { controller: name, ...lasting(forMs) } }),
  },
  drain: {
    group: 'operators',
    summary: 'an operator drains a node',
    phrase: (target) => `draining ${target}`,
    targets: eachNode,
    durationsMs: [undefined],
    steps: (target) => once({ drain: nodesOf(target) }),
  },
  rollout: {
    group: 'operators',
    summary: 'an operator restarts a workload',
    phrase: (target) => `a rollout of ${target}`,
    targets: (scope) => scope.workloads,
    needs: 'a Deployment or StatefulSet',
    durationsMs: [undefined],
    steps: ({ name }) => once({ patch: { target: targetOf(name), patch: restarted } }),
  },
  'taint-mistake': {
    group: 'operators',
    summary: 'an operator adds a NoExecute taint to all nodes of a zone or pool, and removes it later',
    phrase: (target) => `a taint on ${target} by mistake`,
    targets: (scope) => [...scope.zones, ...scope.pools],
    needs: 'nodes with the label of a zone or node pool',
    durationsMs: [10 * minuteMs],
    steps: (target, forMs) => [
      { afterMs: 0, content: { taint: { ...nodesOf(target), taint: 'mistake:NoExecute' } } },
      ...(forMs === undefined
        ? []
        : [{ afterMs: forMs, content: { untaint: { ...nodesOf(target), taint: 'mistake:NoExecute' } } }]),
    ],
  },
  'priority-mistake': {
    group: 'operators',
    summary: 'an operator deploys a large workload with the highest priority',
    phrase: () => 'a deployment with too high a priority',
    targets: (scope) => scope.priorities,
    durationsMs: [undefined],
    steps: (_, __, scope) => once({ apply: scope.intruder }),
  },
  'spot-interruption': {
    group: 'autoscaling',
    summary: 'the cloud takes a spot machine back, two minutes after its notice',
    phrase: (target) => `a spot interruption of ${target}`,
    targets: (scope) => scope.spotNodes,
    needs: 'nodes with the label of a spot machine',
    durationsMs: [undefined],
    steps: (target) => [
      { afterMs: 0, content: { drain: nodesOf(target) } },
      { afterMs: 2 * minuteMs, content: { fail: nodesOf(target) } },
      { afterMs: 2 * minuteMs, content: { remove: nodesOf(target) } },
    ],
  },
  'stock-out': {
    group: 'autoscaling',
    summary: 'the cloud has no machines for a node group, a zone or a capacity type',
    phrase: (target) => `a stock-out of ${target.replace('nodeGroup', 'node group').replace('capacityType ', '')}`,
    targets: (scope) => scope.stocks,
    needs: 'an autoscaler',
    durationsMs: [undefined],
    steps: ({ name }, forMs) => {
      const [field = '', ...words] = name.split(' ')
      return once({ stockOut: { [field]: words.join(' '), ...lasting(forMs) } })
    },
  },
  'load-spike': {
    group: 'autoscaling',
    summary: 'a workload needs twice its replicas',
    phrase: (target) => `a load spike on ${target}`,
    targets: (scope) => (scope.isAutoscaled ? scope.deployments : []),
    needs: 'an autoscaler, and a Deployment',
    durationsMs: [undefined],
    steps: ({ name }, _, scope) =>
      once({ scale: { target: targetOf(name), replicas: 2 * (scope.replicas.get(name) ?? 1) } }),
  },
  'clock-jumps': {
    group: 'clock',
    summary: 'the clock of the control plane jumps',
    phrase: (target) => `a jump of the ${target}`,
    targets: (scope) => scope.clocks,
    durationsMs: [undefined],
    steps: ({ name }) => once({ clock: { by: name.replace('clock by ', '') } }),
  },
})

const restarted: JsonObject = {
  spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' } } } },
} as unknown as JsonObject

/** `Deployment shop/checkout` is `deployment/shop/checkout`. */
function targetOf(name: string): string {
  const space = name.indexOf(' ')
  return `${name.slice(0, space).toLowerCase()}/${name.slice(space + 1)}`
}
