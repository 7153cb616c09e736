// The tests of examples/operator, unchanged, on the real kube-apiserver.
import { KubeConfig } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe } from 'vitest'
import { rotationTests } from '../../examples/operator/rotation-suite.ts'
import { serverEnvironment } from '../../examples/operator/server-environment.ts'
import { missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing()

describe.skipIf(reason !== undefined)(
  `the example operator on kube-apiserver${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    beforeAll(async () => {
      cluster = await startRealCluster()
    })
    afterAll(() => cluster?.close())

    rotationTests(() => {
      const config = new KubeConfig()
      config.loadFromFile(cluster.kubeconfig)
      return serverEnvironment(config)
    })
  },
)
