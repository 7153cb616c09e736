import { silentLogger } from '../../src/base/log.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import type { Client } from '../../src/client/contract.ts'
import { createHollowKubelet } from '../../src/controllers/hollow-kubelet/controller.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { createRunDriver, type RunDriver } from '../../src/runtime/run-driver.ts'

/** Runs the kubelets of the hollow nodes of a real cluster in this process. */
export function startHollowKubelets(client: Client): RunDriver {
  const kubelets = createRunDriver({
    client,
    clock: new RealClock(),
    random: createRandom('kubelets'),
    log: silentLogger,
    controllers: [
      createHollowKubelet({ serves: 'labeled', stages: packs.fast, leaseRenewIntervalMs: 1000, spread: true }),
    ],
  })
  kubelets.start()
  return kubelets
}
