// Decodes rows that the server sends as differences; see src/controlplane/console/compact-rows.ts.
import type { LabelSet, PodRow, PodsLike } from '../../src/wire/console-wire.ts'
import type { Labels } from './label-selector.ts'
import { P } from './rows.ts'

/** The labels of a set; `known` has the sets that came before. */
export function expandLabels([, labels, like]: LabelSet, known: ReadonlyMap<number, Labels>): Labels {
  return like === undefined ? labels : { ...known.get(like), ...labels }
}

/** The rows of an entry; `nodes` are the names of the nodes in the order in which they were sent. */
export function* expandPods([of, pods]: PodsLike, nodes: readonly string[]): Generator<PodRow> {
  for (let at = 0; at < pods.length; at += 3) {
    const row = [...of] as (string | number | undefined)[]
    row[P.key] = of[P.key] + String(pods[at])
    row[P.node] = nodes[pods[at + 1] as number]
    row[P.createdMs] = of[P.createdMs] + (pods[at + 2] as number)
    yield row as unknown as PodRow
  }
}
