import type { Node } from '../api/objects/node.ts'
import { Refusal } from '../base/refusal.ts'
import { packs } from '../controllers/hollow-kubelet/packs.ts'
import { hollowNodes } from '../controlplane/hollow-nodes.ts'
import { standardStorageClass } from '../controlplane/hollow-storage.ts'
import type { VirtualOptions } from '../controlplane/virtual.ts'
import type { ClusterInput } from '../whatif/snapshot/found-cluster.ts'
import { ClusterOptionError } from './argument-checks.ts'
import type { Cluster } from './cluster.ts'
import {
  autoscalingOf,
  type ClusterOptions,
  checkOptions,
  controllerNamesOf,
  definitionsOf,
  settingsOf,
  shapeOf,
  startOf,
  webhooksOf,
} from './cluster-options.ts'
import { readSource } from './cluster-source.ts'
import { type ClusterPlan, InProcessCluster } from './in-process-cluster.ts'

const defaultStartMs = Date.UTC(2026, 0, 1)

/** Creates a cluster in virtual time. */
export async function createCluster(options: ClusterOptions = {}): Promise<Cluster> {
  checkOptions(options)
  const { from } = options
  const nodes = hollowNodes(options.nodes ?? (from === undefined ? 3 : 0), shapeOf(options))
  const found = from === undefined ? undefined : await readSource(from, nodes)
  const cluster = newCluster({
    virtual: virtualOptionsOf(options, found),
    definitions: definitionsOf(options),
    notes: found?.notes.map(({ text }) => text) ?? [],
  })
  await cluster.applyAll(found?.manifests ?? [standardStorageClass, ...nodes], 'Ignore')
  return cluster
}

function newCluster(plan: ClusterPlan): InProcessCluster {
  try {
    return new InProcessCluster(plan)
  } catch (error) {
    if (error instanceof Refusal) throw new ClusterOptionError(error.message)
    throw error
  }
}

function virtualOptionsOf(options: ClusterOptions, found: ClusterInput | undefined): VirtualOptions {
  const isRunning = found !== undefined && found.cluster.store.count('nodes') > 0
  const startMs = startOf(options) ?? (isRunning ? found.cluster.takenAtMs : defaultStartMs)
  const given = (found?.cluster.store.list('nodes') ?? []) as readonly Node[]
  const autoscaling = autoscalingOf(options, given)
  const seed = String(options.seed ?? 1)
  const webhooks = webhooksOf(options)
  return {
    startMs,
    settings: settingsOf(options, found?.kubernetes),
    // As in a forecast, a run on the state of another run must not generate the same names and uids again.
    seed: isRunning ? `${seed} ${found.cluster.takenAtMs}` : seed,
    controllers: controllerNamesOf(options, found?.without ?? []),
    hollow: {
      serves: 'all',
      stages: packs[options.pack ?? 'fast'],
      heartbeats: options.heartbeats ?? 'computed',
      adopt: isRunning ? 'as-found' : 'healthy',
    },
    events: 'record',
    callRates: options.callRates ?? (isRunning ? 'upstream' : 'unlimited'),
    ...(autoscaling === undefined ? {} : { autoscaling }),
    ...(webhooks === undefined ? {} : { webhooks }),
    ...(found === undefined ? {} : { store: found.cluster.store }),
    ...(isRunning ? { resumed: true } : { isOwnCluster: true }),
  }
}
