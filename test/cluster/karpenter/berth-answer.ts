import { keyOf } from '../../../src/api/object-key.ts'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import type { Pod } from '../../../src/api/objects/pod.ts'
import { readCatalog } from '../../../src/autoscalers/karpenter/catalog/read-catalog.ts'
import { KarpenterCloud } from '../../../src/autoscalers/karpenter/cloud/karpenter-cloud.ts'
import { blockedText, budgetsOf } from '../../../src/autoscalers/karpenter/disruption/budgets.ts'
import { candidatesOf } from '../../../src/autoscalers/karpenter/disruption/candidate.ts'
import { sentence } from '../../../src/autoscalers/karpenter/disruption/disruption-loop.ts'
import { methods } from '../../../src/autoscalers/karpenter/disruption/methods.ts'
import { podsToMove } from '../../../src/autoscalers/karpenter/disruption/simulate.ts'
import { nodeOverlays, nodePools } from '../../../src/autoscalers/karpenter/names.ts'
import { readKarpenterOptions } from '../../../src/autoscalers/karpenter/options.ts'
import type { ClaimPlan } from '../../../src/autoscalers/karpenter/scheduling/claim-template.ts'
import { schedulePods } from '../../../src/autoscalers/karpenter/scheduling/schedule-pods.ts'
import { pendingPods, type Situation } from '../../../src/autoscalers/karpenter/situation.ts'
import { ClusterState } from '../../../src/autoscalers/karpenter/state/cluster-state.ts'
import { must } from '../../../src/base/result.ts'
import type { Change } from '../../../src/runtime/controller.ts'
import { createReadModel } from '../../../src/runtime/read-model.ts'
import type { KarpenterQuestion } from './random-question.ts'

export interface ClaimAnswer {
  readonly pool: string
  readonly pods: readonly string[]
  readonly types: readonly string[]
  readonly zones: readonly string[]
}

export interface KarpenterAnswer {
  readonly plan?: {
    readonly claims: readonly ClaimAnswer[]
    readonly existing: Readonly<Record<string, readonly string[]>>
    readonly errors: readonly string[]
  }
  readonly methods?: readonly {
    readonly name: string
    readonly candidates: readonly string[]
    readonly commands: readonly { readonly nodes: readonly string[]; readonly replacements: readonly ClaimAnswer[] }[]
    readonly reasons: readonly string[]
  }[]
  readonly error?: string
}

const resources: Readonly<Record<string, string>> = {
  NodePool: 'nodepools.karpenter.sh',
  NodeClaim: 'nodeclaims.karpenter.sh',
  NodeOverlay: 'nodeoverlays.karpenter.sh',
  KWOKNodeClass: 'kwoknodeclasses.karpenter.kwok.sh',
  Node: 'nodes',
  Pod: 'pods',
  Namespace: 'namespaces',
  DaemonSet: 'daemonsets.apps',
  PodDisruptionBudget: 'poddisruptionbudgets.policy',
  PersistentVolume: 'persistentvolumes',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  StorageClass: 'storageclasses.storage.k8s.io',
}

/** The decision of berth. */
export function berthAnswer(question: KarpenterQuestion): KarpenterAnswer {
  const situation = situationOf(question)
  return question.disruption ? disruptionAnswer(situation) : planAnswer(situation)
}

