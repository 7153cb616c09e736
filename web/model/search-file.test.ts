import { expect, it } from 'vitest'
import { readSearchFile } from './search-file.ts'

it.each([
  ['{', 'not JSON; write it with berth search -o json'],
  ['[]', 'not a result of berth search -o json'],
  ['{"kind":"Scenario"}', 'not a result of berth search -o json'],
  ['{"kind":"Search","found":false}', 'this search found no violation, so there is nothing to replay'],
  [`"${'x'.repeat(5_000_001)}"`, 'too large for a result of berth search'],
])('rejects %.40s', (text, message) => {
  expect(readSearchFile(text)).toEqual({ ok: false, message })
})

it('reads the scenario without the objects of its cluster', () => {
  const text = JSON.stringify({ kind: 'Search', scenario: { cluster: [{ kind: 'Node' }], steps: [{ at: '0s' }] } })
  expect(readSearchFile(text)).toEqual({ ok: true, value: { steps: [{ at: '0s' }] } })
})
