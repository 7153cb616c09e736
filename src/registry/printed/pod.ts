import type { Container, ContainerState, ContainerStatus, Pod } from '../../api/objects/pod.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { humanDuration, instant, since } from './age.ts'

interface ContainerTally {
  reason: string
  ready: number
  restarts: number
  restartedAt: number | undefined
}

/** The cells of a pod; the second and third are READY and STATUS. */
export function podCells(pod: Pod, now: number, release: KubernetesRelease): readonly unknown[] {
  const { spec, status, metadata } = pod
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name))
  // The object of a bookmark has no status.
  const total = ((spec.containers as readonly Container[] | undefined)?.length ?? 0) + sidecars.size
  const tally = tallyOf(pod, sidecars, release)
  const { restarts, restartedAt } = tally
  const shownRestarts =
    restarts !== 0 && restartedAt !== undefined
      ? `${restarts} (${humanDuration(now - restartedAt)} ago)`
      : String(restarts)
  return [
    metadata.name,
    `${tally.ready}/${total}`,
    finalReason(pod, tally.reason),
    shownRestarts,
    since(metadata.creationTimestamp, now),
    status?.podIPs?.[0]?.ip || '<none>',
    spec.nodeName || '<none>',
    status?.nominatedNodeName || '<none>',
    readinessGates(pod),
  ]
}

/** The values that kubectl prints as STATUS and RESTARTS. */
export function podStatus(pod: Pod, release: KubernetesRelease): { readonly text: string; readonly restarts: number } {
  const sidecars = new Set((pod.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name))
  const { reason, restarts } = tallyOf(pod, sidecars, release)
  return { text: finalReason(pod, reason), restarts }
}

const isSidecar = (container: Container) => container.restartPolicy === 'Always'

function tallyOf(pod: Pod, sidecars: ReadonlySet<string>, release: KubernetesRelease): ContainerTally {
  const { status } = pod
  const gated = status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated')
  const reason = gated === true ? 'SchedulingGated' : status?.reason || status?.phase || ''
  const started: ContainerTally = { reason, ready: 0, restarts: 0, restartedAt: undefined }
  const initializing = countInit(pod, sidecars, started)
  const initialized = status?.conditions?.some(({ type, status: state }) => type === 'Initialized' && state === 'True')
  return initializing && initialized !== true ? started : countContainers(pod, sidecars, started, release)
}

/** Counts the init containers up to the first unfinished one; true if there is one. */
function countInit(pod: Pod, sidecars: ReadonlySet<string>, tally: ContainerTally): boolean {
  for (const [index, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    countRestarts(tally, container)
    const { terminated, waiting } = container.state ?? {}
    if (terminated !== undefined && terminated.exitCode === 0) continue
    if (sidecars.has(container.name) && container.started === true) {
      if (container.ready) tally.ready++
      continue
    }
    if (terminated !== undefined) tally.reason = `Init:${endReason(terminated)}`
    else if (waiting?.reason !== undefined && waiting.reason !== '' && waiting.reason !== 'PodInitializing')
      tally.reason = `Init:${waiting.reason}`
    else tally.reason = `Init:${index}/${pod.spec.initContainers?.length ?? 0}`
    return true
  }
  return false
}

function countContainers(
  pod: Pod,
  sidecars: ReadonlySet<string>,
  started: ContainerTally,
  release: KubernetesRelease,
): ContainerTally {
  // Once the pod is initialized, only restarts of running containers are counted.
  const tally: ContainerTally = { ...started, restarts: 0, restartedAt: undefined }
  for (const container of pod.status?.initContainerStatuses ?? [])
    if (sidecars.has(container.name)) countRestarts(tally, container)
  let running = false
  let failed: string | undefined
  for (const container of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    countRestarts(tally, container)
    const { waiting, terminated, running: runs } = container.state ?? {}
    if (waiting?.reason !== undefined && waiting.reason !== '') tally.reason = waiting.reason
    else if (terminated !== undefined) {
      tally.reason = endReason(terminated)
      if (terminated.exitCode !== 0) failed = tally.reason
    } else if (container.ready && runs !== undefined) {
      running = true
      tally.ready++
    }
  }
  if (tally.reason === 'Completed') {
    const ready = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
    if (running && ready === true) tally.reason = 'Running'
    else if (failed !== undefined && atLeast(release, '1.35')) tally.reason = failed
    else if (running) tally.reason = 'NotReady'
  }
  return tally
}

function countRestarts(tally: ContainerTally, container: ContainerStatus): void {
  tally.restarts += container.restartCount
  const endedAt = instant(container.lastState?.terminated?.finishedAt)
  if (endedAt !== undefined && endedAt > (tally.restartedAt ?? Number.NEGATIVE_INFINITY)) tally.restartedAt = endedAt
}

function endReason(terminated: NonNullable<ContainerState['terminated']>): string {
  if (terminated.reason !== undefined && terminated.reason !== '') return terminated.reason
  return terminated.signal !== undefined && terminated.signal !== 0
    ? `Signal:${terminated.signal}`
    : `ExitCode:${terminated.exitCode}`
}

function finalReason(pod: Pod, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason
  if (pod.status?.reason === 'NodeLost') return 'Unknown'
  const phase = pod.status?.phase
  return phase === 'Succeeded' || phase === 'Failed' ? reason : 'Terminating'
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? []
  if (gates.length === 0) return '<none>'
  const open = gates.filter(
    ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status === 'True',
  )
  return `${open.length}/${gates.length}`
}