function situationOf({ objects, flags, instanceTypes, unavailable, nowMs }: KarpenterQuestion): Situation {
  const view = createReadModel()
  const order = ['NodeClaim', 'Node']
  const sorted = [
    ...objects.filter(({ kind }) => order.includes(kind ?? '')),
    ...objects.filter(({ kind }) => !order.includes(kind ?? '')),
  ]
  const changes = sorted.map(
    (object) => ({ resource: resources[object.kind ?? ''], key: keyOf(object), after: object }) as unknown as Change,
  )
  view.apply(changes)
  const state = new ClusterState()
  for (const change of changes) state.take(change, view, nowMs)
  const cloud = new KarpenterCloud(readCatalog(instanceTypes, 'instanceTypes'))
  cloud.setStockouts(
    unavailable.map((text) => {
      const [instanceType = '', zone = '', capacityType = ''] = text.split('/')
      return { instanceType, zone, capacityType }
    }),
  )
  const options = must(readKarpenterOptions(flags))
  if (options.gates.NodeOverlay) cloud.setOverlays(view.list(nodeOverlays), view.list(nodePools))
  return { view, state, cloud, options, now: nowMs, wall: nowMs }
}

function planAnswer(situation: Situation): KarpenterAnswer {
  const { state } = situation
  const leaving = state.nodes.filter(({ isLeaving }) => isLeaving)
  const pods = [...pendingPods(situation), ...podsToMove(leaving, situation)]
  const results = pods.length === 0 ? undefined : schedulePods(situation, { pods, reservedMode: 'strict' })
  if (results === undefined) return { plan: { claims: [], existing: {}, errors: [] } }
  const existing = results.existing
    .filter((each) => each.pods.length > 0)
    .sort((a, b) => (a.state.name < b.state.name ? -1 : 1))
  return {
    plan: {
      claims: sorted(results.claims.map(claimAnswer)),
      existing: Object.fromEntries(existing.map((each) => [each.state.name, namesOf(each.pods)])),
      errors: namesOf([...results.errors.values()].map(({ pod }) => pod)),
    },
  }
}

function disruptionAnswer(situation: Situation): KarpenterAnswer {
  return {
    methods: methods.map((method) => {
      const reasons = new Set<string>()
      const add = (name: string, reason: string) => reasons.add(`Node/${name}: ${withoutPods(sentence(reason))}`)
      const note = ({ name }: { readonly name: string }, reason: string) => add(name, reason)
      const all = candidatesOf(
        situation,
        method.class,
        () => false,
        ({ node }, reason) => node !== undefined && add(node.metadata.name, reason),
      )
      const candidates = all.filter((candidate) => method.shouldDisrupt(candidate, note))
      const decide = () => {
        const budgets = budgetsOf(situation, method.reason, ({ metadata }) =>
          reasons.add(`NodePool/${metadata.name}: ${blockedText(method.reason)}`),
        )
        return method.decide({ situation, candidates, all, budgets, note, noteSilently: () => {} })
      }
      const { commands } = candidates.length === 0 ? { commands: [] } : decide()
      return {
        name: method.name,
        candidates: candidates.map(({ name }) => name).sort(),
        commands: commands
          .map((command) => ({
            nodes: command.candidates.map(({ name }) => name).sort(),
            replacements: sorted(command.replacements.map(claimAnswer)),
          }))
          .sort((a, b) => (a.nodes.join(' ') < b.nodes.join(' ') ? -1 : 1)),
        reasons: [...reasons].sort(),
      }
    }),
  }
}

/** The pods without a node are in the order of a map, and their reasons are not compared. */
function withoutPods(reason: string): string {
  return reason.startsWith('Not all pods would schedule, ') ? 'Not all pods would schedule' : reason
}

function claimAnswer(claim: ClaimPlan): ClaimAnswer {
  const zone = claim.requirements.get('topology.kubernetes.io/zone')
  return {
    pool: claim.template.pool.metadata.name,
    pods: namesOf(claim.pods),
    types: claim.types.map(({ name }) => name).sort(),
    zones: zone.operator === 'In' ? [...zone.values].sort() : [],
  }
}

function namesOf(pods: readonly (Pod | KubeObject)[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.name).sort()
}

function sorted(claims: readonly ClaimAnswer[]): readonly ClaimAnswer[] {
  return claims.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
}

/** As Go prints a list. */
function textOf({ pods }: ClaimAnswer): string {
  return `[${pods.join(' ')}]`
}
