import type { RandomStream } from '../../src/base/random.ts'
import { some } from './access-roles.ts'
import { type AccessQuestion, administratorToken } from './access-servers.ts'

const maps = '/api/v1/namespaces/a1/configmaps'
export const optionsObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'o' }, data: { a: '1' } }

/** Valid and invalid values of a parameter. */
const parameters: Readonly<Record<string, readonly string[]>> = {
  dryRun: ['All', 'All', 'all', 'foo', '', 'true'],
  fieldManager: ['me', '', 'm'.repeat(128), 'm'.repeat(129), 'a%0Ab', '%E2%80%8B', 'g%C3%BCnter', 'a%00b%07'],
  fieldValidation: ['Strict', 'Warn', 'Ignore', '', 'strict', 'None'],
  force: ['true', 'false', '', '0', 'FALSE', 'yes'],
  propagationPolicy: ['Orphan', 'Background', 'Foreground', '', 'orphan', 'nil'],
  orphanDependents: ['true', 'false', '', '0', 'x'],
  gracePeriodSeconds: ['0', '5', '-1', '', 'x', '1.5', '99999999999999999999', '+3'],
  resourceVersion: ['', '0', 'x', '-1'],
  resourceVersionMatch: ['', 'Exact', 'NotOlderThan', 'exact'],
  uid: ['', 'other'],
  limit: ['1', '0', '-1', '', 'x', '99999999999999999999'],
  continue: ['', 'x', 'e30', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0'],
  timeoutSeconds: ['1', '', 'x', '-1'],
  sendInitialEvents: ['true', 'false', ''],
  allowWatchBookmarks: ['true', 'x'],
  watch: ['true', 'false', '0', ''],
  labelSelector: ['', 'a', 'a=b', 'a===b', '!', 'a in (b)'],
  fieldSelector: ['', 'metadata.name=o', 'a', 'spec.x=1', 'metadata.name==o', 'metadata.name=o,metadata.name=x'],
  ignoreStoreReadErrorWithClusterBreakingPotential: ['true', 'false', 'x'],
  pretty: ['true', 'false', '', 'x'],
  export: ['true', 'false', '', '0'],
  nonsense: ['1'],
}

function query(random: RandomStream, most: number): string {
  const chosen = Array.from({ length: random.int(most + 1) }, () => random.pick(Object.keys(parameters)))
  return chosen
    .flatMap((name) =>
      some(random, parameters[name] ?? [], random.int(8) === 0 ? 2 : 1).map((value) => `${name}=${escaped(value)}`),
    )
    .join('&')
}

const escaped = (value: string) => (value.includes('%') ? value : encodeURIComponent(value))

const members: Readonly<Record<string, readonly unknown[]>> = {
  kind: ['DeleteOptions', 'DeleteOptions', 'Pod', 'CreateOptions', 'ListOptions', '', 5, null, 'Status'],
  apiVersion: ['v1', 'meta.k8s.io/v1', 'apps/v1', '', 'x/y/z', 5, null],
  dryRun: [['All'], ['All', 'All'], ['all'], ['foo', 'All'], [], 'All', [5], null, [null]],
  gracePeriodSeconds: [0, 5, -1, '5', 1.5, true, null, 1e30],
  propagationPolicy: ['Orphan', 'Background', 'Foreground', '', 'orphan', 5, null],
  orphanDependents: [true, false, 'true', 0, null],
  preconditions: [
    {},
    { uid: 'other' },
    { uid: 5 },
    { resourceVersion: '1' },
    { resourceVersion: 1 },
    5,
    [],
    'x',
    null,
    { more: 1 },
  ],
  ignoreStoreReadErrorWithClusterBreakingPotential: [true, false, 'x', null],
  nonsense: [1, {}, null],
}

function deleteBody(random: RandomStream): string {
  if (random.int(15) === 0) return random.pick(['', '{', '[]', '5', '"x"', 'null', 'true', '{"a":}', 'not json', '{}x'])
  const chosen = Array.from({ length: random.int(4) }, () => random.pick(Object.keys(members)))
  return JSON.stringify(Object.fromEntries(chosen.map((name) => [name, random.pick(members[name] ?? [])])))
}

const headersOf = (type: string) => ({ authorization: `Bearer ${administratorToken}`, 'content-type': type })

/** Options of all kinds, as query and as body. */
export function optionsRequest(random: RandomStream): AccessQuestion {
  const draw = random.int(10)
  const asked = query(random, 4)
  const at = (path: string, more = '') => {
    const all = [asked, more].filter((part) => part !== '').join('&')
    return all === '' ? path : `${path}?${all}`
  }
  const body = JSON.stringify(optionsObject)
  const plain = headersOf('application/json')
  if (draw < 3) {
    const path = random.int(4) === 0 ? maps : `${maps}/o`
    const hasBody = random.int(3) > 0
    return { method: 'DELETE', path: at(path), headers: plain, ...(hasBody ? { body: deleteBody(random) } : {}) }
  }
  if (draw < 4)
    return { method: 'POST', path: at(maps, 'dryRun=All'), headers: plain, body: body.replace('"o"', '"new"') }
  if (draw < 5) return { method: 'PUT', path: at(`${maps}/o`), headers: plain, body }
  if (draw < 7) {
    const type = random.pick(['application/merge-patch+json', 'application/apply-patch+yaml', 'application/json'])
    return { method: 'PATCH', path: at(`${maps}/o`), headers: headersOf(type), body }
  }
  if (draw < 8) return { method: 'GET', path: at(`${maps}/o`), headers: plain }
  return { method: 'GET', path: at(maps), headers: plain }
}
