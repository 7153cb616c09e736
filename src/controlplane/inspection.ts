import { type FullResponse, json } from '../apiserver/exchange.ts'
import type { Clock } from '../base/clock.ts'
import { lookupTable } from '../base/lookup-table.ts'
import type { RunDriver } from '../runtime/run-driver.ts'

/** What each `/debug` path shows: a controller's own view of what it holds, as data. */
const debugPaths = lookupTable<string>({
  '/debug/queue': 'scheduler',
  '/debug/evictions': 'taint-eviction-controller',
  '/debug/nodes': 'node-lifecycle-controller',
  '/debug/cidrs': 'node-ipam-controller',
})

export function debugAnswer(driver: RunDriver | undefined, path: string, clock: Clock): FullResponse | undefined {
  if (driver === undefined) return undefined
  if (path === '/debug/health') return json(200, driver.health())
  const name = Object.hasOwn(debugPaths, path) ? debugPaths[path] : undefined
  if (name === undefined) return undefined
  const controller = driver.controller(name)
  if (controller?.inspect === undefined) return json(404, { message: `${name} does not run here` })
  return json(200, controller.inspect(clock.now()))
}
