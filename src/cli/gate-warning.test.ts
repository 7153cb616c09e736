import { expect, it } from 'vitest'
import { sourcesUnder } from '../../test/tidy/project.ts'
import { knownMinors, releaseOf } from '../api/releases/release-of.ts'
import { must } from '../base/result.ts'
import { gatesWithEffect, gateWarning } from './gate-warning.ts'

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
])('warns about %s: %j', (given, expected) => {
  expect(gateWarning(given)).toBe(expected)
})

it('lists the gates that the code asks for', () => {
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
