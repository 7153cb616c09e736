import { CustomObjectsApi, type V1Secret } from '@kubernetes/client-node'
// Outside of this repository: from 'kubeberth'.
import { createCluster } from '../../src/index.ts'
import { definition, type Environment } from './environment.ts'
import { managedLabel, type Rotation, RotationOperator, rotationsPath, secretsPath } from './rotation-operator.ts'

/** The operator on a cluster in virtual time. */
export async function virtualEnvironment(): Promise<Environment> {
  const cluster = await createCluster({ nodes: 1 })
  const { client } = cluster
  await cluster.apply(definition)
  const selector = `${managedLabel}=true`
  const listSecrets = () =>
    client.list<V1Secret>('v1', 'Secret', undefined, undefined, undefined, undefined, undefined, selector)
  const operator = new RotationOperator({
    objects: client,
    custom: cluster.makeApiClient(CustomObjectsApi),
    rotations: cluster.makeInformer<Rotation>(rotationsPath, () => client.list('example.com/v1', 'Rotation')),
    secrets: cluster.makeInformer<V1Secret>(secretsPath, listSecrets, selector),
    now: () => cluster.now,
    sleep: (ms) => cluster.sleep(ms),
  })
  await operator.start()
  return {
    objects: client,
    now: () => cluster.now,
    advance: (hours) => cluster.advance(`${hours}h`),
    settle: () => cluster.settle(),
    close: async () => {
      await operator.stop()
      await cluster.close()
    },
  }
}
