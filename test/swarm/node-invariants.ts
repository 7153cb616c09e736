import type { Pod } from '../../src/api/objects/pod.ts'
import { milliValue } from '../../src/api/quantity.ts'
import { schedulingRequests } from '../../src/api/scheduling-requests.ts'
import { hold } from './broken-invariant.ts'

/** The pods of a node request at most what it can allocate. */
export function checkCapacity(
  node: string,
  allocatable: Readonly<Record<string, unknown>>,
  pods: readonly Pod[],
): void {
  let [cpuMilli, memoryBytes, gpus] = [0, 0, 0]
  for (const pod of pods) {
    const requests = schedulingRequests(pod)
    cpuMilli += requests.cpuMilli
    memoryBytes += requests.memoryBytes
    for (const { resources } of pod.spec.containers) gpus += Number(resources?.limits?.['example.com/gpu'] ?? 0)
  }
  const of = (name: string) => milliValue(allocatable[name] as string | undefined) / 1000
  hold('capacity', cpuMilli <= 1000 * of('cpu'), () => `${node} has ${of('cpu')} CPUs, ${cpuMilli}m are requested`)
  hold('capacity', memoryBytes <= of('memory'), () => `${node} has ${of('memory')} bytes, ${memoryBytes} are requested`)
  hold('capacity', pods.length <= of('pods'), () => `${node} allows ${of('pods')} pods and has ${pods.length}`)
  hold(
    'capacity',
    gpus <= of('example.com/gpu'),
    () => `${node} has ${of('example.com/gpu')} GPUs, ${gpus} are requested`,
  )
}

/** The pods of a node do not share host ports, and respect their anti-affinity. */
export function checkNeighbors(node: string, pods: readonly Pod[]): void {
  const ports = new Map<number, string>()
  const apart = new Set<string>()
  for (const { metadata, spec } of pods) {
    for (const { hostPort } of spec.containers.flatMap(({ ports: list = [] }) => list)) {
      if (hostPort === undefined) continue
      hold(
        'host ports',
        !ports.has(hostPort),
        () => `port ${hostPort} of ${node} belongs to ${ports.get(hostPort)} and ${metadata.name}`,
      )
      ports.set(hostPort, metadata.name)
    }
    if (spec.affinity?.podAntiAffinity === undefined) continue
    const app = metadata.labels?.['app'] ?? ''
    hold('anti-affinity', !apart.has(app), () => `${node} has two pods of ${app}`)
    apart.add(app)
  }
}
