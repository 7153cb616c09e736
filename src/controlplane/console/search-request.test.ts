import { expect, it } from 'vitest'
import { readSearchRequest } from './search-request.ts'

it.each([
  [undefined, 'must be an object with kind'],
  [{ kind: 'hunt' }, 'kind: must be search or replay'],
  [{ kind: 'search', faults: '/etc/passwd', only: [], seconds: 10 }, 'faults: must be realistic or harsh'],
  [{ kind: 'search', faults: 'harsh', only: [1], seconds: 10 }, 'only: must be a list of groups of faults'],
  [{ kind: 'search', faults: 'harsh', only: [], seconds: 1e9 }, 'seconds: must be a number from 1 to 3600'],
  [{ kind: 'replay', scenario: { steps: [] } }, 'scenario.steps: must be a list of 1 to 100 steps'],
  [{ kind: 'replay' }, 'scenario: must be an object'],
])('refuses %j', (value, message) => {
  expect(readSearchRequest(value)).toEqual({ ok: false, message })
})

it('reads a search and a replay', () => {
  const search = { kind: 'search', faults: 'realistic', only: ['nodes'], seconds: 60 }
  expect(readSearchRequest({ ...search, more: 1 })).toEqual({ ok: true, value: search })
  const replay = { kind: 'replay', scenario: { steps: [{ fail: { node: 'a' } }] } }
  expect(readSearchRequest(replay)).toEqual({ ok: true, value: replay })
})
