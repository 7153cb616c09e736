import { type NodeUsage, nodeMetrics, usageIn } from '../../api/node-usage.ts'
import type { Client } from '../../client/contract.ts'

/** metrics-server measures every 15 seconds. */
const freshMs = 15_000
/** The interval at which a cluster without metrics.k8s.io is tried again. */
const retryMs = 60_000

/**
 * The usage of the nodes of a cluster, from metrics.k8s.io. Requests are sent only when a client reads, and the result
 * is that of the last request.
 */
export function createPolledUsage(client: Client, now: () => number): () => ReadonlyMap<string, NodeUsage> {
  let known: ReadonlyMap<string, NodeUsage> = new Map()
  let nextAt = Number.NEGATIVE_INFINITY
  const ask = async () => {
    const outcome = await client.call({ verb: 'list', resource: nodeMetrics })
    const isList = outcome.ok && outcome.kind === 'list'
    nextAt = now() + (isList ? freshMs : retryMs)
    known = new Map(
      (isList ? outcome.items : []).flatMap((item) => {
        const usage = usageIn(item)
        return usage === undefined ? [] : [[item.metadata.name, usage]]
      }),
    )
  }
  return () => {
    if (now() >= nextAt) {
      nextAt = Number.POSITIVE_INFINITY
      void ask()
    }
    return known
  }
}
