import { type FullResponse, json } from '../apiserver/exchange.ts'
import { type Clock, type Instant, shownAt } from '../base/clock.ts'
import { lookupTable } from '../base/lookup-table.ts'
import type { Controller } from '../runtime/controller.ts'
import type { RunDriver } from '../runtime/run-driver.ts'

/** The content of each `/debug` path: the internal state of a controller, as data. */
const debugPaths = lookupTable<string>({
  '/debug/queue': 'scheduler',
  '/debug/evictions': 'taint-eviction-controller',
  '/debug/device-evictions': 'device-taint-eviction-controller',
  '/debug/nodes': 'node-lifecycle-controller',
  '/debug/cidrs': 'node-ipam-controller',
  '/debug/cluster-autoscaler': 'cluster-autoscaler',
})

export function debugAnswer(driver: RunDriver | undefined, path: string, clock: Clock): FullResponse | undefined {
  if (driver === undefined) return undefined
  if (path === '/debug/health') return json(200, driver.health())
  const name = Object.hasOwn(debugPaths, path) ? debugPaths[path] : undefined
  if (name === undefined) return undefined
  const controller = driver.controller(name)
  if (controller?.inspect === undefined) return json(404, { message: `${name} does not run here` })
  return json(200, inspectionOf(controller, clock))
}

/** The state of a controller, with its times in wall time, so that readers can compare them with timestamps. */
export function inspectionOf(controller: Controller | undefined, clock: Clock): unknown {
  const instant = { now: clock.now(), wall: clock.wall() }
  const found = controller?.inspect?.(instant.now)
  // Differences below a second are ignored, because the two clocks are read one after the other.
  return Math.abs(instant.wall - instant.now) < 1000 ? found : asShown(found, instant)
}

/** The names of all fields that contain a time. */
const instantName = /^since$|(At|Until)$/

function asShown(value: unknown, instant: Instant, name = ''): unknown {
  if (typeof value === 'number') return instantName.test(name) ? shownAt(value, instant) : value
  if (Array.isArray(value)) return value.map((item) => asShown(item, instant))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asShown(inner, instant, key)]))
}
