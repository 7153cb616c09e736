import type { Pod } from '../../api/objects/pod.ts'
import type { ClusterSnapshot } from '../simulation/cluster-snapshot.ts'

/** The sum of the requests of pods. */
export function requestsOf(
  pods: readonly Pod[],
  snapshot: ClusterSnapshot,
): { readonly cpuMilli: number; readonly memoryBytes: number } {
  let cpuMilli = 0
  let memoryBytes = 0
  for (const pod of pods) {
    const { requests } = snapshot.parse(pod).shape
    cpuMilli += requests.cpuMilli
    memoryBytes += requests.memoryBytes
  }
  return { cpuMilli, memoryBytes }
}
