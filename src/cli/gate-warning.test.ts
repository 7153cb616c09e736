import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sourcesUnder } from '../../test/tidy/project.ts'
import { knownMinors, releaseOf } from '../api/releases/release-of.ts'
import { must } from '../base/result.ts'
import { gatesWithEffect, gateWarning, partialGates } from './gate-warning.ts'

it.each([
  ['MaxUnavailableStatefulSet=true', undefined],
  ['AllAlpha=true', undefined],
  ['KubeletPodResources=true', undefined],
  ['SchedulerAsyncAPICalls=true', 'berth: warning: feature gate without effect in berth: SchedulerAsyncAPICalls\n'],
  [
    'OpportunisticBatching=false, EnvFiles=true,SchedulerAsyncAPICalls=true',
    'berth: warning: feature gates without effect in berth: OpportunisticBatching, SchedulerAsyncAPICalls\n',
  ],
  ['EnvFiles', undefined],
  ['DRADerivedAttributes=false', undefined],
  [
    'OpportunisticBatching=true,DRAOptionalNodeOperations=true',
    'berth: warning: feature gate without effect in berth: OpportunisticBatching\n' +
      'berth: warning: feature gate DRAOptionalNodeOperations is partially implemented: only its fields are stored\n',
  ],
])('warns about %s: %j', (given, expected) => {
  expect(gateWarning(given)).toBe(expected)
})

it('lists the feature gates that the code reads', () => {
  const known = new Set(knownMinors.flatMap((minor) => Object.keys(must(releaseOf(minor)).featureGates)))
  const isAsked = (path: string) =>
    !/\.test\.ts$|\.fixture\.ts$|releases\/v1\.|gate-warning|kubernetes-types/.test(path)
  const asked = sourcesUnder('src')
    .filter(({ path }) => isAsked(path))
    .flatMap(({ text: source }) =>
      [...source.matchAll(/'(\w+)'|@(\w+) /g)].map(([, text, condition]) => text ?? condition ?? ''),
    )
  expect([...gatesWithEffect].sort()).toEqual([...new Set(asked)].filter((name) => known.has(name)).sort())
})

it('docs/compatibility.md lists every partially implemented feature gate', () => {
  const page = readFileSync('docs/compatibility.md', 'utf8')
  expect(Object.keys(partialGates).filter((name) => !gatesWithEffect.has(name))).toEqual([])
  const rows = Object.entries(partialGates).map(([name, missing]) => `| ${name} | ${missing} |`)
  expect(rows.filter((row) => !page.includes(row))).toEqual([])
})

it('docs/compatibility.md lists every feature gate without effect that a part of berth reads in upstream', () => {
  const page = readFileSync('docs/compatibility.md', 'utf8')
  const table = page.slice(
    page.indexOf('### Feature gates without effect'),
    page.indexOf('### Random choices of upstream'),
  )
  const named = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '')
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter((name) => gatesWithEffect.has(name))).toEqual([])
})
