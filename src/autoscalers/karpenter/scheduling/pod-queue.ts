import type { Pod } from '../../../api/objects/pod.ts'
import { parseTime } from '../../../api/time.ts'
import type { Amounts } from './amounts.ts'

/** The pods to place, the largest first. It ends when a round places no pod. */
export class PodQueue {
  private readonly pods: Pod[]
  private at = 0
  private readonly lengthWhenPushed = new Map<string, number>()

  constructor(pods: readonly Pod[], requestsOf: (pod: Pod) => Amounts) {
    this.pods = pods.toSorted((a, b) => compare(a, b, requestsOf(a), requestsOf(b)))
  }

  pop(): Pod | undefined {
    const pod = this.pods[this.at]
    if (pod === undefined) return undefined
    if (this.lengthWhenPushed.get(pod.metadata.uid ?? '') === this.pods.length - this.at) return undefined
    this.at++
    return pod
  }

  push(pod: Pod): void {
    this.pods.push(pod)
    this.lengthWhenPushed.set(pod.metadata.uid ?? '', this.pods.length - this.at)
  }
}

function compare(a: Pod, b: Pod, left: Amounts, right: Amounts): number {
  for (const resource of ['cpu', 'memory']) {
    const difference = (right.get(resource) ?? 0) - (left.get(resource) ?? 0)
    if (difference !== 0) return difference
  }
  const older = (parseTime(a.metadata.creationTimestamp) ?? 0) - (parseTime(b.metadata.creationTimestamp) ?? 0)
  if (older !== 0) return older
  return (a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1
}
