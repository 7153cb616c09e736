import { afterAll, beforeAll, describe } from 'vitest'
import { describeClientContract } from '../contracts/client-contract-suite.ts'
import { type Connection, connect } from './connection.ts'
import { eventually, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing()

describe.skipIf(reason !== undefined)(
  `the HTTP client and kube-apiserver v1.36.4${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let hands: Connection
    let streamsLists = true
    beforeAll(async () => {
      cluster = await startRealCluster()
      hands = await connect(cluster)
      streamsLists = await canStream(hands)
    })
    afterAll(async () => {
      hands?.close()
      await cluster?.close()
    })

    describeClientContract('over HTTP, of a real API server', async () => {
      await hands.clear()
      await eventually(
        'nothing is left of the test before',
        async () => {
          for (const namespace of ['default', 'other'])
            await hands.client.call({ verb: 'deletecollection', resource: 'configmaps', namespace })
          return (await hands.list('configmaps')).filter(({ metadata }) => metadata.namespace !== 'kube-system')
        },
        (left) => left.length === 0,
      )
      const { client, close } = await connect(cluster)
      return {
        client,
        close,
        streamsLists,
        expireHistory: async () => {
          await cluster.compactEtcd()
          // The real server keeps its own events for a while.
          await cluster.restartApiServer()
          // Until its cache is ready, the server answers watches with 429, and the client retries only lists.
          for (const resource of ['configmaps', 'pods'])
            await hands.client.call({ verb: 'list', resource, resourceVersion: '0' })
        },
      }
    })
  },
)

/** An etcd before 3.4.31 or 3.5.13 cannot say how far a watch has come, which streaming needs. */
function canStream({ client }: Connection): Promise<boolean> {
  return new Promise((resolve) => {
    const watch = client.watch(
      { resource: 'configmaps', namespace: 'default', sendInitialEvents: true },
      (events) => {
        for (const event of events) {
          if (event.type === 'ERROR') resolve(false)
          else if (event.type === 'BOOKMARK') resolve(true)
          else continue
          watch.cancel()
        }
      },
      () => resolve(false),
    )
  })
}
