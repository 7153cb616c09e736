import { parseGoDurationMs } from '../../../src/api/go-duration.ts'
import { silentLogger } from '../../../src/base/log.ts'
import { createRandom } from '../../../src/base/random.ts'
import { RealClock } from '../../../src/base/real-clock.ts'
import { must } from '../../../src/base/result.ts'
import { createHollowKubelet } from '../../../src/controllers/hollow-kubelet/controller.ts'
import { packs } from '../../../src/controllers/hollow-kubelet/packs.ts'
import { createRunDriver } from '../../../src/runtime/run-driver.ts'
import type { Connection } from '../connection.ts'

/** The hollow kubelets of all nodes of a real cluster. */
export interface RealKubelets {
  silence(nodes: readonly string[]): void
  revive(nodes: readonly string[]): void
  stop(): Promise<void>
}

const ms = (text: string) => must(parseGoDurationMs(text))

/** `hollow` of the scenario, as written. */
export function startKubelets(
  { client }: Connection,
  { leaseRenewInterval = '10s', statusUpdateInterval = '5m' }: Readonly<Record<string, string>>,
): RealKubelets {
  const kubelet = createHollowKubelet({
    serves: 'all',
    stages: packs.fast,
    leaseRenewIntervalMs: ms(leaseRenewInterval),
    statusUpdateIntervalMs: ms(statusUpdateInterval),
  })
  const clock = new RealClock()
  const random = createRandom('kubelets')
  const driver = createRunDriver({ client, clock, random, log: silentLogger, controllers: [kubelet] })
  driver.start()
  const change = (what: 'silence' | 'revive') => (nodes: readonly string[]) => {
    kubelet[what](nodes, clock.now())
    driver.wake('hollow-kubelet')
  }
  return { silence: change('silence'), revive: change('revive'), stop: () => driver.stop() }
}
