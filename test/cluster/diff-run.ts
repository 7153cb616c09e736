import type { JsonObject } from '../../src/api/objects/meta.ts'
import { createRandom } from '../../src/base/random.ts'
import { type Case, collectionPath, kindOf, namespace, nextCase, objectPath } from './diff-case.ts'
import { type Answer, differences } from './diff-compare.ts'
import { type Seed, seeds } from './diff-seeds.ts'

export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

export interface Group {
  count: number
  readonly seed: string
  readonly case: Case
  readonly real: Answer
  readonly ours: Answer
}

export interface Report {
  readonly cases: number
  /** By verb, kind and difference, without the details of the case. */
  readonly groups: ReadonlyMap<string, Group>
}

/** Creates the objects of the cases on a server that may already have them. */
export async function plant(ask: Ask, from: readonly Seed[] = seeds): Promise<void> {
  await ask('POST', '/api/v1/namespaces?fieldManager=diff', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  })
  for (const seed of from) {
    if (seed.isFleeting === true) continue
    if ((await ask('GET', objectPath(seed))).code === 200) continue
    const answer = await ask('POST', `${collectionPath(kindOf(seed))}?fieldManager=diff`, seed.object)
    if (answer.code >= 300) {
      throw new Error(`${seed.resource} ${JSON.stringify(answer.body['message'])}`)
    }
    if (seed.status === undefined) continue
    const path = `${objectPath(seed)}/status?fieldManager=diff`
    const written = await ask('PUT', path, { ...answer.body, status: seed.status })
    if (written.code >= 300) throw new Error(`${path} ${JSON.stringify(written.body['message'])}`)
  }
  // Times have whole seconds, and the next write must have a later time.
  await new Promise((next) => setTimeout(next, 1100))
}

export async function compare(options: {
  readonly real: Ask
  readonly ours: Ask
  readonly seed: string
  readonly cases: number
  readonly seeds?: readonly Seed[]
  readonly only?: readonly string[]
  /** Other requests than those to the objects themselves. */
  readonly draw?: typeof nextCase
}): Promise<Report> {
  const { real, ours, seeds: from = seeds, draw = nextCase } = options
  const live = new Map<Seed, JsonObject>()
  const versions = { real: new Map<string, string>(), ours: new Map<string, string>() }
  const uids = new Map<string, string>()
  for (const seed of from) {
    const path = objectPath(seed)
    for (const [side, ask] of [
      ['real', real],
      ['ours', ours],
    ] as const) {
      const { body, code } = await ask('GET', path)
      if (code !== 200 && seed.isFleeting !== true)
        throw new Error(`${side} has no ${path}: ${code} ${JSON.stringify(body)}`)
      const metadata = body['metadata'] as { readonly resourceVersion: string; readonly uid: string } | undefined
      versions[side].set(path, metadata?.resourceVersion ?? '')
      if (side === 'real') live.set(seed, body)
      else uids.set(uidOf(live.get(seed) ?? {}), metadata?.uid ?? '')
    }
  }
  const groups = new Map<string, Group>()
  const one = async (i: number): Promise<void> => {
    const name = `${options.seed}/${i}`
    const stream = createRandom(name).stream('case')
    const made = draw(stream, (seed) => live.get(seed) as JsonObject, from, options.only)
    const send = (side: 'real' | 'ours', ask: Ask): Promise<Answer> => {
      const version = made.versionOf === undefined ? undefined : versions[side].get(made.versionOf)
      const sent = withVersion(made.body, version)
      const own = side === 'real' ? sent : translated(sent, uids)
      return ask(made.method, made.path, own, { 'content-type': made.contentType })
    }
    const [a, b] = await Promise.all([send('real', real), send('ours', ours)])
    for (const difference of differences(made, a, b)) {
      const key = `${made.verb} ${made.kind} ${difference}`
      const group = groups.get(key)
      if (group !== undefined) group.count++
      else groups.set(key, { count: 1, seed: name, case: made, real: a, ours: b })
    }
  }
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < options.cases) await one(next++)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return { cases: options.cases, groups }
}

function withVersion(body: Case['body'], version: string | undefined): unknown {
  if (version === undefined || typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const { metadata } = body as { readonly metadata?: unknown }
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return body
  if ('resourceVersion' in metadata) return body
  return { ...body, metadata: { ...metadata, resourceVersion: version } }
}

/** Replaces the uid of an object of the real server by the uid of the same object on berth. */
function translated(body: unknown, uids: ReadonlyMap<string, string>): unknown {
  const text = JSON.stringify(body)
  const pattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
  return JSON.parse(text.replace(pattern, (uid) => uids.get(uid) ?? uid))
}

const uidOf = ({ metadata }: JsonObject): string => String((metadata as JsonObject | undefined)?.['uid'])
