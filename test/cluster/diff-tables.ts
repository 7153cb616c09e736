import type { Json, JsonObject } from '../../src/api/objects/meta.ts'
import { createRandom } from '../../src/base/random.ts'
import { collectionPath, kindOf, nameOf } from './diff-case.ts'
import { type Answer, objects } from './diff-compare.ts'
import { Mutator } from './diff-mutation.ts'
import type { Ask, Group, Report } from './diff-run.ts'
import { seeds } from './diff-seeds.ts'

type Objects = { [key: string]: Json }

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }

/**
 * Objects with statuses that both servers accept, and the rows each prints. Every round creates one object of each
 * kind, so nothing is a dry run here.
 */
export async function compareTables(options: {
  readonly real: Ask
  readonly ours: Ask
  readonly seed: string
  readonly rounds: number
}): Promise<Report> {
  const groups = new Map<string, Group>()
  let cases = 0
  for (let round = 0; round < options.rounds; round++) {
    for (const seed of seeds) {
      if (seed.isFleeting === true || seed.resource === 'servicecidrs.networking.k8s.io') continue
      const name = `${options.seed}/${round}/${seed.resource}/${nameOf(seed)}`
      const mutator = new Mutator(createRandom(name).stream('table'))
      const kind = kindOf(seed)
      const object = structuredClone(seed.object) as Objects
      const metadata = object['metadata'] as Objects
      metadata['name'] = `t${round}-${nameOf(seed)}`
      if (kind.kind === 'Service') bare(object)
      const body = mutator.mutate(object, kind.shape, ['spec', 'data', 'rules', 'subsets', 'endpoints', 'status'])
      const both = (act: (ask: Ask) => Promise<Answer>) => Promise.all([act(options.real), act(options.ours)])
      const collection = collectionPath(kind)
      const made = await both((ask) => ask('POST', collection, body))
      if (made.some(({ code }) => code !== 201)) continue
      const path = `${collection}/${String(metadata['name'])}`
      const status = kind.shape?.fields.get('status')?.shape
      if (status !== undefined && kind.subresources.some((sub) => sub.name === 'status')) {
        const next = mutator.generate(status, 'status', 0)
        const [a, b] = await both(async (ask) =>
          ask('PUT', `${path}/status`, { ...(await ask('GET', path)).body, status: next }),
        )
        if (a?.code !== b?.code) continue
      }
      const [real, ours] = await both((ask) => ask('GET', path, undefined, asTable))
      cases++
      const found: string[] = []
      objects(found, printed(real), printed(ours), '')
      for (const difference of found) {
        const key = `table ${kind.kind} ${difference}`
        const group = groups.get(key)
        if (group !== undefined) group.count++
        else {
          const made = { verb: 'table', kind: kind.kind, method: 'POST', path, contentType: '', body } as const
          groups.set(key, { count: 1, seed: name, case: made, real, ours })
        }
      }
      await both((ask) => ask('DELETE', `${path}?gracePeriodSeconds=0`))
    }
  }
  return { cases, groups }
}

function bare(service: Objects): void {
  const spec = service['spec'] as Objects
  if (spec['clusterIP'] !== 'None') delete spec['clusterIP']
  delete spec['healthCheckNodePort']
  for (const port of (spec['ports'] ?? []) as Objects[]) delete port['nodePort']
}

const age = /^(<invalid>|\d+[smhdy](\d+[smhdy])?)$/

/** Columns and cells by name, less what depends on the time and on chance. */
function printed({ body }: Answer): JsonObject {
  const columns = (body['columnDefinitions'] ?? []) as readonly JsonObject[]
  const rows = (body['rows'] ?? []) as readonly { readonly cells: readonly Json[] }[]
  const cells = (rows[0]?.cells ?? []).map((cell, i) => {
    const name = String(columns[i]?.['name'])
    if (name === 'Age' || name === 'Created At') return age.test(String(cell)) ? '<age>' : '<time>'
    if (typeof cell !== 'string') return cell
    return cell
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
      .replace(/\b10\.0\.0\.\d+\b/g, '<ip>')
      .replace(/:3\d{4}\//g, ':<port>/')
      .replace(/\d+[smhd](\d+[smhd])?/g, '<age>')
  })
  const shape = columns.map(({ name, type, format, priority }) => `${name} ${type} ${format} ${priority}`)
  return { columns: shape, cells: Object.fromEntries(cells.map((cell, i) => [String(columns[i]?.['name']), cell])) }
}
