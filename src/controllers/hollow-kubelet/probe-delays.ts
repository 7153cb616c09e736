import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '../../api/objects/pod.ts'
import { parseTime } from '../../api/time.ts'

// Probes of hollow pods succeed the first time they run, which is not before their initial delay.
const delayMs = (probe: Container['readinessProbe']): number => (probe?.initialDelaySeconds ?? 0) * 1000

const startupMs = ({ startupProbe }: Container): number => delayMs(startupProbe)
const readinessMs = (container: Container): number => Math.max(startupMs(container), delayMs(container.readinessProbe))

/** The status of a running pod in which containers are not ready, or not started, until their probes have run. */
export function withProbeDelays({ spec }: Pod, status: PodStatus, now: string): PodStatus {
  const { containerStatuses, conditions } = status
  if (status.phase !== 'Running' || containerStatuses === undefined) return status
  if (!spec.containers.some((container) => readinessMs(container) > 0)) return status
  const nowMs = parseTime(now) ?? 0
  const unready: string[] = []
  const delayed = containerStatuses.map((one): ContainerStatus => {
    const container = spec.containers.find(({ name }) => name === one.name)
    const startedAt = parseTime(one.state?.running?.startedAt)
    if (container === undefined || startedAt === undefined || startedAt + readinessMs(container) <= nowMs) return one
    unready.push(one.name)
    return { ...one, ready: false, started: startedAt + startupMs(container) <= nowMs }
  })
  if (unready.length === 0) return status
  const message = `containers with unready status: [${unready.join(' ')}]`
  const asUnready = (condition: PodCondition): PodCondition =>
    condition.type === 'Ready' || condition.type === 'ContainersReady'
      ? { ...condition, status: 'False', reason: 'ContainersNotReady', message }
      : condition
  return {
    ...status,
    containerStatuses: delayed,
    ...(conditions === undefined ? {} : { conditions: conditions.map(asUnready) }),
  }
}

/**
 * The time until all containers of a running pod are ready. It is a second more than the delay, because times in a
 * status have no fractions.
 */
export function readyInMs({ spec, status }: Pod, wall: number): number {
  let latest = wall
  for (const container of spec.containers) {
    const delay = readinessMs(container)
    if (delay === 0) continue
    const own = status?.containerStatuses?.find(({ name }) => name === container.name)
    const startedAt = parseTime(own?.state?.running?.startedAt)
    if (startedAt !== undefined) latest = Math.max(latest, startedAt + delay + 1000)
  }
  return latest - wall
}
