import type { Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { encodeJson } from '../../base/exact-json.ts'
import type { Client } from '../../client/contract.ts'
import { builtinKindsOf } from '../../registry/kinds/kinds.ts'
import { endLine, headerLine } from './snapshot-lines.ts'
import { type SnapshotResource, snapshotResources } from './snapshot-resources.ts'
import { trimObject } from './trimming.ts'

export interface SnapshotOptions {
  readonly takenAtMs: number
  /** The gitVersion of the API server, if it is known. */
  readonly kubernetes?: string
  readonly redact?: (object: KubeObject) => KubeObject
  readonly pageSize?: number
  readonly onProgress?: (resource: string, count: number) => void
}

/** Nodes or pods cannot be read. */
export class UnreadableClusterError extends Error {
  override readonly name = 'UnreadableClusterError'
}

/**
 * Reads a cluster page by page and yields the lines of a snapshot. Nothing is written to the cluster. Resources that cannot be
 * read are listed in the last line; only nodes and pods are required.
 */
export async function* takeSnapshot(client: Client, options: SnapshotOptions): AsyncGenerator<string> {
  yield headerLine(options.takenAtMs, options.redact !== undefined, options.kubernetes)
  const counts: Record<string, number> = {}
  const missing: Record<string, string> = {}
  for (const resource of snapshotResources) {
    if (options.redact !== undefined && resource.isUnredactable === true) continue
    counts[resource.resource] = 0
    for await (const page of pagesOf(client, resource, options.pageSize ?? 500)) {
      if ('why' in page) {
        if (isEssential(resource)) throw new UnreadableClusterError(`cannot read ${resource.resource}: ${page.why}`)
        if (page.isServed || resource.apiVersion === undefined) missing[resource.resource] = page.why
        break
      }
      for (const object of page.items) {
        const trimmed = trimObject(withKind(object, resource))
        yield `${encodeJson(options.redact === undefined ? trimmed : options.redact(trimmed))}\n`
      }
      counts[resource.resource] = (counts[resource.resource] ?? 0) + page.items.length
      options.onProgress?.(resource.resource, counts[resource.resource] ?? 0)
    }
  }
  yield endLine(counts, missing)
}

type ListPage = { readonly items: readonly KubeObject[] } | { readonly why: string; readonly isServed: boolean }

async function* pagesOf(client: Client, asked: SnapshotResource, limit: number): AsyncGenerator<ListPage> {
  const { resource, namespace, names } = asked
  if (names !== undefined) {
    yield* namedObjects(client, asked, names)
    return
  }
  let next: string | undefined
  do {
    const outcome: Outcome = await client.call({
      verb: 'list',
      resource,
      limit,
      ...(namespace === undefined ? {} : { namespace }),
      ...(next === undefined ? {} : { continue: next }),
    })
    if (!outcome.ok) {
      const { message, reason = 'no reason given' } = outcome.status
      yield { why: message ?? reason, isServed: reason !== 'NotFound' }
      return
    }
    if (outcome.kind !== 'list') return
    yield { items: outcome.items }
    next = outcome.continue
  } while (next !== undefined && next !== '')
}

/** Objects that are read one by one. Objects that do not exist are not reported as missing. */
async function* namedObjects(
  client: Client,
  { resource, namespace }: SnapshotResource,
  names: readonly string[],
): AsyncGenerator<ListPage> {
  for (const name of names) {
    const outcome = await client.call({
      verb: 'get',
      resource,
      name,
      ...(namespace === undefined ? {} : { namespace }),
    })
    if (outcome.ok) {
      if (outcome.kind === 'object') yield { items: [outcome.object] }
    } else if (outcome.status.reason !== 'NotFound') {
      const { message, reason = 'no reason given' } = outcome.status
      yield { why: message ?? reason, isServed: true }
      return
    }
  }
}

function isEssential({ resource }: SnapshotResource): boolean {
  return resource === 'nodes' || resource === 'pods'
}

// The first version of a kind is the preferred one, as the client reads it.
const apiVersions = new Map(
  builtinKindsOf(defaultRelease)
    .toReversed()
    .map((kind) => [kind.resource, kind.apiVersion]),
)

/** Items of a list have no apiVersion and kind. */
function withKind(object: KubeObject, { resource, kind, apiVersion }: SnapshotResource): KubeObject {
  return {
    ...object,
    apiVersion: object.apiVersion ?? apiVersion ?? (apiVersions.get(resource) as string),
    kind: object.kind ?? kind,
  }
}
