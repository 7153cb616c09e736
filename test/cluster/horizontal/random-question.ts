import type { RandomStream } from '../../../src/base/random.ts'

export interface AskedPod {
  readonly name: string
  readonly phase: string
  readonly deleted: boolean
  /** Of the condition Ready; empty if there is none. */
  readonly ready: string
  /** Seconds before now. */
  readonly readyAgo: number
  readonly startAgo: number
  readonly request: string
  /** In thousandths; absent: no metric. */
  readonly usage?: number
}

export const questionKinds = ['utilization', 'average', 'pods', 'value', 'perPod'] as const

export interface ReplicaQuestion {
  readonly kind: (typeof questionKinds)[number]
  readonly currentReplicas: number
  readonly target: number
  readonly value: number
  readonly resource: string
  readonly pods: readonly AskedPod[]
}

/** Times end in half a second, so that no limit is met exactly while a program runs. */
const ages = [5.5, 20.5, 50.5, 200.5, 310.5, 1000.5] as const

/** A question about few pods of every state, with usage near the target and far from it. */
export function randomQuestion(random: RandomStream): ReplicaQuestion {
  const kind = random.pick(questionKinds)
  const resource = kind === 'pods' ? 'm' : random.pick(['cpu', 'cpu', 'memory'] as const)
  const target = kind === 'utilization' ? random.pick([1, 50, 80, 100, 150]) : random.pick([100, 500, 1000, 7777])
  const usages = random.pick([
    [0, 1, 50],
    [400, 500, 550, 600],
    [450, 900, 1100, 20_000],
  ])
  const isSimple = random.int(3) === 0
  const pods = Array.from({ length: random.int(8) }, (_, index): AskedPod => {
    const isMeasured = random.int(5) > 0
    const startAgo = random.pick(ages)
    return {
      name: `p${index}`,
      phase: isSimple ? 'Running' : random.pick(['Running', 'Running', 'Running', 'Pending', 'Failed', 'Succeeded']),
      deleted: !isSimple && random.int(8) === 0,
      ready: isSimple ? 'True' : random.pick(['True', 'True', 'False', 'Unknown', '']),
      readyAgo: Math.max(0.5, startAgo - random.pick([0, 10, 40])),
      startAgo,
      request: random.int(30) === 0 ? '' : random.pick(['1', '500m', '250m']),
      ...(isMeasured ? { usage: random.pick(usages) + random.int(40) } : {}),
    }
  })
  return {
    kind,
    currentReplicas: kind === 'value' ? random.int(6) : 1 + random.int(9),
    target,
    value: random.pick([0, 90, 500, 950, 1050, 5000, 123_456]),
    resource,
    pods,
  }
}
